"""Webhook payloads as values: what a decision needs, and nothing that could be followed.

No URL of a payload is kept; paths are built from the checked owner and name.
https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from bot.policy import payload as raw
from bot.policy.payload import PayloadError as PayloadError
from bot.policy.payload import decode

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """An account. A deleted one has no login."""

    login: str
    is_bot: bool


class IssueFacts(msgspec.Struct, frozen=True, kw_only=True):
    """An issue as the delivery showed it. It may have changed since."""

    number: int
    title: str
    body: str
    """Empty where GitHub sends null."""
    labels: tuple[str, ...] = ()
    state: str = "open"
    locked: bool = False
    is_pull_request: bool = False
    author: str = ""
    author_is_bot: bool = False


class CommentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A comment as the delivery showed it."""

    id: int
    body: str
    author: str
    author_is_bot: bool
    app_id: int | None = None
    """The app that wrote it (performed_via_github_app), if one did."""


class _IssueEvent(msgspec.Struct, frozen=True, kw_only=True):
    action: str
    repository: str
    """`owner/name`, checked."""
    installation: int | None
    sender: Sender
    issue: IssueFacts

    @property
    def subject(self) -> str:
        """`owner/name#number`"""
        return f"{self.repository}#{self.issue.number}"


class IssueOpened(_IssueEvent, frozen=True, kw_only=True):
    """A new issue."""


class IssueEdited(_IssueEvent, frozen=True, kw_only=True):
    """Title or body changed; at least one of the two is true."""

    title_changed: bool
    body_changed: bool


class CommentCreated(_IssueEvent, frozen=True, kw_only=True):
    """A new comment on an issue or, where `issue.is_pull_request`, on a pull request."""

    comment: CommentFacts


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """The app was installed, removed, suspended, or its repositories changed."""

    action: str
    installation: int
    sender: Sender

    @property
    def subject(self) -> str:
        """`installation/ID`"""
        return f"installation/{self.installation}"


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing that could lead to work."""

    reason: str
    action: str = ""


Event = IssueOpened | IssueEdited | CommentCreated | Installation | Ignored


def parse_repository(full_name: str, *, field: str = "repository.full_name") -> str:
    """`owner/name`, unchanged. `PayloadError` for anything that must not become part of a path."""
    owner, slash, name = full_name.partition("/")
    if not slash or not all(_NAME.fullmatch(part) and part not in (".", "..") for part in (owner, name)):
        raise PayloadError("not owner/name", field=field)
    return full_name


def is_bot(login: str, kind: str = "User") -> bool:
    """Apps act as `name[bot]` users of type Bot."""
    return kind == "Bot" or login.endswith("[bot]")


def _sender(user: raw.User | None) -> Sender:
    return Sender(login=user.login, is_bot=is_bot(user.login, user.type)) if user else Sender(login="", is_bot=False)


def _present(value: msgspec.Raw) -> bool:
    return bytes(value) not in (b"", b"null")


def _issue(issue: raw.Issue) -> IssueFacts:
    author = _sender(issue.user)
    return IssueFacts(
        number=issue.number,
        title=issue.title,
        body=issue.body or "",
        labels=tuple(label.name for label in issue.labels or ()),
        state=issue.state or "open",
        locked=bool(issue.locked),
        is_pull_request=_present(issue.pull_request),
        author=author.login,
        author_is_bot=author.is_bot,
    )


def _issues(payload: bytes, action: str) -> Event:
    if action not in ("opened", "edited"):
        return Ignored(reason=f"issues.{action} is not ours to handle", action=action)
    data = decode(payload, raw.IssuesPayload)
    changes = data.changes or raw.Changes()
    repository = parse_repository(data.repository.full_name)
    installation = data.installation.id if data.installation else None
    sender = _sender(data.sender or data.issue.user)
    issue = _issue(data.issue)
    if action == "opened":
        if _present(changes.old_issue):
            # A transfer arrives as `opened` and brings the old comments along, ours included.
            return Ignored(reason="transferred from another repository", action=action)
        return IssueOpened(action=action, repository=repository, installation=installation, sender=sender, issue=issue)
    title_changed, body_changed = _present(changes.title), _present(changes.body)
    if not (title_changed or body_changed):
        return Ignored(reason="neither title nor body changed", action=action)
    return IssueEdited(
        action=action,
        repository=repository,
        installation=installation,
        sender=sender,
        issue=issue,
        title_changed=title_changed,
        body_changed=body_changed,
    )


def _issue_comment(payload: bytes, action: str) -> Event:
    if action != "created":
        return Ignored(reason=f"issue_comment.{action} is not ours to handle", action=action)
    data = decode(payload, raw.CommentPayload)
    author = _sender(data.comment.user)
    app = data.comment.performed_via_github_app
    return CommentCreated(
        action=action,
        repository=parse_repository(data.repository.full_name),
        installation=data.installation.id if data.installation else None,
        sender=_sender(data.sender or data.comment.user),
        issue=_issue(data.issue),
        comment=CommentFacts(
            id=data.comment.id,
            body=data.comment.body or "",
            author=author.login,
            author_is_bot=author.is_bot,
            app_id=app.id if app else None,
        ),
    )


def _installation(payload: bytes, action: str) -> Event:
    data = decode(payload, raw.InstallationPayload)
    return Installation(action=action, installation=data.installation.id, sender=_sender(data.sender))


_HANDLED: Mapping[str, Callable[[bytes, str], Event]] = {
    "issues": _issues,
    "issue_comment": _issue_comment,
    "installation": _installation,
    "installation_repositories": _installation,
}


def parse_event(event: str, payload: bytes) -> Event:
    """The payload of an `X-GitHub-Event: event` delivery as a value. Raises `PayloadError` only.

    Events and actions that the bot does not work on are `Ignored`, whatever their payload looks like.
    """
    read = _HANDLED.get(event)
    if read is None:
        return Ignored(reason=f"event {event[:60]!r} is not ours to handle")
    return read(payload, decode(payload, raw.Action).action)
