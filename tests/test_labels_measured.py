"""The rules on real issues: how often maintainers used the labels that we would have suggested.

Counted are burn's own issues that maintainers labelled at all. An unlabelled issue says nothing about labels: half of
burn's issues have none. `python -m tests.test_labels_measured` prints the figures and every difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bot.policy.events import IssueFacts
from bot.policy.labels import propose_labels
from bot.policy.settings import PolicySettings
from bot.policy.table import LabelTable

CASES = Path(__file__).parent / "cases" / "dev.jsonl"
EXISTING = LabelTable().all_names() | {"good first issue", "help wanted", "blocked"}


class Case(msgspec.Struct):
    id: str
    source: str
    title: str
    body: str
    labels: list[str]


class Judged(msgspec.Struct):
    case: Case
    proposed: frozenset[str]
    used: frozenset[str]


def judged() -> Iterator[Judged]:
    """Every labelled issue of burn, judged by its text alone, without records."""
    settings = PolicySettings()
    for line in CASES.read_bytes().splitlines():
        case = msgspec.json.decode(line, type=Case)
        if case.labels and case.source.startswith("tracel-ai/burn#"):
            issue = IssueFacts(number=1, title=case.title, body=case.body)
            proposals = propose_labels(issue, entry=None, existing=EXISTING, settings=settings)
            names = frozenset(proposal.name for proposal in proposals)
            yield Judged(case=case, proposed=names, used=frozenset(case.labels))


def precision_and_recall(rows: list[Judged]) -> tuple[float, float]:
    right = sum(len(row.proposed & row.used) for row in rows)
    return right / sum(len(row.proposed) for row in rows), right / sum(len(row.used) for row in rows)


def test_nine_of_ten_suggestions_are_labels_that_maintainers_used() -> None:
    rows = list(judged())
    assert len(rows) >= 40, "too few labelled issues to measure anything"
    precision, recall = precision_and_recall(rows)
    assert precision >= 0.9
    assert recall >= 0.6


def main() -> None:
    rows = list(judged())
    precision, recall = precision_and_recall(rows)
    print(f"{len(rows)} labelled issues: precision {precision:.3f}, recall {recall:.3f}")
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        right.update(row.proposed & row.used)
        wrong.update(row.proposed - row.used)
        missed.update(row.used - row.proposed)
        if row.proposed != row.used:
            print(f"{row.case.id}: proposed {sorted(row.proposed)}, used {sorted(row.used)}: {row.case.title[:80]}")
    print(f"right {dict(right)}\nwrong {dict(wrong)}\nmissed {dict(missed)}")


if __name__ == "__main__":
    main()
