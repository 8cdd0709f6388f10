"""The stretches of an issue that a message is looked for in: a panic's message, a block of a fence, a paragraph.

Units are made only where a candidate stands, once each, so their cost does not grow with the issue.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from bot.matching import panics, structure, template
from bot.matching.clean import Cleaned
from bot.matching.panics import Panic
from bot.matching.structure import Fence

MAX_UNIT = 5_000
_STAMP = re.compile(
    r"^[ \t>]{0,8}(?:\[[ \t]?)?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,:\d]{0,12}(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:[ \t]?\])?",
    re.MULTILINE,
)
_NOTE = re.compile(r"^[ \t>]*note: [^\n]*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:=== PANIC ===|A fatal error happened[^\n]*|=+)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Unit:
    """`start:end` of the cleaned text, and its words."""

    start: int
    end: int
    shown: str
    """The stretch with everything blanked that is no word of a message: escapes, tags, time stamps, wgpu's notes."""
    panic: int | None = None
    fence: Fence | None = None
    title: bool = False

    @cached_property
    def words(self) -> list[str]:
        """Lower case."""
        return template.WORD.findall(self.shown.lower())

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Of each word, in the cleaned text."""
        return [(self.start + m.start(), self.start + m.end()) for m in template.WORD.finditer(self.shown)]

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
        for number, panic in enumerate(self.panics):
            if panic.start <= position < panic.end:
                return self._unit(panic.start, panic.end, panic=number)
        fence = structure.fence_at(self.fences, position)
        low, high = (fence.start, fence.end) if fence is not None else (title_end, len(self.cleaned.text))
        # A panic's header ends what stands before it and its message what stands after it.
        low = max([low, *(p.end for p in self.panics if p.end <= position)])
        high = min([high, *(p.header for p in self.panics if p.header > position)])
        low = max(low, position - MAX_UNIT // 2)
        high = min(high, position + MAX_UNIT // 2)
        start, end = structure.paragraph_at(self.cleaned.text, position, low, high)
        if fence is not None and not fence.inline:
            start, end = self._block(start, position, high)
        elif (span := structure.code_span_at(self.cleaned.text, position, last, start, end)) is not None:
            start, end = span
        return self._unit(start, end, fence=fence)

    def _block(self, start: int, position: int, high: int) -> tuple[int, int]:
        """Inside a fence a message may go on over blank lines and ends where a panic's message would."""
        for _ in range(32):
            end = panics.message_end(self.cleaned.text, start, high)
            if position < end:
                return start, end
            start = end + 1
        return structure.line_at(self.cleaned.text, position)

    def _unit(
        self, start: int, end: int, panic: int | None = None, fence: Fence | None = None, title: bool = False
    ) -> Unit:
        made = self._made.get((start, end))
        if made is None:
            shown = _STAMP.sub(_blank, self.cleaned.words[start:end])
            if "note:" in shown:
                shown = _NOTE.sub(_blank, shown)
            if "===" in shown:
                shown = _RULE.sub(_blank, shown)
            made = self._made[(start, end)] = Unit(start, end, shown, panic, fence, title)
        return made
