"""One request and one reply, and GitHub's ways of saying no.

The wording follows https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api and
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: clients tell limits apart by it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True, kw_only=True)
class Request:
    method: str
    path: str
    """Decoded path without the prefix of GitHub Enterprise, e.g. `/repos/tracel-ai/burn`."""
    raw_path: str
    """As it was sent: still encoded, with prefix, without query."""
    quoted: str = ""
    """`path`, still encoded: a label's name may hold a slash."""
    prefix: str = ""
    """`/api/v3` on GitHub Enterprise."""
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    """Names in lower case."""
    raw: bytes = b""

    def parameters(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, keep_blank_values=True))

    def json(self) -> Any:
        """The decoded body, None when there is none. Raises Refusal (400)."""
        if not self.raw.strip():
            return None
        try:
            return json.loads(self.raw)
        except ValueError as error:
            raise Refusal(say(400, "Problems parsing JSON")) from error


@dataclass(kw_only=True)
class Reply:
    status: int = 200
    body: Any = None
    """JSON; bytes are sent as they are; None sends nothing."""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Close the connection in the middle of it."""

    def content(self) -> bytes:
        if self.body is None:
            return b""
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":")).encode()


class Refusal(Exception):
    """The request ends here with this reply; nothing was stored."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status}")
        self.reply = reply


def say(status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any) -> Reply:
    body = {"message": message, **more, "documentation_url": DOCS, "status": str(status)}
    return Reply(status=status, body=body, headers=dict(headers or {}))


def not_found() -> Reply:
    return say(404, "Not Found")


def deleted() -> Reply:
    return say(410, "This issue was deleted")


def issues_disabled() -> Reply:
    return say(410, "Issues has been disabled in this repository.")


def locked() -> Reply:
    return say(403, "Unable to create comment because issue is locked.")


def archived() -> Reply:
    return say(403, "Repository was archived so is read-only.")


def bad_credentials() -> Reply:
    return say(401, "Bad credentials")


def requires_authentication() -> Reply:
    return say(401, "Requires authentication")


def not_accessible(kind: str = "integration") -> Reply:
    """A permission is missing. `kind` is `integration` or `personal access token`."""
    return say(403, f"Resource not accessible by {kind}")


def moved(location: str) -> Reply:
    """https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects"""
    return say(301, "Moved Permanently", headers={"Location": location}, url=location)


def invalid(resource: str, field_: str, code: str, message: str | None = None) -> Reply:
    """422 with one entry in `errors`."""
    error = {"resource": resource, "code": code, "field": field_}
    return say(422, "Validation Failed", errors=[error | ({"message": message} if message else {})])


def secondary_limit(retry_after: int | None = 60) -> Reply:
    headers = {"retry-after": str(retry_after)} if retry_after is not None else {}
    return say(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        headers=headers,
    )


def too_many_requests(retry_after: int | None = None) -> Reply:
    headers = {"retry-after": str(retry_after)} if retry_after is not None else {}
    return say(429, "You have exceeded a secondary rate limit. Please wait a few minutes.", headers=headers)


def rate_limit_exceeded(reset: float, *, limit: int = 5000, who: str = "installation ID 1") -> Reply:
    headers = {
        "x-ratelimit-limit": str(limit),
        "x-ratelimit-remaining": "0",
        "x-ratelimit-used": str(limit),
        "x-ratelimit-reset": str(int(reset)),
        "x-ratelimit-resource": "core",
    }
    return say(403, f"API rate limit exceeded for {who}.", headers=headers)


def server_error(status: int) -> Reply:
    """Below 502 GitHub answers JSON, a gateway in front of it answers HTML."""
    if status in (502, 504):
        return Reply(status=status, body=b"<html><body>Unicorn!</body></html>", headers={"content-type": "text/html"})
    return Reply(status=status, body={"message": "Server Error", "documentation_url": DOCS, "status": str(status)})
