"""What a message lacks to be believed, given where it stands.

The veto compares words; here the surroundings speak: a cut-off or reworded text counts at the record's own place, and
in a sentence only the exact and telling text counts.
"""

from __future__ import annotations

from bot.matching import score, sites, veto, vocabulary
from bot.matching.context import Setting
from bot.matching.laid import Laid
from bot.matching.score import Strength
from bot.matching.verdict import Location

CUT_TELLING = "what tells it apart is cut off"
CUT_LITTLE = "too little of the record's text is there"
CUT_MOST = "most of the record's text is not there"
CUT_SHORTER = "it is shorter than the record's text"
CUT_HEAD = "its beginning is missing"
CUT = frozenset((CUT_TELLING, CUT_LITTLE, CUT_MOST, CUT_SHORTER, CUT_HEAD))
"""Refusals of a text that may yet be the beginning of the record's."""
LONG_CUT = 6
"""Content words of a cut-off text that need no location."""
TELLING_CUT = 8
"""Content words of a cut-off text of which an identifier or number may be the first that is cut off."""
TELLING_CHARACTERS = 28
"""Literal characters of a text that counts within a sentence."""
_NOT_EXACT = "in a sentence only the exact text counts"


def weak(laid: Laid, setting: Setting, location: Location | None, agreed: float) -> str | None:
    """What a print may lack under a panic header it may not lack elsewhere. `agreed`: agreement with `location`."""
    parsed, alignment = laid.template, laid.alignment
    if not alignment.exact:
        refused = _inexact(laid, setting, location, agreed)
        if refused:
            return refused
    if laid.cut:
        refused = _cut_short(laid, setting, agreed)
        if refused:
            return refused
    if setting.quality < score.SURE:
        if not alignment.exact:
            return _NOT_EXACT
        if score.content(parsed) < score.LONG or parsed.characters < TELLING_CHARACTERS:
            return "too short to be told from a sentence"
    return None


def _inexact(laid: Laid, setting: Setting, location: Location | None, agreed: float) -> str | None:
    parsed, alignment = laid.template, laid.alignment
    lost = [parsed.folded[i] for i in alignment.missing] + [laid.window.words[j] for j in alignment.extra]
    if (alignment.same or lost or laid.cut) and score.strength(parsed) is Strength.NOTHING:
        return "its text is common: only the exact text counts"
    if location is not None and location.crate is not None and agreed == 0:
        return "another wording at another place"
    if (alignment.same or lost) and location is not None and location.crate is not None and agreed <= sites.NEAR:
        return "another wording in another file"
    if agreed < sites.AGREES and any(word not in vocabulary.FUNCTION_WORDS for word in lost):
        return "a reworded message counts at the record's own place only"
    return None if setting.printed or setting.alone else _NOT_EXACT


def _tells(word: str) -> bool:
    return "_" in word or vocabulary.has_digit(word)


def _content(word: str) -> bool:
    return word not in vocabulary.FUNCTION_WORDS


def _cut_short(laid: Laid, setting: Setting, agreed: float) -> str | None:
    """A text that ends where a clause may end, with no sign of a cut, may be another, shorter message."""
    parsed, alignment = laid.template, laid.alignment
    words, last = parsed.folded, alignment.pairs[-1][0]
    if alignment.cut_head and not (setting.open_start and agreed >= sites.AGREES):
        return CUT_HEAD
    whole = [i for i, _ in alignment.pairs if i >= parsed.core and not (alignment.cut_word and i == last)]
    kept = [words[i] for i in whole if _content(words[i])]
    tail = [word for word in words[len(words) - alignment.cut_tail :] if _content(word)]
    cut_off = [words[last], *tail] if alignment.cut_word else tail
    if len(kept) < TELLING_CUT and cut_off and _tells(cut_off[0]) and not any(map(_tells, kept)):
        return CUT_TELLING
    shown = setting.open_end or alignment.cut_word or veto.unclosed(laid.rest)
    here = shown and agreed >= sites.AGREES
    weight = sum(1.5 if _tells(word) else 1.0 for word in kept)
    if weight < (2.5 if here else 3.0 if len(cut_off) <= 1 else 4.0):
        return CUT_LITTLE
    if len(kept) < (0.6 if here else 1.5) * len(cut_off):
        return CUT_MOST
    if shown or not alignment.cut_tail:
        return None
    unfinished = bool(tail) and not _content(words[last]) and last + 1 not in parsed.pauses
    sure = agreed >= sites.AGREES or setting.quality >= 1.0 or len(kept) >= LONG_CUT
    return None if unfinished and sure else CUT_SHORTER
