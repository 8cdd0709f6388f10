"""One candidate, looked at closely: where it stands, how it fits, what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bot.matching import align, context, panics, score, sites, structure, template, veto, vocabulary
from bot.matching.align import Alignment, Window
from bot.matching.clean import Cleaned
from bot.matching.context import Setting
from bot.matching.index import Candidate, Index
from bot.matching.panics import Panic
from bot.matching.structure import Fence
from bot.matching.template import Template
from bot.matching.tokens import Tokens
from bot.matching.verdict import Location, Score, Source

MAX_CELLS = 9_000
"""Template words times window words of one alignment."""
MIN_CHARACTERS = 12
SHORT_CONTENT = 3.0
LONG_CONTENT = 5.0


@dataclass(frozen=True)
class Text:
    """An issue, cleaned, cut into words, its panics and fences found."""

    cleaned: Cleaned
    tokens: Tokens
    panics: list[Panic]
    counts: np.ndarray[tuple[int], np.dtype[np.int32]]
    """Per word: how many templates of the catalogue hold it."""
    request: bool

    @cached_property
    def fences(self) -> list[Fence]:
        return structure.fences(self.cleaned.text, self.cleaned.title_end)


@dataclass(frozen=True, slots=True)
class Unit:
    """The stretch of text that a message is looked for in."""

    start: int
    end: int
    panic: int | None = None
    fence: Fence | None = None
    title: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate that was laid over the text. `refused` says why it does not count."""

    group: int
    start: int
    end: int
    """Characters of the cleaned text from the first to the last matched word."""
    setting: Setting
    score: Score
    matched: float
    sites: tuple[int, ...]
    words: tuple[tuple[int, int], ...]
    location: Location | None
    panic: int | None
    refused: str | None
    cut: bool

    @property
    def confidence(self) -> float:
        return round(self.score.total * self.setting.quality, 4)


_NOWHERE = Setting(Source.PROSE, 0.0, False)


def unit_at(text: Text, position: int) -> Unit:
    """The unit that holds a character."""
    cleaned = text.cleaned
    if position < cleaned.title_end:
        return Unit(0, cleaned.title_end, title=True)
    number = context.panic_at(text.panics, position)
    if number is not None:
        panic = text.panics[number]
        return Unit(panic.start, panic.end, panic=number)
    fence = structure.fence_at(text.fences, position)
    if fence is not None:
        low = max(fence.start, position - 1_200)
        start, _ = structure.paragraph_at(cleaned.text, position, low, fence.end)
        return Unit(start, panics.message_end(cleaned.text, position, fence.end), fence=fence)
    start, end = structure.paragraph_at(cleaned.text, position, cleaned.title_end, len(cleaned.text))
    return Unit(start, end)


