"""The stretches of an issue that a message is looked for in: a panic's message, a block of a fence, a paragraph.

Units are made only where a candidate stands, once each, so their cost does not grow with the issue.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bot.matching import context, evidence, panics, structure, template
from bot.matching.clean import Cleaned
from bot.matching.panics import Panic
from bot.matching.structure import Fence
from bot.matching.tokens import Ints

MAX_UNIT = 4_000
MAX_LIKELY = 6
MAX_LINES_BEFORE = 12
WHOLE = 0.8
"""Share of a template's keys that must be there in a long line of prose …"""
SENTENCES = 300
"""… and how long such a line is."""
_LOCATION = re.compile(r"\.rs:\d")
_STAMP = re.compile(
    r"^[ \t>]{0,8}(?:\[[ \t]?)?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,:\d]{0,12}(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:[ \t]?\])?"
    r"(?:[ \t]{0,8}(?:ERROR|FATAL|WARN)[ \t]{1,8}[\w:.-]{1,60}(?:\]|[ \t]-|:(?=[ \t])))?",
    re.MULTILINE,
)
_QUOTE = re.compile(r"^[ \t]{0,8}>[> \t]*", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:=== PANIC ===|A fatal error happened[^\n]*|=+)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Unit:
    """`start:end` of the cleaned text, and its words."""

    start: int
    end: int
    shown: str
    """The stretch with everything blanked that is no word of a message: escapes, tags, time stamps, rules."""
    panic: int | None = None
    fence: Fence | None = None
    title: bool = False
    code: bool = False
    """A code span."""

    @cached_property
    def words(self) -> list[str]:
        """Lower case."""
        return template.WORD.findall(self.shown.lower())

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    def span(self, word: int) -> tuple[int, int]:
        """Where word number `word` stands in the cleaned text. Words are located only as far as asked for."""
        found = self._found
        while len(found) <= word:
            match = next(self._matches)
            found.append((self.start + match.start(), self.start + match.end()))
        return found[word]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Of each word, in the cleaned text."""
        if self.words:
            self.span(len(self.words) - 1)
        return self._found

    @cached_property
    def _found(self) -> list[tuple[int, int]]:
        return []

    @cached_property
    def _matches(self) -> Iterator[re.Match[str]]:
        return template.WORD.finditer(self.shown)

    @cached_property
    def unfinished(self) -> bool:
        """Whether the text may have been cut off: no full stop ends it."""
        end = self.shown.rstrip(" \t\n>'\"`*")
        return not end.endswith((".", "!", "?", ";")) or end.endswith("..")

    @cached_property
    def nested(self) -> list[bool]:
        """Of each word, whether it stands in quotation marks or brackets."""
        marks = iter(structure.nested(self.shown))
        edge, inside = next(marks, (len(self.shown), False))
        result, depth = [], False
        for start, _ in self.spans:
            while edge <= start - self.start:
                depth = inside
                edge, inside = next(marks, (len(self.shown) + 1, False))
            result.append(depth)
        return result

    @cached_property
    def joined(self) -> str:
        """The words with one blank between them and at both ends."""
        return f" {' '.join(self.words)} "


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@dataclass
class Units:
    """Makes and remembers the units of one issue."""

    cleaned: Cleaned
    panics: list[Panic]
    _made: dict[tuple[int, int], Unit] = field(default_factory=dict)

    @cached_property
    def fences(self) -> list[Fence]:
        return structure.fences(self.cleaned.text, self.cleaned.title_end)

    @cached_property
    def _sources(self) -> dict[int, bool]:
        return {}

    def is_source(self, fence: Fence) -> bool:
        """Whether the fence holds program text."""
        if fence.start not in self._sources:
            self._sources[fence.start] = structure.is_source(self.cleaned.text, fence)
        return self._sources[fence.start]

    def at(self, position: int, last: int) -> Unit:
        """The unit that holds the character at `position`; a code span only if it holds `last` too."""
        title_end = self.cleaned.title_end
        if position < title_end:
            return self._unit(0, title_end, title=True)
        number = self._panic_at(position)
        if number is not None:
            return self._unit(self.panics[number].start, self.panics[number].end, panic=number)
        fence = self._fence_at(position)
        low, high = (fence.start, fence.end) if fence is not None else (title_end, len(self.cleaned.text))
        # A panic's header ends what stands before it and its message what stands after it.
        low = max([low, *(p.end for p in self.panics if p.end <= position)])
        high = min([high, *(p.header for p in self.panics if p.header > position)])
        # Of a very long paragraph a part, the same one for places near each other.
        part = position // (MAX_UNIT // 2) * (MAX_UNIT // 2)
        low = max(low, part - MAX_UNIT // 4)
        high = min(high, part + MAX_UNIT * 3 // 4)
        start, end = structure.paragraph_at(self.cleaned.text, position, low, high)
        if fence is not None and not fence.inline:
            start, end = self._block(start, position, high)
        elif (span := structure.code_span_at(self.cleaned.text, position, last, start, end)) is not None:
            return self._unit(*span, code=True)
        elif (quoted := structure.quotation_at(self.cleaned.text, position, last, start, end)) is not None:
            start, end = quoted
        return self._unit(start, end, fence=fence)

    def sure(self, positions: Ints) -> npt.NDArray[np.bool_]:
        """Which of these characters stand in the title or in a panic's message."""
        number = np.searchsorted(self._panic_starts, positions, side="right")
        ends = np.array([0, *(panic.end for panic in self.panics)])
        return (positions < self.cleaned.title_end) | (positions < ends[number])

    def near_location(self, positions: Ints) -> npt.NDArray[np.bool_]:
        """Which of these characters have a `.rs:12` near enough to belong to a message there."""
        found = np.array([match.start() for match in _LOCATION.finditer(self.cleaned.text)], np.int64)
        if not len(found):
            return np.zeros(len(positions), bool)
        after = np.minimum(np.searchsorted(found, positions), len(found) - 1)
        before = np.maximum(after - 1, 0)
        distance = np.minimum(abs(found[after] - positions), abs(found[before] - positions))
        near: npt.NDArray[np.bool_] = distance <= evidence.REACH
        return near

    def believable(self, start: int, coverage: float) -> bool:
        """Whether a print could stand at this character: no backtrace frame, no program text, no log of low level.

        In a long line of prose only the whole text counts.
        """
        if start < self.cleaned.title_end or self._panic_at(start) is not None:
            return True
        fence = self._fence_at(start)
        if fence is not None and self.is_source(fence):
            return False
        text = self.cleaned.text
        line_start, line_end = structure.line_at(text, start)
        if fence is None and line_end - line_start > SENTENCES and coverage < WHOLE:
            return False
        return not context.dead_line(text[line_start:line_end])

    def _fence_at(self, position: int) -> Fence | None:
        number = bisect_right(self._fence_starts, position) - 1
        return self.fences[number] if number >= 0 and position < self.fences[number].end else None

    @cached_property
    def _fence_starts(self) -> list[int]:
        return [fence.start for fence in self.fences]

    def _panic_at(self, position: int) -> int | None:
        """Number of the panic whose message holds this character."""
        number = bisect_right(self._panic_starts, position) - 1
        return number if number >= 0 and position < self.panics[number].end else None

    @cached_property
    def _panic_starts(self) -> list[int]:
        return [panic.start for panic in self.panics]

    def likely(self) -> list[Unit]:
        """The title, and the first short code spans and fences: where a message is when no panic is."""
        text, title_end = self.cleaned.text, self.cleaned.title_end
        units = [self.at(0, title_end)] if title_end else []
        for fence in self.fences[:MAX_LIKELY]:
            start = fence.start + len(text[fence.start : fence.end]) - len(text[fence.start : fence.end].lstrip())
            if start < fence.end <= start + 600 and not self.is_source(fence):
                units.append(self.at(start, start))
        for span in structure.code_spans(text, title_end, MAX_LIKELY):
            units.append(self._unit(*span, code=True))
        return units

    def _block(self, start: int, position: int, high: int) -> tuple[int, int]:
        """Inside a fence a message may go on over blank lines and ends where a panic's message would."""
        text = self.cleaned.text
        line, _ = structure.line_at(text, position)
        line = max(line, start)
        for _ in range(MAX_LINES_BEFORE):
            if line <= start or panics.stops(text, line - 1):
                break
            line = max(start, text.rfind("\n", start, line - 1) + 1)
        return line, max(panics.message_end(text, line, high), structure.line_at(text, position)[1])

    def _unit(
        self,
        start: int,
        end: int,
        *,
        panic: int | None = None,
        fence: Fence | None = None,
        title: bool = False,
        code: bool = False,
    ) -> Unit:
        made = self._made.get((start, end))
        if made is None:
            shown = self.cleaned.words[start:end]
            if ">" in shown:
                shown = _QUOTE.sub(_blank, shown)
            shown = _STAMP.sub(_blank, shown)
            if "===" in shown:
                shown = _RULE.sub(_blank, shown)
            made = self._made[(start, end)] = Unit(start, end, shown, panic, fence, title, code)
        return made
