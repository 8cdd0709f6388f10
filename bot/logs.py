"""One way out for everything that is logged: JSON or plain lines on stderr, the delivery's id bound, no secret in it.

Libraries log through the standard library and are brought through the same chain. Their debug output is never let
out: PyGithub's prints requests with their tokens. https://www.structlog.org/en/stable/standard-library.html
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any, TextIO

import structlog
from structlog.typing import Processor, WrappedLogger

from bot.github.redact import REDACTED, redact
from bot.settings import LogFormat, LogLevel, Settings

_LEVELS = {
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}
# The least level of loggers that are not ours, whatever LOG_LEVEL says.
_FOREIGN = {
    "": logging.INFO,
    "github": logging.WARNING,
    "urllib3": logging.WARNING,
    "sqlalchemy": logging.WARNING,
    "alembic": logging.WARNING,
    "werkzeug": logging.WARNING,
    "_granian": logging.WARNING,
}
# Masking a text this short would garble every line and hide nothing.
_SHORTEST_SECRET = 6


class Redactor:
    """Masks known secrets and everything shaped like a credential in a line that is about to be written.

    It works on the finished line: whatever was nested or attached in whatever way is text by then.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        lines = {line.strip() for secret in secrets for line in (secret, *secret.splitlines())}
        forms = {form for line in lines if len(line) >= _SHORTEST_SECRET for form in _as_written(line)}
        # Longest first: a secret may be a part of another one.
        self._secrets = sorted(forms, key=len, reverse=True)

    def __call__(self, _logger: WrappedLogger, _name: str, line: Any) -> str:
        text = str(line)
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        return redact(text)


def _as_written(secret: str) -> set[str]:
    """How a text can look once it was put into JSON, or shown by Python as a string or as bytes."""
    return {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], repr(secret.encode())[2:-1]}


def configure(settings: Settings, *, stream: TextIO | None = None) -> None:
    """Set up structlog and the standard library's logging for this process. Calling it again starts over."""
    out = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    renderer: Processor = structlog.processors.JSONRenderer()
    if settings.log_format is LogFormat.CONSOLE:
        renderer = structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                renderer,
                # Last: nothing is added after the secrets were taken out.
                Redactor(settings.secret_values()),
            ],
        )
    )
    level = _LEVELS[settings.log_level]
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    for name, least in _FOREIGN.items():
        logging.getLogger(name).setLevel(max(level, least))
    logging.getLogger("bot").setLevel(level)
    logging.captureWarnings(True)
    # The logging module prints a traceback, secrets and all, when a handler fails.
    logging.raiseExceptions = False


def catch_uncaught() -> None:
    """Log what nobody caught, in any thread, instead of printing it past the redactor. For a long-lived process."""
    log = structlog.get_logger("bot")

    def uncaught(kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None) -> None:
        log.critical("uncaught", exc_info=(kind, error, traceback))

    def uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
        uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = uncaught
    threading.excepthook = uncaught_in_thread
