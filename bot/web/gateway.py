"""Between granian and Flask: takes in the whole body first, bounded in size and time, then calls Flask in a thread.

Behind granian's own WSGI interface a thread waits for the body. A client that stops half-way holds that thread for as
long as it likes: sixteen such clients silenced the receiver, a single one kept SIGTERM from ending the process. Here a
waiting body costs a coroutine, and is given up after `BODY_SECONDS`.
RSGI is granian's native interface: https://github.com/emmett-framework/granian/blob/master/docs/spec/RSGI.md
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog
from granian._granian import RSGIHTTPProtocol
from granian.rsgi import Scope

from bot.web.body import MAX_BODY

BODY_SECONDS = 10.0
"""GitHub itself hangs up after ten seconds."""

REQUEST_THREADS = 16
"""Requests are short, but one may wait seconds for the store."""

MAX_HELD = 16 * MAX_BODY
"""Bytes of all bodies in memory at once. Nobody has vouched for most of them yet."""

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Answer = tuple[int, list[tuple[str, str]], bytes]

_log = structlog.get_logger(__name__)


class _Full(Exception):
    """No room for more bodies."""


class Gateway:
    """One WSGI app as granian's RSGI target. `close` it when the server has stopped."""

    def __init__(
        self,
        app: Wsgi,
        *,
        max_body: int = MAX_BODY,
        max_held: int = MAX_HELD,
        body_seconds: float = BODY_SECONDS,
        threads: int = REQUEST_THREADS,
    ) -> None:
        self._app = app
        self._max_body = max_body
        self._max_held = max_held
        self._body_seconds = body_seconds
        self._held = 0
        self._reading: set[asyncio.Timeout] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="request")

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def stop_waiting(self) -> None:
        """Give the bodies that are still on their way one more second. From any thread or signal handler."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hurry)

    def _hurry(self) -> None:
        self._body_seconds = min(self._body_seconds, 1.0)
        for limit in self._reading:
            limit.reschedule(asyncio.get_running_loop().time() + self._body_seconds)

    def close(self) -> None:
        """Wait for the requests in hand."""
        self._pool.shutdown()

    async def __rsgi__(self, scope: Scope, protocol: RSGIHTTPProtocol) -> None:
        if scope.proto != "http":
            return
        body = bytearray()
        try:
            await self._read_in_time(protocol, body)
            loop = asyncio.get_running_loop()
            code, headers, content = await loop.run_in_executor(self._pool, self._call, scope, bytes(body))
        except TimeoutError:
            code, headers, content = _short(408, "The body did not arrive in time.")
        except _Full:
            code, headers, content = _short(503, "Too many large requests at once: redeliver it later.")
        finally:
            self._held -= len(body)
        protocol.response_bytes(code, headers, content)

    async def _read_in_time(self, protocol: RSGIHTTPProtocol, body: bytearray) -> None:
        async with asyncio.timeout(self._body_seconds) as limit:
            self._reading.add(limit)
            try:
                await self._read(protocol, body)
            finally:
                self._reading.discard(limit)

    async def _read(self, protocol: RSGIHTTPProtocol, body: bytearray) -> None:
        """Fill `body` up to one byte over the cap: enough for the app to see that it is too long.

        Twice the cap is read and thrown away: a client that is still sending would see a broken connection, not the
        answer.
        """
        length = 0
        async for chunk in protocol:
            kept = chunk[: self._max_body + 1 - len(body)]
            if self._held + len(kept) > self._max_held:
                raise _Full
            self._held += len(kept)
            body += kept
            length += len(chunk)
            if length > 2 * self._max_body:
                return

    def _call(self, scope: Scope, body: bytes) -> Answer:
        code, headers = 500, [("content-type", "text/plain")]

        def start_response(status: str, given: list[tuple[str, str]], _error: object = None) -> None:
            nonlocal code, headers
            code = int(status[:3])
            headers = [(name.lower(), value) for name, value in given]

        try:
            parts = self._app(_environ(scope, body), start_response)
            try:
                return code, headers, b"".join(parts)
            finally:
                getattr(parts, "close", lambda: None)()
        except Exception:
            _log.exception("the app failed")
            return _short(500, "Something failed here; it has been logged. Redeliver it later.")


def _short(code: int, message: str) -> Answer:
    headers = [("content-type", "application/json"), ("connection", "close")]
    if code == 503:
        headers.append(("retry-after", "30"))
    return code, headers, f'{{"status":"error","message":"{message}"}}\n'.encode()


def _environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """https://peps.python.org/pep-3333/#environ-variables"""
    host, _, port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        # With "_" a header could pass for another one: both spellings become the same variable.
        if "_" in name or name in ("content-type", "content-length"):
            continue
        key = f"HTTP_{name.upper().replace('-', '_')}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    environ["CONTENT_TYPE"] = scope.headers.get("content-type") or ""
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ
