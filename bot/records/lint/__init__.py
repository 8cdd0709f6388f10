"""Lint: every invariant of a record that can be checked without its source, each a named rule with its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.records.lint import cross, join, mechanical, review
from bot.records.lint.cross import CrossRule, Repository
from bot.records.lint.fit import Homes
from bot.records.lint.rule import Rule, Subject
from bot.records.model import Entry, Finding

RULES: tuple[Rule, ...] = (*mechanical.RULES, *join.RULES, *review.RULES)
CROSS_RULES: tuple[CrossRule, ...] = cross.RULES


def lint_entries(entries: Sequence[Entry], root: Path) -> Iterator[Finding]:
    """Every rule that an entry breaks, alone or against the others of its repository; findings carry record ids."""
    repositories: dict[str, list[Subject]] = defaultdict(list)
    for entry in entries:
        repositories[entry.record.repo].append(Subject(entry, root))
    for subjects in repositories.values():
        homes = Homes(subjects)
        for subject in subjects:
            for rule in RULES:
                yield from rule.findings(subject)
            homes.take(subject)
            subject.forget()
        repository = Repository(subjects, homes.misfits())
        for cross_rule in CROSS_RULES:
            for subject, field, message in cross_rule.check(repository):
                yield subject.finding(cross_rule.id, cross_rule.level, field, message)
