"""Lint: every invariant of a record that can be checked without its source, each a named rule with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.records.lint import join, mechanical
from bot.records.lint.rule import Rule, Subject, relative
from bot.records.model import Entry, Finding

RULES: tuple[Rule, ...] = (*mechanical.RULES, *join.RULES)


def lint_entries(entries: Sequence[Entry], root: Path) -> Iterator[tuple[str, Finding]]:
    """Record id and finding, for every rule that an entry breaks, alone or against the others."""
    for entry in entries:
        subject = Subject(entry)
        path = relative(entry.path, root)
        for rule in RULES:
            for finding in rule.findings(subject, path):
                yield entry.id, finding
