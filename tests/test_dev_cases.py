"""The records as they stand, on the labelled issues: never wrong, and no less helpful than yesterday."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from bot.commands.evaluate import evaluated
from bot.commands.knowledge import Knowledge, load_knowledge
from bot.evaluation.cases import Case, read_cases
from bot.evaluation.judge import Answer, judge
from bot.evaluation.tally import Report
from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from bot.records.sites import sites
from tests.issue_generator import corruption

ROOT = Path(__file__).parent.parent
COVERED = 0.77
"""Share of the issues with a text that are explained rightly; raised when records are added, a little below what is
reached."""
ANSWERED = 9
"""Issues in which a comment is wanted and is right."""


HAPPENINGS: dict[str, Callable[[str, random.Random], str]] = {
    "Windows line ends": lambda body, _: body.replace("\n", "\r\n"),
    "quoted as a whole": corruption.quoted,
    "indented as a whole": lambda body, _: "\n".join("    " + line for line in body.split("\n")),
    "hard wraps": corruption.wrapped,
    "ANSI colours": corruption.ansi,
    "entities": lambda body, _: corruption.entities(body),
    "log prefix on every line": corruption.prefixed,
    "fences lost": lambda body, _: body.replace("```", ""),
    "in a details block": lambda body, _: f"<details>\n\n{body}\n</details>",
    "everything twice": lambda body, _: f"{body}\n\n{body}",
    "hard blanks": lambda body, _: body.replace(" ", "\u00a0"),
    "three slips of the pen": corruption.typos,
    "cut off after two thirds": lambda body, _: body[: len(body) * 2 // 3],
}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    with (ROOT / "tests" / "cases" / "dev.jsonl").open("rb") as lines:
        return read_cases(lines)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge(ROOT / "records")


@pytest.fixture(scope="module")
def report(cases: list[Case], knowledge: Knowledge) -> Report:
    return evaluated(cases, knowledge)


def test_no_explanation_is_wrong(report: Report) -> None:
    assert [(one.outcome.value, one.cases, one.said) for one in report.confusions] == []


def test_silence_where_silence_is_right(report: Report) -> None:
    assert report.silence.hits == report.silence.of > 50


def test_coverage_does_not_fall(report: Report) -> None:
    assert report.coverage.value is not None
    assert report.coverage.value >= COVERED
    assert report.answered >= ANSWERED


@pytest.mark.parametrize("what", list(HAPPENINGS))
def test_what_happens_to_a_text_makes_no_answer_wrong(
    what: str, cases: list[Case], knowledge: Knowledge, report: Report
) -> None:
    rng = random.Random(1)
    found = evaluated(
        [msgspec.structs.replace(case, body=HAPPENINGS[what](case.body or "", rng)) for case in cases], knowledge
    )
    assert [(one.cases, one.said) for one in found.confusions] == []
    assert found.coverage.hits >= 0.9 * report.coverage.hits


def test_without_its_record_an_issue_gets_no_other_one(knowledge: Knowledge, report: Report) -> None:
    everything = sites(knowledge.catalogue)
    removed = 0
    for row in report.rows:
        if not row.outcome.right:
            continue
        matcher = Matcher.build(site for site in everything if site.slug != row.given.slug)
        verdict = matcher.judge(row.case.title, row.case.body or "")
        if verdict.decision is Decision.EXPLAIN:
            first = verdict.matches[0]
            answer = Answer(decision=verdict.decision, message=first.message, role=first.role)
            assert not judge(row.case, answer).bad, f"{row.case.id}: {first.message}"
        removed += 1
    assert removed > 30
