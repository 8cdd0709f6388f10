"""What is recorded with a finished delivery: why it ended as it did, and what was written. Small, JSON."""

from __future__ import annotations

import json

import msgspec

from bot.policy.actions import Decided, Nothing, Post, Retract
from bot.worker.outcome import Labelled


class MatchDetail(msgspec.Struct, frozen=True, kw_only=True):
    record: str
    slug: str
    role: str
    confidence: float


class Detail(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Fields that say nothing are left out."""

    reason: str
    action: str | None = None
    """post, retract or nothing"""
    decision: str | None = None
    matches: tuple[MatchDetail, ...] = ()
    runner_up: str | None = None
    """Slug of the best record of another message, and why it lost."""
    margin: float = 0.0
    version: str | None = None
    """The burn version that the issue shows."""
    comment_id: int | None = None
    labels: tuple[str, ...] = ()
    """Proposed; `labelled` says what the server did with them, None that it was not asked."""
    labelled: str | None = None
    gone: str | None = None
    """What GitHub said when it was not there any more."""


_ACTIONS = {Post: "post", Retract: "retract", Nothing: "nothing"}


def describe(
    decided: Decided | None = None,
    *,
    reason: str = "",
    comment_id: int | None = None,
    labelled: Labelled | None = None,
    gone: str | None = None,
) -> str:
    """The `Detail` of a decision, or of an event that led to none, as JSON."""
    detail = Detail(reason=reason)
    if decided is not None:
        verdict = decided.verdict
        detail = Detail(
            reason=decided.reason,
            action=_ACTIONS[type(decided.action)],
            decision=verdict.decision.value if verdict else None,
            matches=tuple(
                MatchDetail(record=m.record, slug=m.slug, role=m.role.value, confidence=round(m.confidence, 4))
                for m in (verdict.matches if verdict else ())
            ),
            runner_up=f"{verdict.runner_up.slug}: {verdict.runner_up.reason}"
            if verdict and verdict.runner_up
            else None,
            margin=round(verdict.margin, 4) if verdict else 0.0,
            version=verdict.version if verdict else None,
            comment_id=comment_id,
            labels=tuple(label.name for label in decided.labels),
            labelled=labelled.value if labelled else None,
            gone=gone,
        )
    # Not msgspec's encoder: it refuses half a surrogate pair, which an issue's text may hold.
    return json.dumps(msgspec.to_builtins(detail))
