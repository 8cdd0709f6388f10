"""From candidates to readings: which are looked at, in what order, and within which budget.

Everything dear is bounded: candidates, alignments, cells of an alignment, misspelt words. What is cheap and refuses
most comes first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.matching import align, globs, template
from bot.matching.index import Index
from bot.matching.laid import Laid, View
from bot.matching.reading import Reading, Scrutiny
from bot.matching.score import Strength
from bot.matching.template import Template
from bot.matching.tokens import Ints, Tokeniser
from bot.matching.units import Unit, Units

MUCH_MORE = 3
"""Content words by which a text must be longer to be looked for where another is found word for word."""
MAX_CELLS = 8_000
"""Template words times window words of one alignment."""
PLAIN_COVERAGE = 0.33
"""Share of a template's keys that must be there outside of title and panics."""
WHOLE_COVERAGE = 0.95
LEAST_PROMISE = 0.4
"""Share of a template's content words that must be there for it to be aligned."""
MAX_ALIGNED = 8
"""Candidates of one issue that are aligned word by word."""
MAX_CORRECTED = 4
"""Panics of one issue whose misspelt words are put right."""
MAX_CORRECTED_WORDS = 80


@dataclass(frozen=True, slots=True)
class _Hit:
    """A template nominated for a unit; `start:end` are the characters of its keys."""

    group: int
    unit: Unit
    start: int
    end: int
    coverage: float
    words: frozenset[str]
    """The unit's words, misspelt ones put right."""


