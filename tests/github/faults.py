"""Faults that a test can script: which request fails, how, how often, before or after the change is stored.

    gh.faults.add("POST", "/repos/*/*/issues/*/comments", server_error(502, after_storing=True))

In a path `*` (or `{anything}`) stands for one segment and `**` for any rest; the prefix of GitHub Enterprise does
not count.
"""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

from tests.github import messages
from tests.github.messages import Reply, Request

MakeReply = Callable[[float], Reply]
"""From the fake's time (unix seconds) to what is answered."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    name: str
    reply: MakeReply | None = None
    """None: the true answer."""
    after_storing: bool = False
    """The request takes effect first."""
    drop: bool = False
    """The connection is closed without an answer."""
    cut: bool = False
    """The connection is closed in the middle of the answer."""
    delay: float = 0.0
    """Seconds between the effect and the answer."""

    @property
    def stores(self) -> bool:
        """Whether the request takes effect."""
        return self.after_storing or (self.reply is None and not self.drop)

    def delayed(self, seconds: float) -> Fault:
        return dataclasses.replace(self, delay=seconds)


def server_error(status: int = 502, *, after_storing: bool = False) -> Fault:
    """500, 502, 503 or 504."""
    return Fault(name=f"{status}", reply=lambda _now: messages.server_error(status), after_storing=after_storing)


def dropped(*, after_storing: bool = False) -> Fault:
    return Fault(name="dropped connection", drop=True, after_storing=after_storing)


def cut_short() -> Fault:
    """The request takes effect and half of the answer arrives."""
    return Fault(name="cut short", cut=True)


def slow(seconds: float) -> Fault:
    """The request takes effect at once; the true answer comes late."""
    return Fault(name="slow", delay=seconds)


def secondary_limit(retry_after: int | None = 60) -> Fault:
    return Fault(name="secondary limit", reply=lambda _now: messages.secondary_limit(retry_after))


def too_many_requests(retry_after: int | None = None) -> Fault:
    return Fault(name="429", reply=lambda _now: messages.too_many_requests(retry_after))


def rate_limit_exhausted(reset_in: float = 3600.0) -> Fault:
    """For one request. `FakeGitHub.exhaust_rate_limit` does it for all until the time comes."""
    return Fault(name="rate limit", reply=lambda now: messages.rate_limit_exceeded(now + reset_in))


def bad_credentials() -> Fault:
    return _answers("401", messages.bad_credentials())


def not_found() -> Fault:
    return _answers("404", messages.not_found())


def gone() -> Fault:
    return _answers("410", messages.deleted())


def locked() -> Fault:
    return _answers("locked", messages.locked())


def forbidden() -> Fault:
    """A permission was withdrawn."""
    return _answers("403", messages.not_accessible())


def moved(location: str) -> Fault:
    """301; `location` is a whole address."""
    return _answers("301", messages.moved(location))


def unprocessable(resource: str = "IssueComment", field: str = "data", code: str = "unprocessable") -> Fault:
    return _answers("422", messages.invalid(resource, field, code))


def _answers(name: str, reply: Reply) -> Fault:
    return Fault(name=name, reply=lambda _now: dataclasses.replace(reply, headers=dict(reply.headers)))


class Rule:
    """One scripted fault and how often it struck."""

    def __init__(self, method: str, path: str, fault: Fault, *, skip: int, times: int | None) -> None:
        self.method = method
        self.path = path
        self.fault = fault
        self.hits = 0
        self._skip = skip
        self._left = times
        self._pattern = compile_path(path)

    def strikes(self, request: Request) -> bool:
        """Whether this request is hit; counts it."""
        if self._left == 0 or self.method not in ("*", request.method):
            return False
        if not self._pattern.fullmatch(request.path):
            return False
        if self._skip > 0:
            self._skip -= 1
            return False
        if self._left is not None:
            self._left -= 1
        self.hits += 1
        return True


class Faults:
    """The script of one fake. Thread safe."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()

    def add(self, method: str, path: str, fault: Fault, *, skip: int = 0, times: int | None = 1) -> Rule:
        """Let `fault` strike the matching requests after the first `skip`, `times` times (None: for good)."""
        rule = Rule(method.upper(), path, fault, skip=skip, times=times)
        with self._lock:
            self._rules.append(rule)
        return rule

    def take(self, request: Request) -> Fault | None:
        """The fault that hits this request: of several rules the one added first."""
        with self._lock:
            return next((rule.fault for rule in self._rules if rule.strikes(request)), None)

    def clear(self) -> None:
        with self._lock:
            self._rules.clear()


def compile_path(path: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*|\*|\{\w+\})", path)
    words = {"**": ".*"}
    return re.compile(
        "".join(words.get(piece, "[^/]+") if index % 2 else re.escape(piece) for index, piece in enumerate(pieces))
    )
