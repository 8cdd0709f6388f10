"""What `records verify` says to people: a table of the checks, then what does not hold, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from bot.records.verify_outcome import Check, Problem, Proven


def report_lines(proven: Proven) -> Iterator[str]:
    failed = Counter(problem.check for problem in proven.failures)
    left = Counter(problem.check for problem in proven.unchecked)
    yield f"{proven.records} records"
    yield f"{'check':<12}{'claims':>8}{'failed':>8}{'unchecked':>11}"
    for check in Check:
        yield f"{check:<12}{proven.checked[check]:>8}{failed[check]:>8}{left[check]:>11}"
    yield from _section("does not hold", proven.failures)
    yield from _section("could not be checked", proven.unchecked)


def _section(title: str, problems: tuple[Problem, ...]) -> Iterator[str]:
    for (slug, path), group in groupby(problems, key=lambda problem: (problem.record, problem.path)):
        yield ""
        yield f"{slug} ({path}): {title}"
        for problem in group:
            yield f"  {problem.check}: {problem.field}: {problem.message}"
            if problem.sentence:
                yield f"    in: {problem.sentence}"
