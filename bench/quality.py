"""Right and wrong answers on generated issues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from bot.evaluation.interval import Share, share
from bot.evaluation.judge import shows
from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision, Verdict
from bot.records.model import Site
from tests.issue_generator.corruption import Corruption
from tests.issue_generator.issues import Generated, hard_negatives, positives
from tests.issue_generator.keys import Split, key
from tests.issue_generator.negatives import Negative

RIGHT, GENERAL, WRONG, FALSE = "right", "right, by a more general text", "wrong", "false"
AMBIGUOUS, MISSED, UNANSWERABLE, SILENT = "ambiguous, rightly", "missed", "silent, rightly: too little left", "silent"
Judge = Callable[[Generated], str]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    outcome: str
    kind: str
    printed: str
    said: str


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """Outcomes by kind of issue."""

    outcomes: dict[str, Counter[str]]
    failures: tuple[Failure, ...]

    def count(self, *outcomes: str, kinds: Iterable[str] | None = None) -> int:
        chosen = self.outcomes if kinds is None else [kind for kind in kinds if kind in self.outcomes]
        return sum(self.outcomes[kind][outcome] for kind in chosen for outcome in outcomes)

    @property
    def precision(self) -> Share:
        right = self.count(RIGHT, GENERAL)
        return share(right, right + self.count(WRONG, FALSE))

    def recall(self, kinds: Iterable[str] = tuple(Corruption)) -> Share:
        """Right, or rightly ambiguous, among those that can be answered at all."""
        kinds = list(kinds)
        right = self.count(RIGHT, GENERAL, AMBIGUOUS, kinds=kinds)
        return share(right, right + self.count(MISSED, WRONG, kinds=kinds))

    def false_rate(self, kinds: Iterable[str]) -> Share:
        kinds = list(kinds)
        return share(self.count(WRONG, FALSE, kinds=kinds), sum(self.outcomes[k].total() for k in kinds))


class Owners:
    """Which texts a record has: a verdict names the record, the label names the text."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self.records: dict[str, set[str]] = {}
        for site in sites:
            self.records.setdefault(key(site.message), set()).add(site.record)

    def outcome(self, issue: Generated, verdict: Verdict) -> str:
        if verdict.decision is Decision.EXPLAIN:
            said = verdict.matches[0]
            if issue.key is None:
                return GENERAL if issue.message and shows(said.message, issue.message) else FALSE
            if said.record in self.records.get(issue.key, ()):
                return RIGHT
            return GENERAL if shows(said.message, issue.message) else WRONG
        if issue.key is None:
            return SILENT
        if verdict.decision is Decision.AMBIGUOUS:
            known = self.records.get(issue.key, set())
            return AMBIGUOUS if any(match.record in known for match in verdict.matches) else MISSED
        return MISSED if issue.answerable else UNANSWERABLE


def measured(issues: Iterable[Generated], judge: Judge, said: Callable[[], str] = str) -> Quality:
    """Judge every issue; `said` tells what the last wrong answer was."""
    outcomes: dict[str, Counter[str]] = {}
    failures: list[Failure] = []
    for issue in issues:
        outcome = judge(issue)
        outcomes.setdefault(issue.kind.value, Counter())[outcome] += 1
        if outcome in (WRONG, FALSE):
            failures.append(Failure(outcome=outcome, kind=issue.kind.value, printed=issue.message, said=said()))
    return Quality(outcomes=outcomes, failures=tuple(failures))


def of_matcher(sites: Sequence[Site], issues: Iterable[Generated], matcher: Matcher | None = None) -> Quality:
    """The matcher's own answers."""
    owners, built = Owners(sites), matcher or Matcher.build(sites)
    last = ""

    def judge(issue: Generated) -> str:
        nonlocal last
        verdict = built.judge(issue.title, issue.body)
        last = verdict.matches[0].message if verdict.matches else ""
        return owners.outcome(issue, verdict)

    return measured(issues, judge, lambda: last)


def mixed_issues(sites: Sequence[Site], count: int, *, split: Split = Split.TEST, seed: int = 11) -> list[Generated]:
    """Two thirds print a message, one third tempts to speak where silence is right."""
    printing = positives(sites, split=split, count=count * 2 // 3, seed=seed)
    return [*printing, *hard_negatives(sites, split=split, count=count // 3, seed=seed)]


def without_their_records(
    sites: Sequence[Site], count: int, *, split: Split = Split.TEST, seed: int = 12, folds: int = 5
) -> Quality:
    """Issues judged by a catalogue that lacks every record of the message they print: silence is right.

    What a more general record explains is counted apart: the issue does print its text.
    """
    issues = list(positives(sites, split=split, count=count, seed=seed))
    outcomes: Counter[str] = Counter()
    failures: list[Failure] = []
    texts = sorted({issue.key for issue in issues if issue.key is not None})
    fold_of = {text: number % folds for number, text in enumerate(texts)}
    keys = [key(site.message) for site in sites]
    for fold in range(folds):
        matcher = Matcher.build(site for site, text in zip(sites, keys, strict=True) if fold_of.get(text) != fold)
        for issue in issues:
            if issue.key is None or fold_of[issue.key] != fold:
                continue
            verdict = matcher.judge(issue.title, issue.body)
            outcome = SILENT
            if verdict.decision is Decision.EXPLAIN:
                said = verdict.matches[0].message
                outcome = GENERAL if shows(said, issue.message) else FALSE
                if outcome is FALSE:
                    failures.append(Failure(outcome=FALSE, kind=issue.kind.value, printed=issue.message, said=said))
            outcomes[outcome] += 1
    return Quality(outcomes={Negative.REMOVED.value: outcomes}, failures=tuple(failures))
