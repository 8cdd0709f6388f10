"""What is printed without a panic header: error lines, and the location that belongs to a message.

People paste message and location apart: the path on the line above, in the next fence, or in the same sentence.
Backtrace frames are never it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from bot.matching import backtrace, locations
from bot.matching.verdict import Location, Source

REACH = 300
"""Characters between a message and a location that may belong to it."""
_FRAME_LINE = re.compile(r"[ \t>|]*(?:at |\d{1,4}:[ \t]|-->)")
MAX_ERRORS = 8
_ERROR_LINE = re.compile(
    r"^[ \t>*`]{0,40}(?:Error|error|ERROR|Fatal|FATAL)(?:[ \t][a-z]{1,20})?:[ \t]{0,4}", re.MULTILINE
)
_CAUSE = re.compile(r"^[ \t>]{0,40}Caused by:[ \t]{0,4}\n?[ \t>]{0,40}(?:0: )?", re.MULTILINE)


def errors(text: str, panics: Sequence[tuple[int, int]]) -> list[tuple[Source, int, int]]:
    """Error lines and causes outside of `panics`, as printed: where the message of each begins and ends."""
    found: list[tuple[Source, int, int]] = []
    for source, pattern in ((Source.ERROR, _ERROR_LINE), (Source.CAUSED_BY, _CAUSE)):
        for match in islice(pattern.finditer(text), MAX_ERRORS):
            end = text.find("\n", match.end())
            end = len(text) if end < 0 else end
            inside = any(start <= match.start() < stop for start, stop in panics)
            if not inside and text[match.end() : end].strip():
                found.append((source, match.end(), end))
    return sorted(found, key=lambda error: error[1])


def nearby(text: str, start: int, end: int, unit_end: int) -> Location | None:
    """The `path.rs:line` closest to `text[start:end]` that is no backtrace frame, with the frames that follow."""
    low = max(0, start - REACH)
    high = min(len(text), end + REACH)
    if text.find(".rs:", low, high) < 0:
        return None
    best: tuple[int, re.Match[str]] | None = None
    for match in locations.PATH.finditer(text, low, high):
        line_start = text.rfind("\n", 0, match.start()) + 1
        if _FRAME_LINE.match(text, line_start, match.start() + 1) or (match.start() < end and match.end() > start):
            continue
        distance = start - match.end() if match.end() <= start else match.start() - end
        if best is None or distance < best[0]:
            best = (distance, match)
    frames = (
        backtrace.functions(text, end, min(len(text), max(unit_end, end) + 6_000)) if _frames_follow(text, end) else ()
    )
    if best is not None:
        return locations.location(best[1][0], frames)
    return None


def _frames_follow(text: str, end: int) -> bool:
    return "stack backtrace:" in text[end : end + 400]
