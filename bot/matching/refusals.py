"""What a message lacks to be believed, given where it stands: edges, length, wording.

The veto compares words; here the surroundings speak: a print begins and ends where a clause does, a cut-off or
reworded text counts at the record's own place, and in a sentence only the exact and telling text counts.
"""

from __future__ import annotations

import re

from bot.matching import score, sites, template, veto, vocabulary
from bot.matching.align import Alignment, Window
from bot.matching.context import Setting
from bot.matching.score import Strength
from bot.matching.template import Template
from bot.matching.units import Unit
from bot.matching.verdict import Location, Source

CUT_TELLING = "what tells it apart is cut off"
CUT_LITTLE = "too little of the record's text is there"
CUT_MOST = "most of the record's text is not there"
CUT_SHORTER = "it is shorter than the record's text"
CUT_HEAD = "its beginning is missing"
CUT = frozenset((CUT_TELLING, CUT_LITTLE, CUT_MOST, CUT_SHORTER, CUT_HEAD))
"""Refusals of a text that may yet be the beginning of the record's."""
_AFTERWARDS = vocabulary.words(
    "every each during again all always sometimes randomly immediately error panic message using after before whenever until"
    " because since though although even not exactly right out"
)
"""Words with which a sentence goes on after a message, besides function words."""
_LOG_LEAD = re.compile(r"[\s\[(|>-]{0,40}(?:ERROR|FATAL|WARN|PANIC)\b[\w\s:.,/-]{0,80}[\]|:>-]\s*\Z")
LONG_CUT = 6
"""Content words of a cut-off text that need no location."""
_SAYING = vocabulary.words(
    "error fatal panic panicked exception failed message err cause caused by says output note value get got see result"
)


def edges(
    unit: Unit,
    parsed: Template,
    window: Window,
    alignment: Alignment,
    setting: Setting,
    start: int,
    end: int,
    needed: Strength,
) -> str | None:
    """A print begins where a clause begins and ends where one ends. `needed`: strength of what is only a part of it."""
    lead = unit.shown[: start - unit.start].rstrip()
    rest = rest_of(unit, start, end)
    holes = {hole.before: hole for hole in parsed.holes}
    refused = None
    if 0 in holes and not alignment.cut_head:
        refused = _leading_hole(unit, start)
    elif (
        setting.printed
        and not alignment.cut_head
        and lead[-1:].isalnum()
        and not _same_start(lead, parsed, window, alignment)
    ):
        refused = "it begins in the middle of a clause"
    elif unit.panic is not None and score.strength(parsed) < needed and not _only_wrapped(lead):
        refused = "it is only a part of the message"
    elif setting.printed and lead and not alignment.cut_head:
        refused = _qualified(lead, setting)
    if refused or alignment.cut_tail or alignment.cut_word:
        return refused
    last = holes.get(len(parsed.words)) if alignment.pairs[-1][0] == len(parsed.words) - 1 else None
    ahead = rest.lstrip(" \t")
    if last is not None:
        if not setting.printed and not last.open:
            return None
        if ahead[:1] in (".", "\u2026") and setting.open_end:
            return None
        there = "".join(rest.split("\n\n", 1)[0].split())
        if last.signs and not there.startswith(last.signs) and not (last.signs == ":" and ahead[:1] in ("", "\n")):
            return "what fills the record's last hole is missing"
        if last.signs not in ("", ":") and not there[len(last.signs) :]:
            return "what fills the record's last hole is missing"
        if not last.signs and ahead[:1] == ":":
            return "a colon stands where the record has none"
        return (
            None if last.open else _goes_on(veto.unquoted(rest.split(":", 1)[0]), vocabulary.PROSE_WORDS, wanted=True)
        )
    if alignment.pairs[-1][0] < len(parsed.words) - 1 and ahead[:1] not in ("", "\n"):
        return f'the text goes on with "{ahead.split(maxsplit=1)[0][:40]}"'
    following = alignment.last + 1
    if not setting.printed:
        word = window.words[following] if following < len(window.words) and ahead[:1].isalnum() else ""
        if word and word not in vocabulary.FUNCTION_WORDS and word not in _AFTERWARDS:
            return f'the text goes on with "{word}"'
        return None
    if rest[:1].isspace() and ahead[:1] in ("'", '"', "`", "(", "["):
        return f'the text goes on with "{ahead.split(maxsplit=1)[0][:40]}"'
    if parsed.std and ahead[:1] in (":", ";") and ahead[1:].strip():
        return "more text follows, which makes it another message"
    if ahead[:1].isalnum() or (ahead[:1] in (",", ";", "(") and ahead[1:].lstrip()[:1].isalpha()):
        return _goes_on(rest, vocabulary.FUNCTION_WORDS, wanted=False)
    return None