class Reader:
    """Reads the candidates of one issue."""

    def __init__(self, index: Index, tokeniser: Tokeniser, units: Units, *, request: bool) -> None:
        self._index = index
        self._tokeniser = tokeniser
        self._tokens = tokeniser.tokens(units.cleaned.words)
        self._units = units
        self._scrutiny = Scrutiny(index, units, request=request)
        self._budget = MAX_ALIGNED
        self._seen: set[tuple[int, int, int]] = set()
        self._unit_known: dict[tuple[int, int], list[bool]] = {}

    def read(self) -> list[Reading]:
        """All readings worth showing of the issue's words."""
        tokens = self._tokens
        starts = [self._units.cleaned.title_end, *(panic.start for panic in self._units.panics)]
        cuts = np.searchsorted(tokens.starts, starts)
        hits = []
        for candidate in self._index.candidates(*self._index.hits(tokens.hashes), cuts, self._worth_a_look):
            start, end = int(tokens.starts[candidate.first]), int(tokens.ends[candidate.last])
            middle = int(tokens.starts[candidate.middle])
            # Stray words before or after may lie in another paragraph than the message.
            for position in dict.fromkeys((middle, start, int(tokens.starts[candidate.last]))):
                if self._units.believable(position, candidate.coverage):
                    for unit in dict.fromkeys((self._units.at(position, position), self._units.at(position, end))):
                        hits.append(_Hit(candidate.group, unit, start, end, candidate.coverage, unit.vocabulary))
        readings = self._read(hits)
        for unit in self._misspelt(readings):
            self._budget = MAX_CORRECTED
            readings += self._read(self._corrected(unit))
        return readings

    def _read(self, hits: list[_Hit]) -> list[Reading]:
        """Exact ones first; then the best others are aligned, within a budget."""
        readings: list[Reading] = []
        rest: list[_Hit] = []
        for hit in {self._place(hit): hit for hit in reversed(hits)}.values():
            if self._place(hit) in self._seen:
                continue
            found = self._exact(hit)
            if found is None:
                rest.append(hit)
            else:
                self._seen.add(self._place(hit))
                readings.append(found)
        accepted = [r for r in readings if r.refused is None and not r.setting.open_end]
        rest = [h for h in rest if not any(self._settled(h, r) for r in accepted)]
        for hit in self._promising(rest)[: self._budget]:
            self._budget -= 1
            self._seen.add(self._place(hit))
            aligned = self._aligned(hit)
            if aligned is not None:
                readings.append(aligned)
        return readings

    def _settled(self, hit: _Hit, found: Reading) -> bool:
        """Whether an exact text was found there, and the hit's is not much longer."""
        overlap = found.start < hit.end and hit.start < found.end
        contents = self._index.contents
        return overlap and bool(contents[hit.group] < contents[found.group] + MUCH_MORE)

    @staticmethod
    def _place(hit: _Hit) -> tuple[int, int, int]:
        return hit.unit.start, hit.unit.end, hit.group

    def _worth_a_look(
        self, groups: Ints, firsts: Ints, coverages: npt.NDArray[np.floating[Any]]
    ) -> npt.NDArray[np.bool_]:
        """In title and panics a few of the words are enough. Elsewhere more must be there, of a short text all, and of
        one that tells nothing its place too.
        """
        positions = self._tokens.starts[firsts]
        strengths = self._index.strengths[groups]
        plain = (coverages >= WHOLE_COVERAGE) | ((coverages >= PLAIN_COVERAGE) & (strengths == Strength.ENOUGH))
        placed = (strengths > Strength.NOTHING) | self._units.near_location(positions)
        worth: npt.NDArray[np.bool_] = self._units.sure(positions) | (plain & placed)
        return worth

    def _promising(self, hits: list[_Hit]) -> list[_Hit]:
        """Those worth an alignment, most promising first."""
        rated: list[tuple[float, float, int, _Hit]] = []
        for hit in hits:
            if self._worthwhile(hit):
                share = align.promise(self._index.literals[hit.group], hit.words)
                if share >= LEAST_PROMISE:
                    rated.append((-share, -hit.coverage, len(rated), hit))
        return [hit for *_, hit in sorted(rated, key=lambda item: item[:3])]

    def _misspelt(self, readings: list[Reading]) -> list[Unit]:
        """Units that surely print something, and in which nothing was found."""
        done = {r.panic for r in readings if r.refused is None and r.panic is not None}
        units = [
            self._units.at(p.start, p.start) for n, p in enumerate(self._units.panics[:MAX_CORRECTED]) if n not in done
        ]
        spoken = [r for r in readings if r.refused is None]
        if not self._units.panics and not spoken:
            units += self._units.likely()
        return units

    def _corrected(self, unit: Unit) -> list[_Hit]:
        """Templates that the unit may print once words outside the vocabulary are put right."""
        words = unit.words[:MAX_CORRECTED_WORDS]
        if len(words) < 2:
            return []
        hashes = self._tokeniser.hash_words(words)
        strange = [n for n, known in enumerate(self._known(unit)[: len(words)]) if not known]
        meant = self._index.corrections.correct([words[n] for n in strange], self._tokeniser)
        hits: list[_Hit] = []
        for choice in (0, -1):
            pairs = [(n, near[choice]) for n, near in zip(strange, meant, strict=True) if near]
            if not pairs or (choice == -1 and all(len(near) < 2 for near in meant)):
                break
            hashes[[n for n, _ in pairs]] = self._tokeniser.hash_words([word for _, word in pairs])
            meant_words = unit.vocabulary | {word for _, word in pairs}
            hits += (
                _Hit(c.group, unit, unit.spans[c.first][0], unit.spans[c.last][1], c.coverage, meant_words)
                for c in self._index.candidates(*self._index.hits(hashes), np.zeros(0, np.int64))
            )
        return hits

    def _exact(self, hit: _Hit) -> Reading | None:
        best: Reading | None = None
        for pairs in globs.globs(self._index.literals[hit.group], hit.unit.joined):
            parsed = self._parsed(hit.group)
            window = self._window(hit.unit, 0, len(hit.unit.words))
            reading = self._scrutiny.reading(hit.group, Laid(hit.unit, parsed, window, align.exact(parsed, pairs)))
            if best is None or reading.refused is None:
                best = reading
            if best.refused is None:
                break
        return best

    def _worthwhile(self, hit: _Hit) -> bool:
        """Whether anything less than the exact text would count there."""
        unit, own = hit.unit, self._index.contents[hit.group]
        if unit.panic is not None:
            return bool(own >= 2)
        if own < 3:
            return False
        if unit.title or unit.fence is not None or unit.code:
            return True
        return len(unit.words) <= 3 * (1 + self._index.literals[hit.group].count(" "))

    def _aligned(self, hit: _Hit) -> Reading | None:
        parsed, unit = self._parsed(hit.group), hit.unit
        count = len(parsed.words)
        begin = bisect_right(unit.spans, (hit.start, 0))
        end = bisect_left(unit.spans, (hit.end, 0))
        if begin >= end:
            return None
        slack = count + 4 + 12 * len(parsed.holes)
        first = max(0, begin - slack)
        last = min(len(unit.words), end - 1 + slack)
        last = min(last, first + max(24, MAX_CELLS // count))
        window = self._window(unit, first, last)
        alignment = align.best(parsed, window)
        return None if alignment is None else self._scrutiny.reading(hit.group, Laid(unit, parsed, window, alignment))

    def _window(self, unit: Unit, first: int, last: int) -> View:
        return View(unit, first, last, self._known, self._foreign)

    def _foreign(self, word: str) -> bool:
        return not self._index.corrections.correct([word], self._tokeniser)[0]

    @cached_property
    def _counts(self) -> npt.NDArray[np.int32]:
        """In how many templates each word of the issue stands."""
        return self._index.counts(self._tokens.hashes)

    def _known(self, unit: Unit) -> list[bool]:
        """Whether the catalogue holds each of the unit's words."""
        known = self._unit_known.get((unit.start, unit.end))
        if known is None:
            at = np.searchsorted(self._tokens.starts, [start for start, _ in unit.spans])
            known = self._unit_known[unit.start, unit.end] = (self._counts[at] > 0).tolist()
        return known

    def _parsed(self, group: int) -> Template:
        return template.parse(self._index.messages[self._index.sites(group)[0]])
