"""What can come of a delivery, as the worker's loop records and counts it."""

from __future__ import annotations

import enum

import msgspec


class Outcome(enum.StrEnum):
    """How the work on a delivery ended. Stored with it and counted in the metrics: a fixed set."""

    COMMENTED = "commented"
    """the one comment was posted"""
    EDITED = "edited"
    """the comment that stood there now says something else"""
    RETRACTED = "retracted"
    """the comment that stood there now says that it is withdrawn"""
    UNCHANGED = "unchanged"
    """the comment that stands there already says it"""
    SILENT = "silent"
    """nothing to say, and nothing said"""
    SHADOW = "shadow"
    """decided and recorded, not written: TRIAGE_MODE is not live"""
    IGNORED = "ignored"
    """an event that leads to nothing"""
    GONE = "gone"
    """the issue, the comment or the repository is deleted, moved or locked"""


class Labelled(enum.StrEnum):
    """What became of the proposed labels."""

    SUGGESTED = "suggested"
    UNSUPPORTED = "unsupported"
    """the server does not store suggestions: the comment names them"""
    APPLIED = "applied"
    """where the operator chose that"""


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Finished for good."""

    outcome: Outcome
    detail: str | None = None
    """JSON for the record: verdict, reason, what was written."""


class NotYet(msgspec.Struct, frozen=True, kw_only=True):
    """To be taken up again at `at` (Unix seconds). Nothing failed, so no try is counted."""

    at: float
    reason: str


class LeaseLost(Exception):
    """Another worker has the job now. Stop, and write nothing more about it."""
