"""A bare HTTP client for tests that look at the fake itself: no retries, no redirects, nothing hidden."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import jwt


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: Any

    def link(self, name: str) -> str | None:
        """The path and query of a relation in the `Link` header."""
        for part in self.headers.get("link", "").split(", "):
            address, _, relation = part.partition("; ")
            if relation == f'rel="{name}"':
                parts = urlsplit(address.strip("<>"))
                return f"{parts.path}?{parts.query}"
        return None


class Client:
    """One kept-alive connection with one credential. Raises OSError or http.client.HTTPException when it breaks."""

    def __init__(self, base: str, token: str | None = None, *, timeout: float = 10.0) -> None:
        parts = urlsplit(base)
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
        self._prefix = parts.path
        self.headers = {"User-Agent": "burn-triage-tests", "Accept": "application/vnd.github+json"}
        if token is not None:
            self.headers["Authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """`headers` are written with underscores: `if_none_match="…"`."""
        sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        raw = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        if raw is not None:
            sent["Content-Type"] = "application/json"
        self.connection.request(method, self._prefix + path, body=raw, headers=sent)
        response = self.connection.getresponse()
        received = response.read()
        shown = {name.lower(): value for name, value in response.getheaders()}
        is_json = shown.get("content-type", "").startswith("application/json")
        return Answer(
            status=response.status, headers=shown, body=json.loads(received) if is_json and received else received
        )


def assertion(app_id: int | str, private_key: str, *, issued: float = -60, lifetime: float = 300) -> str:
    """An app's JWT. `issued` is relative to now, `lifetime` to that, both in seconds."""
    issued_at = int(time.time() + issued)
    claims = {"iat": issued_at, "exp": issued_at + int(lifetime), "iss": str(app_id)}
    return jwt.encode(claims, private_key, algorithm="RS256")
