"""GraphQL, as far as REST has no word for it: hiding and showing a comment.

https://docs.github.com/en/graphql/reference/mutations#minimizecomment
"""

from __future__ import annotations

import re
from typing import Any

from tests.github.messages import Reply
from tests.github.routing import Call, Route
from tests.github.state import Comment, number_of

CLASSIFIERS = frozenset({"ABUSE", "DUPLICATE", "LOW_QUALITY", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"})
_MUTATION = re.compile(r"\b(minimizeComment|unminimizeComment)\s{0,10}\(")


def query(call: Call) -> Reply:
    """GraphQL answers 200 also when it refuses; `errors` says so."""
    fields = call.fields()
    found = _MUTATION.search(str(fields.get("query", "")))
    if found is None:
        return _error("UNKNOWN", "This fake answers minimizeComment and unminimizeComment only.")
    name = found.group(1)
    given = (fields.get("variables") or {}).get("input")
    if not isinstance(given, dict):
        return _error(
            "argumentLiteralsIncompatible", "Variable $input of type MinimizeCommentInput! was provided invalid value"
        )
    comment = _comment(call, str(given.get("subjectId", "")))
    if comment is None:
        return _error(
            "NOT_FOUND", f"Could not resolve to a node with the global id of '{given.get('subjectId')}'", name
        )
    if not call.identity.may("issues", "write"):
        return _error("FORBIDDEN", "Resource not accessible by integration", name)
    if name == "minimizeComment":
        classifier = given.get("classifier")
        if classifier not in CLASSIFIERS:
            return _error(
                "argumentLiteralsIncompatible", f"Expected {classifier!r} to be one of: {sorted(CLASSIFIERS)}"
            )
        comment.minimized = str(classifier)
    else:
        comment.minimized = None
    word = comment.minimized.lower() if comment.minimized else None
    shown = {"isMinimized": comment.minimized is not None, "minimizedReason": word}
    subject = "minimizedComment" if name == "minimizeComment" else "unminimizedComment"
    return Reply(body={"data": {name: {subject: shown}}})


def _comment(call: Call, node: str) -> Comment | None:
    number = number_of(node, "IC")
    if number is None:
        return None
    for repo in call.state.repos.values():
        found = call.backend.find_comment(repo, number)
        if found is not None and call.identity.sees(repo):
            return found[0]
    return None


def _error(kind: str, message: str, name: str | None = None) -> Reply:
    error: dict[str, Any] = {"type": kind, "message": message}
    if name is not None:
        error["path"] = [name]
    return Reply(body={"data": {name: None} if name else None, "errors": [error]})


ROUTES = (Route("POST", "/graphql", "", query),)
