"""The loop around the handler: every way out of it is recorded, and nothing stops the others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from bot.github.port import Gone, Later, Refused
from bot.inbox.port import Job, State, StoreUnavailable
from bot.inbox.sql import SqlInbox, open_inbox
from bot.worker.heart import Heart
from bot.worker.loop import BackOff, Workers
from bot.worker.outcome import Done, LeaseLost, NotYet, Outcome

from .conftest import FakeClock
from .worker_world import LEASE, FakeRepository, World, delivery

PATIENCE = 20.0


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[SqlInbox]:
    opened = open_inbox(f"sqlite:///{tmp_path / 'inbox'}", lease_seconds=LEASE, max_tries=3)
    yield opened
    opened.close()


@pytest.fixture
def world(inbox: SqlInbox, clock: FakeClock) -> World:
    return World(inbox, FakeRepository(clock), clock)


def done(_job: Job) -> Done:
    return Done(outcome=Outcome.SILENT, detail="{}")


def raising(error: Exception) -> Any:
    def handle(_job: Job) -> Done:
        raise error

    return handle


def states(world: World) -> dict[str, State]:
    return {row.guid: row.state for row in world.inbox.deliveries()}


def test_nothing_to_do_says_so(world: World) -> None:
    assert not world.worker(done).once()
    assert world.outcomes == []


def test_done_is_recorded(world: World) -> None:
    world.put("opened", 1, "", guid="g")
    assert world.worker(done).once()
    (row,) = world.inbox.deliveries()
    assert (row.state, row.outcome, row.detail) == (State.DONE, "silent", "{}")
    assert world.outcomes == ["silent"]


def test_not_yet_waits_without_counting_a_try(world: World) -> None:
    world.put("opened", 1, "")
    at = world.clock() + 100
    world.worker(lambda job: NotYet(at=at, reason="settling")).once()
    (row,) = world.inbox.deliveries()
    assert (row.state, row.not_before, row.attempts, row.error) == (State.WAITING, at, 0, "settling")


@pytest.mark.parametrize(("asked", "waits"), [(60.0, 60.0), (0.0, 1.0), (-5.0, 1.0), (1e9, 2 * 3600)])
def test_a_rate_limit_waits_as_long_as_github_asks_within_reason_and_counts_no_try(
    world: World, asked: float, waits: float
) -> None:
    world.put("opened", 1, "")
    world.worker(raising(Later("429", after_seconds=asked))).once()
    (row,) = world.inbox.deliveries()
    assert (row.state, row.attempts) == (State.WAITING, 0)
    assert row.not_before - world.clock() == pytest.approx(waits)


def test_other_issues_go_on_while_one_waits(world: World) -> None:
    for number in (1, 2, 3):
        world.put("opened", number, "", guid=f"g{number}")

    def handle(job: Job) -> Done:
        if job.delivery.subject.endswith("#1"):
            raise Later("403 secondary limit", after_seconds=3600)
        return done(job)

    worker = world.worker(handle)
    while worker.once():
        pass
    assert states(world) == {"g1": State.WAITING, "g2": State.DONE, "g3": State.DONE}


def test_failures_back_off_longer_and_longer_and_end_dead(world: World) -> None:
    world.put("opened", 1, "", guid="g")
    worker = world.worker(raising(Later("502")))
    waits = []
    while worker.once():
        (row,) = world.inbox.deliveries()
        waits.append(row.not_before - world.clock())
        world.clock.now = row.not_before
    assert waits[:2] == [2.5, 5]
    assert states(world) == {"g": State.DEAD}
    assert world.outcomes == ["retried", "retried", "dead"]


def test_back_off_grows_is_capped_and_jittered() -> None:
    back_off = BackOff(first_seconds=5, longest_seconds=3600)
    assert [back_off.seconds(tries, 1.0) for tries in (1, 2, 3, 11, 1000)] == [5, 10, 20, 3600, 3600]
    assert back_off.seconds(1, 0.0) == 2.5
    assert 7 * 3600 < sum(back_off.seconds(tries, 0.0) for tries in range(1, 24)) < 8 * 3600


def test_an_unexpected_error_is_logged_with_the_delivery_and_tried_again(world: World) -> None:
    world.put("opened", 1, "", guid="bad")
    world.put("opened", 2, "", guid="good")

    bound: list[object] = []

    def handle(job: Job) -> Done:
        bound.append(structlog.contextvars.get_contextvars()["delivery"])
        if job.delivery.guid == "bad":
            raise ZeroDivisionError("a bug")
        return done(job)

    worker = world.worker(handle)
    with capture_logs() as logs:
        while worker.once():
            pass
    assert states(world) == {"bad": State.WAITING, "good": State.DONE}
    assert {row.guid: row.error for row in world.inbox.deliveries()}["bad"] == "ZeroDivisionError: a bug"
    assert [log["event"] for log in logs if log["log_level"] == "error"] == ["unexpected error"]
    assert bound == ["bad", "good"]
    assert structlog.contextvars.get_contextvars() == {}


@pytest.mark.parametrize("error", [Refused("422 body is too long")])
def test_what_a_person_has_to_mend_is_dead_at_once(world: World, error: Exception) -> None:
    world.put("opened", 1, "", guid="g")
    with capture_logs() as logs:
        world.worker(raising(error)).once()
    assert states(world) == {"g": State.DEAD}
    assert logs[-1]["log_level"] == "error"
    assert world.outcomes == ["dead"]


def test_gone_is_done(world: World) -> None:
    world.put("opened", 1, "")
    world.worker(raising(Gone("404"))).once()
    assert world.outcomes == ["gone"]


def test_a_lost_lease_is_left_to_its_new_owner(world: World) -> None:
    world.put("opened", 1, "", guid="g")
    world.worker(raising(LeaseLost())).once()
    assert world.outcomes == ["lost"]
    assert states(world) == {"g": State.LEASED}


@pytest.mark.parametrize(
    "handle", [done, raising(Later("x")), raising(Refused("x")), lambda job: NotYet(at=0.0, reason="x")]
)
def test_whoever_comes_back_too_late_changes_nothing(world: World, handle: Any) -> None:
    world.put("opened", 1, "", guid="g")

    def slow(job: Job) -> Any:
        world.clock.advance(LEASE)
        assert world.inbox.claim("other", now=world.clock()) is not None
        return handle(job)

    world.worker(slow).once()
    assert world.outcomes == ["lost"]
    assert states(world) == {"g": State.LEASED}


def test_a_store_that_fails_in_the_middle_leaves_the_job_to_be_taken_up_again(world: World) -> None:
    world.put("opened", 1, "", guid="g")
    with pytest.raises(StoreUnavailable):
        world.worker(raising(StoreUnavailable("disk full"))).once()
    assert states(world) == {"g": State.LEASED}
    world.clock.advance(LEASE)
    assert world.worker(done).once()
    assert states(world) == {"g": State.DONE}


def test_the_heart_beats_for_jobs_in_hand_only(world: World) -> None:
    world.put("opened", 1, "")
    heart = Heart(inbox=world.inbox, clock=world.clock)
    job = world.inbox.claim("w", now=world.clock())
    assert job is not None
    with heart.beating_for(job):
        for _ in range(4):
            world.clock.advance(LEASE / 2)
            heart.beat()
            assert world.inbox.claim("other", now=world.clock()) is None
    world.clock.advance(LEASE / 2)
    heart.beat()
    world.clock.advance(LEASE / 2)
    assert world.inbox.claim("other", now=world.clock()) is not None


def test_the_heart_survives_a_store_that_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("opened", 1, "")
    heart = Heart(inbox=world.inbox, clock=world.clock)
    job = world.inbox.claim("w", now=world.clock())
    assert job is not None
    with heart.beating_for(job):
        for error in (StoreUnavailable("away"), ZeroDivisionError()):
            with monkeypatch.context() as patch:
                patch.setattr(world.inbox, "heartbeat", lambda *_a, error=error, **_k: raising(error)(job))
                heart.beat()
        world.clock.advance(LEASE / 2)
        heart.beat()
    world.clock.advance(LEASE / 2)
    assert world.inbox.claim("other", now=world.clock()) is None


def test_the_heart_says_once_that_a_lease_was_lost(world: World) -> None:
    world.put("opened", 1, "")
    heart = Heart(inbox=world.inbox, clock=world.clock)
    job = world.inbox.claim("w", now=world.clock())
    assert job is not None
    world.clock.advance(LEASE)
    world.inbox.claim("other", now=world.clock())
    with capture_logs() as logs, heart.beating_for(job):
        heart.beat()
        heart.beat()
    assert [log["event"] for log in logs] == ["lease lost"]


class Counted:
    """Handles jobs and lets a test wait until so many are done."""

    def __init__(self) -> None:
        self.outcomes: list[str] = []
        self._changed = threading.Condition()

    def __call__(self, outcome: str) -> None:
        with self._changed:
            self.outcomes.append(outcome)
            self._changed.notify_all()

    def wait_for(self, number: int) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: len(self.outcomes) >= number, PATIENCE)


def start(world: World, handle: Any, counted: Counted, **options: Any) -> Workers:
    settings: dict[str, Any] = {
        "inbox": world.inbox,
        "handle": handle,
        "count": 2,
        "lease_seconds": LEASE,
        "clock": world.clock,
        "jitter": lambda: 0.0,
        "poll_seconds": 3600.0,
        "observe": counted,
    }
    workers = Workers(**(settings | options))
    workers.start()
    return workers


def test_a_delivery_is_taken_up_as_soon_as_it_is_announced(world: World) -> None:
    counted = Counted()
    workers = start(world, done, counted)
    for number in range(1, 6):
        world.put("opened", number, "")
        workers.wake()
        assert counted.wait_for(number)
    assert workers.alive()
    assert workers.stop(timeout=PATIENCE)
    assert not workers.alive()


def test_what_another_process_put_is_found_by_looking(world: World) -> None:
    counted = Counted()
    workers = start(world, done, counted, poll_seconds=0.01)
    world.put("opened", 1, "")
    assert counted.wait_for(1)
    assert workers.stop(timeout=PATIENCE)


def test_stopping_finishes_the_job_in_hand_and_takes_no_other(world: World) -> None:
    counted = Counted()
    begun, go_on = threading.Event(), threading.Event()

    def slow(job: Job) -> Done:
        begun.set()
        assert go_on.wait(PATIENCE)
        return done(job)

    for guid in ("first", "second"):
        world.put("opened", 1, "", guid=guid)
    workers = start(world, slow, counted, count=1)
    assert begun.wait(PATIENCE)
    assert not workers.stop(timeout=0.0)
    go_on.set()
    assert workers.stop(timeout=PATIENCE)
    assert states(world) == {"first": State.DONE, "second": State.WAITING}


def test_a_long_job_keeps_its_lease(world: World) -> None:
    counted = Counted()
    beats = threading.Semaphore(0)
    heartbeat = world.inbox.heartbeat

    def counting(job: Job, *, now: float) -> bool:
        beats.release()
        return heartbeat(job, now=now)

    world.inbox.heartbeat = counting  # type: ignore[method-assign]

    def slow(job: Job) -> Done:
        for _ in range(3):
            assert beats.acquire(timeout=PATIENCE)
        return done(job)

    world.put("opened", 1, "")
    workers = start(world, slow, counted, lease_seconds=0.03)
    assert counted.wait_for(1)
    assert workers.stop(timeout=PATIENCE)
    assert counted.outcomes == ["silent"]


def test_workers_outlast_a_store_that_is_away(world: World, inbox: SqlInbox) -> None:
    counted = Counted()
    failures = [StoreUnavailable("away"), StoreUnavailable("away"), ZeroDivisionError("a bug")]
    claim = inbox.claim

    def failing(worker: str, *, now: float) -> Job | None:
        if failures:
            raise failures.pop()
        return claim(worker, now=now)

    inbox.claim = failing  # type: ignore[method-assign]
    world.put("opened", 1, "")
    workers = start(world, done, counted, poll_seconds=0.01)
    assert counted.wait_for(1)
    assert workers.alive()
    assert workers.stop(timeout=PATIENCE)


def test_many_threads_do_each_job_once(world: World) -> None:
    counted = Counted()
    lock, seen = threading.Lock(), []

    def handle(job: Job) -> Done:
        with lock:
            seen.append(job.delivery.guid)
        return done(job)

    workers = start(world, handle, counted, count=4, poll_seconds=0.01)
    for number in range(40):
        world.inbox.put(delivery(f"g{number}", "opened", number % 7 + 1, ""), now=world.clock())
        workers.wake()
    assert counted.wait_for(40)
    assert workers.stop(timeout=PATIENCE)
    assert sorted(seen) == sorted(f"g{number}" for number in range(40))
