"""Keeps the leases of the jobs in hand alive, in one background thread for all workers of a process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from bot.inbox.port import Inbox, Job, StoreUnavailable

_log = structlog.get_logger(__name__)


class Heart:
    """Beats while a job is in hand. A job whose lease is lost needs no call to stop: its next write is refused."""

    def __init__(self, *, inbox: Inbox, clock: Callable[[], float]) -> None:
        """`clock` gives Unix seconds."""
        self._inbox = inbox
        self._clock = clock
        self._lock = threading.Lock()
        self._jobs: dict[int, Job] = {}

    @contextmanager
    def beating_for(self, job: Job) -> Iterator[None]:
        with self._lock:
            self._jobs[job.id] = job
        try:
            yield
        finally:
            self._forget(job)

    def beat(self) -> None:
        """Prolong every lease once. Never raises: there is a next beat."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            try:
                held = self._inbox.heartbeat(job, now=self._clock())
            except StoreUnavailable as error:
                _log.warning("no heartbeat", job=job.id, delivery=job.delivery.guid, reason=str(error))
                continue
            except Exception:
                _log.exception("no heartbeat", job=job.id, delivery=job.delivery.guid)
                continue
            if not held and self._forget(job):
                _log.warning("lease lost", job=job.id, delivery=job.delivery.guid)

    def run(self, wait: Callable[[], bool]) -> None:
        """Beat until `wait` (for the next beat) says True: stop."""
        while not wait():
            self.beat()

    def _forget(self, job: Job) -> bool:
        with self._lock:
            return self._jobs.pop(job.id, None) is not None