def _qualified(lead: str, setting: Setting) -> str | None:
    """A word or two with a colon before a text (`sort: …`) say whose text it is, which makes it another message."""
    line = lead.rsplit("\n", 1)[-1]
    if not line.endswith(":") or _only_wrapped(line):
        return None
    words = template.WORD.findall(re.split(r"[:\]|>] ", line[:-1])[-1])
    prose = setting.source in (Source.PROSE, Source.TITLE) and not (len(words) == 1 and words[0].islower())
    words = [word for word in words if not word.isdigit()]
    if prose or not 0 < len(words) <= 2 or any(word.lower() in _SAYING for word in words) or "::" in line[-60:]:
        return None
    return f'it begins after "{" ".join(words)}:", which makes it another message'


def _only_wrapped(lead: str) -> bool:
    """Whether only what std wraps around a text stands before it."""
    line = lead.rstrip().rsplit("\n", 1)[-1]
    if _LOG_LEAD.match(line) and not template.WORD.search(lead[: -len(line)] if line else lead):
        return True
    words = " ".join(template.WORD.findall(lead.lower()))
    return not words or any(words == " ".join(template.WORD.findall(w)) for w in vocabulary.STD_WRAPPERS)


def _same_start(lead: str, parsed: Template, window: Window, alignment: Alignment) -> bool:
    """Whether the clause begins with function words only (`could`, `should have`), or with a `not` that belongs to it."""
    first, there = alignment.pairs[0]
    if any(word not in vocabulary.FUNCTION_WORDS for word in parsed.folded[parsed.core : first]):
        return False
    words = [word.lower() for word in template.WORD.findall(re.split(r"[^\w\s']|\n", lead)[-1])]
    if words[-1:] == ["not"] and vocabulary.opposite(parsed.folded[first], window.words[there]):
        words.pop()
    return len(words) <= 3 and all(word in vocabulary.FUNCTION_WORDS for word in words)


_WRAPPED = re.compile(r"([ \t]*)\n([ \t]*)(?=(?!left\b|right\b|note\b|at\b|stack\b)[a-z]{1,15}(?:[ ,.;)]|$))")


def rest_of(unit: Unit, start: int, end: int) -> str:
    """What follows a match, up to the quotation mark that closes what it began with, a hard wrap undone."""
    before = unit.shown[: start - unit.start].rstrip()[-1:]
    rest = unit.shown[end - unit.start : end - unit.start + 240]
    rest = rest.split(before, 1)[0] if before in ('"', "'", "`") else rest
    # A line that ends before the sentence does goes on below.
    return _WRAPPED.sub(lambda m: f"{m[1]} {m[2]}", rest, count=1) if rest.lstrip(" \t")[:1] == "\n" else rest


def clause_start(unit: Unit, start: int) -> int:
    """Where the clause begins whose first part fills a hole before `start`."""
    lead = unit.shown[: start - unit.start]
    at = max(lead.rfind("\n") + 1, len(lead) - 240, 0)
    for mark in ('"', "`"):
        if lead[at:].count(mark) % 2:
            at = lead.rfind(mark) + 1
    colon = lead.rfind(": ", at)
    return unit.start + (colon + 2 if colon >= 0 else at)


def _leading_hole(unit: Unit, start: int) -> str | None:
    """What fills a hole at the beginning is a value, not the first half of a sentence."""
    filling = unit.shown[clause_start(unit, start) - unit.start : start - unit.start]
    words = template.WORD.findall(veto.unquoted(filling))
    prose = [word for word in words if word.lower() in vocabulary.PROSE_WORDS]
    if prose or len(words) > 8:
        return f'"{(prose or words)[-1]}" cannot stand in a hole of the record'
    return None


