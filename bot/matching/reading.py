"""One candidate, looked at closely: where it stands, how it fits, what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from bot.matching import context, edges, evidence, refusals, score, sites, veto
from bot.matching.context import Setting
from bot.matching.index import Index
from bot.matching.laid import Laid
from bot.matching.score import Strength
from bot.matching.units import Unit, Units
from bot.matching.verdict import Location, Score, Source
from bot.records.model import Kind

_NOWHERE = Setting(Source.PROSE, 0.0, printed=False)


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
        # That no location is printed says nothing against a text.
        possible = 1.0 if self.location is not None else 1.0 - score.LOCATION
        return round(self.score.total / possible * self.setting.quality, 4)


class Scrutiny:
    """Judges templates that were laid over one issue."""

    def __init__(self, index: Index, units: Units, *, request: bool) -> None:
        self._index = index
        self._units = units
        self._request = request

    def reading(self, group: int, laid: Laid) -> Reading:
        """What is to be said of `group`'s template as it lies there. Dear questions are asked last."""
        setting = _NOWHERE
        location: Location | None = None
        choice = sites.NONE
        refused = veto.veto(laid.template, laid.window, laid.alignment)
        if refused is None:
            found = self._setting(laid.unit, laid.clause_start, laid.clause_end)
            if isinstance(found, str):
                refused = found
            else:
                cut = found.open_end or context.cut_off(self._units.cleaned.text, laid.end) or veto.unclosed(laid.rest)
                setting = replace(found, open_end=cut)
        refused = refused or edges.begins(laid, setting, self._needed(group)) or edges.ends(laid, setting)
        if refused is None:
            location = self._location(laid)
            choice = sites.choose(self._index, group, location, laid.template, setting)
            refused = choice.refused or refusals.weak(laid, setting, location, choice.location)
        alignment = laid.alignment
        fitted = score.fit(laid.template, laid.window, alignment)
        return Reading(
            group=group,
            start=laid.start,
            end=laid.end,
            setting=setting,
            score=score.score(laid.template, fitted, alignment.exact, choice.location),
            matched=fitted.matched,
            sites=choice.sites,
            words=tuple(laid.window.span(j) for _, j in alignment.pairs),
            location=location,
            panic=laid.unit.panic,
            refused=refused,
            cut=alignment.cut_tail > 0 or alignment.cut_word,
            escapes=self._escapes(laid) if refused is None else (),
        )

    def _needed(self, group: int) -> Strength:
        """How telling a text must be that is only a part of a panic's message: what others raise often is."""
        surfaced = self._index.kind(self._index.sites(group)[0]) is Kind.SURFACED
        return Strength.LITTLE if surfaced else Strength.ENOUGH

    def _escapes(self, laid: Laid) -> tuple[tuple[str, str], ...]:
        text, words = self._units.cleaned.text, laid.template.words
        return tuple(
            (words[i], words[i2])
            for (i, j), (i2, j2) in pairwise(laid.alignment.pairs)
            if i2 == i + 1 and "\\" in text[laid.window.span(j)[1] : laid.window.span(j2)[0]]
        )

    def _location(self, laid: Laid) -> Location | None:
        unit = laid.unit
        if unit.panic is not None:
            return self._units.panics[unit.panic].location
        return None if unit.title else evidence.nearby(self._units.cleaned.text, laid.start, laid.end, unit.end)

    def _setting(self, unit: Unit, start: int, end: int) -> Setting | str:
        text = self._units.cleaned.text
        if unit.title:
            return context.in_title(text[: self._units.cleaned.title_end], start, end)
        if unit.panic is not None:
            return context.in_panic(text, unit.start, start, end)
        low = self._units.cleaned.title_end
        if unit.fence is not None and not unit.fence.inline:
            return context.in_fence(text, start, end, unit.fence.start, low)
        span = (unit.start, unit.end) if unit.code else None
        return context.in_prose(text, start, end, low, span, self._request)
