"""A store that cannot answer says so with one error, tells no secret, and works again when the cause is gone."""

from __future__ import annotations

import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.engine import make_url

from bot.inbox.port import Delivery, Intent, Job, StoreUnavailable
from bot.inbox.sql import SqlInbox, open_inbox

from .conftest import FakeClock


def delivery(guid: str, payload: bytes = b"{}") -> Delivery:
    return Delivery(
        app="1", guid=guid, event="issues", action="opened", subject=f"o/r#{guid}", installation=None, payload=payload
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "inbox.sqlite3"


@pytest.fixture
def inbox(file: Path) -> Iterator[SqlInbox]:
    opened = open_inbox(f"sqlite:///{file}", lease_seconds=60, wait_seconds=0.05)
    yield opened
    opened.close()


JOB = Job(id=1, attempt=1, worker="w", delivery=delivery("a"))
INTENT = Intent(subject="o/r#1", purpose="main", comment_id=None, body_hash=None, tried_at=1.0)

WRITES: dict[str, Callable[[SqlInbox], object]] = {
    "put": lambda inbox: inbox.put(delivery("b"), now=1.0),
    "claim": lambda inbox: inbox.claim("w", now=1.0),
    "heartbeat": lambda inbox: inbox.heartbeat(JOB, now=1.0),
    "finish": lambda inbox: inbox.finish(JOB, outcome="x", now=1.0),
    "retry": lambda inbox: inbox.retry(JOB, error="x", at=1.0, now=1.0),
    "defer": lambda inbox: inbox.defer(JOB, reason="x", at=1.0, now=1.0),
    "bury": lambda inbox: inbox.bury(JOB, error="x", now=1.0),
    "save_intent": lambda inbox: inbox.save_intent(INTENT, job=JOB, now=1.0),
    "save_fact": lambda inbox: inbox.save_fact("s", "k", "v", now=1.0),
    "replay": lambda inbox: inbox.replay(1, now=1.0),
    "prune": lambda inbox: inbox.prune(1.0),
}
READS: dict[str, Callable[[SqlInbox], object]] = {
    "intent": lambda inbox: inbox.intent("o/r#1", "main"),
    "posts_since": lambda inbox: inbox.posts_since("o/r", 0.0),
    "fact": lambda inbox: inbox.fact("s", "k"),
    "deliveries": lambda inbox: inbox.deliveries(),
    "delivery": lambda inbox: inbox.delivery(1),
    "counts": lambda inbox: inbox.counts(now=1.0),
}


def test_a_full_disk_is_reported_and_loses_nothing(inbox: SqlInbox, clock: FakeClock) -> None:
    assert inbox.put(delivery("before"), now=clock())
    pages = {"limit": 1}  # never below what the file already has: no room for another page

    @event.listens_for(inbox.engine, "checkout")
    def _limit(connection: Any, _record: Any, _proxy: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages['limit']}")

    big = delivery("big", payload=b"x" * 1_000_000)
    with pytest.raises(StoreUnavailable, match="full"):
        inbox.put(big, now=clock())
    pages["limit"] = 1_000_000
    assert inbox.put(big, now=clock())
    assert [row.guid for row in inbox.deliveries()] == ["big", "before"]


@pytest.mark.parametrize("write", WRITES)
def test_a_busy_file_is_reported_by_every_write(inbox: SqlInbox, file: Path, write: str) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked"):
        WRITES[write](inbox)
    other.execute("ROLLBACK")
    other.close()
    WRITES[write](inbox)


def test_a_busy_file_can_still_be_read(inbox: SqlInbox, file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for read in READS.values():
        read(inbox)
    other.close()


def test_a_writer_that_waits_too_long_for_its_turn_gives_up(inbox: SqlInbox, clock: FakeClock) -> None:
    inside, leave = threading.Event(), threading.Event()

    @event.listens_for(inbox.engine, "commit")
    def _linger(_connection: Any) -> None:
        inside.set()
        leave.wait(10)

    slow = threading.Thread(target=inbox.put, args=(delivery("slow"),), kwargs={"now": clock()})
    slow.start()
    assert inside.wait(10)
    with pytest.raises(StoreUnavailable, match="turn"):
        inbox.put(delivery("b"), now=clock())
    leave.set()
    slow.join(10)
    assert inbox.put(delivery("b"), now=clock())
    assert [row.guid for row in inbox.deliveries()] == ["b", "slow"]


@pytest.mark.parametrize("call", [*WRITES, *READS])
def test_a_broken_schema_is_reported_without_statement_or_values(inbox: SqlInbox, file: Path, call: str) -> None:
    with sqlite3.connect(file) as other:
        for table in ("deliveries", "intents", "facts"):
            other.execute(f"DROP TABLE {table}")
    with pytest.raises(StoreUnavailable) as caught:
        (WRITES | READS)[call](inbox)
    shown = f"{caught.value} {caught.value.__cause__}"
    assert "no such table" in shown
    assert "o/r#" not in shown


def test_opening_what_is_not_a_database_says_so(tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    junk.write_text("not a database, but long enough to have a header" * 100)
    with pytest.raises(StoreUnavailable, match="not a database"):
        open_inbox(f"sqlite:///{junk}", lease_seconds=60)


def test_a_new_file_is_for_its_owner_only(inbox: SqlInbox, file: Path, clock: FakeClock) -> None:
    inbox.put(delivery("a"), now=clock())
    assert {path.name: path.stat().st_mode & 0o777 for path in file.parent.glob("inbox.sqlite3*")} == {
        "inbox.sqlite3": 0o600,
        "inbox.sqlite3-wal": 0o600,
        "inbox.sqlite3-shm": 0o600,
    }


def test_opening_in_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="unable to open"):
        open_inbox(f"sqlite:///{tmp_path / 'absent' / 'inbox'}", lease_seconds=60)


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "mysql://u:hunter2@h/d", "postgresql+asyncpg://u:hunter2@h/d", "hunter2"]
)
def test_a_url_that_will_not_do_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ValueError, match="DATABASE_URL") as caught:
        open_inbox(url, lease_seconds=60)
    assert "hunter2" not in str(caught.value)


