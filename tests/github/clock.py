"""Time as the fake GitHub sees it: unix seconds, injectable, so that an hour passes in a test at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

Clock = Callable[[], float]
"""Returns unix seconds."""


class MovableClock(Protocol):
    """A clock that a test can move on."""

    def __call__(self) -> float: ...

    def advance(self, seconds: float) -> None: ...


class ShiftedClock:
    """The machine's clock plus what was added to it."""

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def __call__(self) -> float:
        return time.time() + self.offset

    def advance(self, seconds: float) -> None:
        self.offset += seconds


def iso(seconds: float) -> str:
    """GitHub's timestamp, e.g. `2026-03-01T12:00:00Z`."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_iso(text: str) -> float:
    """Unix seconds of an ISO 8601 timestamp. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
