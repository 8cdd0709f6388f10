"""One candidate, looked at closely: where it stands, how it fits, what speaks against it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.matching import align, context, evidence, refusals, score, sites, template, veto
from bot.matching.align import Alignment, Window
from bot.matching.context import Setting
from bot.matching.index import Index
from bot.matching.panics import Panic
from bot.matching.score import Strength
from bot.matching.template import Template
from bot.matching.tokens import Ints, Tokeniser
from bot.matching.units import Unit, Units
from bot.matching.verdict import Location, Score, Source
from bot.records.model import Kind

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
class Reading:
    """A candidate laid over the text. `refused` says why it does not count."""

    group: int
    start: int
    end: int
    """Characters of the cleaned text from the first to the last matched word."""
    setting: Setting
    score: Score
    matched: float
    """Weight of the literal words that are there."""
    sites: tuple[int, ...]
    words: tuple[tuple[int, int], ...]
    location: Location | None
    panic: int | None
    refused: str | None
    cut: bool
    """The text ends before the template does."""
    escapes: tuple[tuple[str, str], ...] = ()
    r"""Neighbouring words of the template between which the text has an escape such as `\n`."""

    @property
    def confidence(self) -> float:
        return round(self.score.total * self.setting.quality, 4)


_NOWHERE = Setting(Source.PROSE, 0.0, printed=False)


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
        self._request = request
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
        rest = [h for h in rest if not any(r.start < h.end and h.start < r.end for r in accepted)]
        for hit in self._promising(rest)[: self._budget]:
            self._budget -= 1
            self._seen.add(self._place(hit))
            aligned = self._aligned(hit)
            if aligned is not None:
                readings.append(aligned)
        return readings

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
        for pairs in align.globs(self._index.literals[hit.group], hit.unit.joined):
            parsed = self._parsed(hit.group)
            window = self._window(hit.unit, 0, len(hit.unit.words))
            reading = self._reading(hit, parsed, window, align.exact(parsed, pairs), 0)
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
        return None if alignment is None else self._reading(hit, parsed, window, alignment, first)

    def _window(self, unit: Unit, first: int, last: int) -> _View:
        return _View(unit, first, last, self._known, self._foreign)

    def _foreign(self, word: str) -> bool:
        return not self._index.corrections.correct([word], self._tokeniser)[0]

    def _needed(self, group: int) -> Strength:
        """How telling a text must be that is only a part of a panic's message: what others raise often is."""
        surfaced = self._index.kind(self._index.sites(group)[0]) is Kind.SURFACED
        return Strength.LITTLE if surfaced else Strength.ENOUGH

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

    def _reading(self, hit: _Hit, parsed: Template, window: Window, alignment: Alignment, shift: int) -> Reading:
        unit = hit.unit
        start, end = unit.span(shift + alignment.first)[0], unit.span(shift + alignment.last)[1]
        setting = _NOWHERE
        location: Location | None = None
        choice = sites.NONE
        refused = veto.veto(parsed, window, alignment)
        if refused is None:
            holes = {hole.before for hole in parsed.holes}
            first = refusals.clause_start(unit, start) if 0 in holes else start
            found = self._setting(unit, first, refusals.clause_end(unit, end) if len(parsed.words) in holes else end)
            if isinstance(found, str):
                refused = found
            else:
                rest = refusals.rest_of(unit, start, end)
                cut = found.open_end or context.cut_off(self._units.cleaned.text, end) or veto.unclosed(rest)
                setting = replace(found, open_end=cut)
        refused = refused or refusals.edges(
            unit, parsed, window, alignment, setting, start, end, self._needed(hit.group)
        )
        if refused is None:
            location = self._location(unit, start, end)
            choice = sites.choose(self._index, hit.group, location, score.strength(parsed), setting)
            refused = choice.refused or refusals.weak(
                unit, parsed, window, alignment, setting, location, choice.location, start, end
            )
        fitted = score.fit(parsed, window, alignment)
        return Reading(
            group=hit.group,
            start=start,
            end=end,
            setting=setting,
            score=score.score(parsed, fitted, alignment.exact, choice.location),
            matched=fitted.matched,
            sites=choice.sites,
            words=tuple(unit.span(shift + j) for _, j in alignment.pairs),
            location=location,
            panic=unit.panic,
            refused=refused,
            cut=alignment.cut_tail > 0 or alignment.cut_word,
            escapes=self._escapes(unit, parsed, alignment, shift) if refused is None else (),
        )

    def _escapes(self, unit: Unit, parsed: Template, alignment: Alignment, shift: int) -> tuple[tuple[str, str], ...]:
        text = self._units.cleaned.text
        found = []
        for (i, j), (i2, j2) in pairwise(alignment.pairs):
            if i2 == i + 1 and "\\" in text[unit.span(shift + j)[1] : unit.span(shift + j2)[0]]:
                found.append((parsed.words[i], parsed.words[i2]))
        return tuple(found)

    def _location(self, unit: Unit, start: int, end: int) -> Location | None:
        if unit.panic is not None:
            return self._panics[unit.panic].location
        if unit.title:
            return None
        return evidence.nearby(self._units.cleaned.text, start, end, unit.end)

    @property
    def _panics(self) -> list[Panic]:
        return self._units.panics

    def _setting(self, unit: Unit, start: int, end: int) -> Setting | str:
        text = self._units.cleaned.text
        if unit.title:
            return context.in_title(text[: self._units.cleaned.title_end], start, end)
        if unit.panic is not None:
            return context.in_panic(text, unit.start, start, end)
        if unit.fence is not None and not unit.fence.inline:
            return context.in_fence(text, start, end, unit.fence.start)
        span = (unit.start, unit.end) if unit.code else None
        low = self._units.cleaned.title_end
        return context.in_prose(text, start, end, low, span, self._request)


class _View:
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

    def gap(self, word: int) -> str:
        unit, index = self._unit, self._first + word
        start = unit.span(index - 1)[1] if index > 0 else unit.start
        end = unit.span(index)[0] if index < len(unit.words) else unit.end
        return unit.shown[start - unit.start : end - unit.start]
