"""Whose error does a prose talk about? Told by the words of messages, functions, files, examples and proofs in it."""

from __future__ import annotations

import heapq
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.records.lint.rule import Subject

BELONGS = 0.35
"""A record's prose and the rest of it belong together from here on: how near its fit comes to the best that this
prose has anywhere, times how near it comes to the best that any prose has here. Both are 1 when nothing fits better.
Measured in bench/record_swaps.py."""
RARE = 20
"""A word that tells of more records than this leads to no candidate: it would lead to all of them."""
CANDIDATES = 10


@dataclass(frozen=True, kw_only=True)
class Misfit:
    subject: Subject
    other: Subject
    """What fits better: the record this prose seems to belong to, or the one whose prose seems to belong here."""
    belongs: float
    swapped: bool
    """The other is a misfit in turn, and points back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Best:
    fit: float = 0.0
    at: int = -1


class Homes:
    """Takes in one record's prose at a time, then tells the misfits. Keeps numbers only: prose may be large."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._number: dict[str, int] = {}
        self._identities = [
            array("I", (self._number.setdefault(word, len(self._number)) for word in sorted(subject.identity)))
            for subject in subjects
        ]
        self._proses: list[array[int]] = []
        self._texts: Counter[int] = Counter()

    def take(self, subject: Subject) -> None:
        """The next record's prose, in the order of the subjects."""
        words = subject.prose_words | subject.tag_words
        prose = array("I", sorted(number for word in words if (number := self._number.get(word)) is not None))
        self._texts.update(set(prose).union(self._identities[len(self._proses)]))
        self._proses.append(prose)

    def misfits(self) -> list[Misfit]:
        count = len(self._subjects)
        weights = [math.log((count + 1) / self._texts[number]) ** 2 for number in range(len(self._number))]
        lengths = [math.sqrt(sum(weights[number] for number in words)) for words in self._identities]
        where = self._where()
        own = [0.0] * count
        of_prose = [_Best()] * count
        of_record = [_Best()] * count
        for at, words in enumerate(self._proses):
            prose = set(words)
            for other in self._candidates(at, prose, where):
                taken = sum(weights[number] for number in self._identities[other] if number in prose)
                fit = taken / lengths[other] if lengths[other] else 0.0
                if other == at:
                    own[at] = fit
                if fit > of_prose[at].fit and self._counts(other, against=at):
                    of_prose[at] = _Best(fit=fit, at=other)
                if fit > of_record[other].fit and self._counts(at, against=other):
                    of_record[other] = _Best(fit=fit, at=at)
        found: dict[int, tuple[int, float]] = {}
        for at in range(count):
            from_prose, from_record = _share(own[at], of_prose[at]), _share(own[at], of_record[at])
            if from_prose * from_record < BELONGS:
                found[at] = (of_prose[at] if from_prose <= from_record else of_record[at]).at, from_prose * from_record
        return [
            Misfit(
                subject=self._subjects[at],
                other=self._subjects[other],
                belongs=belongs,
                swapped=found.get(other, (-1, 0.0))[0] == at,
            )
            for at, (other, belongs) in found.items()
        ]

    def _where(self) -> dict[int, list[int]]:
        where: dict[int, list[int]] = defaultdict(list)
        for at, words in enumerate(self._identities):
            for number in words:
                where[number].append(at)
        return {number: records for number, records in where.items() if len(records) <= RARE}

    def _candidates(self, at: int, prose: set[int], where: dict[int, list[int]]) -> list[int]:
        """The record itself and those that share most rare words with its prose, kin aside."""
        votes = Counter(other for number in prose if number in where for other in where[number])
        # Ties go by place, so that the verdict never depends on the order of a set.
        likely = heapq.nsmallest(CANDIDATES, votes, key=lambda other: (-votes[other], other))
        return [at, *(other for other in likely if other != at and not self._kin(at, other))]

    def _counts(self, one: int, *, against: int) -> bool:
        """What a person vouched for does not yield to what nobody has read."""
        return self._subjects[one].vouched or not self._subjects[against].vouched

    def _kin(self, one: int, other: int) -> bool:
        family = self._subjects[one].entry.extension.family
        return family is not None and family == self._subjects[other].entry.extension.family


def _share(own: float, best: _Best) -> float:
    return own / best.fit if best.fit else 1.0
