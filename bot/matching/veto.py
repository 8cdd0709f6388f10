"""Why an aligned text is nevertheless another message. Any one reason is enough; none can be outweighed.

A content word or number that is missing, extra or exchanged outside a hole makes another message: `2d` is not `3d`,
`backward` not `forward`. Slips of the pen and other forms of a word are not differences; function words hardly are.
"""

from __future__ import annotations

import re
from typing import Protocol

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
_UNCLOSED = re.compile(r"""[(\[{"`][^)\]}]*\Z""")


class Gaps(Protocol):
    """What stands between the words of a window."""

    def before(self, word: int) -> str:
        """The text between words `word - 1` and `word`."""
        ...


def veto(template: Template, window: Window, alignment: Alignment, gaps: Gaps) -> str | None:
    """The first reason against, or None."""
    return (
        _exchanged(template, window, alignment)
        or _cut(template, alignment)
        or _operators(template, alignment, gaps)
        or _fillings(template, window, alignment, gaps)
    )


def _exchanged(template: Template, window: Window, alignment: Alignment) -> str | None:
    words = template.folded
    missing = [i for i in alignment.missing if i >= template.core and words[i] not in vocabulary.FUNCTION_WORDS]
    extra = [j for j in alignment.extra if window.words[j] not in vocabulary.FUNCTION_WORDS]
    if not missing and not extra:
        return None
    at = dict(alignment.pairs)
    for i in missing:
        beside = [j for j in extra if _between(i, j, at)]
        if beside:
            return f'"{window.words[beside[0]]}" stands where the record has "{template.words[i]}"'
    inside = all(alignment.pairs[0][0] < i < alignment.pairs[-1][0] for i in missing)
    if inside and _forgiven(template, window, missing, extra):
        return None
    if missing:
        return f'the record\'s "{template.words[missing[0]]}" is missing'
    return f'"{window.words[extra[0]]}" is no word of the record'


def _forgiven(template: Template, window: Window, missing: list[int], extra: list[int]) -> bool:
    """One word lost or put in does not make another message of a long one; whether it counts is decided elsewhere."""
    words = template.folded
    content = sum(1 for i in range(template.core, len(words)) if words[i] not in vocabulary.FUNCTION_WORDS)
    changed = [words[i] for i in missing] + [window.words[j] for j in extra]
    return content >= LONG and len(changed) == 1 and _forgivable(changed[0])


def _between(i: int, j: int, at: dict[int, int]) -> bool:
    left = max((at[k] for k in at if k < i), default=-1)
    right = min((at[k] for k in at if k > i), default=1 << 30)
    return left < j < right


def _forgivable(word: str) -> bool:
    return not (vocabulary.has_digit(word) or word in vocabulary.DISCRIMINATORS or "_" in word or len(word) < 3)


def _cut(template: Template, alignment: Alignment) -> str | None:
    if not alignment.cut_tail and not alignment.cut_head:
        return None
    words = template.folded
    lost = [
        i
        for i in (*range(alignment.cut_head), *range(len(words) - alignment.cut_tail, len(words)))
        if i >= template.core and words[i] not in vocabulary.FUNCTION_WORDS
    ]
    if alignment.typos or alignment.missing or alignment.extra:
        return "it is cut off and differs besides"
    kept = [i for i, _ in alignment.pairs if i >= template.core and words[i] not in vocabulary.FUNCTION_WORDS]
    if len(kept) < 3 or sum(len(words[i]) for i, _ in alignment.pairs if i >= template.core) < 16:
        return "too little of the record's text is there"
    if len(kept) < 1.2 * len(lost):
        return "most of the record's text is not there"
    return None


def _operators(template: Template, alignment: Alignment, gaps: Gaps) -> str | None:
    if not any(template.operators):
        return None
    for (i, j), (i2, j2) in zip(alignment.pairs, alignment.pairs[1:], strict=False):
        wanted = template.operators[i2]
        if i2 != i + 1 or not wanted:
            continue
        there = OPERATORS.findall(" ".join(gaps.before(k) for k in range(j + 1, j2 + 1)))
        if sorted(wanted) != sorted(there) and j2 == j + 1:
            return f'the sign before "{template.words[i2]}" is another one'
    return None


def _fillings(template: Template, window: Window, alignment: Alignment, gaps: Gaps) -> str | None:
    holes = {hole.before: hole for hole in template.holes}
    for before, begin, end in alignment.fillings:
        hole = holes[before]
        filling = window.words[begin:end]
        if len(filling) > MAX_FILLING:
            return "too much text stands in a hole of the record"
        if _PLACEHOLDER.search(gaps.before(begin)) and not filling:
            return "it quotes the source, a placeholder is not filled in"
        prose = _prose(gaps, window, begin, end)
        if prose:
            return f'"{prose}" cannot stand in a hole of the record'
        if hole.prefix or hole.suffix:
            if not filling or not filling[0].startswith(hole.prefix.lower()):
                return f'a word beginning with "{hole.prefix}" is missing'
            if not filling[-1].endswith(hole.suffix.lower()):
                return f'a word ending in "{hole.suffix}" is missing'
    return None


def _prose(gaps: Gaps, window: Window, begin: int, end: int) -> str | None:
    """A word of a filling that shows a sentence: what is quoted or in brackets may hold one."""
    if not any(word in vocabulary.PROSE_WORDS for word in window.words[begin:end]):
        return None
    filling = gaps.before(begin)
    for j in range(begin, end):
        filling += window.words[j] + gaps.before(j + 1)
    return next((word for word in WORD.findall(unquoted(filling)) if word in vocabulary.PROSE_WORDS), None)


def unquoted(text: str) -> str:
    """`text` without what stands in quotation marks or brackets, also unclosed ones."""
    text = _QUOTED.sub(" ", text)
    for _ in range(6):
        shorter = _BRACKETED.sub(" ", text)
        if shorter == text:
            break
        text = shorter
    return _UNCLOSED.sub(" ", text)
