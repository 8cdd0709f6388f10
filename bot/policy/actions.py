"""What the bot may decide to do. Values only: `render` writes the words, the worker's `apply` carries them out."""

from __future__ import annotations

import enum

import msgspec

from bot.matching.verdict import Match, Verdict
from bot.records.model import Entry


class Confidence(enum.StrEnum):
    """GitHub's words for how sure a label suggestion is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class LabelProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A label with the reason a maintainer sees."""

    name: str
    rationale: str
    confidence: Confidence


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the one comment is made from."""

    verdict: Verdict
    match: Match
    entry: Entry
    also: tuple[tuple[Match, Entry], ...] = ()
    """Further printed messages with a record: consequences, or other failures of the same issue."""


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """Have exactly this explanation on the issue: posted once, edited when knowledge changes."""

    explanation: Explanation
    labels: tuple[LabelProposal, ...] = ()


class Retract(msgspec.Struct, frozen=True, kw_only=True):
    """The issue no longer prints what our comment explains: if it stands, it says so. Else nothing."""

    reason: str


class Nothing(msgspec.Struct, frozen=True, kw_only=True):
    """Silence, with the reason."""

    reason: str


Action = Post | Retract | Nothing


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one event: what to do, what labels to suggest, and why (recorded with the delivery)."""

    action: Action
    labels: tuple[LabelProposal, ...]
    verdict: Verdict | None
    reason: str
