"""Which records may speak by themselves: lint first, then a person's review of exactly this raw half."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from bot.records.lint import lint_entries
from bot.records.model import Catalogue, Entry, Finding, Level, Trust


def judge_catalogue(catalogue: Catalogue) -> Catalogue:
    """The same catalogue with every entry linted, alone and against the others, and its trust decided."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in lint_entries(catalogue.entries, catalogue.root):
        found[finding.record or ""].append(finding)
    entries = tuple(_judged(entry, (*entry.findings, *found[entry.id])) for entry in catalogue.entries)
    return msgspec.structs.replace(catalogue, entries=entries)


def trust_of(entry: Entry, findings: tuple[Finding, ...]) -> Trust:
    """Quarantined when anything is wrong, reviewed when a person's mark fits this raw half, else linted."""
    if any(finding.level is Level.ERROR for finding in findings):
        return Trust.QUARANTINED
    if entry.review is None or entry.review_is_stale:
        return Trust.LINTED
    return Trust.REVIEWED


def _judged(entry: Entry, findings: tuple[Finding, ...]) -> Entry:
    return msgspec.structs.replace(entry, findings=findings, trust=trust_of(entry, findings))
