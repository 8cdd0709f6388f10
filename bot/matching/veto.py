"""Why an aligned text is nevertheless another message. Any one reason is enough; none can be outweighed.

A content word or number that is missing, extra or exchanged outside a hole makes another message: `2d` is not `3d`,
`backward` not `forward`. Slips of the pen and other forms of a word are not differences; function words hardly are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from bot.matching import vocabulary
from bot.matching.align import Alignment, Window
from bot.matching.template import OPERATORS, WORD, Template

MAX_FILLING = 40
"""Words in one hole that is not at the end."""
LONG = 5
"""Content words from which on a single reworded one may be forgiven."""
_PLACEHOLDER = re.compile(r"\{[a-zA-Z_0-9.]*(?::[^{}\s]{0,12})?\}")
_QUOTED = re.compile(r""""[^"]*"|`[^`]*`|(?<![A-Za-z0-9])'[^'\n]*'(?![A-Za-z0-9])""")
_BRACKETED = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}")
_VALUE = re.compile(r"[A-Za-z0-9_:.&]*\s?\x01(?:[.,;:]*\x01)*")
_UNCLOSED = re.compile(r"""[(\[{"`][^)\]}]*\Z""")


def veto(template: Template, window: Window, alignment: Alignment) -> str | None:
    """The first reason against, or None."""
    return (
        _exchanged(template, window, alignment)
        or _cut(alignment)
        or _operators(template, window, alignment)
        or _fillings(template, window, alignment)
    )


def _exchanged(template: Template, window: Window, alignment: Alignment) -> str | None:
    words = template.folded
    missing = [i for i in alignment.missing if i >= template.core and words[i] not in vocabulary.FUNCTION_WORDS]
    extra = [j for j in alignment.extra if window.words[j] not in vocabulary.FUNCTION_WORDS]
    at = dict(alignment.pairs)
    turned = _turned(words, window.words, at, missing, extra)
    if turned:
        return turned
    if not missing and not extra:
        return None
    for i in missing:
        beside = [j for j in extra if _between(i, j, at)]
        if beside:
            return f'"{window.words[beside[0]]}" stands where the record has "{template.words[i]}"'
    if missing:
        return f'the record\'s "{template.words[missing[0]]}" is missing'
    if _forgiven(template, window, extra):
        return None
    return f'"{window.words[extra[0]]}" is no word of the record'


def _turned(
    words: Sequence[str], there: Sequence[str], at: dict[int, int], missing: list[int], extra: list[int]
) -> str | None:
    """`unsupported` for `supported` turns the sense unless a `not` turns it back; that `not` is then no difference."""
    for i, j in at.items():
        if not vocabulary.opposite(words[i], there[j]):
            continue
        matched = set(at.values())
        lost = i > 0 and words[i - 1] == "not" and i - 1 not in at
        gained = j > 0 and there[j - 1] == "not" and j - 1 not in matched
        if lost == gained:
            return f'"{there[j]}" stands where the record has "{words[i]}"'
        if lost and i - 1 in missing:
            missing.remove(i - 1)
        if gained and j - 1 in extra:
            extra.remove(j - 1)
    return None


def _forgiven(template: Template, window: Window, extra: list[int]) -> bool:
    """One word that no record knows does not make another message of a long one; other refusals may."""
    words = template.folded
    content = sum(1 for i in range(template.core, len(words)) if words[i] not in vocabulary.FUNCTION_WORDS)
    put_in = window.words[extra[0]]
    return (
        len(extra) == 1
        and content >= LONG
        and window.foreign(extra[0])
        and not (
            vocabulary.has_digit(put_in) or put_in in vocabulary.DISCRIMINATORS or "_" in put_in or len(put_in) < 3
        )
    )


def _between(i: int, j: int, at: dict[int, int]) -> bool:
    left = max((at[k] for k in at if k < i), default=-1)
    right = min((at[k] for k in at if k > i), default=1 << 30)
    return left < j < right


