"""What the receiver and the worker may ask of the store."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol

import msgspec


class StoreUnavailable(Exception):
    """The store cannot take or give anything now (full disk, busy, server away). The receiver answers 503."""


class State(enum.StrEnum):
    WAITING = "waiting"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"
    """gave up after the last attempt; listed and replayed by hand"""


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One webhook delivery, verified and worth work."""

    app: str
    """Which app it came to (`X-GitHub-Hook-Installation-Target-ID`, else APP_ID, else "token").

    A guid is unique per app only.
    """
    guid: str
    """`X-GitHub-Delivery`"""
    event: str
    action: str
    subject: str
    """`owner/name#number`: one live job per subject, in order of arrival. Installation events: `installation/ID`."""
    installation: int | None
    payload: bytes
    """The raw body as it was signed."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A claimed delivery. `worker` and `attempt` fence every later write about it."""

    id: int
    attempt: int
    """Goes up with every claim, never down."""
    worker: str
    delivery: Delivery
    tries: int = 1
    """Counted tries, this one included: what the limit and the back-off go by. Deferring does not count."""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot means to have on an issue. Stored before GitHub is called, completed after."""

    subject: str
    purpose: str
    """"main" for the one comment; later "reply:<comment id>"."""
    comment_id: int | None
    body_hash: str | None
    """Of the body that is known to stand there."""
    tried_at: float | None
    """Unix seconds of the last POST whose outcome is unknown."""


class Inbox(Protocol):
    """Every method commits before it returns; raises `StoreUnavailable` only."""

    def put(self, delivery: Delivery, *, now: float) -> bool:
        """Store it. False: already known (waiting, leased or done). A dead one is set waiting again: True."""
        ...

    def claim(self, worker: str, *, now: float) -> Job | None: ...

    def heartbeat(self, job: Job, *, now: float) -> bool:
        """Prolong the lease. False: the lease was lost, stop."""
        ...

    def finish(self, job: Job, *, outcome: str, now: float, detail: str | None = None) -> bool:
        """Done. `detail` is JSON: verdict, reason, what was written."""
        ...

    def retry(self, job: Job, *, error: str, at: float, now: float) -> State | None:
        """Back to waiting until `at`, or dead after the last attempt. None: the lease was lost."""
        ...

    def defer(self, job: Job, *, reason: str, at: float, now: float) -> bool:
        """Back to waiting until `at` without counting an attempt (rate limits)."""
        ...

    def bury(self, job: Job, *, error: str, now: float, detail: str | None = None) -> bool:
        """Dead at once: trying again would not help, a person has to mend something first."""
        ...

    def intent(self, subject: str, purpose: str) -> Intent | None: ...

    def save_intent(self, intent: Intent, *, job: Job, now: float) -> bool:
        """Insert or update, fenced by the job's lease. False: the lease was lost, stop."""
        ...

    def posts_since(self, repository: str, since: float) -> Sequence[float]:
        """When comments of `owner/name` were last tried to be posted, oldest first: for the cap on an hour."""
        ...

    def fact(self, scope: str, key: str) -> Fact | None: ...

    def facts(self, scope: str) -> Sequence[Fact]: ...

    def save_fact(self, scope: str, key: str, value: str, *, now: float) -> None:
        """Insert or update one small remembered fact, e.g. that a host does not know label suggestions."""
        ...

    def deliveries(self, *, state: State | None = None, limit: int = 100) -> Sequence[DeliveryRow]:
        """Newest first."""
        ...

    def delivery(self, delivery_id: int) -> Delivery | None: ...

    def replay(self, delivery_id: int, *, now: float) -> bool:
        """A done or dead delivery is waiting again, with all its tries. False: unknown, or not finished yet."""
        ...

    def prune(self, before: float) -> int:
        """Delete deliveries that were done before then (Unix seconds), return how many. Intents and facts stay.

        A pruned delivery is no longer recognised as a duplicate; GitHub redelivers for at most three days.
        """
        ...

    def counts(self, *, now: float) -> Counts: ...


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    value: str
    updated_at: float


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """For metrics and readiness."""

    states: dict[State, int]
    """Every state is present."""
    oldest_age: float | None
    """Seconds since the oldest unfinished (waiting or leased) delivery came in; None when all is done."""


class DeliveryRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `burn-triage deliveries list`."""

    id: int
    guid: str
    event: str
    action: str
    subject: str
    state: State
    attempts: int
    """Counted tries so far."""
    received_at: float
    not_before: float
    outcome: str | None
    error: str | None
    detail: str | None = None
    """JSON: verdict, reason, what was written."""
