"""Laying a template over printed words: which literal words are there, misspelt, missing, or joined by others.

First the literal pieces are looked for as they stand, in order (a glob); only what is not found so is aligned by
dynamic programming, where a word may be matched, misspelt, missing or extra, and words are free inside holes only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from bot.matching import vocabulary
from bot.matching.template import Template

FUNCTION_WEIGHT = 0.15
STRONG_WEIGHT = 1.4
SAME_PRICE = 0.1
TYPO_PRICE = 0.2
HOLE_PRICE = 0.01
PROSE_IN_HOLE_PRICE = 0.3
_NEGATING = ("un", "in", "im", "ir", "non", "dis", "de", "re", "a", "sub", "super", "pre", "post", "multi", "bi", "tri")


@dataclass(frozen=True, slots=True)
class Window:
    """Printed words that a template is laid over, lower case."""

    words: Sequence[str]
    known: Sequence[bool]
    """Whether the catalogue holds the word."""
    closed: bool
    """The text ends with the last word: what the template has beyond may have been cut off."""
    opened: bool
    """The text begins with the first word."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Word numbers: `pairs` as (template, window)."""

    pairs: tuple[tuple[int, int], ...]
    exact: bool
    typos: tuple[tuple[int, int], ...]
    same: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    cut_tail: int
    """Words at the template's end that lie beyond the end of the text."""
    cut_head: int
    fillings: tuple[tuple[int, int, int], ...]
    """(hole's `before`, first, after last word) of each filled hole between two matched words."""

    @property
    def first(self) -> int:
        return self.pairs[0][1]

    @property
    def last(self) -> int:
        return self.pairs[-1][1]


def weight(word: str) -> float:
    """How much a literal word counts."""
    folded = word.lower()
    if folded in vocabulary.FUNCTION_WORDS:
        return FUNCTION_WEIGHT
    return STRONG_WEIGHT if vocabulary.has_digit(word) or vocabulary.is_identifier(word) else 1.0


def weights(template: Template) -> list[float]:
    """Weight of each literal word; what std wraps around a text counts like a function word."""
    return [FUNCTION_WEIGHT if i < template.core else weight(word) for i, word in enumerate(template.words)]


def is_typo(word: str, literal: str) -> bool:
    """Whether `word`, which the catalogue does not hold, is a slip of the pen for `literal`."""
    shorter, longer = sorted((word, literal), key=len)
    if len(shorter) < 4 or vocabulary.has_digit(word) or vocabulary.has_digit(literal):
        return False
    if word in vocabulary.DISCRIMINATORS:
        return False
    if longer.endswith(shorter) and longer[: -len(shorter)] in _NEGATING:
        return False
    allowed = 1 if len(literal) < 8 or word[0] != literal[0] else 2
    return OSA.distance(word, literal, score_cutoff=allowed) <= allowed


def align(template: Template, window: Window) -> Alignment | None:
    """The best way to lay `template` over the window, or None if not a single word is there."""
    return _glob(template, window) or _best_path(template, window)


def _glob(template: Template, window: Window) -> Alignment | None:
    words = template.folded
    if not words:
        return None
    starts = [0, *(h.before for h in template.holes if 0 < h.before < len(words))]
    joined = " " + " ".join(window.words) + " "
    at = 0
    offsets: list[int] = []
    for piece, start in enumerate(starts):
        end = starts[piece + 1] if piece + 1 < len(starts) else len(words)
        found = joined.find(f" {' '.join(words[start:end])} ", at)
        if found < 0:
            return None
        offsets.append(joined.count(" ", 0, found))
        at = found + sum(len(w) + 1 for w in words[start:end])
    pairs: list[tuple[int, int]] = []
    for piece, start in enumerate(starts):
        end = starts[piece + 1] if piece + 1 < len(starts) else len(words)
        pairs += ((start + k, offsets[piece] + k) for k in range(end - start))
    return Alignment(tuple(pairs), True, (), (), (), (), 0, 0, _fillings(template, pairs))