def test_nobody_listening_is_reported_without_the_password() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with pytest.raises(StoreUnavailable, match="refused") as caught:
        open_inbox(f"postgres://user:hunter2@127.0.0.1:{port}/name", lease_seconds=60)
    assert "hunter2" not in f"{caught.value} {caught.value.__cause__}"


class Line:
    """A TCP line to the server that can be cut and mended. Forwards bytes both ways."""

    def __init__(self, host: str, port: int) -> None:
        self._far = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._whole = True
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._whole = False
        for end in self._ends:
            with suppress(OSError):  # the other side may have hung up by itself
                end.shutdown(socket.SHUT_RDWR)
        self._ends.clear()

    def mend(self) -> None:
        self._whole = True

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._whole:
                near.close()
                continue
            far = socket.create_connection(self._far)
            self._ends += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


@pytest.fixture
def line(postgres_url: str) -> Iterator[tuple[Line, str]]:
    url = make_url(postgres_url)
    line = Line(url.host or "127.0.0.1", url.port or 5432)
    near = url.set(host="127.0.0.1", port=line.port)
    yield line, near.render_as_string(hide_password=False)
    line.close()


@pytest.mark.postgres
def test_a_server_that_went_away_is_reported_by_every_call_and_its_return_noticed(line: tuple[Line, str]) -> None:
    wire, url = line
    inbox = open_inbox(url, lease_seconds=60, wait_seconds=2)
    for name, call in (WRITES | READS).items():
        wire.cut()
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                pytest.fail(f"{name} answered {call(inbox)}")
        wire.mend()
        call(inbox)
    inbox.close()


@pytest.mark.postgres
def test_a_restart_of_the_server_is_not_even_noticed_between_two_calls(postgres_url: str, clock: FakeClock) -> None:
    inbox = open_inbox(postgres_url, lease_seconds=60)
    assert inbox.put(delivery("a"), now=clock())
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert inbox.put(delivery("b"), now=clock())
    inbox.close()


@pytest.mark.postgres
def test_a_locked_table_is_reported_in_time_by_every_call(postgres_url: str) -> None:
    inbox = open_inbox(postgres_url, lease_seconds=60, wait_seconds=0.05)
    with psycopg.connect(postgres_url) as other:
        other.execute("LOCK TABLE deliveries, intents, facts")
        for name, call in (WRITES | READS).items():
            with pytest.raises(StoreUnavailable, match="timeout"):
                pytest.fail(f"{name} answered {call(inbox)}")
    for call in (WRITES | READS).values():
        call(inbox)
    inbox.close()
