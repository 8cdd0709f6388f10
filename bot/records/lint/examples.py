"""The printed examples, judged by whoever judges issues: this room lends its records and knows no matcher."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bot.records.lint.rule import Subject
from bot.records.model import Entry, Finding, Level

RULE = "example-matches-itself"
WHY = "A record's printed example is matched to that record and to no other."

Judge = Callable[[str], Sequence[tuple[str, str]]]
"""Id and slug of the records that a printed text is matched to, best first; empty when it is matched to none."""


def lint_examples(entries: Sequence[Entry], root: Path, judge: Judge) -> Iterator[Finding]:
    """A finding for every example that is not matched, or also matched to another record."""
    for entry in entries:
        for index, example in enumerate(entry.extension.examples):
            matched = dict(judge(example))
            if matched.keys() == {entry.id}:
                continue
            others = ", ".join(matched[identity] for identity in matched if identity != entry.id)
            if not matched:
                message = "is matched to no record"
            elif entry.id not in matched:
                message = f"is matched to {others} instead"
            else:
                message = f"is matched to {others} as well"
            yield Subject(entry, root).finding(RULE, Level.ERROR, f"extension.examples[{index}]", message)
