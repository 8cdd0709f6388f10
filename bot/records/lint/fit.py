"""Whose message does a prose talk about? Found by the rare words of messages that occur in it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.records.lint.rule import Subject

CLEARLY = 0.5
"""Prose that fits its own message less than this share of how well it fits another belongs to the other."""
RARE = 12
"""A word in more messages than this leads to no candidate: it would be all of them."""
CANDIDATES = 6


@dataclass(frozen=True, kw_only=True)
class Misfit:
    subject: Subject
    other: Subject
    here: float
    """How well the prose fits its own record; comparable only with `elsewhere`."""
    elsewhere: float
    swapped: bool
    """The other's prose fits this one's message better in turn."""


class Homes:
    """Looks for a better home for each record's prose, one record at a time: only the misfits are kept."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._signatures = [subject.identity for subject in subjects]
        frequency = Counter(word for words in self._signatures for word in words)
        self._weight = {word: math.log(1 + len(subjects) / count) ** 2 for word, count in frequency.items()}
        self._length = [math.sqrt(sum(self._weight[word] for word in words)) for words in self._signatures]
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
        votes = Counter(other for word in prose & self._where.keys() for other in self._where[word])
        best = here / CLEARLY
        for other, _ in votes.most_common(CANDIDATES):
            elsewhere = self._fit(prose, other)
            if elsewhere > best and not self._same_family(at, other):
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
        """Weight of the record's words that the prose takes up, over the length of what there is to take up."""
        taken = sum(self._weight[word] for word in self._signatures[message] & prose)
        return taken / self._length[message] if self._length[message] else 0.0

    def _same_family(self, one: int, other: int) -> bool:
        family = self._subjects[one].entry.extension.family
        return family is not None and family == self._subjects[other].entry.extension.family
