"""Every way people paste and mark up an error: the message is found, and the words pointed at are theirs."""

from __future__ import annotations

from bot.matching.verdict import Role, Source
from tests.matching_world import (
    DEFORM,
    HANDLE,
    ORDERING,
    READ,
    REGISTRY,
    SEND,
    SEND_END,
    SHAPES,
    SPLIT,
    SQUEEZE,
    UNWRAP,
    explains,
    first,
    judge,
    shown,
)

HANDLE_PATH = f"{REGISTRY}/burn-ir-0.20.0/src/handle.rs:88:32"
PRINTED = "Should have handle for tensor TensorId { value: 497010 }"


def test_carriage_returns_alone_break_lines() -> None:
    explains(f"Epoch 1\rEpoch 2\rthread 'main' panicked at {HANDLE_PATH}:\r{PRINTED}\r", HANDLE)


def test_line_ends_of_the_web_form() -> None:
    body = f"It stops.\r\n\r\n```\r\nthread 'main' panicked at {HANDLE_PATH}:\r\n{PRINTED}\r\n```\r\n"
    match = explains(body, HANDLE)
    assert shown(body, match) == "Should have handle for tensor"


def test_staircase_of_a_raw_terminal() -> None:
    pad = " " * 160
    body = (
        f"```\nthread 'main' panicked at {REGISTRY}/burn-tensor-0.13.2/src/tensor/api/float.rs:181:9:\n"
        f"{pad}=== Tensor Operation Error ===\n           Operation: 'Matmul'\n{pad}Reason:\n"
        f"{pad}  1. The inner dimension of matmul should be the same, but got 12 and 8. Lhs shape [128, 12].\n\n"
        f"{pad}stack backtrace:\n```"
    )
    match = explains(body, "The inner dimension of matmul should be the same, but got {} and {}.")
    assert match.evidence.source is Source.REPORT


def test_no_fence_at_all() -> None:
    explains(f"I did this and that.\nthread 'main' panicked at {HANDLE_PATH}:\n{PRINTED}\nWhat now?", HANDLE)


def test_text_glued_to_the_fence() -> None:
    explains(f"Look:\n```thread 'main' panicked at {HANDLE_PATH}:\n{PRINTED}```\nWhat now?", HANDLE)


def test_fence_opened_and_closed_on_one_line() -> None:
    explains(f"It crashes with:\n\n```{DEFORM}```\n\nLatest release.", DEFORM)


def test_single_backticks_around_several_lines() -> None:
    explains(f"I see:\n\n`ERROR burn::logger: PANIC => panicked at {HANDLE_PATH}:\n  {PRINTED}`\n\nAny idea?", HANDLE)


def test_pre_inside_details() -> None:
    body = f"<details>\n<summary>log</summary>\n<pre>\nthread 'main' panicked at {HANDLE_PATH}:\n{PRINTED}\n</pre>\n</details>"
    explains(body, HANDLE)
    explains(f"<details><summary>log</summary><pre>\n{DEFORM}\n</pre></details>", DEFORM)


def test_block_quote() -> None:
    explains(f">thread 'main' panicked at {HANDLE_PATH}:\n>{PRINTED}\n", HANDLE)
    explains(f"> {DEFORM}\n", DEFORM)


def test_everything_indented() -> None:
    explains(f"    thread 'main' panicked at {HANDLE_PATH}:\n    {PRINTED}\n\n    To Reproduce\n", HANDLE)


def test_bare_message_without_a_header() -> None:
    match = explains(f"```\n{DEFORM}\n```", DEFORM)
    assert match.evidence.source is Source.CODE
    explains(f"Here is what I get\n\n{DEFORM}\n\nand nothing else", DEFORM)


def test_message_and_location_in_different_fences() -> None:
    body = (
        f"What it says:\n\n```text\n{READ}\n```\n\nand where, it seems:\n\n"
        "```text\nburn-backend-0.21.0/src/backend/ops/int_tensor.rs:117:10\n```"
    )
    match = explains(body, READ)
    assert match.evidence.location is not None
    assert match.score.location == 1.0


def test_location_on_the_line_above_without_a_header() -> None:
    match = explains(f"```\n[...]/burn-ir-0.20.0/src/handle.rs:88:32:\n{PRINTED}\n```", HANDLE)
    assert match.score.location == 1.0


def test_title_only() -> None:
    match = explains("See title.", SQUEEZE, title="Can't squeeze dimension 1 because its size is not 1")
    assert match.evidence.source is Source.TITLE


