"""Serves the app from this very process: receiver and worker threads live and die together.

Granian's ordinary server forks a worker process. A `kill -9` of the parent would leave that child behind, holding the
port and answering 202 with no worker left to do the work. Its thread server (`MTServer`) is made for Python without a
global lock and refuses to run on an ordinary one. That refusal is about speed only: what takes time here is the store,
and it waits without the lock. `tests/test_web_server.py` runs it, so that an upgrade of granian (pinned for this
reason) that breaks it is noticed.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import structlog
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.common import AbstractServer
from granian.server.mt import MTServer

from bot.web.gateway import Gateway, Wsgi

_BACKLOG = 1024
_HEADERS_TIMEOUT_MS = 10_000

_log = structlog.get_logger(__name__)


class CannotListen(Exception):
    """The address cannot be used. The message says which and why."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 picks a free one. Raises `CannotListen`."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host} port {port}: {error.strerror or error}") from error


def address(listener: socket.socket) -> str:
    """`http://HOST:PORT` as others on this machine reach it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(app: Wsgi, listener: socket.socket, *, on_start: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT: then take no more requests, finish those in hand, and return.

    `on_start` is called once signals are heeded. To be called from the main thread, where Python delivers signals.
    `listener` is closed at the end.
    """
    gateway = Gateway(app)
    try:
        server = _InProcessServer(listener, gateway)
        server.on_startup(on_start)
        server.serve_until_stopped()
    finally:
        listener.close()
        gateway.close()


class _InProcessServer(MTServer):
    def __init__(self, listener: socket.socket, gateway: Gateway) -> None:
        host, port = listener.getsockname()[:2]
        super().__init__(
            "bot.web.gateway",
            address=host,
            port=port,
            interface=Interfaces.RSGI,
            workers=1,
            backlog=_BACKLOG,
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(header_read_timeout=_HEADERS_TIMEOUT_MS),
            websockets=False,
            log_level=LogLevels.warning,
            # Granian would set up logging of its own; this leaves ours as it is.
            log_dictconfig={"incremental": True, "formatters": {}, "handlers": {}, "loggers": {}},
        )
        self._listener = listener
        self._gateway = gateway

    def serve_until_stopped(self) -> None:
        def load(*_args: Any, **_options: Any) -> Any:
            return self._gateway

        # Past MTServer.serve, which only warns that Python without the lock is experimental.
        AbstractServer.serve(self, target_loader=load)

    def signal_handler_interrupt(self, *args: Any, **options: Any) -> None:
        self._gateway.stop_waiting()
        super().signal_handler_interrupt(*args, **options)  # type: ignore[no-untyped-call]

    def signal_handler_reload(self, *args: Any, **options: Any) -> None:
        """SIGHUP, from a terminal that was closed: the end, not a reload."""
        self.signal_handler_interrupt(*args, **options)

    def _check_gil(self) -> None:
        """An ordinary Python is what we want: see the top of this file."""

    def _init_shared_socket(self) -> None:
        # Our own socket, already listening: port 0 is known, and an address in use was reported before anything ran.
        self._listener.setblocking(False)
        # Granian closes the descriptor, so it is handed over for good.
        self._shd = SocketHolder(self._listener.detach(), False, _BACKLOG)  # type: ignore[assignment, call-arg]
