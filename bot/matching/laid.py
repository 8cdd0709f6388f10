"""A template as it lies over the words of an issue: what every later question is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bot.matching import veto, vocabulary
from bot.matching.align import Alignment
from bot.matching.template import WORD, Hole, Template
from bot.matching.units import Unit

REST = 240
"""Characters behind a match that are looked at, and before one that begins with a hole."""
_WRAPPED = re.compile(r"([ \t]*)\n([ \t]*)(?=(?!left\b|right\b|note\b|at\b|stack\b)[a-z]{1,15}(?:[ ,.;)]|$))")
"""A line break within a sentence, to tell it from the break before what Rust adds."""


class View:
    """The words `first:last` of a unit. What only some refusals ask for is worked out when asked for."""

    def __init__(
        self,
        unit: Unit,
        first: int,
        last: int,
        known: Callable[[Unit], list[bool]],
        foreign: Callable[[str], bool],
    ) -> None:
        self._unit = unit
        self._first = first
        self._last = last
        self._all_known = known
        self._foreign = foreign
        self.words = unit.words[first:last]
        self.opened = first == 0

    @cached_property
    def known(self) -> list[bool]:
        return self._all_known(self._unit)[self._first : self._last]

    @cached_property
    def nested(self) -> list[bool]:
        return self._unit.nested[self._first : self._last]

    @property
    def closed(self) -> bool:
        return self._last == len(self._unit.words) and self._unit.unfinished

    def foreign(self, word: int) -> bool:
        return not self.known[word] and self._foreign(self.words[word])

    def span(self, word: int) -> tuple[int, int]:
        """Where a word of the window stands in the cleaned text."""
        return self._unit.span(self._first + word)

    def gap(self, word: int) -> str:
        unit, index = self._unit, self._first + word
        start = unit.span(index - 1)[1] if index > 0 else unit.start
        end = unit.span(index)[0] if index < len(unit.words) else unit.end
        return unit.shown[start - unit.start : end - unit.start]


@dataclass(frozen=True)
class Laid:
    """`start:end` are the characters of the cleaned text from the first to the last matched word."""

    unit: Unit
    template: Template
    window: View
    alignment: Alignment

    @cached_property
    def start(self) -> int:
        return self.window.span(self.alignment.first)[0]

    @cached_property
    def end(self) -> int:
        return self.window.span(self.alignment.last)[1]

    @property
    def hole_before(self) -> Hole | None:
        """A hole at the template's beginning."""
        holes = self.template.holes
        return holes[0] if holes and holes[0].before == 0 else None

    @property
    def whole_end(self) -> bool:
        """Whether the template's last word is there."""
        return self.alignment.pairs[-1][0] == len(self.template.words) - 1

    @property
    def hole_behind(self) -> Hole | None:
        """A hole at the template's end, if all before it is there."""
        holes = self.template.holes
        return holes[-1] if holes and holes[-1].before == len(self.template.words) and self.whole_end else None

    @property
    def cut(self) -> bool:
        alignment = self.alignment
        return bool(alignment.cut_tail or alignment.cut_head or alignment.cut_word)

    @cached_property
    def lead(self) -> str:
        """What stands before the match in its unit."""
        return self.unit.shown[: self.start - self.unit.start].rstrip()

    @cached_property
    def rest(self) -> str:
        """What follows the match, up to the quotation mark that closes what it began with, a hard wrap undone."""
        before = self.lead[-1:]
        rest = self.unit.shown[self.end - self.unit.start : self.end - self.unit.start + REST]
        rest = rest.split(before, 1)[0] if before in ('"', "'", "`") else rest
        if rest.lstrip(" \t")[:1] == "\n":
            # A line that ends before the sentence does goes on below.
            return _WRAPPED.sub(lambda m: f"{m[1]} {m[2]}", rest, count=1)
        return rest

    @property
    def clause_start(self) -> int:
        """Where the text begins: with a first hole that is where the clause does whose first part fills it."""
        if self.hole_before is None:
            return self.start
        lead = self.unit.shown[: self.start - self.unit.start]
        at = max(lead.rfind("\n") + 1, len(lead) - REST, 0)
        for mark in ('"', "`"):
            if lead[at:].count(mark) % 2:
                at = lead.rfind(mark) + 1
        colon = lead.rfind(": ", at)
        return self.unit.start + (colon + 2 if colon >= 0 else at)

    @property
    def first_filling(self) -> str:
        """What fills a hole at the beginning."""
        return self.unit.shown[self.clause_start - self.unit.start : self.start - self.unit.start]

    @property
    def clause_end(self) -> int:
        """Where the text ends: with a last hole that is the end of the line, if that could fill it."""
        holes = self.template.holes
        if not holes or holes[-1].before != len(self.template.words):
            return self.end
        rest = self.unit.shown[self.end - self.unit.start :].split("\n", 1)[0]
        words = WORD.findall(veto.unquoted(rest))
        return self.end if any(word.lower() in vocabulary.PROSE_WORDS for word in words) else self.end + len(rest)
