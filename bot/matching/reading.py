"""One candidate, looked at closely: where it stands, how it fits, what speaks against it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.matching import align, context, evidence, score, sites, template, veto, vocabulary
from bot.matching.align import Alignment, Window
from bot.matching.context import Setting
from bot.matching.index import Candidate, Index
from bot.matching.panics import Panic
from bot.matching.score import Strength
from bot.matching.template import Template
from bot.matching.tokens import Tokens
from bot.matching.units import Unit, Units
from bot.matching.verdict import Location, Score, Source

_SAYING = vocabulary.words(
    "error fatal panic panicked exception failed message err cause caused by says output note value"
)
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
    cut: bool
    """The text ends before the template does."""

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
            unit = self._units.at(int(self._tokens.starts[candidate.first]), int(self._tokens.ends[candidate.last]))
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
        """Whether anything less than the exact text would count there."""
        own = score.content(parsed)
        if unit.panic is not None or unit.fence is not None:
            return own >= 2
        return own >= 3 and (unit.title or candidate.coverage >= 0.4 or len(unit.words) <= 2 * len(parsed.words))

    def _align(self, candidate: Candidate, parsed: Template, unit: Unit, start: int, end: int) -> Reading | None:
        count = len(parsed.words)
        hit = [j for j, (s, e) in enumerate(unit.spans) if s < end and e > start]
        if not hit:
            return None
        first = max(0, hit[0] - count - 2 - 12 * len(parsed.holes))
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
        refused = refused or choice.refused or _weak(parsed, window, alignment, setting, location, choice.location)
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
            cut=alignment.cut_tail > 0 or alignment.cut_word,
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
    refused = None
    if 0 in holes and not alignment.cut_head:
        refused = _leading_hole(lead)
    elif setting.printed and not alignment.cut_head and lead[-1:].isalnum():
        refused = "it begins in the middle of a clause"
    elif unit.panic is not None and score.strength(parsed) < Strength.ENOUGH and not _only_wrapped(lead):
        refused = "it is only a part of the message"
    elif setting.printed and lead and not alignment.cut_head:
        refused = _qualified(lead)
    if refused or not setting.printed or alignment.cut_tail:
        return refused
    if lead[-1:] in ('"', "'", "`"):
        rest = rest.split(lead[-1], 1)[0]
    last = holes.get(len(parsed.words)) if alignment.pairs[-1][0] == len(parsed.words) - 1 else None
    ahead = rest.lstrip(" \t")
    if last is not None:
        if last.opening in (":", "=") and ahead[:1] not in (last.opening, "", "\n"):
            return f'the text goes on with "{ahead.split(maxsplit=1)[0][:40]}"'
        return (
            None if last.open else _goes_on(veto.unquoted(rest.split(":", 1)[0]), vocabulary.PROSE_WORDS, wanted=True)
        )
    if alignment.pairs[-1][0] < len(parsed.words) - 1 and ahead[:1] not in ("", "\n"):
        return f'the text goes on with "{ahead.split(maxsplit=1)[0][:40]}"'
    if parsed.std and ahead[:1] in (":", ";") and ahead[1:].strip():
        return "more text follows, which makes it another message"
    if ahead[:1].isalnum() or (ahead[:1] in (",", ";") and ahead[1:].lstrip()[:1].isalpha()):
        return _goes_on(rest, vocabulary.FUNCTION_WORDS, wanted=False)
    return None


def _qualified(lead: str) -> str | None:
    """A word or two with a colon before a text (`sort: …`) say whose text it is, which makes it another message."""
    line = lead.rsplit("\n", 1)[-1]
    if not line.endswith(":") or _only_wrapped(line):
        return None
    words = template.WORD.findall(re.split(r"[:\]|>] ", line[:-1])[-1])
    if 0 < len(words) <= 2 and not any(word.lower() in _SAYING for word in words) and "::" not in line[-60:]:
        return f'it begins after "{" ".join(words)}:", which makes it another message'
    return None


def _only_wrapped(lead: str) -> bool:
    """Whether only what std wraps around a text stands before it."""
    words = " ".join(template.WORD.findall(lead.lower()))
    return not words or any(words == " ".join(template.WORD.findall(w)) for w in vocabulary.STD_WRAPPERS)


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
    parsed: Template, window: Window, alignment: Alignment, setting: Setting, location: Location | None, agreed: float
) -> str | None:
    """What a print may lack under a panic header it may not lack elsewhere."""
    words = parsed.folded
    lost = [words[i] for i in alignment.missing] + [window.words[j] for j in alignment.extra]
    elsewhere = location is not None and location.crate is not None and agreed == 0
    if not alignment.exact and elsewhere:
        return "another wording at another place"
    if any(word not in vocabulary.FUNCTION_WORDS for word in lost) and agreed < sites.AGREES:
        return "a reworded message counts at the record's own place only"
    if not setting.printed and not alignment.exact and not setting.alone:
        return "in a sentence only the exact text counts"
    if alignment.cut_tail or alignment.cut_head or alignment.cut_word:
        refused = _cut_short(parsed, alignment, setting, agreed)
        if refused:
            return refused
    if setting.quality < score.SURE:
        if not alignment.exact:
            return "in a sentence only the exact text counts"
        if score.content(parsed) < score.LONG or parsed.characters < 28:
            return "too short to be told from a sentence"
    return None


def _cut_short(parsed: Template, alignment: Alignment, setting: Setting, agreed: float) -> str | None:
    """A text that ends where one of the record's clauses ends may be another, shorter message."""
    if setting.open_end or alignment.cut_word:
        return None
    if alignment.cut_head and agreed < sites.AGREES:
        return "its beginning is missing"
    if alignment.cut_tail and alignment.pairs[-1][0] + 1 in parsed.pauses and not alignment.cut_hole:
        return "it is shorter than the record's text"
    if alignment.cut_tail and agreed < sites.AGREES and setting.quality < 1.0:
        return "it is shorter than the record's text"
    return None
