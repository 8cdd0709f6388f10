"""Issues. https://docs.github.com/en/rest/issues/issues"""

from __future__ import annotations

from tests.github import messages, shapes
from tests.github.clock import parse_iso
from tests.github.messages import Refusal, Reply
from tests.github.routing import Call, Route
from tests.github.shapes import JSON
from tests.github.state import MAX_BODY, Issue

_STATES = ("open", "closed", "all")


def list_for_repo(call: Call) -> Reply:
    """Newest first unless told otherwise. Pull requests are in the list, as on GitHub."""
    repo = call.repo()
    if not repo.has_issues:
        raise Refusal(messages.issues_disabled())
    given = call.request.parameters()
    state, sort, direction = given.get("state", "open"), given.get("sort", "created"), given.get("direction", "desc")
    if state not in _STATES or sort not in ("created", "updated", "comments") or direction not in ("asc", "desc"):
        raise Refusal(messages.invalid("Issue", "state", "invalid"))
    found = [each for each in repo.issues.values() if not each.deleted and each.moved_to is None]
    found = [each for each in found if state in ("all", each.state)]
    if "since" in given:
        found = [each for each in found if int(each.updated_at) >= _moment(given["since"])]
    if "creator" in given:
        found = [each for each in found if each.author.lower() == given["creator"].lower()]
    if given.get("labels"):
        wanted = {name.strip().lower() for name in given["labels"].split(",")}
        found = [each for each in found if wanted <= {name.lower() for name in each.labels}]
    keys = {
        "created": lambda each: (each.created_at, each.number),
        "updated": lambda each: (each.updated_at, each.number),
        "comments": lambda each: (len(each.comments), each.number),
    }
    found.sort(key=keys[sort], reverse=direction == "desc")
    return call.page(found, lambda each: _shape(call, each))


def create(call: Call) -> Reply:
    repo = call.repo()
    if not repo.has_issues:
        raise Refusal(messages.issues_disabled())
    fields = call.fields()
    title = _title(fields.get("title"))
    body = _body(fields.get("body"))
    issue = call.backend.open_issue(repo, title=title, body=body, author=call.login, app=call.app_id)
    for name in fields.get("labels") or []:
        call.backend.label_issue(issue, name if isinstance(name, str) else name["name"], by=call.login)
    shape = _shape(call, issue)
    return Reply(status=201, body=shape, headers={"location": shape["url"]})


def get(call: Call) -> Reply:
    return Reply(body=_shape(call, call.issue()))


def update(call: Call) -> Reply:
    issue = call.issue()
    fields = call.fields()
    title = _title(fields["title"]) if fields.get("title") is not None else None
    body = _body(fields["body"]) if "body" in fields else None
    state = fields.get("state", issue.state)
    if state not in ("open", "closed"):
        raise Refusal(messages.invalid("Issue", "state", "invalid"))
    call.backend.edit_issue(issue, by=call.login, title=title, body=body)
    call.backend.set_issue_state(issue, state, by=call.login, reason=fields.get("state_reason"))
    if "labels" in fields:
        names = [each if isinstance(each, str) else each["name"] for each in fields["labels"]]
        for name in [each for each in issue.labels if each not in names]:
            call.backend.unlabel_issue(issue, name, by=call.login)
        for name in names:
            call.backend.label_issue(issue, name, by=call.login)
    return Reply(body=_shape(call, issue))


def list_events(call: Call) -> Reply:
    issue = call.issue()
    repo = call.repo()
    return call.page(issue.events, lambda each: shapes.issue_event(each, repo, call.state, call.urls))


def _title(title: object) -> str:
    if not isinstance(title, str) or not title.strip():
        raise Refusal(messages.invalid("Issue", "title", "missing_field"))
    if len(title) > 256:
        raise Refusal(messages.invalid("Issue", "title", "custom", "title is too long (maximum is 256 characters)"))
    return title


def _body(body: object) -> str | None:
    if body is not None and not isinstance(body, str):
        raise Refusal(messages.invalid("Issue", "body", "invalid"))
    if body is not None and len(body) > MAX_BODY:
        message = f"body is too long (maximum is {MAX_BODY} characters)"
        raise Refusal(messages.invalid("Issue", "body", "custom", message))
    return body


def _moment(text: str) -> float:
    try:
        return parse_iso(text)
    except ValueError as error:
        raise Refusal(messages.invalid("Issue", "since", "invalid")) from error


def _shape(call: Call, issue: Issue) -> JSON:
    return shapes.issue(issue, call.backend.repo_of(issue), call.state, call.urls)


_READ, _WRITE = ("issues", "read"), ("issues", "write")
_ALL = "/repos/{owner}/{repo}/issues"
_ONE = "/repos/{owner}/{repo}/issues/{issue_number}"

ROUTES = (
    Route("GET", _ALL, "issues/list-for-repo", list_for_repo, needs=_READ),
    Route("POST", _ALL, "issues/create", create, needs=_WRITE),
    Route("GET", _ONE, "issues/get", get, needs=_READ),
    Route("PATCH", _ONE, "issues/update", update, needs=_WRITE),
    Route("GET", _ONE + "/events", "issues/list-events", list_events, needs=_READ),
)