def _fillings(template: Template, pairs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    at = dict(pairs)
    result = []
    for hole in template.holes:
        if hole.before - 1 in at and hole.before in at:
            result.append((hole.before, at[hole.before - 1] + 1, at[hole.before]))
    return tuple(result)


def _equalities(words: Sequence[str], window: Window) -> Callable[[int, int], float]:
    """Price of letting a window word stand for a literal word; 9 when it cannot."""
    prices: dict[tuple[str, str], float] = {}
    unknown = {w for w, known in zip(window.words, window.known, strict=True) if not known}
    last = len(window.words) - 1

    def price(literal_index: int, window_index: int) -> float:
        literal, word = words[literal_index], window.words[window_index]
        if literal == word:
            return 0.0
        key = (literal, word)
        found = prices.get(key)
        if found is None:
            if vocabulary.same_word(literal, word):
                found = SAME_PRICE
            elif word in unknown and is_typo(word, literal):
                found = TYPO_PRICE
            else:
                found = 9.0
            prices[key] = found
        if found > 1 and window.closed and window_index == last and len(word) >= 2 and literal.startswith(word):
            return SAME_PRICE
        return found

    return price


def _best_path(template: Template, window: Window) -> Alignment | None:
    words = template.folded
    literal_weights = weights(template)
    holes = {hole.before for hole in template.holes}
    count, width = len(words), len(window.words)
    price = _equalities(words, window)
    extra_price = [FUNCTION_WEIGHT if w in vocabulary.FUNCTION_WORDS else 1.0 for w in window.words]
    hole_price = [PROSE_IN_HOLE_PRICE if w in vocabulary.PROSE_WORDS else HOLE_PRICE for w in window.words]
    scores = [0.0] * (width + 1)
    moves: list[bytearray] = []
    for row in range(count):
        before = scores
        own = literal_weights[row]
        scores = [before[0] - own]
        steps = bytearray(b"\x01")
        free = row + 1 == count
        skip = hole_price if row + 1 in holes else extra_price
        for column in range(width):
            up = before[column + 1] - own
            left = scores[column] - (0.0 if free else skip[column])
            best, step = (up, 1) if up >= left else (left, 2)
            cost = price(row, column)
            if cost < 2:
                across = before[column] + own * (1 - cost)
                if across >= best:
                    best, step = across, 3
            scores.append(best)
            steps.append(step)
        moves.append(steps)
        if row + 1 == count:
            break
    return _trace(template, window, moves, price, scores)


def _trace(
    template: Template,
    window: Window,
    moves: list[bytearray],
    price: Callable[[int, int], float],
    scores: list[float],
) -> Alignment | None:
    row, column = len(moves), max(range(len(scores)), key=lambda c: (scores[c], -c))
    pairs: list[tuple[int, int]] = []
    while row > 0:
        step = moves[row - 1][column]
        if step == 3:
            pairs.append((row - 1, column - 1))
            row, column = row - 1, column - 1
        elif step == 2:
            column -= 1
        else:
            row -= 1
    if not pairs:
        return None
    pairs.reverse()
    at = dict(pairs)
    first_word, last_word = pairs[0][0], pairs[-1][0]
    cut_tail = len(template.words) - 1 - last_word if window.closed and pairs[-1][1] == len(window.words) - 1 else 0
    cut_head = first_word if window.opened and pairs[0][1] == 0 else 0
    stop = len(template.words) - cut_tail
    matched = set(at.values())
    in_holes: set[int] = set()
    fillings = _fillings(template, pairs)
    for _, begin, end in fillings:
        in_holes.update(range(begin, end))
    for hole in template.holes:
        in_holes.update(_beside_missing(hole.before, pairs))
    extra = tuple(j for j in range(pairs[0][1], pairs[-1][1]) if j not in matched and j not in in_holes)
    prices = {(i, j): price(i, j) for i, j in pairs}
    return Alignment(
        pairs=tuple(pairs),
        exact=False,
        typos=tuple(p for p, cost in prices.items() if cost == TYPO_PRICE),
        same=tuple(p for p, cost in prices.items() if cost == SAME_PRICE),
        missing=tuple(i for i in range(cut_head, stop) if i not in at),
        extra=extra,
        cut_tail=cut_tail,
        cut_head=cut_head,
        fillings=fillings,
    )


def _beside_missing(before: int, pairs: Sequence[tuple[int, int]]) -> range:
    """Words that a hole took whose neighbour in the template is missing."""
    left = max((p for p in pairs if p[0] < before), default=None)
    right = min((p for p in pairs if p[0] >= before), default=None)
    if left is None or right is None or (left[0] == before - 1 and right[0] == before):
        return range(0)
    return range(left[1] + 1, right[1])
