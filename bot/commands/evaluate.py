"""`burn-triage evaluate`: how good the verdicts are on labelled issues."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from bot.commands.judging import Judged, judge_text, trial_settings
from bot.commands.knowledge import Knowledge, load_knowledge
from bot.commands.options import records_option
from bot.evaluation.cases import Case, CasesError, read_cases
from bot.evaluation.interval import Share
from bot.evaluation.judge import Answer
from bot.evaluation.page import lines, page
from bot.evaluation.tally import Given, Report, tally
from bot.matching.verdict import Decision

FLOORS = ("precision", "recall", "coverage", "answered", "helped")


def _floors(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """`NAME=NUMBER`: a share from 0 to 1 for precision, recall and coverage, a count for answered and helped."""
    floors = []
    for value in values:
        name, _, number = value.partition("=")
        if name not in FLOORS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(FLOORS)}", ctx, parameter)
        try:
            floors.append((name, float(number)))
        except ValueError as error:
            raise click.BadParameter(f"{number!r} is no number", ctx, parameter) from error
    return tuple(floors)


@click.command()
@click.argument("cases", type=click.File("rb"))
@records_option
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the report as a page to this file."
)
@click.option("--json", "as_json", is_flag=True, help="All figures and every case as JSON.")
@click.option(
    "--floor",
    "floors",
    metavar="NAME=NUMBER",
    callback=_floors,
    multiple=True,
    help=f"Fail below this, e.g. coverage=0.4; one of {', '.join(FLOORS)}. May be repeated.",
)
def evaluate(
    cases: BinaryIO, records: Path, html: Path | None, as_json: bool, floors: tuple[tuple[str, float], ...]
) -> None:
    """Judge the labelled issues CASES (JSON lines) and say how many answers are right.

    Exit status: 1 when an explanation is wrong or a floor is not reached.
    """
    try:
        read = read_cases(cases)
    except CasesError as error:
        raise click.ClickException(f"{cases.name}: {error}") from error
    report = evaluated(read, load_knowledge(records))
    if html is not None:
        try:
            html.write_text(page(report, title=f"burn-triage on {Path(cases.name).name}"), encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"{html}: {error.strerror}") from error
    if as_json:
        click.echo(msgspec.json.encode(figures(report)))
    else:
        for line in lines(report):
            click.echo(line)
    below = [
        f"{name} is {value:.3g}, below {floor:.3g}"
        for name, floor in floors
        if (value := reached(report, name)) < floor
    ]
    for text in below:
        click.echo(text, err=True)
    raise SystemExit(1 if below or report.wrong else 0)


def evaluated(cases: list[Case], knowledge: Knowledge) -> Report:
    """Every case through the pure core, judged."""
    settings = trial_settings()
    return tally(
        (case, given(judge_text(case.title, case.body or "", knowledge=knowledge, settings=settings))) for case in cases
    )


def given(judged: Judged) -> Given:
    """What the judge needs of an answer."""
    verdict = judged.verdict
    first = verdict.matches[0] if verdict.decision is Decision.EXPLAIN else None
    answer = Answer(decision=verdict.decision)
    if first is not None:
        answer = Answer(decision=verdict.decision, message=first.message, role=first.role)
    return Given(
        answer=answer,
        slug=first.slug if first else "",
        reason=verdict.reason,
        words=first.words if first else (),
        labels=tuple(label.name for label in judged.labels),
        posted=judged.comment is not None,
        withheld=judged.decided.reason if first is not None and judged.comment is None else "",
        milliseconds=judged.milliseconds,
    )


def reached(report: Report, floor: str) -> float:
    """The figure that a floor is about; a share of nothing counts as reached."""
    if floor == "answered":
        return report.answered
    if floor == "helped":
        return report.coverage.hits
    shares: dict[str, Share] = {"precision": report.precision, "recall": report.recall, "coverage": report.coverage}
    value = shares[floor].value
    return 1.0 if value is None else value


def figures(report: Report) -> dict[str, object]:
    """The report without the issues' texts."""
    return {
        "cases": len(report.rows),
        "wrong": report.wrong,
        "answered": report.answered,
        "precision": report.precision,
        "recall": report.recall,
        "coverage": report.coverage,
        "silence": report.silence,
        "posted": report.posted,
        "labels": report.labels,
        "outcomes": report.outcomes,
        "confusions": report.confusions,
        "habits": report.habits,
        "rows": [
            {
                "id": row.case.id,
                "outcome": row.outcome,
                "slug": row.given.slug,
                "reason": row.given.reason,
                "posted": row.given.posted,
                "withheld": row.given.withheld,
                "labels": row.given.labels,
                "habits": row.habits,
                "ms": round(row.given.milliseconds, 3),
            }
            for row in report.rows
        ],
    }
