"""Where a character of the cleaned text stood in the text that was judged.

Cleaning prefers edits of equal length (a colour code becomes blanks), which need no bookkeeping. The few edits
that change the length (an entity, a cut middle) are kept as breakpoints; a look-up is one bisection.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import islice

MAX_EDITS = 4_000
"""No issue that a person writes needs more of a kind."""


class OffsetMap:
    """A piecewise shift from positions of the cleaned text to positions of the original."""

    __slots__ = ("_at", "_length", "_shift")

    def __init__(self, length: int) -> None:
        self._at = [0]
        self._shift = [0]
        self._length = length

    def original(self, position: int) -> int:
        """Position in the original of a position in the cleaned text; the end maps to the end of the last piece."""
        return min(self._length, position + self._shift[bisect_right(self._at, position) - 1])

    def _compose(self, breaks: list[tuple[int, int]]) -> None:
        """Put a newer edit on top: `breaks` holds (position in the new text, shift from there to the current one)."""
        merged: dict[int, int] = {}
        for index, (start, shift) in enumerate(breaks):
            first = bisect_right(self._at, start + shift) - 1
            merged[start] = shift + self._shift[first]
            end = breaks[index + 1][0] + shift if index + 1 < len(breaks) else None
            last = len(self._at) if end is None else bisect_left(self._at, end)
            for old in range(first + 1, last):
                merged[self._at[old] - shift] = shift + self._shift[old]
        self._at = sorted(merged)
        self._shift = [merged[at] for at in self._at]

    def substitute(self, pattern: re.Pattern[str], text: str, replacement: Callable[[re.Match[str]], str]) -> str:
        """`pattern.sub` that remembers where everything came from, for the first `MAX_EDITS` matches."""
        pieces: list[str] = []
        breaks = [(0, 0)]
        new_length = 0
        done = 0
        for match in islice(pattern.finditer(text), MAX_EDITS):
            new = replacement(match)
            if len(new) == match.end() - match.start():
                pieces += (text[done : match.start()], new)
                new_length += match.end() - done
                done = match.end()
                continue
            pieces += (text[done : match.start()], new)
            new_length += match.start() - done + len(new)
            done = match.end()
            breaks.append((new_length, done - new_length))
        if not pieces:
            return text
        pieces.append(text[done:])
        if len(breaks) > 1:
            self._compose(breaks)
        return "".join(pieces)

    def cut(self, text: str, head: int, tail: int, joint: str) -> str:
        """Keep `head` characters from the front and `tail` from the back, with `joint` between."""
        if len(text) <= head + tail:
            return text
        skip = len(text) - tail
        self._compose([(0, 0), (head + len(joint), skip - head - len(joint))])
        return text[:head] + joint + text[skip:]
