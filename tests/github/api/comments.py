"""Issue comments. https://docs.github.com/en/rest/issues/comments"""

from __future__ import annotations

from typing import Any

from tests.github import messages, shapes
from tests.github.clock import parse_iso
from tests.github.messages import Refusal, Reply
from tests.github.routing import Call, Route
from tests.github.shapes import JSON
from tests.github.state import MAX_BODY, Comment, Issue, Repo


def list_for_issue(call: Call) -> Reply:
    issue = call.issue()
    since = _since(call)
    found = [each for each in call.backend.listed(issue.comments) if int(each.updated_at) >= since]
    return call.page(found, lambda each: _shape(call, each, issue))


def list_for_repo(call: Call) -> Reply:
    repo = call.repo()
    given = call.request.parameters()
    by_update = given.get("sort") == "updated"
    since = _since(call)
    pairs = [
        (each, issue)
        for issue in _visible(repo)
        for each in call.backend.listed(issue.comments)
        if int(each.updated_at) >= since
    ]
    pairs.sort(
        key=lambda pair: (pair[0].updated_at if by_update else pair[0].created_at, pair[0].id),
        reverse=given.get("direction") == "desc",
    )
    return call.page(pairs, lambda pair: _shape(call, *pair))


def create(call: Call) -> Reply:
    issue = call.issue()
    if issue.locked:
        raise Refusal(messages.locked())
    body = checked_body(call.fields().get("body"))
    comment = call.backend.add_comment(issue, author=call.login, body=body, app=call.app_id)
    shape = _shape(call, comment, issue)
    return Reply(status=201, body=shape, headers={"location": shape["url"]})


def get(call: Call) -> Reply:
    comment, issue = call.comment()
    return Reply(body=_shape(call, comment, issue))


def update(call: Call) -> Reply:
    comment, issue = call.comment()
    _own(call, comment)
    body = checked_body(call.fields().get("body"))
    call.backend.edit_comment(issue, comment, by=call.login, body=body)
    return Reply(body=_shape(call, comment, issue))


def delete(call: Call) -> Reply:
    comment, issue = call.comment()
    _own(call, comment)
    call.backend.delete_comment(issue, comment, by=call.login)
    return Reply(status=204)


def checked_body(body: Any) -> str:
    """Raises Refusal (422) for a body that is no text, blank or longer than GitHub takes."""
    if not isinstance(body, str):
        raise Refusal(messages.say(422, 'Invalid request.\n\n"body" wasn\'t supplied.', errors=[]))
    if not body.strip():
        raise Refusal(messages.invalid("IssueComment", "body", "missing_field", "Body cannot be blank"))
    if len(body) > MAX_BODY:
        message = f"Body is too long (maximum is {MAX_BODY} characters)"
        raise Refusal(messages.invalid("IssueComment", "data", "unprocessable", message))
    return body


def _own(call: Call, comment: Comment) -> None:
    """An app edits its own comments only: GitHub lets it touch others', this judge does not."""
    if comment.author.lower() != call.login.lower():
        raise Refusal(messages.not_accessible())


def _since(call: Call) -> float:
    """Only comments updated at or after this time are wanted. Raises Refusal (422)."""
    given = call.request.parameters().get("since")
    try:
        return parse_iso(given) if given is not None else 0.0
    except ValueError as error:
        raise Refusal(messages.invalid("IssueComment", "since", "invalid")) from error


def _visible(repo: Repo) -> list[Issue]:
    return [issue for issue in repo.issues.values() if not issue.deleted and issue.moved_to is None]


def _shape(call: Call, comment: Comment, issue: Issue) -> JSON:
    return shapes.comment(comment, issue, call.backend.repo_of(issue), call.state, call.urls)


_READ, _WRITE = ("issues", "read"), ("issues", "write")
_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_ONE = "/repos/{owner}/{repo}/issues/comments/{comment_id}"

ROUTES = (
    Route("GET", _ISSUE, "issues/list-comments", list_for_issue, needs=_READ),
    Route("POST", _ISSUE, "issues/create-comment", create, needs=_WRITE),
    Route("GET", "/repos/{owner}/{repo}/issues/comments", "issues/list-comments-for-repo", list_for_repo, needs=_READ),
    Route("GET", _ONE, "issues/get-comment", get, needs=_READ),
    Route("PATCH", _ONE, "issues/update-comment", update, needs=_WRITE),
    Route("DELETE", _ONE, "issues/delete-comment", delete, needs=_WRITE),
)