def _cut(alignment: Alignment) -> str | None:
    if not alignment.cut_tail and not alignment.cut_head:
        return None
    if alignment.typos or alignment.missing or alignment.extra:
        return "it is cut off and differs besides"
    return None


def _operators(template: Template, window: Window, alignment: Alignment) -> str | None:
    holes = {hole.before for hole in template.holes}
    for (i, j), (i2, j2) in pairwise(alignment.pairs):
        if i2 != i + 1:
            continue
        wanted = template.operators.get(i2, ())
        between = window.gap(j + 1) if i2 in holes else "".join(window.gap(k) for k in range(j + 1, j2 + 1))
        if (wanted or not between.isspace()) and sorted(OPERATORS.findall(between)) != sorted(wanted):
            return f'the sign after "{template.words[i]}" is another one'
    return None


def _fillings(template: Template, window: Window, alignment: Alignment) -> str | None:
    holes = {hole.before: hole for hole in template.holes}
    for before, begin, end in alignment.fillings:
        hole = holes[before]
        filling = window.words[begin:end]
        if not filling and not window.gap(begin).strip():
            return "nothing stands where the record has a value"
        if len(filling) > MAX_FILLING:
            return "too much text stands in a hole of the record"
        if _PLACEHOLDER.search(window.gap(begin)) and not filling:
            return "it quotes the source, a placeholder is not filled in"
        wrong = _prose(window, begin, end) or (None if hole.open else _swallowed(window, begin, end))
        if wrong:
            return f'"{wrong}" cannot stand in a hole of the record'
        if hole.prefix or hole.suffix:
            if not filling or not filling[0].startswith(hole.prefix.lower()):
                return f'a word beginning with "{hole.prefix}" is missing'
            if not filling[-1].endswith(hole.suffix.lower()):
                return f'a word ending in "{hole.suffix}" is missing'
    return None


def _prose(window: Window, begin: int, end: int) -> str | None:
    """A word of a filling that shows a sentence: what is quoted or in brackets may hold one."""
    if not any(word in vocabulary.PROSE_WORDS for word in window.words[begin:end]):
        return None
    filling = window.gap(begin)
    for j in range(begin, end):
        filling += window.words[j] + window.gap(j + 1)
    words = WORD.findall(unquoted(filling))
    if words[-1:] == ["but"]:
        words.pop()
    return next((word for word in words if word in vocabulary.PROSE_WORDS), None)


def _swallowed(window: Window, begin: int, end: int) -> str | None:
    """A word that a hole took beside its value: a hole holds one value, and the word is likely another message's."""
    if end - begin < 2:
        return None
    filling = "".join(window.words[j] + window.gap(j + 1) for j in range(begin, end))
    values = _VALUE.sub("\x01", _nested(window.gap(begin) + filling)).split()
    if len(values) < 2:
        return None
    known = {window.words[j] for j in range(begin, end) if window.known[j]} | vocabulary.DISCRIMINATORS
    words = [word for value in values for word in WORD.findall(value) if not word.isdigit()]
    return next((word for word in words if "\x01" in values or word in known), None)


def _nested(text: str) -> str:
    r"""`text` with everything quoted or in brackets replaced by \x01."""
    text = _QUOTED.sub("\x01", text)
    for _ in range(6):
        shorter = _BRACKETED.sub("\x01", text)
        if shorter == text:
            break
        text = shorter
    return _UNCLOSED.sub("\x01", text)


def unquoted(text: str) -> str:
    """`text` without what stands in quotation marks or brackets, also unclosed ones."""
    return _nested(text).replace("\x01", " ")


def unclosed(text: str) -> bool:
    """Whether a bracket or quotation mark opens and does not close."""
    return _UNCLOSED.search(_QUOTED.sub(" ", _BRACKETED.sub(" ", text))) is not None
