"""One candidate, looked at closely: where it stands, how it fits, what speaks against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.matching import align, context, evidence, score, sites, template, veto, vocabulary
from bot.matching.align import Alignment, Window
from bot.matching.context import Setting
from bot.matching.index import Candidate, Index
from bot.matching.panics import Panic
from bot.matching.template import Template
from bot.matching.tokens import Tokens
from bot.matching.units import Unit, Units
from bot.matching.verdict import Location, Score, Source

MAX_CELLS = 8_000
"""Template words times window words of one alignment."""
MAX_ALIGNED = 10
"""Candidates of one issue that are aligned word by word."""


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

    @property
    def confidence(self) -> float:
        return round(self.score.total * self.setting.quality, 4)


class Reader:
    """Reads the candidates of one issue."""

    def __init__(
        self, index: Index, units: Units, tokens: Tokens, request: bool, known: Callable[[list[str]], list[bool]]
    ) -> None:
        self._index = index
        self._units = units
        self._tokens = tokens
        self._request = request
        self._known = known

    def read(self, candidates: list[Candidate]) -> list[Reading]:
        """All readings worth showing. Exact ones first; then the best others are aligned, within a budget."""
        readings: list[Reading] = []
        rest: list[tuple[Candidate, Unit]] = []
        seen: set[tuple[int, int]] = set()
        for candidate in candidates:
            unit = self._units.at(int(self._tokens.starts[candidate.first]))
            if (unit.start, candidate.group) in seen or self._is_source(unit):
                continue
            seen.add((unit.start, candidate.group))
            found = self._exact(candidate, unit)
            if found is None:
                rest.append((candidate, unit))
            else:
                readings.append(found)
        readings += self._aligned(rest, [r for r in readings if r.refused is None])
        return readings

    def _is_source(self, unit: Unit) -> bool:
        return unit.panic is None and unit.fence is not None and self._units.is_source(unit.fence)

    def _exact(self, candidate: Candidate, unit: Unit) -> Reading | None:
        places = align.globs(self._index.literals[candidate.group], unit.joined)
        if not places:
            return None
        parsed = self._parsed(candidate.group)
        window = Window(unit.words, (), opened=True, closed=True)
        best: Reading | None = None
        for pairs in places:
            reading = self._reading(candidate.group, parsed, unit, window, align.exact(parsed, pairs), 0)
            if best is None or (best.refused is not None and reading.refused is None):
                best = reading
            if best.refused is None:
                break
        return best

    def _aligned(self, rest: list[tuple[Candidate, Unit]], accepted: list[Reading]) -> list[Reading]:
        readings: list[Reading] = []
        for candidate, unit in rest:
            if len(readings) >= MAX_ALIGNED:
                break
            start = int(self._tokens.starts[candidate.first])
            end = int(self._tokens.ends[candidate.last])
            if any(r.start < end and start < r.end for r in accepted):
                continue
            parsed = self._parsed(candidate.group)
            if not self._worthwhile(parsed, candidate, unit):
                continue
            reading = self._align(candidate, parsed, unit, start, end)
            if reading is not None:
                readings.append(reading)
        return readings

    def _worthwhile(self, parsed: Template, candidate: Candidate, unit: Unit) -> bool:
        """Plain text counts only word for word, so nothing less is aligned there."""
        if unit.panic is not None or unit.fence is not None:
            return score.content(parsed) >= 2
        return candidate.coverage >= 0.4 and score.content(parsed) >= score.LONG

    def _align(self, candidate: Candidate, parsed: Template, unit: Unit, start: int, end: int) -> Reading | None:
        count = len(parsed.words)
        hit = [j for j, (s, e) in enumerate(unit.spans) if s < end and e > start]
        if not hit:
            return None
        first = max(0, hit[0] - count - 2)
        last = min(len(unit.words), hit[-1] + count + 4 + 12 * len(parsed.holes))
        last = min(last, first + max(24, MAX_CELLS // count))
        words = unit.words[first:last]
        window = Window(words, self._known(words), opened=first == 0, closed=last == len(unit.words))
        alignment = align.best(parsed, window)
        if alignment is None:
            return None
        return self._reading(candidate.group, parsed, unit, window, alignment, first)

    def _parsed(self, group: int) -> Template:
        return template.parse(self._index.messages[self._index.sites(group)[0]])

    def _reading(
        self, group: int, parsed: Template, unit: Unit, window: Window, alignment: Alignment, shift: int
    ) -> Reading:
        text = self._units.cleaned.text
        spans = unit.spans
        start, end = spans[shift + alignment.first][0], spans[shift + alignment.last][1]
        fitted = score.fit(parsed, window, alignment)
        setting = self._setting(unit, start, end)
        location = self._location(unit, start, end)
        gap = _Gaps(unit, shift)
        refused = veto.veto(parsed, window, alignment, gap)
        if isinstance(setting, str):
            refused, setting = refused or setting, Setting(Source.PROSE, 0.0, False)
        refused = refused or _edges(unit, parsed, alignment, setting, start, end)
        strength = score.strength(parsed)
        choice = sites.choose(self._index, group, location, strength, setting)
        refused = refused or choice.refused or _weak(parsed, alignment, setting, location, choice.location)
        return Reading(
            group=group,
            start=start,
            end=end,
            setting=setting,
            score=score.score(parsed, fitted, alignment.exact, choice.location),
            matched=fitted.matched,
            sites=choice.sites,
            words=tuple(spans[shift + j] for _, j in alignment.pairs),
            location=location,
            panic=unit.panic,
            refused=refused,
        )

    def _location(self, unit: Unit, start: int, end: int) -> Location | None:
        if unit.panic is not None:
            return self._panics[unit.panic].location
        if unit.title:
            return None
        return evidence.nearby(self._units.cleaned.text, unit, start, end)

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
        return context.in_prose(text, start, end, unit.start, unit.end, self._request)


class _Gaps:
    """What stands between the words of a window, cut out when asked for."""

    def __init__(self, unit: Unit, shift: int) -> None:
        self._unit = unit
        self._shift = shift

    def before(self, word: int) -> str:
        """The text between window words `word - 1` and `word`."""
        spans, index = self._unit.spans, self._shift + word
        start = spans[index - 1][1] if index > 0 else self._unit.start
        end = spans[index][0] if index < len(spans) else self._unit.end
        return self._unit.shown[start - self._unit.start : end - self._unit.start]


def _edges(unit: Unit, parsed: Template, alignment: Alignment, setting: Setting, start: int, end: int) -> str | None:
    """A print begins where a clause begins and ends where one ends."""
    lead = unit.shown[: start - unit.start].rstrip()
    rest = unit.shown[end - unit.start : end - unit.start + 240]
    holes = {hole.before: hole for hole in parsed.holes}
    if 0 in holes and not alignment.cut_head:
        refused = _leading_hole(lead)
    elif setting.printed and not alignment.cut_head and lead[-1:].isalnum():
        refused = "it begins in the middle of a clause"
    else:
        refused = None
    if refused or not setting.printed or alignment.cut_tail:
        return refused
    last = holes.get(len(parsed.words))
    if last is not None:
        return None if last.open else _goes_on(rest.split(":", 1)[0], vocabulary.PROSE_WORDS, wanted=True)
    ahead = rest.lstrip(" \t")
    if parsed.std and ahead[:1] in (":", ";") and ahead[1:].strip():
        return "more text follows, which makes it another message"
    return _goes_on(rest, vocabulary.FUNCTION_WORDS, wanted=False) if ahead[:1].isalnum() else None


def _leading_hole(lead: str) -> str | None:
    clause = lead.rsplit("\n", 1)[-1][-240:]
    if clause[-1:] in "\"'`)]}":
        return None
    words = template.WORD.findall(clause.rsplit(": ", 1)[-1])
    prose = [word for word in words if word.lower() in vocabulary.PROSE_WORDS]
    if prose or len(words) > 8:
        return f'"{(prose or words)[-1]}" cannot stand in a hole of the record'
    return None


def _goes_on(rest: str, words: frozenset[str], *, wanted: bool) -> str | None:
    """Whether the line goes on with a word that is (`wanted`) or is not one of `words`."""
    for word in template.WORD.findall(rest.split("\n", 1)[0]):
        if (word.lower() in words) is wanted:
            return f'the text goes on with "{word}"'
    return None


def _weak(
    parsed: Template, alignment: Alignment, setting: Setting, location: Location | None, agreed: float
) -> str | None:
    """What a print may lack under a panic header it may not lack elsewhere."""
    words = parsed.folded
    reworded = any(words[i] not in vocabulary.FUNCTION_WORDS for i in alignment.missing) or bool(alignment.extra)
    elsewhere = location is not None and location.crate is not None and agreed == 0
    if not alignment.exact and elsewhere:
        return "another wording at another place"
    if reworded and agreed < sites.AGREES:
        return "a reworded message counts at the record's own place only"
    if (alignment.cut_tail or alignment.cut_head) and not (setting.open_end or alignment.cut_word):
        if not setting.printed:
            return "outside of printed output only the whole text counts"
        if agreed < sites.AGREES and (location is not None or setting.quality < 1.0):
            return "it is shorter than the record's text"
    if setting.quality < score.SURE:
        if not alignment.exact:
            return "in a sentence only the exact text counts"
        if score.content(parsed) < score.LONG or parsed.characters < 28:
            return "too short to be told from a sentence"
    return None
