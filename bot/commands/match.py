"""`burn-triage match`: issues as JSON lines in, one verdict a line out. The form by which quality is judged: stable.

In:  {"id", "title", "body"} (`body` may be null; other fields are ignored; optional "repo", "labels")
Out: {"id", "verdict", "matches": [{"record", "slug", "message", "role", "confidence", "evidence": {…}}],
      "labels": [{"name", "rationale", "confidence"}], "comment": Markdown or null, "reason", "ms"}
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from bot.commands.judging import Judged, judge_text, trial_settings
from bot.commands.knowledge import load_knowledge
from bot.commands.options import records_option
from bot.matching.verdict import Evidence, Match, Score, Span
from bot.policy.actions import LabelProposal


class IssueLine(msgspec.Struct, frozen=True, kw_only=True):
    id: str | int
    title: str | None = None
    body: str | None = None


class MatchLine(msgspec.Struct, frozen=True, kw_only=True):
    record: str
    slug: str
    message: str
    role: str
    confidence: float
    evidence: Evidence
    score: Score
    words: tuple[Span, ...]

    @classmethod
    def of(cls, match: Match) -> MatchLine:
        return cls(
            record=match.record,
            slug=match.slug,
            # The last full stop is punctuation: reporters drop it, and whoever compares the two should not stumble.
            message=match.message.rstrip("."),
            role=match.role.value,
            confidence=round(match.confidence, 4),
            evidence=match.evidence,
            score=match.score,
            words=match.words,
        )


class VerdictLine(msgspec.Struct, frozen=True, kw_only=True):
    id: str | int
    verdict: str
    matches: list[MatchLine]
    labels: list[LabelProposal]
    comment: str | None
    reason: str
    ms: float

    @classmethod
    def of(cls, issue: str | int, judged: Judged) -> VerdictLine:
        verdict = judged.verdict
        return cls(
            id=issue,
            verdict=verdict.decision.value,
            matches=[MatchLine.of(match) for match in verdict.matches],
            labels=list(judged.labels),
            comment=judged.comment,
            reason=judged.decided.reason,
            ms=round(judged.milliseconds, 3),
        )


@click.command()
@click.argument("issues", type=click.File("rb"), default="-")
@records_option
@click.option("--index", type=click.Path(path_type=Path), help="Keep the built index in this file between runs.")
def match(issues: BinaryIO, records: Path, index: Path | None) -> None:
    """Judge ISSUES (JSON lines, default: standard input); write one verdict a line.

    A line that cannot be read is named on standard error and skipped; the exit status is then 1.
    """
    if sys.stdout is None:
        raise click.ClickException("standard output is closed")
    knowledge = load_knowledge(records, index=index)
    settings = trial_settings()
    decoder, encoder = msgspec.json.Decoder(IssueLine), msgspec.json.Encoder()
    failed = False
    out = sys.stdout.buffer
    for number, line in enumerate(issues, start=1):
        if not line.strip():
            continue
        try:
            issue = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            click.echo(f"line {number}: {error}", err=True)
            failed = True
            continue
        judged = judge_text(issue.title or "", issue.body or "", knowledge=knowledge, settings=settings)
        out.write(encoder.encode(VerdictLine.of(issue.id, judged)) + b"\n")
        out.flush()
    if failed:
        raise SystemExit(1)
