"""Bodies of 64 KB that somebody could send to keep the matcher busy."""

from __future__ import annotations

from collections.abc import Sequence

from bench.world import SIZE
from bot.records.model import Site


def bodies(sites: Sequence[Site]) -> dict[str, str]:
    """Name and body. Each is near the limit, none prints a message in an ordinary way."""
    message = max((site.message for site in sites[:400]), key=len)
    words = " ".join(dict.fromkeys(word for site in sites[:3000] for word in site.message.split()))
    header = "thread 'main' panicked at src/main.rs:1:1:\nx\n"
    old = "thread 'main' panicked at 'x\n"
    return {
        "newlines": "\n" * SIZE,
        "carriage returns": "a\r" * (SIZE // 2),
        "nested quotes": ">" * (SIZE // 2) + "\n>" * (SIZE // 4),
        "quoted lines": "> > > > > > panicked at\n" * (SIZE // 24),
        "5,000 panic headers": (header * 5_000)[:SIZE],
        "panic headers without a path": "panicked at " * (SIZE // 12),
        "old headers that never close": (old * 5_000)[:SIZE],
        "dim out of bounds, repeated": "dim 1 out of bounds for " * (SIZE // 24),
        "digits and colons": "src/a.rs:1:" * (SIZE // 11),
        "one giant line of letters": "a" * SIZE,
        "one giant line of words": ((words.replace("\n", " ") + " ") * (SIZE // max(1, len(words)) + 1))[:SIZE],
        "words of every record": "\n".join(words.split())[:SIZE],
        "a record's message over and over": ((message + "\n") * (SIZE // len(message) + 1))[:SIZE],
        "every record's message": "\n".join(site.message for site in sites)[:SIZE],
        "every message under a header": "\n".join(
            f"thread 'main' panicked at src/lib.rs:1:1:\n{site.message}\n" for site in sites[:2_000]
        )[:SIZE],
        "backticks": "`" * SIZE,
        "backticks, spaced": "` `` ``` " * (SIZE // 9),
        "fences": "```\n" * (SIZE // 4),
        "opening tags": "<pre><details>" * (SIZE // 14),
        "comments that never close": "<!-- " * (SIZE // 5),
        "ANSI": "\x1b[31ma\x1b[0m" * (SIZE // 10),
        "ANSI that never ends": "\x1b[" * (SIZE // 2),
        "entities": "&lt;&amp;" * (SIZE // 9),
        "entities of entities": "&amp;" * (SIZE // 5),
        "combining characters": "e\u0301\u0302" * (SIZE // 3),
        "invisible characters": "a\u200b" * (SIZE // 2),
        "astral characters": "\U0001f525" * SIZE,
        "backslashes": "\\" * SIZE,
        "escaped quotes": '\\"' * (SIZE // 2),
        "brackets": "([{" * (SIZE // 3),
        "angle brackets": "Tensor<" * (SIZE // 7),
        "backtrace frames": "  12: a::b<c<d>>::e\n             at ./src/a.rs:1:2\n" * (SIZE // 51),
        "path segments": "a/" * (SIZE // 2),
        "blanks": " " * SIZE,
        "blanks, then a word": (" " * 400 + "x\n") * (SIZE // 402),
        "tabs and quotes": "\t>" * (SIZE // 2),
        "Caused by": "Caused by:\n\n" * (SIZE // 12),
        "tensor reports": "=== Tensor Operation Error ===\n  Operation: 'x'\n  Reason:\n    1. \n" * (SIZE // 70),
        "misspelt words": "".join(f"dimensoin{n} suported{n} " for n in range(SIZE // 24))[:SIZE],
    }
