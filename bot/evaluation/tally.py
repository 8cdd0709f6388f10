"""From judged cases to the figures: precision, recall, coverage, confusions, habits, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from bot.evaluation.cases import Case, Expect
from bot.evaluation.habits import habits
from bot.evaluation.interval import Share, share
from bot.evaluation.judge import Answer, Outcome, judge
from bot.matching.verdict import Span


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot said to one case."""

    answer: Answer
    slug: str = ""
    """The first record's slug, of an explanation."""
    reason: str = ""
    words: tuple[Span, ...] = ()
    """Matched words in title + blank line + body."""
    labels: tuple[str, ...] = ()
    posted: bool = False
    """Whether a comment comes of it."""
    withheld: str = ""
    """Why not, of an explanation: it is not sure enough, or its record is not trusted."""
    milliseconds: float = 0.0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One case with its judgement."""

    case: Case
    given: Given
    outcome: Outcome
    habits: tuple[str, ...]


class HabitRow(msgspec.Struct, frozen=True, kw_only=True):
    habit: str
    recall: Share
    """Right among those of this habit that print a text."""
    wrong: int
    cases: int


class Confusion(msgspec.Struct, frozen=True, kw_only=True):
    said: str
    printed: str
    outcome: Outcome
    cases: tuple[str, ...]


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """Suggested labels against those that maintainers set, on the cases that have any."""

    precision: Share
    recall: Share
    """Of the set labels, whatever they are."""
    cases: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    precision: Share
    """Right among the explanations."""
    recall: Share
    """Right among the cases in which a comment is wanted."""
    coverage: Share
    """Right among the cases that print a text which some record could explain."""
    silence: Share
    """Silent among the cases in which silence is right."""
    posted: Share
    """Comments that come of the explanations: the rest lacks trust or confidence."""
    labels: Labels
    outcomes: dict[str, int]
    confusions: tuple[Confusion, ...]
    habits: tuple[HabitRow, ...]
    rows: tuple[Row, ...]

    @property
    def wrong(self) -> int:
        return sum(1 for row in self.rows if row.outcome.bad)

    @property
    def answered(self) -> int:
        return self.recall.hits


def tally(pairs: Iterable[tuple[Case, Given]]) -> Report:
    """Judge every case by what was said to it, and count."""
    rows = tuple(
        Row(case=case, given=given, outcome=judge(case, given.answer), habits=habits(case)) for case, given in pairs
    )
    spoke = [row for row in rows if row.outcome.spoke]
    wanted = [row for row in rows if row.case.expect is Expect.EXPLAIN]
    quiet = [row for row in rows if row.case.expect is Expect.SILENT]
    return Report(
        precision=_share(spoke),
        recall=_share(wanted),
        coverage=_share(_with_text(rows)),
        silence=share(sum(1 for row in quiet if not row.outcome.spoke), len(quiet)),
        posted=share(sum(1 for row in spoke if row.given.posted), len(spoke)),
        labels=_labels(rows),
        outcomes={outcome.value: count for outcome in Outcome if (count := _count(rows, outcome))},
        confusions=_confusions(rows),
        habits=_by_habit(rows),
        rows=rows,
    )


def _share(rows: Sequence[Row]) -> Share:
    return share(sum(1 for row in rows if row.outcome.right), len(rows))


def _with_text(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.case.printed and row.case.expect is not Expect.SILENT]


def _count(rows: Sequence[Row], outcome: Outcome) -> int:
    return sum(1 for row in rows if row.outcome is outcome)


def _confusions(rows: Sequence[Row]) -> tuple[Confusion, ...]:
    """What was said instead of what, most frequent first."""
    found: dict[tuple[str, str, Outcome], list[str]] = {}
    for row in rows:
        if row.outcome.bad:
            roots = [one.message for one in row.case.printed if one.root] or ["nothing that a record could explain"]
            found.setdefault((row.given.answer.message, roots[0], row.outcome), []).append(row.case.id)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Confusion(said=said, printed=printed, outcome=outcome, cases=tuple(cases))
        for (said, printed, outcome), cases in ordered
    )


def _by_habit(rows: Sequence[Row]) -> tuple[HabitRow, ...]:
    names = Counter(habit for row in rows for habit in row.habits)
    result = []
    for name, count in sorted(names.items(), key=lambda item: (item[0].startswith("kind"), -item[1], item[0])):
        here = [row for row in rows if name in row.habits]
        wrong = sum(1 for row in here if row.outcome.bad)
        result.append(HabitRow(habit=name, recall=_share(_with_text(here)), wrong=wrong, cases=count))
    return tuple(result)


def _labels(rows: Sequence[Row]) -> Labels:
    labelled = [(set(row.given.labels), set(row.case.labels)) for row in rows if row.case.labels]
    right = sum(len(said & used) for said, used in labelled)
    return Labels(
        precision=share(right, sum(len(said) for said, _ in labelled)),
        recall=share(right, sum(len(used) for _, used in labelled)),
        cases=len(labelled),
    )
