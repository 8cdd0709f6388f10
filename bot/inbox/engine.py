"""From a database URL to an engine that is durable and that never waits for long, and from its errors to one error.

SQLite: one file, WAL, synchronous FULL (a commit survives a power cut), every write transaction takes the write lock at
its start, so that it can wait for it but never fail half-way: https://www.sqlite.org/lang_transaction.html
PostgreSQL: time-outs on both sides, so that a host cut off from the database neither hangs nor holds locks for long.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from bot.inbox.port import StoreUnavailable

READ_ONLY = "burn_triage_read_only"
"""Execution option of transactions that only read: they need no write lock."""


def make_engine(database_url: str, *, wait_seconds: float) -> Engine:
    """An engine for `sqlite:///file`, `postgresql://…` or `postgres://…`. Does not connect yet.

    `wait_seconds` bounds every wait: for a lock, for a connection, for the server. Raises `ValueError` for a URL that
    will not do, without showing it (it may hold a password).
    """
    try:
        url = sa.make_url(database_url)
    except ArgumentError:
        raise ValueError("DATABASE_URL is not a database URL: sqlite:///file or postgresql://host/name") from None
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite":
            return _sqlite(url, wait_seconds)
        case "postgres" | "postgresql" | "postgresql+psycopg":
            return _postgresql(url.set(drivername="postgresql+psycopg"), wait_seconds)
        case other:
            raise ValueError(f"DATABASE_URL: {other!r} is not supported; use sqlite:///file or postgresql://host/name")


def is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


@contextmanager
def store_errors() -> Iterator[None]:
    """Whatever the store raises becomes `StoreUnavailable`, without statement or values: they hold private text."""
    try:
        yield
    except (DBAPIError, PoolTimeoutError, sqlite3.Error, psycopg.Error, OSError, OverflowError) as error:
        cause = getattr(error, "orig", None) or error
        text = str(cause).strip().partition("\n")[0][:300]
        raise StoreUnavailable(f"{type(cause).__name__}: {text}") from error


def _sqlite(url: URL, wait_seconds: float) -> Engine:
    if url.database in (None, "", ":memory:") or "mode=memory" in str(url.database):
        raise ValueError("DATABASE_URL: a database in memory would lose deliveries; use sqlite:///file")
    engine = sa.create_engine(
        url, connect_args={"timeout": wait_seconds}, pool_timeout=wait_seconds, max_overflow=20, hide_parameters=True
    )

    @event.listens_for(engine, "do_connect")
    def _keep_private(_dialect: Any, _record: Any, _arguments: Any, _options: Any) -> None:
        # Payloads of private repositories lie in it. The files beside it (-wal, -shm) get the same mode.
        # What hinders this hinders SQLite too, which says it better.
        file = str(url.database)
        if not file.startswith("file:"):
            with suppress(OSError):
                Path(file).touch(mode=0o600)

    @event.listens_for(engine, "connect")
    def _open(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver's own transactions begin too late (at the first write): ours begin below.
        connection.isolation_level = None
        _switch_to_wal(connection, wait_seconds)
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get(READ_ONLY, False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _switch_to_wal(connection: sqlite3.Connection, wait_seconds: float) -> None:
    """The file remembers it, so this waits at most once in its life: when several processes make it together.

    SQLite itself does not wait for the others here, whatever its busy time-out is.
    """
    patience = wait_seconds
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if patience <= 0:
                raise
            patience -= 0.02
            time.sleep(0.02)


def _postgresql(url: URL, wait_seconds: float) -> Engine:
    milliseconds = int(wait_seconds * 1000)
    bounds = {
        "connect_timeout": max(2, int(wait_seconds)),
        "tcp_user_timeout": milliseconds,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "application_name": "burn-triage",
        "options": f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds}"
        f" -c idle_in_transaction_session_timeout={2 * milliseconds}",
    }
    return sa.create_engine(
        url,
        connect_args={name: value for name, value in bounds.items() if name not in url.query},
        isolation_level="READ COMMITTED",
        pool_timeout=wait_seconds,
        max_overflow=20,
        pool_pre_ping=True,
        hide_parameters=True,
    )
