"""Claims deliveries, has them handled, and sees to it that none is lost and that none stops the others."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable

import msgspec
import structlog

from bot.github.port import Gone, Later, Refused
from bot.inbox.port import Inbox, Job, State, StoreUnavailable
from bot.policy.events import PayloadError
from bot.worker.heart import Heart
from bot.worker.outcome import Done, LeaseLost, NotYet, Outcome

Handle = Callable[[Job], Done | NotYet]
Observe = Callable[[str], None]
"""Told what came of each try: an `Outcome`, or `deferred`, `retried`, `dead`, `lost`."""

_LONGEST_DEFERRAL_SECONDS = 2 * 3600.0

_log = structlog.get_logger(__name__)


class BackOff(msgspec.Struct, frozen=True, kw_only=True):
    """Growing waits between the tries of one delivery. With 24 tries the defaults outlast seven hours."""

    first_seconds: float = 5.0
    longest_seconds: float = 3600.0

    def seconds(self, tries: int, jitter: float) -> float:
        """After `tries` tries; `jitter` from 0 to 1 spreads them over the upper half of the wait."""
        wait = min(self.longest_seconds, self.first_seconds * 2.0 ** min(tries - 1, 30))
        return wait * (1 + jitter) / 2


class Worker:
    """One claim after the other. Not shared between threads."""

    def __init__(
        self,
        *,
        name: str,
        inbox: Inbox,
        handle: Handle,
        heart: Heart,
        clock: Callable[[], float],
        jitter: Callable[[], float],
        back_off: BackOff,
        observe: Observe,
    ) -> None:
        """`name` is unique among all workers of all hosts.

        `clock` gives Unix seconds, `jitter` a random number from 0 to 1.
        """
        self._name = name
        self._inbox = inbox
        self._handle = handle
        self._heart = heart
        self._clock = clock
        self._jitter = jitter
        self._back_off = back_off
        self._observe = observe

    def once(self) -> bool:
        """Claim one delivery and work on it. False: there was none. Raises `StoreUnavailable` only.

        A job that the store's failure interrupts keeps its lease until that runs out, and is then taken up again.
        """
        job = self._inbox.claim(self._name, now=self._clock())
        if job is None:
            return False
        delivery = job.delivery
        context = {"delivery": delivery.guid, "job": job.id, "attempt": job.attempt, "subject": delivery.subject}
        with structlog.contextvars.bound_contextvars(**context), self._heart.beating_for(job):
            self._observe(self._work(job))
        return True

    def _work(self, job: Job) -> str:
        """Handle the job and record what came of it. Every way out of the handler ends here."""
        try:
            result = self._handle(job)
        except LeaseLost:
            return self._lost()
        except StoreUnavailable:
            raise
        except Later as error:
            if error.after_seconds is None:
                return self._retry(job, str(error))
            # GitHub asked for this pause, or our own limiter did: nothing failed. Not all at the same moment, though.
            wait = min(max(error.after_seconds, 1.0), _LONGEST_DEFERRAL_SECONDS) * (1 + self._jitter() / 10)
            return self._defer(job, NotYet(at=self._clock() + wait, reason=str(error)))
        except Gone as error:
            return self._finish(job, Done(outcome=Outcome.GONE), reason=str(error))
        except (Refused, PayloadError) as error:
            return self._bury(job, f"{type(error).__name__}: {error}")
        except Exception as error:
            _log.exception("unexpected error")
            return self._retry(job, f"{type(error).__name__}: {error}")
        if isinstance(result, NotYet):
            return self._defer(job, result)
        return self._finish(job, result)

    def _finish(self, job: Job, done: Done, *, reason: str | None = None) -> str:
        if not self._inbox.finish(job, outcome=done.outcome.value, detail=done.detail, now=self._clock()):
            return self._lost()
        _log.info("done", outcome=done.outcome.value, reason=reason)
        return done.outcome.value

    def _defer(self, job: Job, later: NotYet) -> str:
        if not self._inbox.defer(job, reason=later.reason, at=later.at, now=self._clock()):
            return self._lost()
        _log.info("deferred", reason=later.reason, at=later.at)
        return "deferred"

    def _retry(self, job: Job, error: str) -> str:
        now = self._clock()
        at = now + self._back_off.seconds(job.tries, self._jitter())
        match self._inbox.retry(job, error=error, at=at, now=now):
            case None:
                return self._lost()
            case State.DEAD:
                _log.error("given up", error=error, tries=job.tries)
                return "dead"
            case _:
                _log.warning("to be tried again", error=error, at=at, tries=job.tries)
                return "retried"

    def _bury(self, job: Job, error: str) -> str:
        if not self._inbox.bury(job, error=error, now=self._clock()):
            return self._lost()
        _log.error("given up: somebody has to mend this, then replay the delivery", error=error)
        return "dead"

    def _lost(self) -> str:
        _log.warning("lease lost: another worker has the job")
        return "lost"


class Workers:
    """The worker threads of this process, and the one that keeps their leases alive."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        handle: Handle,
        count: int,
        lease_seconds: float,
        clock: Callable[[], float],
        jitter: Callable[[], float],
        poll_seconds: float = 1.0,
        back_off: BackOff | None = None,
        observe: Observe = lambda _outcome: None,
    ) -> None:
        """`poll_seconds`: how often to look for work that came by another process or is due again."""
        self._stopping = threading.Event()
        self._work_came = threading.Event()
        self._poll_seconds = poll_seconds
        self._heart = Heart(inbox=inbox, clock=clock)
        process = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        workers = [
            Worker(
                name=f"{process}:{number}",
                inbox=inbox,
                handle=handle,
                heart=self._heart,
                clock=clock,
                jitter=jitter,
                back_off=back_off or BackOff(),
                observe=observe,
            )
            for number in range(count)
        ]
        self._threads = [
            threading.Thread(target=self._run, args=(worker,), name=f"worker-{number}", daemon=True)
            for number, worker in enumerate(workers)
        ]
        self._pulse = threading.Thread(target=self._beat, args=(lease_seconds / 3,), name="heart", daemon=True)
        self._ended = threading.Event()

    def start(self) -> None:
        for thread in (self._pulse, *self._threads):
            thread.start()

    def wake(self) -> None:
        """A delivery was put: look at once."""
        self._work_came.set()

    def alive(self) -> bool:
        """Whether every thread still runs."""
        return all(thread.is_alive() for thread in (self._pulse, *self._threads))

    def stop(self, *, timeout: float) -> bool:
        """Take no new job and wait, at most `timeout` seconds, until those in hand are finished.

        False: some are not. Their leases are kept no longer, so another process takes them over once they run out.
        """
        self._stopping.set()
        self._work_came.set()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._ended.set()
        return not any(thread.is_alive() for thread in self._threads)

    def _beat(self, interval: float) -> None:
        self._heart.run(lambda: self._ended.wait(interval))

    def _run(self, worker: Worker) -> None:
        while not self._stopping.is_set():
            # Before the claim: what is put after it sets the event again, and the wait below ends at once.
            self._work_came.clear()
            try:
                busy = worker.once()
            except StoreUnavailable as error:
                _log.error("the store cannot be used", reason=str(error))
                self._stopping.wait(self._poll_seconds)
                continue
            except Exception:
                _log.exception("unexpected error outside a job")
                busy = False
            if not busy and not self._stopping.is_set():
                self._work_came.wait(self._poll_seconds)
