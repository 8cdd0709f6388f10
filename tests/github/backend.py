"""The state, the clock and the switches behind the fake's endpoints, and what happens when something changes."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.github import payloads
from tests.github.clock import Clock
from tests.github.shapes import JSON, Urls
from tests.github.state import Comment, Issue, IssueEvent, Label, Repo, State, User


class SuggestionMode(enum.Enum):
    """How the server takes `"suggest": true` on a label."""

    NATIVE = "native"
    """stores it as a pending suggestion"""
    REFUSE = "refuse"
    """answers 422, as a server that knows labels only as strings"""
    APPLY = "apply"
    """ignores the word and puts the label on the issue"""


@dataclass(frozen=True, kw_only=True)
class Happening:
    """Something that GitHub tells apps about."""

    event: str
    payload: JSON


class RateLimit:
    """Requests per identity and hour. https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api"""

    WINDOW = 3600.0

    def __init__(self, limit: int = 5000) -> None:
        self.limit = limit
        self._windows: dict[str, tuple[float, int]] = {}
        self._exhausted_until = 0.0

    def exhaust(self, until: float) -> None:
        """Nobody has a request left before that time."""
        self._exhausted_until = until

    def look(self, who: str, now: float) -> tuple[int, float]:
        """How many requests are used and when the window ends (unix seconds)."""
        if now < self._exhausted_until:
            return self.limit, self._exhausted_until
        start, used = self._windows.get(who, (now, 0))
        if now >= start + self.WINDOW:
            start, used = now, 0
        return used, start + self.WINDOW

    def count(self, who: str, now: float) -> None:
        used, reset = self.look(who, now)
        self._windows[who] = (reset - self.WINDOW, used + 1)


class Backend:
    """Everything the endpoints share. Hold `lock` while touching `state`."""

    def __init__(self, *, clock: Clock, state: State | None = None) -> None:
        self.clock = clock
        self.state = state if state is not None else State()
        self.lock = threading.RLock()
        self.rate = RateLimit()
        self.drift = 0.0
        """Seconds by which GitHub's clock is ahead of the machine's when it reads an app's JWT. Those are judged by
        the machine's clock, not by `clock`: the client's library reads that one when it signs."""
        self.suggestion_mode = SuggestionMode.NATIVE
        self.listing_delay = 0.0
        """Seconds until a stored comment shows up in lists."""
        self.web = "https://github.com"
        self.listeners: list[Callable[[Happening], None]] = []
        self.redeliver: Callable[[int], None] = lambda _delivery: None

    def now(self) -> float:
        return self.clock()

    # -- people and repositories ---------------------------------------------------------------------------------

    def user(self, login: str, *, type_: str | None = None) -> User:
        """The account of that name, made on first mention."""
        key = login.lower()
        if key not in self.state.users:
            kind = type_ or ("Bot" if login.endswith("[bot]") else "User")
            self.state.users[key] = User(id=self.state.next_id(), login=login, type=kind)
        return self.state.users[key]

    def repo_named(self, full_name: str) -> Repo | None:
        return self.state.repos.get(full_name.lower())

    def create_repo(self, full_name: str, *, private: bool = False) -> Repo:
        owner, _, name = full_name.partition("/")
        self.user(owner, type_="Organization")
        repo = Repo(id=self.state.next_id(), owner=owner, name=name, created_at=self.now(), private=private)
        self.state.repos[full_name.lower()] = repo
        return repo

    def repo_of(self, issue: Issue) -> Repo:
        return self.state.repos[issue.repo.lower()]

    def find_comment(self, repo: Repo, comment_id: int) -> tuple[Comment, Issue] | None:
        for issue in repo.issues.values():
            for comment in issue.comments:
                if comment.id == comment_id and not issue.deleted:
                    return comment, issue
        return None

    def listed(self, comments: list[Comment]) -> list[Comment]:
        """Those comments that lists show by now."""
        limit = self.now() - self.listing_delay
        return [comment for comment in comments if not self.listing_delay or comment.created_at <= limit]

    # -- changes, with what follows from them --------------------------------------------------------------------

    def open_issue(
        self, repo: Repo, *, title: str, body: str | None, author: str, app: int | None, **more: Any
    ) -> Issue:
        now = self.now()
        self.user(author)
        issue = Issue(
            id=self.state.next_id(),
            repo=repo.full_name,
            number=max(repo.issues, default=0) + 1,
            title=title,
            body=body,
            author=author,
            created_at=now,
            updated_at=now,
            app=app,
            **more,
        )
        repo.issues[issue.number] = issue
        if not issue.pull_request:
            self.tell("issues", "opened", issue, sender=author)
        return issue

    def edit_issue(self, issue: Issue, *, by: str, title: str | None = None, body: str | None = None) -> None:
        changes: JSON = {}
        if title is not None and title != issue.title:
            changes["title"] = {"from": issue.title}
            self.record(issue, "renamed", by, {"rename": {"from": issue.title, "to": title}})
            issue.title = title
        if body is not None and body != issue.body:
            changes["body"] = {"from": issue.body or ""}
            issue.body = body
        if changes:
            issue.updated_at = self.now()
            self.tell("issues", "edited", issue, sender=by, changes=changes)

    def set_issue_state(self, issue: Issue, state: str, *, by: str, reason: str | None = None) -> None:
        if state == issue.state:
            return
        closing = state == "closed"
        issue.state = state
        issue.state_reason = (reason or "completed") if closing else "reopened"
        issue.closed_at = self.now() if closing else None
        issue.closed_by = by if closing else None
        issue.updated_at = self.now()
        self.tell("issues", "closed" if closing else "reopened", issue, sender=by)

    def add_comment(self, issue: Issue, *, author: str, body: str, app: int | None = None) -> Comment:
        now = self.now()
        self.user(author)
        comment = Comment(
            id=self.state.next_id(),
            issue=issue.number,
            author=author,
            body=body,
            created_at=now,
            updated_at=now,
            app=app,
        )
        issue.comments.append(comment)
        issue.updated_at = now
        self.tell("issue_comment", "created", issue, sender=author, comment=comment)
        return comment

    def edit_comment(self, issue: Issue, comment: Comment, *, by: str, body: str) -> None:
        changes = {"body": {"from": comment.body}} if body != comment.body else {}
        comment.body = body
        comment.updated_at = self.now()
        self.tell("issue_comment", "edited", issue, sender=by, comment=comment, changes=changes)

    def delete_comment(self, issue: Issue, comment: Comment, *, by: str) -> None:
        issue.comments.remove(comment)
        self.tell("issue_comment", "deleted", issue, sender=by, comment=comment)

    def create_label(self, repo: Repo, name: str, *, color: str = "ededed", description: str | None = None) -> Label:
        found = repo.label(name)
        if found is None:
            found = Label(id=self.state.next_id(), name=name, color=color, description=description)
            repo.labels.append(found)
        return found

    def label_issue(self, issue: Issue, name: str, *, by: str) -> None:
        """Put a label on; as on GitHub, one that the repository lacks comes into being."""
        label = self.create_label(self.repo_of(issue), name)
        if label.name not in issue.labels:
            issue.labels.append(label.name)
            issue.updated_at = self.now()
            self.record(issue, "labeled", by, {"label": {"name": label.name, "color": label.color}})
            self.tell("issues", "labeled", issue, sender=by, label=label)

    def unlabel_issue(self, issue: Issue, name: str, *, by: str) -> bool:
        """Take a label off. False: it was not on the issue."""
        label = self.repo_of(issue).label(name)
        if label is None or label.name not in issue.labels:
            return False
        issue.labels.remove(label.name)
        issue.updated_at = self.now()
        self.record(issue, "unlabeled", by, {"label": {"name": label.name, "color": label.color}})
        self.tell("issues", "unlabeled", issue, sender=by, label=label)
        return True

    def record(self, issue: Issue, event: str, actor: str, detail: JSON) -> None:
        self.user(actor)
        issue.events.append(
            IssueEvent(id=self.state.next_id(), event=event, actor=actor, created_at=self.now(), detail=detail)
        )

    # -- telling the app -----------------------------------------------------------------------------------------

    def tell(
        self,
        event: str,
        action: str,
        issue: Issue,
        *,
        sender: str,
        by_api: bool = False,
        comment: Comment | None = None,
        changes: JSON | None = None,
        label: Label | None = None,
    ) -> None:
        """Hand the webhook payload of a change to whoever listens. Built now: it shows the state of this moment."""
        if not self.listeners:
            return
        self.user(sender)
        payload = payloads.about_issue(
            self.state,
            issue,
            action=action,
            sender=sender,
            comment=comment,
            changes=changes,
            label=label,
            urls=self.urls(),
        )
        happening = Happening(event=event, payload=payload)
        for listener in self.listeners:
            listener(happening)

    def urls(self) -> Urls:
        """Addresses as webhook payloads carry them: always GitHub's own, never the fake's."""
        return Urls(web=self.web)
