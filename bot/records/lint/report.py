"""Findings for people, for programs, and for code review (SARIF 2.1.0)."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bot.records.files import LARGEST_TOML
from bot.records.lint import CROSS_RULES, RULES, examples
from bot.records.model import Catalogue, Finding, Level

LOADER_RULES: Mapping[str, str] = {
    "unreadable-file": "A file could not be read, is too large, or is damaged gzip.",
    "bad-json": "The file is not valid JSON.",
    "bad-toml": "The file is not valid TOML.",
    "bad-encoding": "The file is not UTF-8.",
    "not-a-record": "The file, or one element of its array, is neither a record nor an erratum.",
    "missing-field": "A field that every record has is missing.",
    "bad-field": "A field has the wrong type, or a value the schema does not allow.",
    "unknown-field": "A field is unknown: kept in raw records, refused in what people write.",
    "duplicate-id": "Two records have the same id: the later one is left out.",
    "erratum-target": "An erratum corrects no raw record, or one that another erratum corrects.",
    "erratum-field": "An erratum touches the mechanical half.",
}
_ORDER = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LAST_KEY = re.compile(r"([A-Za-z0-9]+)(?:\[\d+\])*$")


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """By file, then record, the worst first."""
    return sorted(findings, key=lambda one: (one.path, one.record or "", _ORDER[one.level], one.rule, one.field or ""))


def for_people(findings: Sequence[Finding], *, catalogue: Catalogue) -> str:
    """One line a finding, grouped by file, and a summary."""
    slugs = {entry.id: entry.slug for entry in catalogue.entries}
    lines: list[str] = []
    for path, group in itertools.groupby(in_order(findings), key=lambda one: one.path):
        lines.append(str(catalogue.root / path) if catalogue.root.is_dir() else str(catalogue.root))
        for one in group:
            where = " ".join(part for part in (slugs.get(one.record or "", one.record), one.field) if part)
            lines.append(f"  {one.level.value:<8}{where + ': ' if where else ''}{one.message}  [{one.rule}]")
    counts = Counter(one.level for one in findings)
    summary = ", ".join(_counted(counts[level], level.value) for level in Level)
    return printable("\n".join([*lines, f"{_counted(len(catalogue.entries), 'record')}: {summary}"]))


def for_programs(findings: Sequence[Finding], *, records: int) -> dict[str, Any]:
    counts = Counter(one.level for one in findings)
    return {
        "records": records,
        "errors": counts[Level.ERROR],
        "warnings": counts[Level.WARNING],
        "notes": counts[Level.NOTE],
        "findings": in_order(findings),
    }


def sarif(findings: Sequence[Finding], *, root: Path, prefix: str) -> dict[str, Any]:
    """A log for GitHub's code scanning; `prefix` leads from the repository to the catalogue's `root`.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
    """
    reasons = rule_reasons()
    used = sorted({one.rule for one in findings})
    sources = {path: _text(root, path) for path in {one.path for one in findings}}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "burn-triage records lint",
                        "rules": [{"id": rule, "shortDescription": {"text": reasons.get(rule, rule)}} for rule in used],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(one, used.index(one.rule), prefix, sources[one.path]) for one in in_order(findings)
                ],
            }
        ],
    }


def rule_reasons() -> dict[str, str]:
    """Every rule id with its reason in a sentence or two."""
    linted = {rule.id: rule.why for rule in RULES} | {rule.id: rule.why for rule in CROSS_RULES}
    return {**LOADER_RULES, **linted, examples.RULE: examples.WHY}


def printable(text: str) -> str:
    """Safe for a terminal: record text is untrusted, and control characters could rewrite the screen."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _result(one: Finding, index: int, prefix: str, text: str) -> dict[str, Any]:
    where = ": ".join(part for part in (one.record, one.field) if part)
    identity = "\0".join((one.rule, one.path, one.record or "", one.field or ""))
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": one.level.value,
        "message": {"text": f"{where}: {one.message}" if where else one.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote("/".join(part for part in (prefix, one.path) if part))},
                    "region": {"startLine": _line(text, one.field)},
                }
            }
        ],
        "partialFingerprints": {"finding/v1": hashlib.sha256(identity.encode()).hexdigest()[:32]},
    }


def _text(root: Path, path: str) -> str:
    """The TOML file a finding is about; raw JSON is one long line, so line 1 says it all."""
    file = root / path if root.is_dir() else root
    if not path.endswith(".toml"):
        return ""
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(LARGEST_TOML)
    except OSError:
        return ""


def _line(text: str, field: str | None) -> int:
    """The line on which a field's key stands, 1 where it does not."""
    key = _LAST_KEY.search(field or "")
    if key is None:
        return 1
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith(key[1]) and line.lstrip()[len(key[1]) :].lstrip().startswith("="):
            return number
    return 1


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
