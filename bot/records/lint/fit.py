"""Whose message does a prose talk about? Found by the rare words of messages that occur in it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.records.lint.rule import Subject
from bot.records.lint.words import content_words

MARGIN = 0.2
"""By how much another message must fit better before that is reported."""
RARE = 12
"""A word in more messages than this leads to no candidate: it would be all of them."""
CANDIDATES = 6


@dataclass(frozen=True, kw_only=True)
class Misfit:
    subject: Subject
    other: Subject
    here: float
    """Share of its own message's weight that the prose takes up."""
    elsewhere: float
    """The same for the other message."""
    swapped: bool
    """The other's prose fits this one's message better in turn."""


def signature(subject: Subject) -> frozenset[str]:
    """What tells a message apart: its own words and those of the function that raises it."""
    return subject.message_words | content_words(subject.function or "")


class Homes:
    """Looks for a better home for each record's prose, one record at a time: only the misfits are kept."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._signatures = [signature(subject) for subject in subjects]
        frequency = Counter(word for words in self._signatures for word in words)
        self._weight = {word: math.log(1 + len(subjects) / count) for word, count in frequency.items()}
        self._where: dict[str, list[int]] = defaultdict(list)
        for at, words in enumerate(self._signatures):
            for word in words:
                if frequency[word] <= RARE:
                    self._where[word].append(at)
        self._better: dict[int, tuple[int, float, float]] = {}

    def look_at(self, at: int) -> None:
        """Whether the prose of record `at` fits another message clearly better than its own."""
        prose = self._subjects[at].prose_words
        here = self._fit(prose, at)
        if here + MARGIN > 1:
            return
        votes = Counter(other for word in prose & self._where.keys() for other in self._where[word])
        best = here + MARGIN
        for other, _ in votes.most_common(CANDIDATES):
            elsewhere = self._fit(prose, other)
            if elsewhere >= best and not self._same_family(at, other):
                best = elsewhere
                self._better[at] = (other, here, elsewhere)

    def misfits(self) -> list[Misfit]:
        return [
            Misfit(
                subject=self._subjects[at],
                other=self._subjects[other],
                here=here,
                elsewhere=elsewhere,
                swapped=other in self._better and self._better[other][0] == at,
            )
            for at, (other, here, elsewhere) in self._better.items()
        ]

    def _fit(self, prose: frozenset[str], message: int) -> float:
        words = self._signatures[message]
        total = sum(self._weight[word] for word in words)
        return sum(self._weight[word] for word in words & prose) / total if total else 1.0

    def _same_family(self, one: int, other: int) -> bool:
        family = self._subjects[one].entry.extension.family
        return family is not None and family == self._subjects[other].entry.extension.family
