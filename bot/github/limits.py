"""How fast one installation may write: serially, with a gap, and so many new contents a minute and an hour.

PyGithub's own `seconds_between_writes` is not safe between threads and sleeps for as long as it takes. This one never
sleeps long: it raises `Later`, so that the job is put back and the worker is free.
The count is kept per process; GitHub's own limits are the backstop for several.
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.github.port import Later

_MINUTE, _HOUR = 60.0, 3600.0


class WriteLimiter:
    """One for each installation, shared by all threads."""

    def __init__(
        self,
        *,
        seconds_between_writes: float = 1.0,
        creations_per_minute: int = 80,
        creations_per_hour: int = 500,
        longest_sleep_seconds: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if creations_per_minute < 1 or creations_per_hour < 1:
            raise ValueError("at least one creation a minute and an hour, or nothing is ever written")
        self._gap = seconds_between_writes
        self._windows = ((_MINUTE, creations_per_minute), (_HOUR, creations_per_hour))
        self._longest_sleep = longest_sleep_seconds
        self._clock = clock
        self._sleep = sleep
        self._serial = threading.Lock()
        self._last_write: float | None = None
        self._creations: deque[float] = deque(maxlen=creations_per_hour)
        self._paused_until = 0.0

    def pause(self, seconds: float) -> None:
        """GitHub asked for silence: until then every request of this installation is `Later`."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    def check(self) -> None:
        """Raises `Later` while GitHub wants silence. For reads; `writing` checks too."""
        rest = self._paused_until - self._clock()
        if rest > 0:
            raise Later("waiting as GitHub asked", after_seconds=rest)

    @contextmanager
    def writing(self, *, creates: bool) -> Iterator[None]:
        """The time of one write; `creates` when it makes new content (which notifies people).

        Raises `Later` when the turn would come only after `longest_sleep_seconds`.
        """
        if not self._serial.acquire(timeout=self._longest_sleep):
            raise Later("another write of this installation is under way", after_seconds=self._longest_sleep)
        try:
            self.check()
            wait = self._wait(self._clock(), creates=creates)
            if wait > self._longest_sleep:
                raise Later("own limit on writes reached", after_seconds=wait)
            if wait > 0:
                self._sleep(wait)
            if creates:
                self._creations.append(self._clock())
            try:
                yield
            finally:
                self._last_write = self._clock()
        finally:
            self._serial.release()

    def _wait(self, now: float, *, creates: bool) -> float:
        wait = 0.0 if self._last_write is None else self._last_write + self._gap - now
        if creates:
            for length, allowed in self._windows:
                if len(self._creations) >= allowed:
                    wait = max(wait, self._creations[-allowed] + length - now)
        return max(wait, 0.0)
