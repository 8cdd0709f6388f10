"""The socket side: HTTP/1.1 with keep-alive on the loopback, one thread a connection."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.github.front import Front
from tests.github.messages import Reply, Request

MAX_REQUEST = 4 * 1024 * 1024


class Server(ThreadingHTTPServer):
    """Listens from construction on; `serve` answers, `stop` closes every connection."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, front: Front, *, host: str, port: int) -> None:
        super().__init__((host, port), _Handler)
        self.front = front
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def base(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def serve(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.front.stopping.set()
        if self._thread.is_alive():
            self.shutdown()
            self._thread.join()
        with self._lock:
            still_open = list(self._open)
        for each in still_open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests; anything else is the fake's own mistake and must be seen."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            self.front.crashes.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The headers and the body leave in one piece: else Nagle and delayed ACK cost 40 ms a reply.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: Server

    def _serve(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > MAX_REQUEST or "Transfer-Encoding" in self.headers:
            self.send_error(411 if "Transfer-Encoding" in self.headers else 413)
            self.close_connection = True
            return
        path, _, query = self.path.partition("?")
        request = Request(
            method=self.command,
            path=path,
            raw_path=path,
            query=query,
            headers={name.lower(): value for name, value in self.headers.items()},
            raw=self.rfile.read(int(length)),
        )
        reply = self.server.front.handle(request, self.server.base)
        if reply is None:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        content = reply.content()
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status not in (204, 304):
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        if reply.cut:
            content = content[: len(content) // 2]
            self.close_connection = True
        self.wfile.write(content)
        self.wfile.flush()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: `FakeGitHub.writes` is the log."""
