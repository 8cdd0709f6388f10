"""One request from arrival to answer: prefix, faults, endpoint, limits, the log of writes, the contract.

https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api
"""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from email.utils import formatdate
from typing import Protocol
from urllib.parse import unquote

from tests.github import messages
from tests.github.api import ROUTES
from tests.github.auth import NOBODY, Identity, authenticate
from tests.github.backend import Backend
from tests.github.faults import Fault, Faults
from tests.github.messages import Refusal, Reply, Request
from tests.github.routing import SAFE_METHODS, Route, Router, answer
from tests.github.shapes import Urls
from tests.github.writes import Write, Writes

ENTERPRISE_PREFIXES = ("/api/v3", "/api")


class Judge(Protocol):
    """Whoever compares requests and replies with GitHub's own description."""

    def check(self, route: Route, params: dict[str, str], request: Request, reply: Reply) -> None: ...


class Front:
    """What the HTTP server hands every request to. Thread safe."""

    def __init__(self, backend: Backend, judge: Judge | None = None) -> None:
        self.backend = backend
        self.faults = Faults()
        self.writes = Writes()
        self.unknown: list[str] = []
        """Requests for endpoints that this fake does not have."""
        self.crashes: list[str] = []
        """Tracebacks of the fake's own mistakes."""
        self.stopping = threading.Event()
        self.changed = threading.Condition()
        """Notified after every request."""
        self._judge = judge
        self._router = Router(ROUTES)

    def handle(self, request: Request, base: str) -> Reply | None:
        """The answer; None: close the connection without one. `base` is the address of this server."""
        request = self._inside(request)
        fault = self.faults.take(request)
        reply = self._handle(request, base, fault)
        with self.changed:
            self.changed.notify_all()
        if fault is not None and fault.delay:
            self.stopping.wait(fault.delay)
        return reply

    def _handle(self, request: Request, base: str, fault: Fault | None) -> Reply | None:
        found = self._router.find(request)
        if found is None:
            return self._unknown(request)
        route, params = found
        true: Reply | None = None
        identity = NOBODY
        if fault is None or fault.stores:
            urls = Urls(api=base + request.prefix, web=self.backend.web)
            true, identity = self._answer(route, params, request, urls)
        shown = fault.reply(self.backend.now()) if fault is not None and fault.reply is not None else true
        if fault is not None and fault.drop:
            shown = None
        if route.writes:
            self._log(request, route.operation, true=true, shown=shown, identity=identity, fault=fault)
        if shown is None:
            return None
        if self._judge is not None and route.operation:
            self._judge.check(route, params, request, shown)
        self._dress(shown, request, identity)
        return dataclasses.replace(shown, cut=True) if fault is not None and fault.cut else shown

    def _answer(self, route: Route, params: dict[str, str], request: Request, urls: Urls) -> tuple[Reply, Identity]:
        identity = NOBODY
        with self.backend.lock:
            try:
                identity = authenticate(self.backend, request)
                return answer(self.backend, route, params, request, identity, urls), identity
            except Refusal as refusal:
                return refusal.reply, identity

    def _unknown(self, request: Request) -> Reply:
        self.unknown.append(f"{request.method} {request.path}")
        if request.method not in SAFE_METHODS:
            self._log(request, "", true=None, shown=messages.not_found(), identity=NOBODY, fault=None)
        return messages.not_found()

    def _inside(self, request: Request) -> Request:
        """The request as github.com would see it: no prefix, and `/repositories/{id}` as the repository's name."""
        path, prefix = request.raw_path, ""
        for known in ENTERPRISE_PREFIXES:
            if path == known or path.startswith(known + "/"):
                path, prefix = path[len(known) :] or "/", known
                break
        head, _, rest = path.removeprefix("/repositories/").partition("/")
        if path.startswith("/repositories/") and head.isascii() and head.isdigit():
            with self.backend.lock:
                repo = self.backend.state.repo_by_id(int(head))
            if repo is not None:
                path = f"/repos/{repo.full_name}" + (f"/{rest}" if rest else "")
        return dataclasses.replace(request, path=unquote(path), quoted=path, prefix=prefix)

    def _log(
        self,
        request: Request,
        operation: str,
        *,
        true: Reply | None,
        shown: Reply | None,
        identity: Identity,
        fault: Fault | None,
    ) -> None:
        try:
            body = request.json()
        except Refusal:
            body = request.raw.decode(errors="replace")
        self.writes.append(
            Write(
                method=request.method,
                path=request.path,
                operation=operation,
                body=body,
                status=shown.status if shown else None,
                stored=true is not None and _took_effect(true),
                result=true.body if true else None,
                at=self.backend.now(),
                login=identity.login,
                fault=fault.name if fault else None,
            )
        )

    def _dress(self, reply: Reply, request: Request, identity: Identity) -> None:
        """The headers that GitHub sends with everything, and 304 for what the caller has already."""
        rate = self.backend.rate
        now = self.backend.now()
        content = reply.content()
        headers = {
            "date": formatdate(now, usegmt=True),
            "server": "github.com",
            "x-github-media-type": "github.v3; format=json",
            "x-github-api-version-selected": "2022-11-28",
            "x-github-request-id": hashlib.sha256(f"{id(reply)}{now}".encode()).hexdigest()[:16].upper(),
        }
        if reply.status != 204:
            headers["content-type"] = "application/json; charset=utf-8"
        if request.method in SAFE_METHODS and reply.status == 200:
            headers["etag"] = 'W/"' + hashlib.sha256(content).hexdigest() + '"'
            if request.headers.get("if-none-match") == headers["etag"]:
                reply.status, reply.body = 304, None
        with self.backend.lock:
            if reply.status != 304 and request.path != "/rate_limit":
                rate.count(identity.who, now)
            used, reset = rate.look(identity.who, now)
        headers |= {
            "x-ratelimit-limit": str(rate.limit),
            "x-ratelimit-remaining": str(max(0, rate.limit - used)),
            "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str(int(reset)),
            "x-ratelimit-resource": "core",
        }
        reply.headers = headers | reply.headers


def _took_effect(reply: Reply) -> bool:
    """GraphQL refuses with a 200 and `errors`."""
    return reply.status < 300 and not (isinstance(reply.body, dict) and "errors" in reply.body)
