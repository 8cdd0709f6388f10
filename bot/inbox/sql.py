"""The inbox on SQL: the same statements on SQLite and PostgreSQL.

A delivery is waiting, leased, done or dead. A worker holds a lease that it prolongs while it works; one that falls
silent loses it to another. Every write about a claimed delivery is fenced by worker and attempt, so that a worker that
comes back from the dead can change nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError

from bot.inbox import statements
from bot.inbox.engine import READ_ONLY, is_sqlite, make_engine, store_errors
from bot.inbox.migrate import migrate
from bot.inbox.port import Counts, Delivery, DeliveryRow, Fact, Intent, Job, State, StoreUnavailable
from bot.inbox.schema import deliveries, facts, intents

_ERROR_LENGTH = 2_000
_PRUNED_AT_ONCE = 1_000


def open_inbox(database_url: str, *, lease_seconds: float, max_tries: int = 24, wait_seconds: float = 5.0) -> SqlInbox:
    """Connect, bring the schema up to date, and hand out the inbox. Call it once, when the process starts.

    `lease_seconds`: a worker that is silent for longer loses its job. `max_tries`: then a delivery is dead.
    `wait_seconds`: the longest wait for a lock or the server before `StoreUnavailable`.
    Raises `ValueError` for a URL that will not do, `StoreUnavailable` when the database cannot be used.
    """
    engine = make_engine(database_url, wait_seconds=wait_seconds)
    migrate(engine)
    return SqlInbox(engine, lease_seconds=lease_seconds, max_tries=max_tries, wait_seconds=wait_seconds)


class SqlInbox:
    """An `Inbox`. Safe to share between threads; not between processes (each opens its own)."""

    def __init__(self, engine: Engine, *, lease_seconds: float, max_tries: int, wait_seconds: float) -> None:
        self.engine = engine
        self._reader = engine.execution_options(**{READ_ONLY: True})
        self._lease_seconds = lease_seconds
        self._max_tries = max_tries
        self._wait_seconds = wait_seconds
        self._insert = sqlite.insert if is_sqlite(engine) else postgresql.insert
        # SQLite has one writer at a time. Threads that queue here take turns; in SQLite they would sleep and poll.
        self._turn = threading.Lock() if is_sqlite(engine) else None

    def close(self) -> None:
        self.engine.dispose()

    # Receiving

    def put(self, delivery: Delivery, *, now: float) -> bool:
        row: dict[str, Any] = {
            "app": _text(delivery.app),
            "guid": _text(delivery.guid),
            "event": _text(delivery.event),
            "action": _text(delivery.action),
            "subject": _text(delivery.subject),
            "installation": delivery.installation,
            "payload": delivery.payload,
            "attempt": 0,
            "received_at": now,
            **_waiting(now),
        }
        insert = self._insert(deliveries).values(row).execution_options(preserve_rowcount=True)
        revive = insert.on_conflict_do_update(
            index_elements=["app", "guid"], set_=_waiting(now), where=deliveries.c.state == State.DEAD
        )
        with self._write() as connection:
            return connection.execute(revive).rowcount == 1

    # Working

    def claim(self, worker: str, *, now: float) -> Job | None:
        for _ in range(3):
            try:
                with self._write() as connection:
                    return self._claim(connection, worker, now)
            except StoreUnavailable as error:
                # Another worker took a lease on the same subject in the same moment; this one was refused.
                if not isinstance(error.__cause__, IntegrityError):
                    raise
        return None

    def _claim(self, connection: Connection, worker: str, now: float) -> Job | None:
        while row := connection.execute(statements.NEXT, {"now": now}).first():
            this = sa.update(deliveries).where(deliveries.c.id == row.id)
            if row.tries >= self._max_tries:  # it took its workers with it, every time
                connection.execute(this.values(**_ended(State.DEAD, now), error="no worker survived the last try"))
                continue
            tries, attempt = row.tries + 1, row.attempt + 1
            lease = {"state": State.LEASED, "worker": worker, "lease_until": now + self._lease_seconds}
            connection.execute(this.values(**lease, tries=tries, attempt=attempt, updated_at=now))
            return Job(id=row.id, attempt=attempt, worker=worker, delivery=_delivery(row), tries=tries)
        return None

    def heartbeat(self, job: Job, *, now: float) -> bool:
        return self._fenced(job, lease_until=now + self._lease_seconds, updated_at=now)

    def finish(self, job: Job, *, outcome: str, now: float, detail: str | None = None) -> bool:
        end = _ended(State.DONE, now)
        return self._fenced(job, **end, outcome=_text(outcome), detail=_optional(detail), error=None)

    def retry(self, job: Job, *, error: str, at: float, now: float) -> State | None:
        if job.tries >= self._max_tries:
            return State.DEAD if self.bury(job, error=error, now=now) else None
        back = {**_waiting(at), "tries": job.tries, "updated_at": now, "error": _text(error)}
        return State.WAITING if self._fenced(job, **back) else None

    def defer(self, job: Job, *, reason: str, at: float, now: float) -> bool:
        back = {**_waiting(at), "tries": job.tries - 1, "updated_at": now, "error": _text(reason)}
        return self._fenced(job, **back)

    def bury(self, job: Job, *, error: str, now: float, detail: str | None = None) -> bool:
        return self._fenced(job, **_ended(State.DEAD, now), error=_text(error), detail=_optional(detail))

    # Remembering

    def intent(self, subject: str, purpose: str) -> Intent | None:
        with self._read() as connection:
            row = connection.execute(statements.INTENT, {"subject": subject, "purpose": purpose}).first()
        return Intent(**row._mapping) if row else None

    def save_intent(self, intent: Intent, *, job: Job, now: float) -> bool:
        values: dict[str, Any] = {
            "repository": intent.subject.partition("#")[0],
            "comment_id": intent.comment_id,
            "body_hash": intent.body_hash,
            "tried_at": intent.tried_at,
            "posted_at": intent.tried_at,
            "updated_at": now,
        }
        insert = self._insert(intents).values(subject=intent.subject, purpose=intent.purpose, **values)
        values["posted_at"] = sa.func.coalesce(insert.excluded.posted_at, intents.c.posted_at)
        upsert = insert.on_conflict_do_update(index_elements=["subject", "purpose"], set_=values)
        with self._write() as connection:
            # Prolongs the lease as well: nobody takes the job over while the call to GitHub is under way.
            lease = {"lease_until": now + self._lease_seconds, "updated_at": now}
            if connection.execute(statements.held(job).values(lease)).rowcount != 1:
                return False
            connection.execute(upsert)
        return True

    def posts_since(self, repository: str, since: float) -> Sequence[float]:
        with self._read() as connection:
            return connection.execute(statements.POSTS, {"repository": repository, "since": since}).scalars().all()

    def fact(self, scope: str, key: str) -> Fact | None:
        return next((fact for fact in self.facts(scope) if fact.key == key), None)

    def facts(self, scope: str) -> Sequence[Fact]:
        with self._read() as connection:
            rows = connection.execute(statements.FACTS, {"scope": _text(scope)}).all()
        return [Fact(**row._mapping) for row in rows]

    def save_fact(self, scope: str, key: str, value: str, *, now: float) -> None:
        insert = self._insert(facts).values(scope=_text(scope), key=_text(key), value=_text(value), updated_at=now)
        new = {"value": insert.excluded.value, "updated_at": now}
        with self._write() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=["scope", "key"], set_=new))

    # Looking after it

    def deliveries(self, *, state: State | None = None, limit: int = 100) -> Sequence[DeliveryRow]:
        listed = statements.LISTED.limit(limit)
        if state is not None:
            listed = listed.where(deliveries.c.state == state)
        with self._read() as connection:
            rows = connection.execute(listed).all()
        return [DeliveryRow(**{**row._mapping, "state": State(row.state)}) for row in rows]

    def delivery(self, delivery_id: int) -> Delivery | None:
        with self._read() as connection:
            row = connection.execute(sa.select(deliveries).where(deliveries.c.id == delivery_id)).first()
        return _delivery(row) if row else None

    def replay(self, delivery_id: int, *, now: float) -> bool:
        ended = deliveries.c.state.in_([State.DONE, State.DEAD])
        again = sa.update(deliveries).where(deliveries.c.id == delivery_id, ended).values(_waiting(now))
        with self._write() as connection:
            return connection.execute(again).rowcount == 1

    def prune(self, before: float) -> int:
        pruned = 0
        while True:
            with self._write() as connection:
                count = connection.execute(statements.PRUNE, {"before": before, "limit": _PRUNED_AT_ONCE}).rowcount
            pruned += count
            if count < _PRUNED_AT_ONCE:
                return pruned

    def counts(self, *, now: float) -> Counts:
        with self._read() as connection:
            states = dict.fromkeys(State, 0)
            for row in connection.execute(statements.COUNTS):
                states[State(row.state)] = row.number
            oldest = connection.execute(statements.OLDEST).scalar()
        return Counts(states=states, oldest_age=None if oldest is None else max(0.0, now - oldest))

    # Transactions

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with store_errors(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with store_errors():
            if self._turn is None:
                with self.engine.begin() as connection:
                    yield connection
                return
            if not self._turn.acquire(timeout=self._wait_seconds):
                raise StoreUnavailable("busy: no turn to write in time")
            try:
                with self.engine.begin() as connection:
                    yield connection
            finally:
                self._turn.release()

    def _fenced(self, job: Job, **values: Any) -> bool:
        with self._write() as connection:
            return connection.execute(statements.held(job).values(values)).rowcount == 1


def _waiting(at: float) -> dict[str, Any]:
    """A delivery that may be claimed from `at` on, with all its tries."""
    return {
        "state": State.WAITING,
        "tries": 0,
        "not_before": at,
        "worker": None,
        "lease_until": None,
        "updated_at": at,
        "outcome": None,
        "detail": None,
        "error": None,
    }


def _ended(state: State, now: float) -> dict[str, Any]:
    return {"state": state, "worker": None, "lease_until": None, "updated_at": now}


def _delivery(row: Any) -> Delivery:
    return Delivery(**{name: getattr(row, name) for name in Delivery.__struct_fields__})


def _optional(value: str | None) -> str | None:
    return None if value is None else _text(value, limit=None)


def _text(value: str, *, limit: int | None = _ERROR_LENGTH) -> str:
    """PostgreSQL takes neither NUL nor half a surrogate pair."""
    return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")[:limit]
