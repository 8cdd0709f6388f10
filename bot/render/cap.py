"""A comment never grows over what GitHub takes, and what is cut off stays well-formed.

GitHub answers 422 to a body of more than 65,536 characters. An open fence would swallow the footer, and an open
`<details>` would fold it away.
"""

from __future__ import annotations

import re

LIMIT = 65_536
_CUT = "… (cut here: too long for one comment)"
_FENCE = re.compile(r"`{3,}")


def cap(markdown: str, *, tail: str = "", limit: int = LIMIT) -> str:
    """`markdown`, a blank line and `tail`, at most `limit` characters long.

    Where `markdown` does not fit it is cut at a line end, its open fence and `<details>` closed; `tail` (footer,
    marker) is never cut. Both are text of ours: fences begin at the margin, each `<details>` begins a line. Characters
    outside the basic plane count as two, as on a server that counts UTF-16 units.

    Raises ValueError when `tail` alone does not fit.
    """
    ending = f"\n\n{tail}" if tail else ""
    if _size(markdown) + _size(ending) <= limit:
        return markdown + ending
    room = limit - _size(ending)
    if room < _size(_CUT):
        raise ValueError(f"{_size(tail)} characters that must stand do not fit into {limit}")
    kept: list[str] = []
    used = 0
    best, best_closing = 0, ""
    fence, details = "", 0
    for line in markdown.split("\n"):
        used += _size(line) + 1
        if used > room:
            break
        kept.append(line)
        fence, details = _after(line, fence, details)
        closing = _closing(fence, details)
        if used + _size(closing) <= room:
            best, best_closing = len(kept), closing
    return "\n".join(kept[:best]) + ("\n" if best else "") + (best_closing or _CUT) + ending


def _after(line: str, fence: str, details: int) -> tuple[str, int]:
    """Which fence is open and how many `<details>` are, once `line` has been read."""
    run = _FENCE.match(line)
    if fence:
        closes = run is not None and len(run.group()) >= len(fence) and not line.strip("` ")
        return ("" if closes else fence), details
    if run is not None and "`" not in line[run.end() :]:
        return run.group(), details
    return "", max(0, details + line.startswith("<details") - line.startswith("</details>"))


def _closing(fence: str, details: int) -> str:
    head = f"{fence}\n\n" if fence else "\n"
    return head + _CUT + "\n\n</details>" * details


def _size(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)
