"""A print begins where a clause begins, and ends where one ends."""

from __future__ import annotations

import re

from bot.matching import score, template, veto, vocabulary
from bot.matching.context import Setting
from bot.matching.laid import Laid
from bot.matching.score import Strength
from bot.matching.template import Hole
from bot.matching.verdict import Source

MAX_LEADING = 8
"""Words in a hole at the beginning."""
_AFTERWARDS = vocabulary.words(
    "every each during again all always sometimes randomly immediately error panic message using after before whenever"
    " until because since though although even not exactly right out"
)
"""Words with which a sentence goes on after a message, besides function words."""
_SAYING = vocabulary.words(
    "error fatal panic panicked exception failed message err cause caused by says output note value get got see result"
    " stderr stdout console log logs output trace"
)
"""Words before a colon that only announce a message."""
_LOG_LEAD = re.compile(r"[\s\[(|>-]{0,40}(?:ERROR|FATAL|WARN|PANIC)\b[\w\s:.,/-]{0,80}[\]|:>-]\s*\Z")
_BLANKS = " \t"
_CUT_MARKS = (".", "\u2026")


def begins(laid: Laid, setting: Setting, needed: Strength) -> str | None:
    """What stands before the text that makes it another one. `needed`: strength of what is only a part of a panic."""
    if laid.hole_before is not None and not laid.alignment.cut_head:
        return _leading_hole(laid)
    inside = setting.printed and not laid.alignment.cut_head
    if inside and laid.lead[-1:].isalnum() and not _under_heading(laid.lead) and not _same_start(laid):
        return "it begins in the middle of a clause"
    if laid.unit.panic is not None and score.strength(laid.template) < needed and not _only_wrapped(laid.lead):
        return "it is only a part of the message"
    return _qualified(laid.lead, setting) if inside and laid.lead else None


def ends(laid: Laid, setting: Setting) -> str | None:
    """What stands behind the text that makes it another one."""
    alignment = laid.alignment
    if alignment.cut_tail or alignment.cut_word:
        return None
    if laid.hole_behind is not None:
        return _last_hole(laid, laid.hole_behind, setting)
    ahead = laid.rest.lstrip(_BLANKS)
    if not laid.whole_end and ahead[:1] not in ("", "\n"):
        return _goes_on_with(ahead)
    if not setting.printed:
        return _sentence_goes_on(laid, ahead)
    if laid.rest[:1].isspace() and ahead[:1] in ("'", '"', "`", "(", "["):
        return _goes_on_with(ahead)
    if laid.template.std and ahead[:1] in (":", ";") and ahead[1:].strip():
        return "more text follows, which makes it another message"
    if ahead[:1].isalnum() or (ahead[:1] in (",", ";", "(") and ahead[1:].lstrip()[:1].isalpha()):
        return _line_has(laid.rest, vocabulary.FUNCTION_WORDS, wanted=False)
    return None


def _last_hole(laid: Laid, hole: Hole, setting: Setting) -> str | None:
    ahead = laid.rest.lstrip(_BLANKS)
    if (not setting.printed and not hole.open) or (ahead[:1] in _CUT_MARKS and setting.open_end):
        return None
    there = "".join(laid.rest.split("\n\n", 1)[0].split())
    unsaid = hole.signs == ":" and ahead[:1] in ("", "\n")
    unsigned = bool(hole.signs) and not there.startswith(hole.signs) and not unsaid
    if unsigned or (hole.signs not in ("", ":") and not there[len(hole.signs) :]):
        return "what fills the record's last hole is missing"
    if not hole.signs and ahead[:1] == ":":
        return "a colon stands where the record has none"
    if hole.open:
        return None
    return _line_has(veto.unquoted(laid.rest.split(":", 1)[0]), vocabulary.PROSE_WORDS, wanted=True)


def _sentence_goes_on(laid: Laid, ahead: str) -> str | None:
    following = laid.alignment.last + 1
    if following >= len(laid.window.words) or not ahead[:1].isalnum():
        return None
    word = laid.window.words[following]
    return None if word in vocabulary.FUNCTION_WORDS or word in _AFTERWARDS else _goes_on_with(word)


def _goes_on_with(text: str) -> str:
    return f'the text goes on with "{text.split(maxsplit=1)[0][:40]}"'


def _line_has(rest: str, words: frozenset[str], *, wanted: bool) -> str | None:
    """Whether the line goes on with a word that is (`wanted`) or is not one of `words`."""
    for word in template.WORD.findall(rest.split("\n", 1)[0]):
        if (word.lower() in words) is wanted:
            return _goes_on_with(word)
    return None


def _leading_hole(laid: Laid) -> str | None:
    """What fills a hole at the beginning is a value, not the first half of a sentence."""
    words = template.WORD.findall(veto.unquoted(laid.first_filling))
    prose = [word for word in words if word.lower() in vocabulary.PROSE_WORDS]
    if prose or len(words) > MAX_LEADING:
        return f'"{(prose or words)[-1]}" cannot stand in a hole of the record'
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
    """Whether only what std wraps around a text stands before it, or what a logger does."""
    line = lead.rstrip().rsplit("\n", 1)[-1]
    if _LOG_LEAD.match(line) and not template.WORD.search(lead[: -len(line)] if line else lead):
        return True
    words = " ".join(template.WORD.findall(lead.lower()))
    return not words or any(words == " ".join(template.WORD.findall(w)) for w in vocabulary.STD_WRAPPERS)


def _under_heading(lead: str) -> bool:
    return lead.rsplit("\n", 1)[-1].lstrip(" \t>").startswith("#")


def _same_start(laid: Laid) -> bool:
    """Whether the clause begins with function words only (`could`), or with a `not` that belongs to it."""
    parsed = laid.template
    first, there = laid.alignment.pairs[0]
    if any(word not in vocabulary.FUNCTION_WORDS for word in parsed.folded[parsed.core : first]):
        return False
    words = [word.lower() for word in template.WORD.findall(re.split(r"[^\w\s']|\n", laid.lead)[-1])]
    if words[-1:] == ["not"] and vocabulary.opposite(parsed.folded[first], laid.window.words[there]):
        words.pop()
    return len(words) <= 3 and all(word in vocabulary.FUNCTION_WORDS for word in words)
