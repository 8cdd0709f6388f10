"""Between the server and Flask: a body comes whole, in time and within bounds, or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.web.gateway import Gateway

Environ = dict[str, Any]


class Headers(list[tuple[str, str]]):
    def items(self) -> list[tuple[str, str]]:
        return list(self)

    def get(self, name: str, default: str | None = None) -> str | None:
        return next((value for key, value in self if key == name), default)


@dataclass
class Scope:
    """The fields of granian's scope that are used."""

    headers: Headers = field(default_factory=Headers)
    proto: str = "http"
    method: str = "POST"
    path: str = "/hook"
    query_string: str = "a=b"
    server: str = "127.0.0.1:3000"
    client: str = "10.0.0.7:51000"
    scheme: str = "http"
    http_version: str = "1.1"


class Protocol:
    """A request body in chunks, and the answer that was given."""

    def __init__(self, *chunks: bytes, stalls: bool = False) -> None:
        self._chunks = chunks
        self._stalls = stalls
        self.taken = 0
        self.code = 0
        self.headers: list[tuple[str, str]] = []
        self.content = b""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._body()

    async def _body(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            self.taken += len(chunk)
            yield chunk
        if self._stalls:
            await asyncio.Event().wait()

    def response_bytes(self, code: int, headers: list[tuple[str, str]], content: bytes) -> None:
        assert not self.code, "answered twice"
        self.code, self.headers, self.content = code, headers, content


class App:
    """A WSGI app that keeps what it was given."""

    def __init__(self, *, fails: bool = False) -> None:
        self.environ: Environ = {}
        self.body = b""
        self.closed = 0
        self._fails = fails

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        if self._fails:
            raise RuntimeError("planted detail")
        self.environ = environ
        self.body = environ["wsgi.input"].read()
        start_response("201 Created", [("Content-Type", "text/plain"), ("X-Two", "2")])
        return Parts(self)


class Parts:
    def __init__(self, app: App) -> None:
        self._app = app

    def __iter__(self) -> Any:
        return iter([b"do", b"ne"])

    def close(self) -> None:
        self._app.closed += 1


def ask(gateway: Gateway, *requests: tuple[Scope, Protocol]) -> None:
    async def all_at_once() -> None:
        gateway.__rsgi_init__(asyncio.get_running_loop())
        await asyncio.gather(*(gateway.__rsgi__(scope, protocol) for scope, protocol in requests))  # type: ignore[arg-type]

    asyncio.run(all_at_once())
    gateway.close()


def test_the_app_gets_the_whole_body_and_its_answer_goes_back() -> None:
    app = App()
    protocol = Protocol(b"Hello, ", b"World!")
    ask(Gateway(app), (Scope(), protocol))
    assert app.body == b"Hello, World!"
    assert (protocol.code, protocol.content) == (201, b"done")
    assert protocol.headers == [("content-type", "text/plain"), ("x-two", "2")]
    assert app.closed == 1


def test_the_request_is_described_as_wsgi_wants_it() -> None:
    app = App()
    headers = Headers([("content-type", "application/json"), ("content-length", "999"), ("x-github-event", "issues")])
    ask(Gateway(app), (Scope(headers=headers, path="/hook/é"), Protocol(b"{}")))
    environ = app.environ
    assert environ["REQUEST_METHOD"] == "POST"
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/hook/é"
    assert environ["QUERY_STRING"] == "a=b"
    assert environ["CONTENT_TYPE"] == "application/json"
    assert environ["HTTP_X_GITHUB_EVENT"] == "issues"
    assert environ["CONTENT_LENGTH"] == "2"
    assert environ["REMOTE_ADDR"] == "10.0.0.7"
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("127.0.0.1", "3000")


def test_a_header_cannot_pass_for_another_or_be_given_twice_unseen() -> None:
    app = App()
    headers = Headers([("x-hub-signature-256", "one"), ("x_hub_signature_256", "two"), ("x-twice", "a")])
    headers.append(("x-twice", "b"))
    ask(Gateway(app), (Scope(headers=headers), Protocol()))
    assert app.environ["HTTP_X_HUB_SIGNATURE_256"] == "one"
    assert app.environ["HTTP_X_TWICE"] == "a,b"


def test_a_body_over_the_cap_is_cut_where_the_app_can_still_see_it() -> None:
    app = App()
    ask(Gateway(app, max_body=10), (Scope(), Protocol(b"x" * 7, b"x" * 7)))
    assert app.body == b"x" * 11


def test_an_endless_body_is_read_for_twice_the_cap_and_no_further() -> None:
    app = App()
    protocol = Protocol(*[b"x" * 5] * 1000)
    ask(Gateway(app, max_body=10), (Scope(), protocol))
    assert protocol.taken == 25
    assert protocol.code == 201


def test_a_body_that_stalls_is_given_up_and_the_connection_closed() -> None:
    app = App()
    protocol = Protocol(b"half", stalls=True)
    ask(Gateway(app, body_seconds=0.02), (Scope(), protocol))
    assert protocol.code == 408
    assert ("connection", "close") in protocol.headers
    assert json.loads(protocol.content)["status"] == "error"
    assert app.environ == {}


def test_stalled_bodies_keep_nobody_waiting() -> None:
    stalled = [(Scope(), Protocol(b"half", stalls=True)) for _ in range(50)]
    quick = Protocol(b"whole")
    ask(Gateway(App(), body_seconds=0.1, threads=1), *stalled, (Scope(), quick))
    assert quick.code == 201
    assert {protocol.code for _, protocol in stalled} == {408}


def test_bodies_that_would_fill_the_memory_are_refused_and_room_is_made_again() -> None:
    gateway = Gateway(App(), max_body=10, max_held=25, body_seconds=0.1)
    big = [(Scope(), Protocol(b"x" * 10, stalls=True)) for _ in range(3)]
    afterwards = Protocol(b"x" * 10)

    async def then() -> None:
        gateway.__rsgi_init__(asyncio.get_running_loop())
        await asyncio.gather(*(gateway.__rsgi__(scope, protocol) for scope, protocol in big))  # type: ignore[arg-type]
        await gateway.__rsgi__(Scope(), afterwards)  # type: ignore[arg-type]

    asyncio.run(then())
    gateway.close()
    assert sorted(protocol.code for _, protocol in big) == [408, 408, 503]
    refused = next(protocol for _, protocol in big if protocol.code == 503)
    assert ("retry-after", "30") in refused.headers
    assert afterwards.code == 201


def test_stopping_does_not_wait_for_bodies_that_are_still_on_their_way() -> None:
    gateway = Gateway(App(), body_seconds=3600)
    protocol = Protocol(b"half", stalls=True)

    async def stopped_meanwhile() -> None:
        gateway.__rsgi_init__(asyncio.get_running_loop())
        asyncio.get_running_loop().call_later(0.02, gateway.stop_waiting)
        async with asyncio.timeout(60):
            await gateway.__rsgi__(Scope(), protocol)  # type: ignore[arg-type]

    asyncio.run(stopped_meanwhile())
    gateway.stop_waiting()
    gateway.close()
    assert protocol.code == 408


def test_an_app_that_fails_is_a_short_500() -> None:
    protocol = Protocol(b"x")
    ask(Gateway(App(fails=True)), (Scope(), protocol))
    assert protocol.code == 500
    assert b"planted" not in protocol.content


def test_a_websocket_is_left_alone() -> None:
    protocol = Protocol()
    ask(Gateway(App()), (Scope(proto="ws"), protocol))
    assert protocol.code == 0
