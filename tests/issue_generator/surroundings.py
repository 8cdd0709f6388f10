"""The rest of an issue: the form's own text, sentences, program text, logs, other languages, and padding."""

from __future__ import annotations

import random

_OPENERS = (
    "I have been porting a small model and ran into this.",
    "Since the last update my training loop stops after a few batches.",
    "Hi! First of all thanks for the project.",
    "My colleague sees the same on another machine.",
    "Works on the CPU, does not on the GPU.",
    "按照文档里的例子运行，训练到一半程序就崩溃了。",
    "Beim Laden meines Modells bricht das Programm ab.",
    "Après la mise à jour, le programme s'arrête tout de suite.",
    "学習を始めると毎回ここで止まります。",
)
_CLOSERS = (
    "Any hint is welcome.",
    "What am I doing wrong?",
    "Happy to test a branch.",
    "I can share the model if that helps.",
    "谢谢！",
    "",
)
_TITLES = (
    "Training stops",
    "Crash when I run the model",
    "Panic with my own dataset",
    "Program aborts after the first epoch",
    "Error on GPU but not on CPU",
    "Strange behaviour after upgrade",
)
_CODE = (
    "let x = Tensor::<B, 3>::ones([2, 4, 8], &device);",
    "let y = model.forward(x.clone());",
    "let grads = loss.backward();",
    "let model = optim.step(1e-3, model, GradientsParams::from_grads(grads, &model));",
    'println!("{:?}", y.dims());',
    "assert_eq!(y.dims(), [2, 8]);",
    "let config = DemoConfig::new(16).with_dropout(0.1);",
)
_LOGS = (
    "2026-03-01T09:13:{:02}Z INFO demo::train: epoch 1 batch {} loss 0.{}",
    "2026-03-01T09:13:{:02}Z DEBUG wgpu_core::device: created buffer {} of {} bytes",
    "   Compiling helper-{} v0.{}.{}",
    "Epoch 1/5: {}/{} items, {} ms",
)


def title(rng: random.Random) -> str:
    return rng.choice(_TITLES)


def fenced(text: str, rng: random.Random) -> str:
    """Output as reporters paste it: in a fence, indented, in a details block, or bare."""
    kind = rng.randrange(8)
    if kind < 4:
        return f"```{rng.choice(('', '', 'text', 'shell', 'console', 'bash'))}\n{text}\n```"
    if kind == 4:
        return "\n".join("    " + line for line in text.split("\n"))
    if kind == 5:
        return f"<details><summary>output</summary>\n\n```\n{text}\n```\n\n</details>"
    if kind == 6:
        return f"<pre>\n{text}\n</pre>" if "<" not in text else f"```\n{text}\n```"
    return text


def code(rng: random.Random, lines: int = 5) -> str:
    return "```rust\n" + "\n".join(rng.choice(_CODE) for _ in range(lines)) + "\n```"


def body(shown: str, rng: random.Random) -> str:
    """The print, or what stands in its place, in somebody's issue."""
    opener, closer = rng.choice(_OPENERS), rng.choice(_CLOSERS)
    kind = rng.randrange(3)
    if kind == 0:
        return (
            f"**Describe the bug**\n<!-- A clear and concise description of what the bug is. -->\n{opener}\n\n"
            f"**To Reproduce**\n{code(rng)}\n\n{shown}\n\n**Expected behavior**\nNo crash.\n\n"
            "**Desktop (please complete the following information):**\n - OS: Linux\n"
            f" - Version: 0.{rng.randint(13, 21)}.0\n\n"
            f"**Additional context**\n{closer}\n"
        )
    if kind == 1:
        return f"{opener}\n\n{shown}\n\n{closer}\n"
    versions = f"burn 0.{rng.randint(13, 21)}, rustc 1.8{rng.randrange(10)}"
    return f"{opener}\n\n{code(rng, 8)}\n\nThis is what I see:\n\n{shown}\n\n{closer}\n\n{versions}\n"


def padded(text: str, size: int, rng: random.Random) -> str:
    """The issue between logs and backtraces, about `size` characters long."""
    blocks: list[str] = []
    length = len(text)
    while length < size:
        block = rng.choice((_log_block, _frame_block, _code_block))(rng)
        blocks.append(block[: size - length])
        length += len(block) + 2
    half = rng.randrange(len(blocks) + 1)
    return "\n\n".join([*blocks[:half], text, *blocks[half:]])[:size]


def _log_block(rng: random.Random) -> str:
    lines = [rng.choice(_LOGS).format(n % 60, rng.randint(1, 999), rng.randint(10, 99)) for n in range(40)]
    return "```\n" + "\n".join(lines) + "\n```"


def _frame_block(rng: random.Random) -> str:
    lines = []
    for n in range(30):
        lines.append(f"  {n:2}: demo::layer{rng.randint(1, 40)}::{rng.choice(('forward', 'apply', 'visit', 'load'))}")
        lines.append(f"             at ./src/layer{rng.randint(1, 40)}.rs:{rng.randint(3, 900)}:{rng.randint(5, 60)}")
    return "```\n" + "\n".join(lines) + "\n```"


def _code_block(rng: random.Random) -> str:
    return code(rng, 25)