def read(text: Text, index: Index, candidate: Candidate, parsed: Template) -> Reading | None:
    """Lay the candidate's template over the text around its hits."""
    tokens = text.tokens
    position = int(tokens.starts[candidate.first])
    unit = unit_at(text, position)
    low = int(np.searchsorted(tokens.starts, unit.start))
    high = int(np.searchsorted(tokens.starts, unit.end))
    count = len(parsed.words)
    first = max(low, candidate.first - count - 2)
    last = min(high, candidate.last + count + 4 + 12 * len(parsed.holes))
    last = min(last, first + max(24, MAX_CELLS // max(1, count)))
    if count == 0 or last <= first:
        return None
    source = text.cleaned.words
    if unit.panic is not None:
        source = panics.without_notes(source, unit.start, unit.end)
    spans = list(zip(tokens.starts[first:last].tolist(), tokens.ends[first:last].tolist(), strict=True))
    window = Window(
        words=[source[s:e].lower() for s, e in spans],
        known=[count > 0 for count in text.counts[first:last].tolist()],
        closed=last == high,
        opened=first == low,
    )
    alignment = align.align(parsed, window)
    if alignment is None:
        return None
    return _judge(text, index, candidate.group, parsed, window, alignment, spans, unit)


def _judge(
    text: Text,
    index: Index,
    group: int,
    parsed: Template,
    window: Window,
    alignment: Alignment,
    spans: list[tuple[int, int]],
    unit: Unit,
) -> Reading:
    cleaned = text.cleaned
    start, end = spans[alignment.first][0], spans[alignment.last][1]
    gaps = _gaps(cleaned.words, spans, unit)
    fitted = score.fit(parsed, window, alignment)
    setting = _setting(text, unit, start, end)
    refused = veto.veto(parsed, window, alignment, gaps)
    if isinstance(setting, str):
        refused, setting = refused or setting, _NOWHERE
    refused = refused or _edges(cleaned.words, unit, parsed, alignment, setting, start, end)
    location = text.panics[unit.panic].location if unit.panic is not None else _nearby(text, unit)
    choice = sites.choose(index, group, location, _short(parsed))
    refused = refused or choice.refused or _weak(parsed, alignment, setting, fitted)
    return Reading(
        group=group,
        start=start,
        end=end,
        setting=setting,
        score=score.score(parsed, fitted, alignment.exact, choice.location),
        matched=fitted.matched,
        sites=choice.sites,
        words=tuple(spans[j] for _, j in alignment.pairs),
        location=location,
        panic=unit.panic,
        refused=refused,
        cut=bool(alignment.cut_tail or alignment.cut_head),
    )


def _gaps(words: str, spans: list[tuple[int, int]], unit: Unit) -> list[str]:
    gaps = [words[max(unit.start, spans[0][0] - 40) : spans[0][0]]]
    gaps += (words[a:b] for (_, a), (b, _) in zip(spans, spans[1:], strict=False))
    gaps.append(words[spans[-1][1] : min(unit.end, spans[-1][1] + 40)])
    return gaps


def _setting(text: Text, unit: Unit, start: int, end: int) -> Setting | str:
    cleaned = text.cleaned
    if unit.title:
        return context.in_title(cleaned.text[: cleaned.title_end], start, end)
    if unit.panic is not None:
        message = cleaned.text[unit.start : unit.end].lstrip(" \t\n>*`")
        before = cleaned.text[unit.start : start]
        if message.startswith("=== Tensor"):
            return Setting(Source.REPORT, 1.0, True)
        if "Caused by" in before:
            return Setting(Source.CAUSED_BY, 1.0, True)
        return Setting(Source.ASSERTION if message.startswith("assertion") else Source.PANIC, 1.0, True)
    if unit.fence is not None and not unit.fence.inline:
        return context.in_fence(cleaned.text, start, end, unit.fence)
    return context.in_prose(cleaned.text, start, end, unit.start, unit.end, text.request)


def _nearby(text: Text, unit: Unit) -> Location | None:
    return None


def _short(parsed: Template) -> bool:
    """Whether the text alone tells too little."""
    return parsed.std or parsed.characters < MIN_CHARACTERS or score.content(parsed) < 2.0


def _edges(
    words: str, unit: Unit, parsed: Template, alignment: Alignment, setting: Setting, start: int, end: int
) -> str | None:
    """A print begins where a clause begins and ends where one ends."""
    if setting.source in (Source.TITLE, Source.PROSE):
        return None
    lead = words[unit.start : start].rstrip()
    leading_hole = any(hole.before == 0 for hole in parsed.holes)
    if lead and not alignment.cut_head and not leading_hole and lead[-1].isalnum():
        line = lead.rsplit("\n", 1)
        if len(line) == 1 or line[-1].strip():
            return "it begins in the middle of a clause"
    if any(hole.before == len(parsed.words) for hole in parsed.holes) or alignment.cut_tail:
        return None
    rest = words[end : min(unit.end, end + 200)]
    ahead = rest.lstrip(" \t")
    if parsed.std and ahead[:1] in (":", ";") and ahead[1:].strip():
        return "more text follows, which makes it another message"
    if ahead[:1].isalnum():
        following = [
            w for w in template.WORD.findall(rest.split("\n", 1)[0]) if w.lower() not in vocabulary.FUNCTION_WORDS
        ]
        if following:
            return f'the text goes on with "{following[0]}"'
    return None


def _weak(parsed: Template, alignment: Alignment, setting: Setting, fitted: score.Fit) -> str | None:
    """What a print may lack under a panic header it may not lack elsewhere."""
    telling = score.content(parsed)
    if setting.source in (Source.TITLE, Source.PROSE) or setting.quality < 0.9:
        if not alignment.exact and (setting.quality < 0.9 or alignment.missing or alignment.extra):
            return "outside of printed output only the exact text counts"
        if alignment.cut_tail or alignment.cut_head:
            return "outside of printed output only the whole text counts"
        if setting.quality < 0.9 and (telling < LONG_CONTENT or parsed.characters < 28):
            return "too short to be told from a sentence"
    if telling < SHORT_CONTENT and setting.source is Source.PROSE and not setting.own:
        return "too short to be told from a sentence"
    return None
