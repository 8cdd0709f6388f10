"""Whatever is logged, by us or by a library, leaves through one door and carries no secret."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from bot import logs
from bot.settings import Settings

PLANTED = "planted-secret-3f9a"
TOKEN = "ghs_" + "a1B2" * 9
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq83vEjRWeJASNFZ4\n-----END RSA PRIVATE KEY-----"

Start = Callable[..., io.StringIO]


@pytest.fixture
def start() -> Iterator[Start]:
    """Configures logging into a buffer, and puts everything back afterwards."""
    root = logging.getLogger()
    handlers, level, raising = root.handlers[:], root.level, logging.raiseExceptions
    hooks = sys.excepthook, threading.excepthook

    def begin(**env: str) -> io.StringIO:
        stream = io.StringIO()
        logs.configure(Settings.from_env({"WEBHOOK_SECRET": PLANTED, **env}), stream=stream)
        return stream

    yield begin
    logging.captureWarnings(False)
    root.handlers[:], logging.raiseExceptions = handlers, raising
    root.setLevel(level)
    for name in ("github", "urllib3", "sqlalchemy", "alembic", "werkzeug", "_granian", "bot"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    structlog.reset_defaults()
    sys.excepthook, threading.excepthook = hooks


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_line_of_json_with_the_delivery_it_belongs_to(start: Start) -> None:
    out = start()
    with structlog.contextvars.bound_contextvars(delivery="guid-1"):
        structlog.get_logger("bot.web").info("stored", subject="o/n#1")
    structlog.get_logger("bot.web").info("ready")
    first, second = lines(out)
    assert first["event"] == "stored"
    assert first["delivery"] == "guid-1"
    assert first["level"] == "info"
    assert first["logger"] == "bot.web"
    assert first["timestamp"].endswith("Z")
    assert "delivery" not in second


@pytest.mark.parametrize("form", ["json", "console"])
def test_planted_secrets_are_masked_wherever_they_are_put(start: Start, form: str) -> None:
    out = start(LOG_FORMAT=form, DATABASE_URL="postgresql://bot:pass%40word@db/bot", GITHUB_TOKEN="opaque-token")
    log = structlog.get_logger("bot.anything")
    log.info(PLANTED, nested={"a": [PLANTED, {PLANTED: (TOKEN,)}]}, raw=PLANTED.encode(), key=PEM, url="pass@word")
    log.info("with the exception", exc_info=ValueError(f"{PLANTED} {TOKEN} pass%40word"))
    logging.getLogger("urllib3").warning("retrying %s", f"x{PLANTED}y", extra={"header": f"token {TOKEN}"})
    logging.getLogger("bot.other").error("opaque-token")
    text = out.getvalue()
    assert len(text.splitlines()) >= 4
    for secret in (PLANTED, TOKEN, "MIIEowIBAAKCAQEA", "q83vEjRWeJASNFZ4", "pass@word", "pass%40word", "opaque-token"):
        assert secret not in text
    assert text.count("[redacted]") >= 10


def test_debug_is_ours_only_whatever_the_level(start: Start) -> None:
    out = start(LOG_LEVEL="debug")
    for name in ("github.Requester", "urllib3.connectionpool", "sqlalchemy.engine", "some.library"):
        logging.getLogger(name).debug("GET with %s", TOKEN)
    structlog.get_logger("bot.worker").debug("judged")
    assert [line["event"] for line in lines(out)] == ["judged"]


def test_the_level_is_kept(start: Start) -> None:
    out = start(LOG_LEVEL="warning")
    structlog.get_logger("bot.worker").info("quiet")
    logging.getLogger("some.library").info("quiet")
    structlog.get_logger("bot.worker").warning("loud")
    assert [line["event"] for line in lines(out)] == ["loud"]


def test_starting_over_does_not_log_twice(start: Start) -> None:
    start()
    out = start()
    structlog.get_logger("bot.worker").info("once")
    assert len(lines(out)) == 1


def test_warnings_of_python_go_the_same_way(start: Start) -> None:
    out = start()
    warnings.warn(f"about {PLANTED}", stacklevel=1)
    (line,) = lines(out)
    assert line["logger"] == "py.warnings"
    assert PLANTED not in line["event"]


def test_what_nobody_caught_is_logged_not_printed(start: Start) -> None:
    out = start()
    logs.catch_uncaught()

    def explode() -> None:
        raise RuntimeError(PLANTED)

    thread = threading.Thread(target=explode)
    thread.start()
    thread.join()
    error = ValueError(PLANTED)
    sys.excepthook(ValueError, error, error.__traceback__)
    events = lines(out)
    assert [line["event"] for line in events] == ["uncaught", "uncaught"]
    assert "RuntimeError: [redacted]" in events[0]["exception"]


@given(
    value=st.recursive(st.text() | st.binary() | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3))
)
def test_a_line_without_a_secret_stays_what_it_is(value: object) -> None:
    line = json.dumps({"value": repr(value)})
    assert logs.Redactor([PLANTED])(None, "info", line) == line


AWKWARD = st.text(st.sampled_from("a'\"\\\n\té☃ b"), min_size=logs._SHORTEST_SECRET).filter(
    lambda text: text == text.strip()
)


@given(secret=AWKWARD, form=st.sampled_from(["json", "console"]))
def test_a_secret_of_awkward_characters_is_found_however_it_is_shown(secret: str, form: str) -> None:
    shown = json.dumps({"a": secret, "b": [secret]}) if form == "json" else f"a={secret!r} b={secret.encode()!r}"
    masked = logs.Redactor([secret])(None, "info", shown)
    assert masked.count("[redacted]") >= 2
    for written in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]):
        assert written not in masked
