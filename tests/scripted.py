"""A GitHub of few words: answers what a test told it to, over real HTTP, and remembers every request.

For faults and for what exactly is sent. Stories about state belong to the stateful fake. The rest are the requests,
answers and repositories that the tests of `bot.github` start from.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.github.client import build_github
from bot.github.port import GitHub, Repository

REPO = "tracel-ai/burn"
ISSUE = f"/repos/{REPO}/issues/7"
COMMENTS = f"{ISSUE}/comments"
TOKENS = "/app/installations/42/access_tokens"
PERSON = {"login": "octocat", "type": "User"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int = 200
    body: Any = None
    """JSON, or bytes as they are."""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    """Close the connection instead of answering, after the request was read."""
    delay_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Sent:
    method: str
    path: str
    """Still quoted, without the query."""
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class ScriptedGitHub:
    """`on` lines up the answers of one method and path; the last one is given again and again."""

    def __init__(self) -> None:
        self.url = ""
        self.sent: list[Sent] = []
        self.unscripted: list[str] = []
        self._answers: dict[tuple[str, str], list[Answer]] = defaultdict(list)
        self._lock = threading.Lock()

    def on(self, method: str, path: str, *answers: Answer | Any) -> None:
        """Answers that are not `Answer`s are the JSON of a 200."""
        ready = [each if isinstance(each, Answer) else Answer(body=each) for each in answers]
        self._answers[method, path].extend(ready)

    def requests(self, method: str | None = None, path: str | None = None) -> list[Sent]:
        return [each for each in self.sent if method in (None, each.method) and path in (None, each.path)]

    def answer(self, sent: Sent) -> Answer:
        with self._lock:
            self.sent.append(sent)
            answers = self._answers.get((sent.method, sent.path))
            if not answers:
                self.unscripted.append(f"{sent.method} {sent.path}")
                return Answer(status=418, body={"message": "not in the script"})
            return answers.pop(0) if len(answers) > 1 else answers[0]


@contextmanager
def scripted_github() -> Iterator[ScriptedGitHub]:
    """A server on a free loopback port. A request that is not in the script fails the test at the end."""
    github = ScriptedGitHub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Unbuffered answers cost 40 ms each.
        wbufsize = -1

        def log_message(self, format: str, *args: Any) -> None:
            """Silence."""

        def handle_any(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = urlsplit(self.path)
            answer = github.answer(
                Sent(
                    method=self.command,
                    path=parts.path,
                    query=dict(parse_qsl(parts.query)),
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=json.loads(raw) if raw else None,
                )
            )
            time.sleep(answer.delay_seconds)
            if answer.drop:
                self.close_connection = True
                return
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            if answer.body is None:
                body = b""
            self.send_response(answer.status)
            for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
                self.send_header(name, value.replace("{url}", github.url))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any  # noqa: N815 - http.server's names

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    github.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert github.unscripted == []


@functools.cache
def private_key() -> rsa.RSAPrivateKey:
    """One key a process: making one takes a tenth of a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_key_pem() -> str:
    return (
        private_key()
        .private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
        .decode()
    )


def grant(token: str = "ghs_one", minutes: float = 60) -> Answer:
    ends = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=minutes)
    return Answer(status=201, body={"token": token, "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%SZ")})


def comment(number: int = 1, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": number,
        "body": f"comment {number}",
        "user": PERSON,
        "performed_via_github_app": None,
        "html_url": f"https://github.com/{REPO}/issues/7#issuecomment-{number}",
        "url": f"https://api.github.com/repos/{REPO}/issues/comments/{number}",
    }
    return fields | changes


def with_token(server: ScriptedGitHub, **options: Any) -> Repository:
    fields: dict[str, Any] = {
        "api_url": server.url,
        "token": "ghp_x",
        "seconds_between_writes": 0.0,
        "timeout_seconds": 1,
    }
    return build_github(**(fields | options)).repository(REPO, installation=None)


def app_github(server: ScriptedGitHub, app_id: str = "123", **options: Any) -> GitHub:
    fields: dict[str, Any] = {"api_url": server.url, "seconds_between_writes": 0.0, "timeout_seconds": 1}
    return build_github(app_id=app_id, private_key=private_key_pem(), **(fields | options))


def as_app(server: ScriptedGitHub, app_id: str = "123", **options: Any) -> Repository:
    return app_github(server, app_id, **options).repository(REPO, installation=42)
