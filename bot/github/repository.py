"""`bot.github.port.Repository` on PyGithub's lazy objects: no request but the ones that are named here.

Answers are read as plain data and checked, so that a field of another type is an error of ours and not of PyGithub.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import github.Issue
import github.IssueComment
import github.Repository
import msgspec
from github.PaginatedList import PaginatedList
from github.Requester import Requester

from bot.github.access import Access
from bot.github.auth import AppRef, Author
from bot.github.labels import suggest
from bot.github.port import Issue, IssueComment, LabelOutcome, Refused
from bot.policy.actions import LabelProposal
from bot.policy.events import is_bot

MAX_BODY = 65_536
"""Characters that GitHub takes for a comment; it answers 422 to more."""


class _CommentJson(msgspec.Struct):
    id: int
    body: str | None = None
    html_url: str | None = None
    user: Author | None = None
    performed_via_github_app: AppRef | None = None


class _LabelJson(msgspec.Struct):
    name: str


class _IssueJson(msgspec.Struct):
    number: int
    title: str
    body: str | None = None
    state: str = "open"
    locked: bool = False
    pull_request: dict[str, Any] | None = None
    user: Author | None = None
    labels: list[_LabelJson | str] = []


class _WholeComment(github.IssueComment.IssueComment):
    """A listed comment is all there is: PyGithub would fetch it again for a field that GitHub left out."""

    def __init__(self, requester: Requester, headers: dict[str, str | int], attributes: dict[str, Any]) -> None:
        super().__init__(requester, headers, attributes, completed=True)


class PyGithubRepository:
    """`bot.github.port.Repository` on PyGithub."""

    def __init__(self, full_name: str, access: Access) -> None:
        self._full_name = full_name
        self._access = access
        self._repository = github.Repository.Repository(access.requester, url=f"/repos/{full_name}")

    @property
    def full_name(self) -> str:
        return self._full_name

    def issue(self, number: int) -> Issue:
        with self._access.reading(f"read {self._full_name}#{number}"):
            raw = msgspec.convert(self._issue(number).raw_data, _IssueJson)
        author = raw.user or Author(login="")
        return Issue(
            number=raw.number,
            title=raw.title,
            body=raw.body or "",
            state=raw.state,
            locked=raw.locked,
            is_pull_request=raw.pull_request is not None,
            author=author.login,
            author_is_bot=is_bot(author.login, author.type),
            labels=tuple(label if isinstance(label, str) else label.name for label in raw.labels),
        )

    def comments(self, number: int) -> Iterator[IssueComment]:
        """All comments on the issue, oldest first, page by page."""
        with self._access.reading(f"list comments of {self._full_name}#{number}"):
            url = f"{self._repository.url}/issues/{number}/comments"
            for comment in PaginatedList(_WholeComment, self._access.requester, url, None):
                yield self._comment(comment.raw_data)

    def create_comment(self, number: int, body: str) -> IssueComment:
        """One POST, never replayed. `Refused` before anything is sent when the body is too long."""
        _check_body(body)
        with self._access.writing(f"comment on {self._full_name}#{number}", creates=True):
            raw = msgspec.convert(self._issue(number).create_comment(body).raw_data, _CommentJson)
        return IssueComment(id=raw.id, body=raw.body or body, ours=True, html_url=raw.html_url or "")

    def edit_comment(self, comment_id: int, body: str) -> IssueComment:
        _check_body(body)
        with self._access.writing(f"edit comment {comment_id} of {self._full_name}"):
            comment = github.IssueComment.IssueComment(
                self._access.requester, url=f"{self._repository.url}/issues/comments/{comment_id}"
            )
            comment.edit(body)
            html_url = comment.html_url
        return IssueComment(id=comment_id, body=body, ours=True, html_url=html_url or "")

    def label_names(self) -> frozenset[str]:
        """Labels that exist in the repository, at most five minutes old."""
        return self._access.label_names(self._full_name, self._fetch_label_names)

    def suggest_labels(self, number: int, suggestions: Sequence[LabelProposal]) -> LabelOutcome:
        return suggest(self._issue(number), suggestions, where=f"{self._full_name}#{number}", calls=self._access)

    def add_labels(self, number: int, names: Sequence[str]) -> None:
        """GitHub creates a label that the repository lacks: give names out of `label_names` only."""
        if names:
            with self._access.writing(f"label {self._full_name}#{number}"):
                self._issue(number).add_to_labels(*names)

    def _issue(self, number: int) -> github.Issue.Issue:
        return self._repository.get_issue(number)

    def _fetch_label_names(self) -> frozenset[str]:
        with self._access.reading(f"list labels of {self._full_name}"):
            return frozenset(label.name for label in self._repository.get_labels())

    def _comment(self, data: dict[str, Any]) -> IssueComment:
        raw = msgspec.convert(data, _CommentJson)
        ours = self._access.identity.wrote(raw.user, raw.performed_via_github_app)
        return IssueComment(id=raw.id, body=raw.body or "", ours=ours, html_url=raw.html_url or "")


def _check_body(body: str) -> None:
    if len(body) > MAX_BODY:
        raise Refused(f"a comment of {len(body)} characters; GitHub takes {MAX_BODY}")
    if not body.strip():
        raise Refused("an empty comment")
