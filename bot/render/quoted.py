"""Our own comments inside an issue's text: whoever quotes us, to object or to ask on, must not be answered by us again.

A copy of the source carries the marker; what a browser copies, or GitHub's "Quote reply" quotes, does not. So a comment
is known by the words of its title and of its footer (see `comment.py`).
"""

from __future__ import annotations

import re

_BEGINS = re.compile(
    r"(?:#{1,6} )?(?:This (?:panic|error) is documented|A consequence, not the cause"
    r"|From an older .{1,100}|A fault in .{1,100} itself|From a library under .{1,100}): ?."
)
_ENDS = re.compile(r"(?:<sub>)?Automated, from an? (?:un)?reviewed record \(")
_QUOTE = " \t>"


def without_our_comments(text: str) -> str:
    """`text` with our comments in it blanked out, whole or quoted in part. Length and line ends stay what they were.

    A comment goes from its title to its footer. Without a footer only the rest of the block quote goes, or the title
    alone where it is not quoted: what follows it may be the author's own.
    """
    lines = text.splitlines(keepends=True)
    ours = [False] * len(lines)
    begun: int | None = None
    in_quote = False
    for number, line in enumerate(lines):
        bare = line.lstrip(_QUOTE)
        in_quote = in_quote and _is_quoted(line)
        if _ENDS.match(bare):
            first = number if begun is None else begun
            ours[first : number + 1] = [True] * (number + 1 - first)
            begun, in_quote = None, False
        elif _BEGINS.match(bare):
            ours[number], in_quote = True, _is_quoted(line)
            begun = number if begun is None else begun
        elif in_quote:
            ours[number] = True
    return "".join(_blank(line) if mine else line for line, mine in zip(lines, ours, strict=True))


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _blank(line: str) -> str:
    ending = line[len(line.rstrip("\r\n")) :]
    return " " * (len(line) - len(ending)) + ending
