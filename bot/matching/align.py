"""Laying a template over printed words: which literal words are there, misspelt, missing, or joined by others.

What is not found as it stands is aligned by dynamic programming, where a word may be matched, misspelt, missing or
extra, and words are free inside holes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from bot.matching import typos, vocabulary
from bot.matching.template import Template

FUNCTION_WEIGHT = 0.15
STRONG_WEIGHT = 1.4
SAME_PRICE = 0.1
TYPO_PRICE = 0.2
_HOLE_PRICE = 0.002
_PROSE_IN_HOLE_PRICE = 0.3


class Window(Protocol):
    """Printed words that a template is laid over."""

    @property
    def words(self) -> Sequence[str]:
        """Lower case."""
        ...

    @property
    def known(self) -> Sequence[bool]:
        """Whether the catalogue holds each word."""
        ...

    @property
    def nested(self) -> Sequence[bool]:
        """Whether each word stands in quotation marks or brackets, where a hole may hold a sentence."""
        ...

    @property
    def opened(self) -> bool:
        """The text begins with the first word."""
        ...

    @property
    def closed(self) -> bool:
        """The text ends with the last word: what the template has beyond may have been cut off."""
        ...

    def foreign(self, word: int) -> bool:
        """Whether the catalogue holds neither the word nor one that it may be a slip of the pen for."""
        ...

    def gap(self, word: int) -> str:
        """The text between words `word - 1` and `word`."""
        ...


@dataclass(frozen=True, slots=True)
class Alignment:
    """Word numbers: `pairs` as (template, window)."""

    pairs: tuple[tuple[int, int], ...]
    exact: bool
    typos: tuple[tuple[int, int], ...] = ()
    same: tuple[tuple[int, int], ...] = ()
    missing: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    cut_tail: int = 0
    """Words at the template's end that lie beyond the end of the text."""
    cut_head: int = 0
    cut_word: bool = False
    """The last word of the text is only the beginning of the template's."""
    cut_hole: bool = False
    """The text ends inside a hole."""
    fillings: tuple[tuple[int, int, int], ...] = ()
    """(hole's `before`, first, after last word) of each hole between two matched words."""

    @property
    def first(self) -> int:
        return self.pairs[0][1]

    @property
    def last(self) -> int:
        return self.pairs[-1][1]


def weight(word: str) -> float:
    """How much a literal word counts."""
    if word.lower() in vocabulary.FUNCTION_WORDS:
        return FUNCTION_WEIGHT
    return STRONG_WEIGHT if vocabulary.has_digit(word) or vocabulary.is_identifier(word) else 1.0


def weights(template: Template) -> list[float]:
    """Weight of each literal word; what std wraps around a text counts like a function word."""
    return [FUNCTION_WEIGHT if i < template.core else weight(word) for i, word in enumerate(template.words)]


def exact(template: Template, pairs: list[tuple[int, int]]) -> Alignment:
    return Alignment(pairs=tuple(pairs), exact=True, fillings=_fillings(template, pairs))


