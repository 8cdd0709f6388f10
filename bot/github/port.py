"""What the rest of the house may ask of GitHub, and how GitHub can fail. No PyGithub type crosses this line."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from bot.policy.actions import LabelProposal


class GitHubError(Exception):
    """Anything GitHub refused or could not do. The message is for logs; it never carries a token."""


class Later(GitHubError):
    """Try again: 5xx, dropped connection, rate limit. Nothing is known about whether a write arrived."""

    def __init__(self, message: str, *, after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds
        """What GitHub asked for (retry-after or x-ratelimit-reset), else None."""


class Gone(GitHubError):
    """Final and nobody's fault: issue deleted (404, 410), transferred (301) or locked (403)."""


class Refused(GitHubError):
    """Final and ours to mend: 422, a permission missing, a bad credential. Logged as an error."""


class IssueComment(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    body: str
    ours: bool
    """Written by this app (performed_via_github_app) or, with a plain token, by the token's own user."""
    html_url: str = ""


class Issue(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    title: str
    body: str
    state: str
    locked: bool
    is_pull_request: bool
    author: str
    author_is_bot: bool
    labels: tuple[str, ...]


class LabelOutcome(enum.StrEnum):
    SUGGESTED = "suggested"
    """stored as GitHub's native pending suggestion"""
    UNSUPPORTED = "unsupported"
    """the server refused suggestions, or applied the label (taken off again): name them in the comment instead"""


class Repository(Protocol):
    """One repository as one installation sees it. Raises only `GitHubError`s. Not shared between threads."""

    @property
    def full_name(self) -> str: ...

    def issue(self, number: int) -> Issue: ...

    def comments(self, number: int) -> Iterator[IssueComment]:
        """All comments on the issue, oldest first."""
        ...

    def create_comment(self, number: int, body: str) -> IssueComment:
        """One POST, never replayed: after `Later` look for the marker before a second try."""
        ...

    def edit_comment(self, comment_id: int, body: str) -> IssueComment: ...

    def label_names(self) -> frozenset[str]:
        """Labels that exist in the repository, cached briefly."""
        ...

    def suggest_labels(self, number: int, suggestions: Sequence[LabelProposal]) -> LabelOutcome: ...

    def add_labels(self, number: int, names: Sequence[str]) -> None:
        """Put labels on the issue at once: only where the operator chose that (label mode `apply`)."""
        ...


class GitHub(Protocol):
    """Finds the repository for an installation (None: a plain token)."""

    def repository(self, full_name: str, *, installation: int | None) -> Repository: ...