def clause_end(unit: Unit, end: int) -> int:
    """Where the line ends if what follows `end` fills a last hole, else `end`."""
    rest = unit.shown[end - unit.start :].split("\n", 1)[0]
    words = template.WORD.findall(veto.unquoted(rest))
    return end if any(word.lower() in vocabulary.PROSE_WORDS for word in words) else end + len(rest)


def _goes_on(rest: str, words: frozenset[str], *, wanted: bool) -> str | None:
    """Whether the line goes on with a word that is (`wanted`) or is not one of `words`."""
    for word in template.WORD.findall(rest.split("\n", 1)[0]):
        if (word.lower() in words) is wanted:
            return f'the text goes on with "{word}"'
    return None


def weak(
    unit: Unit,
    parsed: Template,
    window: Window,
    alignment: Alignment,
    setting: Setting,
    location: Location | None,
    agreed: float,
    start: int,
    end: int,
) -> str | None:
    """What a print may lack under a panic header it may not lack elsewhere. `agreed`: agreement with `location`."""
    words = parsed.folded
    lost = [words[i] for i in alignment.missing] + [window.words[j] for j in alignment.extra]
    differs = alignment.same or alignment.missing or alignment.extra or alignment.cut_tail or alignment.cut_head
    if (differs or alignment.cut_word) and score.strength(parsed) is Strength.NOTHING:
        return "its text is common: only the exact text counts"
    elsewhere = location is not None and location.crate is not None and agreed == 0
    if not alignment.exact and elsewhere:
        return "another wording at another place"
    reworded = any(word not in vocabulary.FUNCTION_WORDS for word in lost)
    if reworded and agreed < sites.AGREES:
        return "a reworded message counts at the record's own place only"
    if not setting.printed and not alignment.exact and not setting.alone:
        return "in a sentence only the exact text counts"
    if alignment.cut_tail or alignment.cut_head or alignment.cut_word:
        refused = _cut_short(parsed, alignment, setting, agreed, rest_of(unit, start, end))
        if refused:
            return refused
    if setting.quality < score.SURE:
        if not alignment.exact:
            return "in a sentence only the exact text counts"
        if score.content(parsed) < score.LONG or parsed.characters < 28:
            return "too short to be told from a sentence"
    return None


def _tells(word: str) -> bool:
    return "_" in word or vocabulary.has_digit(word)


def _cut_short(parsed: Template, alignment: Alignment, setting: Setting, agreed: float, rest: str) -> str | None:
    """A text that ends where a clause may end, with no sign of a cut, may be another, shorter message."""
    words = parsed.folded
    if alignment.cut_head and not (setting.open_start and agreed >= sites.AGREES):
        return CUT_HEAD
    partial = alignment.pairs[-1][0] if alignment.cut_word else None
    tail = [i for i in range(len(words) - alignment.cut_tail, len(words)) if words[i] not in vocabulary.FUNCTION_WORDS]
    kept = [
        i for i, _ in alignment.pairs if i >= parsed.core and i != partial and words[i] not in vocabulary.FUNCTION_WORDS
    ]
    cut_off = [*([partial] if partial is not None else []), *tail]
    if len(kept) < LONG_CUT and cut_off and _tells(words[cut_off[0]]) and not any(_tells(words[i]) for i in kept):
        return CUT_TELLING
    shown = setting.open_end or alignment.cut_word or veto.unclosed(rest)
    here = shown and agreed >= sites.AGREES
    weight = sum(1.5 if _tells(words[i]) else 1.0 for i in kept)
    if weight < (2.5 if here else 3.0 if len(cut_off) <= 1 else 4.0):
        return CUT_LITTLE
    if len(kept) < (0.6 if here else 1.5) * len(cut_off):
        return CUT_MOST
    if shown or not alignment.cut_tail:
        return None
    at_pause = alignment.pairs[-1][0] + 1 in parsed.pauses
    unfinished = words[alignment.pairs[-1][0]] in vocabulary.FUNCTION_WORDS
    if (
        at_pause
        or not tail
        or not unfinished
        or (agreed < sites.AGREES and setting.quality < 1.0 and len(kept) < LONG_CUT)
    ):
        return CUT_SHORTER
    return None
