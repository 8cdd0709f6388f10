"""Webhooks over real HTTP: sign, deliver, remember, deliver again."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import threading
import time
import uuid
from collections import deque
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.github.backend import Backend, Happening
from tests.github.shapes import JSON
from tests.github.state import HookDelivery

TIMEOUT_SECONDS = 10.0
"""GitHub hangs up after this long. https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks"""


@dataclass(frozen=True, kw_only=True)
class Delivered:
    status: int
    """HTTP status; 502 when nobody answered, 504 when it took too long, as GitHub's own list shows it."""
    body: str
    guid: str
    note: str
    """`OK` or what went wrong, in GitHub's words."""
    headers: dict[str, str]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


def sign(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers_for(event: str, body: bytes, *, guid: str, secret: str | None, app: int = 0) -> dict[str, str]:
    """The headers of a delivery. https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers"""
    headers = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/0a1b2c3",
        "X-GitHub-Delivery": guid,
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": "468101010",
        "X-GitHub-Hook-Installation-Target-ID": str(app),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
    }
    if secret is not None:
        headers["X-Hub-Signature"] = "sha1=" + hmac.new(secret.encode(), body, hashlib.sha1).hexdigest()
        headers["X-Hub-Signature-256"] = sign(secret, body)
    return headers


def deliver(
    url: str,
    event: str,
    payload: JSON | bytes,
    *,
    guid: str | None = None,
    secret: str | None = None,
    app: int = 0,
    timeout: float = TIMEOUT_SECONDS,
    headers: dict[str, str] | None = None,
) -> Delivered:
    """POST one delivery. Never raises for what the other side does. `headers` replace the usual ones by name."""
    guid = guid or str(uuid.uuid4())
    body = payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()
    sent = headers_for(event, body, guid=guid, secret=secret, app=app) | (headers or {})
    parts = urlsplit(url)
    started = time.monotonic()
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=timeout)
    try:
        connection.request("POST", parts.path or "/", body=body, headers=sent)
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
        note = "OK" if 200 <= response.status < 300 else f"Invalid HTTP Response: {response.status}"
        status, answered = response.status, dict(response.getheaders())
    except TimeoutError:
        status, text, note, answered = 504, "", "timed out", {}
    except (OSError, http.client.HTTPException):
        status, text, note, answered = 502, "", "failed to connect to host", {}
    finally:
        connection.close()
    return Delivered(
        status=status, body=text, guid=guid, note=note, headers=answered, seconds=time.monotonic() - started
    )


class Hookshot:
    """Tells one app what happens, and keeps the list that `GET /app/hook/deliveries` shows.

    One thread delivers everything in the order in which it happened; the bot's own comment comes back to the bot,
    too, as it does on GitHub.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._target: tuple[str, str, int] | None = None
        self._events: frozenset[str] = frozenset()
        self._waiting: deque[tuple[str, JSON, str | None]] = deque()
        self._busy = False
        self._closed = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        backend.listeners.append(self._hear)
        backend.redeliver = self.redeliver

    def connect(self, url: str, *, secret: str, app: int, events: frozenset[str]) -> None:
        """From now on deliver these events to `url`."""
        self._target = (url, secret, app)
        self._events = events
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="hookshot", daemon=True)
            self._thread.start()

    def disconnect(self) -> None:
        """The app has no webhook any more: nothing is delivered and nothing is listed."""
        self._target = None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=TIMEOUT_SECONDS + 1)

    def settle(self, timeout: float = 30.0) -> None:
        """Wait until all that happened has been delivered once. Raises AssertionError when it never ends."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._waiting and not self._busy, timeout):
                raise AssertionError(f"webhooks are still being delivered after {timeout} s: a loop?")

    def send(self, event: str, payload: JSON, *, guid: str | None = None, redelivery: bool = False) -> Delivered:
        """Deliver now and list it. Raises RuntimeError when no webhook is set."""
        if self._target is None:
            raise RuntimeError("no webhook: call connect first")
        url, secret, app = self._target
        at = self._backend.now()
        done = deliver(url, event, payload, guid=guid, secret=secret, app=app)
        self.note(
            event,
            payload,
            guid=done.guid,
            status_code=done.status,
            status=done.note,
            redelivery=redelivery,
            at=at,
            url=url,
            duration=done.seconds,
            request_headers=headers_for(event, b"", guid=done.guid, secret=None, app=app),
            response_headers=done.headers,
            response_body=done.body,
        )
        return done

    def note(
        self,
        event: str,
        payload: JSON,
        *,
        status_code: int,
        guid: str | None = None,
        status: str | None = None,
        redelivery: bool = False,
        at: float | None = None,
        **more: Any,
    ) -> HookDelivery:
        """List a delivery as made, without making it: what an outage left behind."""
        state = self._backend.state
        with self._backend.lock:
            entry = HookDelivery(
                id=state.next_id(),
                guid=guid or str(uuid.uuid4()),
                event=event,
                action=payload.get("action"),
                payload=payload,
                delivered_at=self._backend.now() if at is None else at,
                status_code=status_code,
                status=status or ("OK" if 200 <= status_code < 300 else f"Invalid HTTP Response: {status_code}"),
                redelivery=redelivery,
                installation_id=(payload.get("installation") or {}).get("id"),
                repository_id=(payload.get("repository") or {}).get("id"),
                **more,
            )
            state.deliveries.append(entry)
        return entry

    def redeliver(self, delivery_id: int) -> None:
        """Queue a delivery again under its guid. Without a webhook nothing follows."""
        entry = next(each for each in self._backend.state.deliveries if each.id == delivery_id)
        self._put(entry.event, entry.payload, entry.guid)

    def _hear(self, happening: Happening) -> None:
        if happening.event in self._events:
            self._put(happening.event, happening.payload, None)

    def _put(self, event: str, payload: JSON, guid: str | None) -> None:
        if self._target is None:
            return
        with self._changed:
            self._waiting.append((event, payload, guid))
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                event, payload, guid = self._waiting.popleft()
                self._busy = True
            try:
                if self._target is not None:
                    self.send(event, payload, guid=guid, redelivery=guid is not None)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