def test_title_with_the_message_after_a_colon() -> None:
    explains("Since today.", DEFORM, title="backward() panics: Can't differentiate deform conv 2d backward.")


def test_title_with_the_message_in_quotation_marks() -> None:
    explains("More below.", DEFORM, title='"Can\'t differentiate deform conv 2d backward." when training')


def test_prose_only() -> None:
    explains(f"My training says {DEFORM.rstrip('.')} and stops.", DEFORM)


def test_prose_in_quotation_marks() -> None:
    explains(f'It fails with "{SQUEEZE.format(1)}" every time.', SQUEEZE)
    explains(f"It fails with \u201c{SQUEEZE.format(1)}\u201d every time.", SQUEEZE)


def test_inline_code() -> None:
    body = f"`squeeze::<1>()` panics, I get `{SQUEEZE.format(0)}` instead of a vector."
    match = explains(body, SQUEEZE)
    assert shown(body, match) == "Can't squeeze dimension 0 because its size is not 1"


def test_misspelt_words() -> None:
    match = explains("```\nError: Can't sqeeze dimenson 1 because its siez is not 1\n```", SQUEEZE)
    assert not match.score.exact


def test_misspelt_words_under_a_header() -> None:
    path = f"{REGISTRY}/burn-ir-0.20.0/src/handle.rs:88:32"
    explains(f"thread 'main' panicked at {path}:\nShould have hadnle for tensor TensorId {{ value: 3 }}", HANDLE)


def test_registry_mirror() -> None:
    path = "C:\\Users\\user\\.cargo\\registry\\src\\rsproxy.cn-e3de039b2554c837\\burn-ir-0.17.1\\src\\handle.rs:9:17"
    match = explains(f"```\nthread 'main' panicked at {path}:\n{PRINTED}\n```", HANDLE)
    assert match.score.location == 1.0


def test_redacted_paths() -> None:
    for head in (".../", "~/.cargo/registry/src/x/", "C:/<...>/cargo\\registry\\src\\y\\", "$HOME/.cargo/", "[...]/"):
        match = explains(
            f"```\nthread 'main' panicked at {head}burn-ir-0.18.0/src/handle.rs:9:1:\n{PRINTED}\n```", HANDLE
        )
        assert match.score.location == 1.0


def test_git_checkout_path() -> None:
    path = "/home/user/.cargo/git/checkouts/burn-178c6829f420dae1/53c77ae/crates/burn-ir/src/handle.rs:331:41"
    assert explains(f"```\nthread 'main' panicked at {path}:\n{PRINTED}\n```", HANDLE).score.location == 1.0


def test_path_wrapped_over_two_lines() -> None:
    explains(
        f"```\nPANIC => panicked at {REGISTRY}/burn-ir-0.18.0/src/handle.rs:331:\n41:\n  {PRINTED}    \n```", HANDLE
    )
    explains(f"```\nPANIC => panicked at {REGISTRY}/burn-ir-0.18.0/src/\nhandle.rs:331:41:\n{PRINTED}\n```", HANDLE)


def test_hard_wrapped_message() -> None:
    printed = (
        "unsupported operation: some\nelements of the input tensor and the written-to tensor refer to a single memory\n"
        "location. Please clone() the tensor before performing the operation."
    )
    body = f'```\n{UNWRAP}Torch("{printed}\nException raised from assert_no_partial_overlap ...\n```'
    match = first(judge(body))
    assert match.message.startswith("unsupported operation")


def test_escapes_inside_debug_strings() -> None:
    body = (
        "```\nthread 'main' panicked at crates/burn-cubecl-fusion/src/optim/elemwise/optimization.rs:44:17:\n"
        'RunnerError(CompilationError(Generic { context: "[Compilation Error] \\n    hip runtime failed to load.\\n    '
        'Error: Please provide architecture for which code is to be generated.\\n[Source]  \\n#include <hip/hip.h>" }))\n```'
    )
    explains(body, "hip runtime failed to load.")
    quoted = 'called `Result::unwrap()` on an `Err` value: Other("Could not run \\"aten::empty\\" with arguments from the \\"CUDA\\" backend")'
    match = first(judge(f"```\nthread 'main' panicked at src/main.rs:1:2:\n{quoted}\n```"))
    assert match.message.startswith("Could not run")


def test_very_long_message() -> None:
    source = "\\n".join(f"  float l_{n} = buffer_{n}[l_0];" for n in range(2_000))
    body = (
        "```\nthread 'main' panicked at crates/cubecl-hip/src/compute/server.rs:4:1:\n"
        f'Generic {{ context: "[Compilation Error]\\n    hip runtime failed to load.\\n{source}" }}\n```'
    )
    explains(body, "hip runtime failed to load.")


