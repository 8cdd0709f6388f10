"""`explain --why`: the evidence of a verdict for a person at a terminal."""

from __future__ import annotations

import click

from bot.commands.judging import Judged
from bot.matching.verdict import Evidence, Match, Span

_WIDTH = 160


def why(judged: Judged, *, title: str, body: str) -> str:
    """What was found printed, what matched word for word, what was refused and why. ANSI colours throughout."""
    verdict = judged.verdict
    text = f"{title}\n\n{body}"
    lines = [_heading(f"{verdict.decision.value}: {verdict.reason}")]
    for match in verdict.matches:
        lines += _match(match, text)
    if verdict.runner_up is not None:
        lines.append(f"runner-up  {verdict.runner_up.slug}, margin {verdict.margin:.2f}: {verdict.runner_up.reason}")
    if verdict.rejected:
        lines.append(_heading("refused"))
        lines += [f"  {r.score:.2f}  {r.slug}\n        {r.reason}" for r in verdict.rejected]
    lines.append(_heading(f"found printed ({len(verdict.evidence)})"))
    lines += [f"  {_evidence(evidence)}" for evidence in verdict.evidence]
    if verdict.version:
        lines.append(f"burn version: {verdict.version}")
    lines.append(_heading(f"decision: {judged.decided.reason}"))
    lines += [f"  label {p.name} ({p.confidence.value}): {p.rationale}" for p in judged.labels]
    return "\n".join(lines)


def _match(match: Match, text: str) -> list[str]:
    score = match.score
    parts = f"exact {'yes' if score.exact else 'no'}, coverage {score.coverage:.2f}, alignment {score.alignment:.2f}"
    return [
        f"{click.style(match.slug, bold=True)} ({match.record}, {match.role.value}), confidence {match.confidence:.2f}",
        f"  record     {_printable(match.message)}",
        f"  line {match.evidence.span.line:<5} {_highlighted(match, text)}",
        f"  score      {score.total:.2f}: {parts}, location {score.location:.2f}, weight {score.weight:.2f}",
        f"  found as   {_evidence(match.evidence)}",
    ]


def _evidence(evidence: Evidence) -> str:
    where = f" in {evidence.location.path}" if evidence.location else ""
    return f"{evidence.source.value}, line {evidence.span.line}{where}: {_printable(evidence.quote)}"


def _highlighted(match: Match, text: str) -> str:
    """The part of the issue that matched, its matching words in colour."""
    begin, end = match.evidence.span.start, min(match.evidence.span.end, match.evidence.span.start + 4 * _WIDTH)
    shown, at = [], begin
    for word in sorted(match.words, key=_start):
        if word.start < at or word.end > end:
            continue
        shown += [_printable(text[at : word.start]), click.style(_printable(text[word.start : word.end]), fg="green")]
        at = word.end
    shown.append(_printable(text[at:end]))
    return "".join(shown)


def _start(span: Span) -> int:
    return span.start


def _heading(text: str) -> str:
    return click.style(_printable(text), bold=True)


def _printable(text: str) -> str:
    """Issue text must not steer the terminal: control characters are shown as blanks."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 4 * _WIDTH])
    return shown if len(text) <= 4 * _WIDTH else shown + " …"
