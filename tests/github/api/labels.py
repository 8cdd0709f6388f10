"""Labels of the repository and of issues, and pending label suggestions.

https://docs.github.com/en/rest/issues/labels. Suggestions are known from GitHub's API description only: an entry
with `"suggest": true` is stored for a person to approve or dismiss. What the real server answers to a suggestion of
a label that the repository lacks is not written there; this fake refuses it (422).
"""

from __future__ import annotations

from typing import Any

from tests.github import messages, shapes
from tests.github.backend import SuggestionMode
from tests.github.messages import Refusal, Reply
from tests.github.routing import Call, Route
from tests.github.state import Issue, Suggestion

CONFIDENCES = ("low", "medium", "high")
_SUGGESTION_STATES = ("pending", "applied", "approved", "dismissed", "replaced", "invalidated", "all")


def list_for_repo(call: Call) -> Reply:
    repo = call.repo()
    return call.page(repo.labels, lambda each: shapes.label(each, repo, call.urls))


def list_on_issue(call: Call) -> Reply:
    issue = call.issue()
    repo = call.repo()
    found = [each for each in map(repo.label, issue.labels) if each]
    return call.page(found, lambda each: shapes.label(each, repo, call.urls))


def add(call: Call) -> Reply:
    """Applies plain entries, stores suggested ones; answers with the labels that are on the issue now."""
    issue = call.issue()
    body = call.request.json()
    entries = body.get("labels") if isinstance(body, dict) else body
    if not isinstance(entries, list) or not entries:
        raise Refusal(messages.invalid("Label", "labels", "missing_field"))
    wanted = [_entry(call, each) for each in entries]
    mode = call.backend.suggestion_mode
    for entry in wanted:
        if entry.get("suggest") and mode is not SuggestionMode.APPLY:
            _suggest(call, issue, entry)
        else:
            call.backend.label_issue(issue, entry["name"], by=call.login)
    return list_on_issue(call)


def remove(call: Call) -> Reply:
    issue = call.issue()
    if not call.backend.unlabel_issue(issue, call.params["name"], by=call.login):
        raise Refusal(messages.say(404, "Label does not exist"))
    return list_on_issue(call)


def list_suggestions(call: Call) -> Reply:
    issue = _suggestible(call)
    state = call.request.parameters().get("state", "pending")
    if state not in _SUGGESTION_STATES:
        raise Refusal(messages.invalid("IssueSuggestion", "state", "invalid"))
    found = [each for each in issue.suggestions if state in ("all", each.state)]
    return call.page(found, lambda each: shapes.suggestion(each, issue, call.repo(), call.state))


def approve(call: Call) -> Reply:
    issue, suggestion = _pending(call)
    call.backend.label_issue(issue, suggestion.label, by=call.login)
    return _resolve(call, issue, suggestion, "approved")


def dismiss(call: Call) -> Reply:
    issue, suggestion = _pending(call)
    return _resolve(call, issue, suggestion, "dismissed")


def _entry(call: Call, value: Any) -> dict[str, Any]:
    """One label as an object. Raises Refusal (422), before anything is stored."""
    entry = {"name": value} if isinstance(value, str) else value
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        raise Refusal(messages.invalid("Label", "name", "missing_field"))
    if call.backend.suggestion_mode is SuggestionMode.REFUSE and not isinstance(value, str):
        message = f"Invalid request.\n\nFor 'items', {value!r} is not a string."
        raise Refusal(messages.say(422, message))
    if entry.get("confidence") not in (None, *CONFIDENCES):
        raise Refusal(messages.invalid("Label", "confidence", "invalid"))
    if (
        entry.get("suggest")
        and call.backend.suggestion_mode is SuggestionMode.NATIVE
        and call.repo().label(entry["name"]) is None
    ):
        raise Refusal(messages.invalid("Label", "name", "invalid"))
    return entry


def _suggest(call: Call, issue: Issue, entry: dict[str, Any]) -> None:
    """A second pending suggestion of the same label replaces the first; one already on the issue needs none."""
    label = call.repo().label(entry["name"])
    name = label.name if label else entry["name"]
    if name in issue.labels:
        return
    now = call.backend.now()
    for earlier in issue.suggestions:
        if earlier.label == name and earlier.state == "pending":
            earlier.state, earlier.updated_at = "replaced", now
    issue.suggestions.append(
        Suggestion(
            id=call.state.next_id(),
            label=name,
            rationale=entry.get("rationale"),
            confidence=entry.get("confidence"),
            actor=call.login,
            created_at=now,
            updated_at=now,
        )
    )


def _suggestible(call: Call) -> Issue:
    issue = call.issue()
    if call.backend.suggestion_mode is not SuggestionMode.NATIVE or issue.pull_request:
        raise Refusal(messages.not_found())
    return issue


def _pending(call: Call) -> tuple[Issue, Suggestion]:
    issue = _suggestible(call)
    number = call.number("suggestion_id")
    found = next((each for each in issue.suggestions if each.id == number), None)
    if found is None:
        raise Refusal(messages.not_found())
    if found.state != "pending":
        raise Refusal(messages.invalid("IssueSuggestion", "state", "invalid"))
    return issue, found


def _resolve(call: Call, issue: Issue, suggestion: Suggestion, state: str) -> Reply:
    suggestion.state, suggestion.resolved_by = state, call.login
    suggestion.updated_at = call.backend.now()
    return Reply(body=shapes.suggestion(suggestion, issue, call.repo(), call.state))


_READ, _WRITE = ("issues", "read"), ("issues", "write")
_LABELS = "/repos/{owner}/{repo}/issues/{issue_number}/labels"
_SUGGESTIONS = "/repos/{owner}/{repo}/issues/{issue_number}/suggestions"

ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/labels", "issues/list-labels-for-repo", list_for_repo, needs=_READ),
    Route("GET", _LABELS, "issues/list-labels-on-issue", list_on_issue, needs=_READ),
    Route("POST", _LABELS, "issues/add-labels", add, needs=_WRITE),
    Route("DELETE", _LABELS + "/{name}", "issues/remove-label", remove, needs=_WRITE),
    Route("GET", _SUGGESTIONS, "issues/list-suggestions", list_suggestions, needs=_WRITE),
    Route("POST", _SUGGESTIONS + "/{suggestion_id}/approve", "issues/approve-suggestion", approve, needs=_WRITE),
    Route("POST", _SUGGESTIONS + "/{suggestion_id}/dismiss", "issues/dismiss-suggestion", dismiss, needs=_WRITE),
)
