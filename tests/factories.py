"""Values for tests, with defaults that make sense together: a reviewed burn record and an issue that prints it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import msgspec

from bot.matching.verdict import Decision, Evidence, Location, Match, Role, Score, Source, Span, Verdict
from bot.policy.actions import Explanation
from bot.records.derive import pattern_of, record_id, slug_of
from bot.records.model import Entry, ErrorType, Extension, Kind, Proof, Record, Review, Severity, Trust

REPO = "tracel-ai/burn"
SHA = "2c06be351006851d42fdb6df16b976f4a82d9747"
MESSAGE = "Can't squeeze dimension {} because its size is not 1"
FILE = "crates/burn-tensor/src/tensor/api/check.rs"


def make_record(**changes: Any) -> Record:
    """A record; id, slug, pattern and permalink follow from what is given."""
    repo = changes.get("repo", REPO)
    message = changes.get("error_message", MESSAGE)
    file_path = changes.get("file_path", FILE)
    sha = changes.get("analyzed_sha", SHA)
    line = changes.get("line_number", 254)
    fields: dict[str, Any] = {
        "id": record_id(repo, None, message, file_path),
        "repo": repo,
        "slug": slug_of(None, message),
        "error_code": None,
        "error_message": message,
        "message_pattern": pattern_of(message),
        "error_type": ErrorType.PANIC,
        "error_class": None,
        "http_status": None,
        "file_path": file_path,
        "line_number": line,
        "source_code": None,
        "source_code_start": None,
        "source_code_end": None,
        "github_url": f"https://github.com/{repo}/blob/{sha}/{file_path}#L{line - 4}-L{line + 4}",
        "analyzed_sha": sha,
        "analyzed_at": "2026-09-05T13:19:14.260Z",
        "severity": Severity.ERROR,
        "documentation": "The dimension to squeeze has a size other than 1. Only dimensions of size 1 can be dropped.",
        "trigger_scenarios": "Calling `squeeze_dim` on a dimension of another size.",
        "common_situations": "A batch of one became a batch of many.",
        "solutions": ["Print `x.dims()` before the call.", "Squeeze the dimension whose size is 1."],
        "example_fix": "// before\nlet y = x.squeeze_dim::<2>(1);\n// after\nlet y = x.squeeze_dim::<2>(0);",
        "handling_strategy": None,
        "validation_code": None,
        "type_guard": None,
        "try_catch_pattern": None,
        "prevention_tips": ["Name dimensions by constants."],
        "tags": ["burn-tensor", "shape"],
        "background_tag": None,
        "schema_version": 2,
    }
    return Record(**(fields | changes))


def make_review(**changes: Any) -> Review:
    fields: dict[str, Any] = {
        "by": "burn-triage",
        "at": dt.date(2026, 11, 30),
        "commit": SHA,
        "proofs": [Proof(claim="It refuses sizes other than 1.", lines=[f"{FILE}:243-262"])],
    }
    return Review(**(fields | changes))


def make_entry(
    *,
    record: Record | None = None,
    extension: Extension | None = None,
    trust: Trust = Trust.REVIEWED,
    review: Review | None = None,
) -> Entry:
    """One record as the bot knows it. A reviewed one has a review unless another is given."""
    record = record or make_record()
    return Entry(
        raw=record,
        record=record,
        extension=extension or Extension(kind=Kind.CURRENT, function="squeeze", api_version="0.21.0"),
        review=review or (make_review() if trust is Trust.REVIEWED else None),
        corrected=(),
        path=Path(f"{record.slug}.toml"),
        trust=trust,
    )


def make_evidence(text: str = "Can't squeeze dimension 1 because its size is not 1", **changes: Any) -> Evidence:
    fields: dict[str, Any] = {
        "source": Source.PANIC,
        "text": text,
        "quote": text,
        "span": Span(start=40, end=40 + len(text), line=5),
        "location": Location(path="burn-tensor-0.21.0/src/tensor/api/base.rs", line=700, crate="burn-tensor"),
    }
    return Evidence(**(fields | changes))


def make_match(
    entry: Entry | None = None,
    *,
    evidence: Evidence | None = None,
    role: Role = Role.ROOT,
    exact: bool = True,
    location: float = 0.0,
) -> Match:
    """A match of the entry's message: word for word unless `exact` says otherwise."""
    entry = entry or make_entry()
    total = 1.0 if exact else 0.93
    return Match(
        record=entry.id,
        slug=entry.slug,
        message=entry.record.error_message,
        role=role,
        confidence=total,
        evidence=evidence or make_evidence(),
        score=Score(total=total, exact=exact, coverage=1.0, alignment=total, location=location, weight=0.8),
    )


def make_verdict(*matches: Match, **changes: Any) -> Verdict:
    """The verdict that rests on these matches; none means abstaining."""
    fields: dict[str, Any] = {
        "decision": Decision.EXPLAIN if matches else Decision.ABSTAIN,
        "reason": "one record's message is printed" if matches else "no known message is printed",
        "matches": matches,
        "margin": 0.4 if matches else 0.0,
        "evidence": tuple(match.evidence for match in matches),
    }
    return Verdict(**(fields | changes))


def make_explanation(
    entry: Entry | None = None,
    *,
    match: Match | None = None,
    verdict: Verdict | None = None,
    also: tuple[tuple[Match, Entry], ...] = (),
) -> Explanation:
    """Everything a comment is made from, for one entry."""
    entry = entry or make_entry()
    match = match or make_match(entry)
    verdict = verdict or make_verdict(match, *(other for other, _ in also))
    return Explanation(verdict=verdict, match=match, entry=entry, also=also)


def changed(value: Any, **changes: Any) -> Any:
    """A copy of a frozen value with other fields."""
    return msgspec.structs.replace(value, **changes)
