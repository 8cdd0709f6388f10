"""The receiver: verify, make durable, say so, work later.

GitHub waits ten seconds and never redelivers by itself, so the answer 202 is given only after the delivery is
committed, and a store that cannot take it is a 503, which can be redelivered.
https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
import structlog
from flask import Blueprint, Request, Response, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import ClientDisconnected

from bot.inbox.port import Delivery, StoreUnavailable
from bot.policy.events import CommentCreated, Event, Ignored, PayloadError, parse_event
from bot.web.answers import Refusal, answer
from bot.web.body import MAX_BODY, TooLarge, read_body
from bot.web.metrics import Metrics
from bot.web.signature import has_form, is_signed

RETRY_AFTER_SECONDS = 30

_PRINTABLE = re.compile(r"[!-~]{1,200}")
_APP = re.compile(r"[0-9]{1,20}")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])

_log = structlog.get_logger(__name__)


class Store(Protocol):
    """What the receiver needs of `bot.inbox.port.Inbox`."""

    def put(self, delivery: Delivery, *, now: float) -> bool: ...


class Receiver:
    """Takes one signed request at a time; shared by all server threads."""

    def __init__(
        self,
        *,
        secrets: Sequence[str],
        app: str,
        inbox: Store,
        wake: Callable[[], None],
        metrics: Metrics,
        now: Callable[[], float],
        max_body: int = MAX_BODY,
    ) -> None:
        """`app` stands for the sender when GitHub does not name it. `now` gives Unix seconds."""
        if not secrets or not all(secrets):
            raise ValueError("a receiver without a secret would trust everybody")
        self._secrets = [secret.encode() for secret in secrets]
        self._app = app
        self._inbox = inbox
        self._wake = wake
        self._metrics = metrics
        self._now = now
        self._max_body = max_body

    def receive(self, req: Request) -> Response:
        """Answer one webhook request. Raises `Refusal` for everything that is not taken."""
        begin = time.perf_counter()
        # Of an unsigned request nothing is believed, the name of its event included.
        event, outcome = "unverified", "error"
        try:
            body = self._signed_body(req)
            event = self._event_name(req)
            response, outcome = self._take(req, event, body)
        except Refusal as refusal:
            outcome = f"refused {refusal.code}"
            raise
        finally:
            self._metrics.received(event, outcome, time.perf_counter() - begin)
        return response

    def _signed_body(self, req: Request) -> bytes:
        """The raw bytes, once they are known to be GitHub's. Nothing is parsed and nothing is stored before."""
        if (req.content_length or 0) > self._max_body:
            raise self._too_large()
        header = req.headers.get("X-Hub-Signature-256", "")
        if not has_form(header):
            missing = "is missing: give the webhook a secret" if not header else "has the wrong form"
            raise Refusal(403, f"The header X-Hub-Signature-256 {missing}.")
        try:
            body = read_body(req.stream, self._max_body)
        except TooLarge:
            raise self._too_large() from None
        except (ClientDisconnected, OSError):
            raise Refusal(400, "The body ended early.") from None
        if not is_signed(body, header, self._secrets):
            raise Refusal(403, "The signature does not fit the body: the webhook's secret and WEBHOOK_SECRET differ.")
        return body

    def _too_large(self) -> Refusal:
        return Refusal(413, f"The body is larger than {self._max_body} bytes.")

    def _event_name(self, req: Request) -> str:
        if req.mimetype != "application/json":
            hint = " (in the webhook's settings)" if req.mimetype == "application/x-www-form-urlencoded" else ""
            raise Refusal(415, f"Set the content type to application/json{hint}.")
        return _header(req.headers, "X-GitHub-Event")

    def _take(self, req: Request, event: str, body: bytes) -> tuple[Response, str]:
        guid = _header(req.headers, "X-GitHub-Delivery")
        with structlog.contextvars.bound_contextvars(delivery=guid, github_event=event):
            parsed = _parse(event, body)
            if event == "ping":
                _log.info("ping")
                return answer(200, "pong"), "pong"
            reason = _not_ours(parsed)
            if reason is not None or isinstance(parsed, Ignored):
                _log.debug("ignored", reason=reason)
                return answer(200, "ignored", reason=reason), "ignored"
            target = req.headers.get("X-GitHub-Hook-Installation-Target-ID", "")
            delivery = Delivery(
                app=target if _APP.fullmatch(target) else self._app,
                guid=guid,
                event=event,
                action=parsed.action,
                subject=parsed.subject,
                installation=parsed.installation,
                payload=body,
            )
            return self._store(delivery)

    def _store(self, delivery: Delivery) -> tuple[Response, str]:
        try:
            is_new = self._inbox.put(delivery, now=self._now())
        except StoreUnavailable as error:
            _log.error("not stored", reason=str(error), subject=delivery.subject)
            raise Refusal(
                503,
                "The store cannot take deliveries now: redeliver it later.",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
            ) from error
        _log.info("stored" if is_new else "duplicate", action=delivery.action, subject=delivery.subject)
        if not is_new:
            return answer(200, "duplicate"), "duplicate"
        self._wake()
        return answer(202, "accepted"), "accepted"


def _header(headers: Headers, name: str) -> str:
    value = headers.get(name, "").strip()
    if not value:
        raise Refusal(400, f"The header {name} is missing.")
    if not _PRINTABLE.fullmatch(value):
        raise Refusal(400, f"The header {name} has blanks, is not ASCII or is too long.")
    return value


def _parse(event: str, body: bytes) -> Event:
    try:
        # parse_event does not look at payloads that it has no use for; a broken one is refused all the same.
        _OBJECT.decode(body)
        return parse_event(event, body)
    except PayloadError as error:
        raise Refusal(400, f"{error}.") from None
    except msgspec.ValidationError:
        raise Refusal(400, "The body is JSON, but not an object.") from None
    except RecursionError:
        raise Refusal(400, "The body is nested too deeply.") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise Refusal(400, f"The body is not JSON: {error}.") from None


def _not_ours(event: Event) -> str | None:
    if isinstance(event, Ignored):
        return event.reason
    if isinstance(event, CommentCreated) and event.issue.is_pull_request:
        return "a comment on a pull request"
    return None


def create_webhook(path: str, receiver: Receiver) -> Blueprint:
    """`POST path`, and nothing else there."""
    blueprint = Blueprint("webhook", __name__)

    def receive() -> Response:
        return receiver.receive(request)

    blueprint.add_url_rule(path, view_func=receive, methods=["POST"], provide_automatic_options=False)
    return blueprint