def test_colours() -> None:
    for escape in ("\x1b", "^[", "\u241b", "\\x1b", "\\u001b"):
        body = f"```\n{escape}[1m{escape}[31mError{escape}[0m: {escape}[33m{DEFORM}{escape}[0m\n```"
        match = explains(body, DEFORM)
        assert shown(body, match).startswith("Can't differentiate")


def test_frames_are_not_the_place_of_the_panic() -> None:
    body = (
        f"```\nthread 'main' panicked at {HANDLE_PATH}:\n{PRINTED}\nstack backtrace:\n"
        "   0: rust_begin_unwind\n             at /rustc/129f3b9/library/std/src/panicking.rs:652:5\n"
        "   1: burn_ir::handle::HandleContainer<H>::get_handle\n"
        f"             at {REGISTRY}/burn-tensor-0.20.0/src/tensor/api/numeric.rs:22:9\n```"
    )
    match = explains(body, HANDLE)
    assert match.evidence.location is not None
    assert match.evidence.location.path.endswith("burn-ir-0.20.0/src/handle.rs")
    assert match.evidence.location.functions == ("get_handle",)


def test_entities() -> None:
    body = "```\nError: Can&#39;t squeeze dimension &quot;1&quot; because its size is not 1 &lt;here&gt;\n```"
    match = explains(body, SQUEEZE)
    assert shown(body, match) == "Can&#39;t squeeze dimension &quot;1&quot; because its size is not 1"


def test_markdown_escapes() -> None:
    body = "I get: split\\_size must be greater than 0 unless the tensor size along the dimension is 0."
    explains(body, SPLIT)


def test_chinese_prose() -> None:
    body = f"用 burn 0.20 训练的时候直接崩溃\uff0c错误信息\uff1a\n\n{PRINTED}\n\n请问怎么解决\uff1f"
    explains(body, HANDLE)


def test_generated_report() -> None:
    body = (
        "## Summary\n\n| field | value |\n|---|---|\n| severity | high |\n\n## Observed\n\n"
        f"- **Panic:** `{DEFORM}`\n- **Frequency:** always\n\n## Analysis\n\nThe gradient is missing.\n"
    )
    explains(body, DEFORM)


def test_cascade_of_four_panics_names_the_first() -> None:
    body = (
        f"  Error message:\n\n  thread '<unnamed>' (143357) panicked at {HANDLE_PATH}:\n  {PRINTED}\n\n"
        f"  thread 'main' (141484) panicked at {REGISTRY}/burn-train-0.20.0/src/checkpoint/async_checkpoint.rs:123:14:\n"
        f"  {SEND}: SendError {{ .. }}\n\n"
        f"  thread 'main' (141484) panicked at {REGISTRY}/burn-train-0.20.0/src/checkpoint/async_checkpoint.rs:162:14:\n"
        f"  {SEND_END}: SendError {{ .. }}\n\n"
        "  thread 'main' panicked at library/core/src/panicking.rs:238:5:\n  panic in a destructor during cleanup\n"
    )
    explains(body, HANDLE)
    verdict = judge(body)
    assert [m.role for m in verdict.matches] == [Role.ROOT, Role.SECONDARY, Role.SECONDARY]
    assert [e.order for e in verdict.evidence] == [0, 1, 2, 3]


def test_report_with_two_reasons() -> None:
    body = (
        f"```\nthread 'main' panicked at {REGISTRY}/burn-tensor-0.13.2/src/tensor/api/numeric.rs:22:9:\n"
        "=== Tensor Operation Error ===\n  Operation: 'Add'\n  Reason:\n"
        f"    1. {SHAPES} Incompatible size at dimension '2' => '1278 != 1280', which can't be broadcasted.\n"
        "    2. The provided tensors are not on the same device. Lhs device Cpu, rhs device Cuda(0).\n```"
    )
    explains(body, SHAPES)
    assert [m.message for m in judge(body).matches] == [SHAPES[:-1], "The provided tensors are not on the same device"]


def test_secondary_in_the_title_root_in_the_body() -> None:
    body = (
        f"```\nERROR burn_train: PANIC => panicked at {REGISTRY}/burn-ir-0.18.0/src/handle.rs:91:32:\n"
        "Cannot get uninitialized handle TensorId { value: 495 }.\n```"
    )
    title = f"Training aborts: {ORDERING}, Cannot get uninitialized handle TensorId"
    match = explains(body, "Cannot get uninitialized handle {:?}.", title=title)
    assert match.role is Role.ROOT