def _fillings(template: Template, pairs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    """What stands where a hole is: all between the matched words on its two sides."""
    fillings = []
    for hole in template.holes:
        left = max((pair for pair in pairs if pair[0] < hole.before), default=None)
        right = min((pair for pair in pairs if pair[0] >= hole.before), default=None)
        if left is not None and right is not None:
            fillings.append((hole.before, left[1] + 1, right[1]))
    return tuple(fillings)


class _Prices:
    """What it costs to let a window word stand for a literal word."""

    def __init__(self, window: Window) -> None:
        self._distinct = dict.fromkeys(window.words)
        self._unknown = dict.fromkeys(w for w, known in zip(window.words, window.known, strict=True) if not known)
        self._alike: dict[str, list[str]] = {}
        for word in self._distinct:
            for name in {vocabulary.SAME.get(word, word), "~" + vocabulary.stem(word)}:
                self._alike.setdefault(name, []).append(word)
        self._rows: dict[str, dict[str, float]] = {}

    def of(self, literal: str) -> dict[str, float]:
        """Price of each window word that may stand for `literal`."""
        row = self._rows.get(literal)
        if row is None:
            row = dict.fromkeys((w for w in self._unknown if typos.is_typo(w, literal)), TYPO_PRICE)
            row.update(dict.fromkeys(self._alike.get(vocabulary.SAME.get(literal, literal), ()), SAME_PRICE))
            row.update(dict.fromkeys(self._alike.get("~" + vocabulary.stem(literal), ()), SAME_PRICE))
            row.update(dict.fromkeys((w for w in self._distinct if vocabulary.opposite(w, literal)), SAME_PRICE))
            row[literal] = 0.0
            self._rows[literal] = row
        return row


def promise(literal: str, words: AbstractSet[str]) -> float:
    """Share of the literal's content words that stand among `words`: what decides which templates are aligned."""
    own = [word for word in literal.split() if word not in vocabulary.FUNCTION_WORDS and word != "\x00"]
    return sum(1 for word in own if word in words) / len(own) if own else 0.0


def best(template: Template, window: Window) -> Alignment | None:
    """The best way to lay `template` over the window by dynamic programming; None if no word is there."""
    literal_weights = weights(template)
    holes = {hole.before for hole in template.holes}
    count, width = len(template.words), len(window.words)
    prices = _Prices(window)
    extra_price = [FUNCTION_WEIGHT if w in vocabulary.FUNCTION_WORDS else 1.0 for w in window.words]
    hole_price = [
        _PROSE_IN_HOLE_PRICE if w in vocabulary.PROSE_WORDS and not nested else _HOLE_PRICE
        for w, nested in zip(window.words, window.nested, strict=True)
    ]
    free = [0.0] * width
    scores = [0.0] * (width + 1)
    moves: list[bytearray] = []
    costs: list[list[float]] = []
    for row, literal in enumerate(template.folded):
        own = literal_weights[row]
        price = prices.of(literal)
        cost = [price.get(word, 9.0) for word in window.words]
        if window.closed and cost[-1] > 1 and literal.startswith(window.words[-1]):
            cost[-1] = 0.0
        skip = free if row + 1 == count else hole_price if row + 1 in holes else extra_price
        before, scores = scores, [scores[0] - own]
        steps = bytearray(b"\x01")
        left = scores[0]
        for column in range(width):
            left -= skip[column]
            step = 2
            up = before[column + 1] - (own if column + 1 < width or not window.closed else 0.9 * own)
            if up >= left:
                left, step = up, 1
            if cost[column] < 2:
                across = before[column] + own * (1 - cost[column])
                if across >= left:
                    left, step = across, 3
            scores.append(left)
            steps.append(step)
        moves.append(steps)
        costs.append(cost)
    end = max(range(width + 1), key=lambda column: (scores[column], -column))
    return _trace(template, window, moves, costs, end)


def _trace(
    template: Template, window: Window, moves: list[bytearray], costs: list[list[float]], column: int
) -> Alignment | None:
    row = len(moves)
    pairs: list[tuple[int, int]] = []
    while row > 0:
        step = moves[row - 1][column]
        if step == 3:
            pairs.append((row - 1, column - 1))
        row -= step != 2
        column -= step != 1
    if not pairs:
        return None
    pairs.reverse()
    words, last = template.folded, len(window.words) - 1
    next_word = pairs[-1][0] + 1
    in_hole = pairs[-1][1] < last and any(hole.before == next_word < len(words) for hole in template.holes)
    cut_tail = len(words) - next_word if window.closed and (pairs[-1][1] == last or in_hole) else 0
    literal, word = words[next_word - 1], window.words[pairs[-1][1]]
    cut_word = window.closed and pairs[-1][1] == last and literal != word and literal.startswith(word)
    # An identifier that ends where a longer one has an underscore is a whole one.
    if cut_word and window.known[last] and literal[len(word)] == "_":
        return None
    cut_head = pairs[0][0] if window.opened and pairs[0][1] == 0 else 0
    whole = pairs[:-1] if cut_word else pairs
    at = dict(pairs)
    matched = set(at.values())
    fillings = _fillings(template, pairs)
    free = {j for _, begin, end in fillings for j in range(begin, end)}
    return Alignment(
        pairs=tuple(pairs),
        exact=False,
        typos=tuple((i, j) for i, j in whole if costs[i][j] == TYPO_PRICE),
        same=tuple((i, j) for i, j in whole if costs[i][j] == SAME_PRICE),
        missing=tuple(i for i in range(cut_head, len(words) - cut_tail) if i not in at),
        extra=tuple(j for j in range(pairs[0][1], pairs[-1][1]) if j not in matched and j not in free),
        cut_tail=cut_tail,
        cut_head=cut_head,
        cut_word=cut_word,
        cut_hole=in_hole and cut_tail > 0,
        fillings=fillings,
    )
