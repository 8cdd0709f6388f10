"""Several workers, threads and hosts on one store: order per subject holds, and no subject has two live jobs."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator

import psycopg
import pytest

from bot.inbox.port import Delivery, Job, State
from bot.inbox.sql import SqlInbox, open_inbox

from .conftest import FakeClock

SUBJECTS, EACH, WORKERS = 6, 8, 4


@pytest.fixture
def hosts(store_url: str) -> Iterator[list[SqlInbox]]:
    """Two processes' worth of inboxes on the same database."""
    opened = [open_inbox(store_url, lease_seconds=60) for _ in range(2)]
    yield opened
    for inbox in opened:
        inbox.close()


def delivery(guid: str, subject: str) -> Delivery:
    return Delivery(
        app="1", guid=guid, event="issues", action="opened", subject=subject, installation=None, payload=b"{}"
    )


def test_workers_of_two_hosts_share_the_work_in_order(hosts: list[SqlInbox], clock: FakeClock) -> None:
    for number in range(EACH):
        for subject in range(SUBJECTS):
            assert hosts[0].put(delivery(f"{subject}-{number}", f"o/r#{subject}"), now=clock())

    lock = threading.Lock()
    live: dict[str, int] = defaultdict(int)
    seen: dict[str, list[str]] = defaultdict(list)
    wrong: list[str] = []
    left = [SUBJECTS * EACH]

    def work(name: str, inbox: SqlInbox) -> None:
        while left[0] > 0:
            job = inbox.claim(name, now=clock())
            if job is None:
                continue
            subject = job.delivery.subject
            with lock:
                live[subject] += 1
                if live[subject] > 1:
                    wrong.append(f"two live jobs on {subject}")
                seen[subject].append(job.delivery.guid)
            assert inbox.heartbeat(job, now=clock())
            with lock:
                live[subject] -= 1
            assert inbox.finish(job, outcome="x", now=clock())
            with lock:
                left[0] -= 1

    threads = [threading.Thread(target=work, args=(f"w{n}", hosts[n % 2]), daemon=True) for n in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert seen == {f"o/r#{s}": [f"{s}-{n}" for n in range(EACH)] for s in range(SUBJECTS)}
    assert hosts[1].counts(now=clock()).states[State.DONE] == SUBJECTS * EACH


def test_the_same_delivery_at_two_receivers_is_stored_once(hosts: list[SqlInbox], clock: FakeClock) -> None:
    stored: list[bool] = []
    start = threading.Barrier(WORKERS)

    def receive(inbox: SqlInbox) -> None:
        start.wait(10)
        for number in range(10):
            stored.append(inbox.put(delivery(f"g{number}", "o/r#1"), now=clock()))

    threads = [threading.Thread(target=receive, args=(hosts[n % 2],), daemon=True) for n in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(stored) == WORKERS * 10
    assert sum(stored) == 10
    assert len(hosts[0].deliveries()) == 10


_PUT_LATE = (
    "INSERT INTO deliveries (id, app, guid, event, action, subject, payload, state, tries, attempt,"
    " not_before, received_at, updated_at)"
    " VALUES (%s, '1', 'late', 'issues', 'opened', 'o/r#1', '', 'waiting', 0, 0, 0, 0, 0)"
)


@pytest.mark.postgres
def test_a_delivery_whose_commit_comes_late_waits_for_the_one_that_overtook_it(
    postgres_url: str, clock: FakeClock
) -> None:
    inbox = open_inbox(postgres_url, lease_seconds=60)
    assert inbox.put(delivery("a", "o/r#1"), now=clock())
    first = inbox.claim("w1", now=clock())
    assert first is not None
    # An insert that took its number earlier and commits only now.
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(_PUT_LATE, (first.id - 1,))
    assert inbox.put(delivery("elsewhere", "o/r#2"), now=clock())
    elsewhere = inbox.claim("w2", now=clock())
    assert elsewhere is not None
    assert elsewhere.delivery.guid == "elsewhere"
    assert inbox.claim("w3", now=clock()) is None
    assert inbox.finish(first, outcome="x", now=clock())
    late = inbox.claim("w3", now=clock())
    assert late is not None
    assert late.delivery.guid == "late"
    inbox.close()


@pytest.mark.postgres
def test_two_claims_on_one_subject_in_the_same_moment_cannot_both_win(postgres_url: str, clock: FakeClock) -> None:
    inbox = open_inbox(postgres_url, lease_seconds=60)
    assert inbox.put(delivery("a", "o/r#1"), now=clock())
    (row,) = inbox.deliveries()
    got: list[Job | None] = []
    with psycopg.connect(postgres_url) as rival, psycopg.connect(postgres_url, autocommit=True) as other:
        # The rival's claim on `a` is not committed yet, so nobody sees it, when an earlier number turns up.
        rival.execute("UPDATE deliveries SET state = 'leased', worker = 'rival', attempt = 1, lease_until = 1e12")
        other.execute(_PUT_LATE, (row.id - 1,))
        claim = threading.Thread(target=lambda: got.append(inbox.claim("w", now=clock())))
        claim.start()
        blocked = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        while claim.is_alive() and other.execute(blocked).fetchone() == (0,):
            pass
        rival.commit()
        claim.join(10)
    assert got == [None]
    assert {row.guid: row.state for row in inbox.deliveries()} == {"a": State.LEASED, "late": State.WAITING}
    inbox.close()
