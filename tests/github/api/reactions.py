"""Reactions on issues and comments. https://docs.github.com/en/rest/reactions/reactions"""

from __future__ import annotations

from tests.github import messages, shapes
from tests.github.messages import Refusal, Reply
from tests.github.routing import Call, Route
from tests.github.shapes import REACTIONS
from tests.github.state import Reaction


def list_(call: Call) -> Reply:
    content = call.request.parameters().get("content")
    found = [each for each in _reactions(call) if content is None or each.content == content]
    return call.page(found, lambda each: shapes.reaction(each, call.state, call.urls))


def create(call: Call) -> Reply:
    """201 when new, 200 when the same reaction of the same account was there already."""
    content = call.fields().get("content")
    if content not in REACTIONS:
        raise Refusal(messages.invalid("Reaction", "content", "invalid"))
    reactions = _reactions(call)
    found = next((each for each in reactions if each.user == call.login and each.content == content), None)
    status = 200
    if found is None:
        status = 201
        found = Reaction(id=call.state.next_id(), user=call.login, content=content, created_at=call.backend.now())
        reactions.append(found)
    return Reply(status=status, body=shapes.reaction(found, call.state, call.urls))


def delete(call: Call) -> Reply:
    reactions = _reactions(call)
    number = call.number("reaction_id")
    found = next((each for each in reactions if each.id == number), None)
    if found is None or found.user != call.login:
        raise Refusal(messages.not_found())
    reactions.remove(found)
    return Reply(status=204)


def _reactions(call: Call) -> list[Reaction]:
    if "comment_id" in call.params:
        return call.comment()[0].reactions
    return call.issue().reactions


_READ, _WRITE = ("issues", "read"), ("issues", "write")
_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}/reactions"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"

ROUTES = (
    Route("GET", _ISSUE, "reactions/list-for-issue", list_, needs=_READ),
    Route("POST", _ISSUE, "reactions/create-for-issue", create, needs=_WRITE),
    Route("DELETE", _ISSUE + "/{reaction_id}", "reactions/delete-for-issue", delete, needs=_WRITE),
    Route("GET", _COMMENT, "reactions/list-for-issue-comment", list_, needs=_READ),
    Route("POST", _COMMENT, "reactions/create-for-issue-comment", create, needs=_WRITE),
    Route("DELETE", _COMMENT + "/{reaction_id}", "reactions/delete-for-issue-comment", delete, needs=_WRITE),
)
