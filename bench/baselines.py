"""What others would do, on the same issues: fuzzy search over the whole text or per line, an RE2 set, BM25 and rerank.

Each names its best message and a score; the threshold is the one with the best F1 on the development half.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import rank_bm25
import re2
from rapidfuzz import fuzz, process

from bench.quality import FALSE, GENERAL, MISSED, RIGHT, SILENT, UNANSWERABLE, WRONG, Quality, measured
from bot.evaluation.judge import shows
from bot.records.model import Site
from tests.issue_generator.issues import Generated
from tests.issue_generator.keys import key

_HOLE = re.compile(r"\{[^{}\s]{0,80}\}")
_WORD = re.compile(r"[a-z0-9_]+")
_LONG = 8
"""Literal characters that a pattern needs: `(.+?)` alone matches everything."""
SHARD = 2_000
"""Patterns in one RE2 set: beyond that its automaton outgrows any reasonable memory."""


class Baseline(Protocol):
    """A method over a fixed list of messages."""

    def best(self, text: str) -> tuple[int, float]:
        """Number of the best message and its score from 0 to 100; -1 for none."""


class WholeText:
    """RapidFuzz `partial_ratio` of every message against the whole text."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._messages = [literal(site.message) for site in sites]

    def best(self, text: str) -> tuple[int, float]:
        scores = process.cdist([text], self._messages, scorer=fuzz.partial_ratio)[0]
        at = int(scores.argmax())
        return at, float(scores[at])


class PerLine:
    """RapidFuzz `ratio` of every message against every line."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._messages = [literal(site.message) for site in sites]

    def best(self, text: str) -> tuple[int, float]:
        lines = [line for line in dict.fromkeys(map(str.strip, text.split("\n"))) if line]
        scores = process.cdist(lines, self._messages, scorer=fuzz.ratio, score_cutoff=50)
        at = int(scores.max(axis=0).argmax())
        return at, float(scores[:, at].max())


class PatternSet:
    """The records' patterns in RE2 sets; of several that match, the one with the longest literal text."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._lengths = [len(_HOLE.sub("", site.message)) for site in sites]
        self._sets: list[tuple[re2.Set, list[int]]] = []
        for start in range(0, len(sites), SHARD):
            options = re2.Options()
            options.max_mem = 1 << 30
            options.log_errors = False
            shard = re2.Set.SearchSet(options)
            numbers = []
            for number in range(start, min(start + SHARD, len(sites))):
                if self._lengths[number] >= _LONG:
                    shard.Add(sites[number].pattern or pattern(sites[number].message))
                    numbers.append(number)
            shard.Compile()
            self._sets.append((shard, numbers))

    def best(self, text: str) -> tuple[int, float]:
        found = [numbers[hit] for shard, numbers in self._sets for hit in shard.Match(text) or ()]
        if not found:
            return -1, 0.0
        at = max(found, key=lambda number: (self._lengths[number], -number))
        return at, float(min(100, self._lengths[at]))


class Bm25:
    """BM25's best fifty, reranked by `partial_ratio`. Words that no message has are left out: they score nothing."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._messages = [literal(site.message) for site in sites]
        self._bm25 = rank_bm25.BM25Okapi([_WORD.findall(message.lower()) or ["-"] for message in self._messages])

    def best(self, text: str) -> tuple[int, float]:
        query = [word for word in dict.fromkeys(_WORD.findall(text.lower())) if word in self._bm25.idf]
        scores = self._bm25.get_scores(query)
        top = np.argsort(-scores, kind="stable")[:50]
        rated = [(fuzz.partial_ratio(self._messages[at], text), -int(at)) for at in top]
        score, at = max(rated)
        return -at, float(score)


METHODS: dict[str, Callable[[Sequence[Site]], Baseline]] = {
    "RapidFuzz partial_ratio, whole text": WholeText,
    "RapidFuzz ratio, per line": PerLine,
    "RE2 set on messagePattern": PatternSet,
    "BM25 top 50, then rerank": Bm25,
}
SAMPLED = {
    "RapidFuzz partial_ratio, whole text": 400,
    "RapidFuzz ratio, per line": 2_000,
    "RE2 set on messagePattern": 4_000,
}
"""Messages timed of a large catalogue where the cost is linear in their number; the time is scaled up."""


def literal(message: str) -> str:
    """The message without its holes, blanks as one."""
    return " ".join(_HOLE.sub(" ", message).split()) or "-"


def pattern(message: str) -> str:
    """What upstream makes of a message: literal text escaped, holes `(.+?)`."""
    return "(.+?)".join(re.escape(piece) for piece in _HOLE.split(message))


@dataclass(frozen=True, slots=True)
class Tuned:
    threshold: float
    quality: Quality


def tuned(method: Baseline, sites: Sequence[Site], dev: Sequence[Generated], test: Sequence[Generated]) -> Tuned:
    """The method's quality on `test` at the threshold with the best F1 on `dev`."""
    keys = [key(site.message) for site in sites]
    given = [(issue, *method.best(f"{issue.title}\n\n{issue.body}")) for issue in dev]
    threshold = max(sorted({score for *_, score in given}), key=lambda t: _f1(_judged(given, keys, sites, t)))
    there = [(issue, *method.best(f"{issue.title}\n\n{issue.body}")) for issue in test]
    return Tuned(threshold, _judged(there, keys, sites, threshold))


def _judged(
    given: Sequence[tuple[Generated, int, float]], keys: Sequence[str], sites: Sequence[Site], threshold: float
) -> Quality:
    answers = {issue.id: (at, score) for issue, at, score in given}

    def judge(issue: Generated) -> str:
        at, score = answers[issue.id]
        if at < 0 or score < threshold:
            return SILENT if issue.key is None else (MISSED if issue.answerable else UNANSWERABLE)
        if issue.key is None:
            return FALSE
        if keys[at] == issue.key:
            return RIGHT
        return GENERAL if shows(sites[at].message, issue.message) else WRONG

    return measured([issue for issue, *_ in given], judge)


def _f1(quality: Quality) -> float:
    precision, recall = quality.precision.value or 0.0, quality.recall().value or 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
