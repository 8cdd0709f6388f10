"""What the inbox promises, on both engines: nothing lost, nothing twice, one live job per subject, in order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.inbox.port import Delivery, Inbox, Intent, Job, State
from bot.inbox.sql import SqlInbox, open_inbox

from .conftest import FakeClock

LEASE = 60.0
TRIES = 3


@pytest.fixture
def inbox(store_url: str) -> Iterator[SqlInbox]:
    opened = open_inbox(store_url, lease_seconds=LEASE, max_tries=TRIES)
    yield opened
    opened.close()


def delivery(guid: str, *, subject: str = "o/r#1", app: str = "1", payload: bytes = b"{}") -> Delivery:
    return Delivery(
        app=app, guid=guid, event="issues", action="opened", subject=subject, installation=7, payload=payload
    )


def put(inbox: Inbox, clock: FakeClock, *guids: str, subject: str = "o/r#1") -> None:
    for guid in guids:
        assert inbox.put(delivery(guid, subject=subject), now=clock())


def claimed(inbox: Inbox, clock: FakeClock, worker: str = "w") -> Job:
    job = inbox.claim(worker, now=clock())
    assert job is not None
    return job


def test_a_delivery_comes_back_as_it_was_put(inbox: SqlInbox, clock: FakeClock) -> None:
    sent = delivery("g", payload=bytes(range(256)) * 40)
    assert inbox.put(sent, now=clock())
    job = claimed(inbox, clock)
    assert job.delivery == sent
    assert (job.worker, job.attempt, job.tries) == ("w", 1, 1)
    assert inbox.delivery(job.id) == sent
    assert inbox.delivery(job.id + 1) is None


def test_the_same_guid_is_stored_once_per_app(inbox: SqlInbox, clock: FakeClock) -> None:
    assert inbox.put(delivery("g", app="1"), now=clock())
    assert not inbox.put(delivery("g", app="1"), now=clock())
    assert inbox.put(delivery("g", app="2"), now=clock())
    assert len(inbox.deliveries()) == 2


def test_a_duplicate_of_a_leased_or_done_delivery_changes_nothing(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    job = claimed(inbox, clock)
    assert not inbox.put(delivery("g"), now=clock())
    assert inbox.finish(job, outcome="commented", now=clock())
    assert not inbox.put(delivery("g"), now=clock())
    assert [row.state for row in inbox.deliveries()] == [State.DONE]
    assert inbox.claim("w", now=clock()) is None


def test_a_redelivery_of_a_dead_one_runs_again_with_all_its_tries(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    assert inbox.bury(claimed(inbox, clock), error="permission missing", now=clock())
    assert inbox.claim("w", now=clock()) is None
    assert inbox.put(delivery("g"), now=clock())
    job = claimed(inbox, clock)
    assert (job.tries, job.attempt) == (1, 2)
    assert len(inbox.deliveries()) == 1


def test_order_is_by_arrival_even_when_the_clock_steps_back(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "first")
    clock.advance(-3600)
    put(inbox, clock, "second")
    clock.advance(7200)
    job = claimed(inbox, clock)
    assert job.delivery.guid == "first"
    assert inbox.claim("other", now=clock()) is None
    assert inbox.finish(job, outcome="done", now=clock())
    assert claimed(inbox, clock).delivery.guid == "second"


def test_the_first_to_arrive_is_the_first_to_be_claimed_even_when_the_clock_steps_back(
    inbox: SqlInbox, clock: FakeClock
) -> None:
    put(inbox, clock, "first", subject="o/r#2")
    clock.advance(-3600)
    put(inbox, clock, "second", subject="o/r#1")
    clock.advance(7200)
    assert [claimed(inbox, clock).delivery.guid for _ in range(2)] == ["first", "second"]


def test_another_subject_is_claimable_meanwhile(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "a1", "a2", subject="o/r#1")
    put(inbox, clock, "b1", subject="o/r#2")
    assert claimed(inbox, clock, "w1").delivery.guid == "a1"
    assert claimed(inbox, clock, "w2").delivery.guid == "b1"
    assert inbox.claim("w3", now=clock()) is None


def test_a_delivery_that_backs_off_holds_back_the_later_ones_of_its_subject(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "a1", "a2")
    assert inbox.retry(claimed(inbox, clock), error="502", at=clock() + 30, now=clock()) is State.WAITING
    assert inbox.claim("w", now=clock()) is None
    clock.advance(30)
    job = claimed(inbox, clock)
    assert (job.delivery.guid, job.tries) == ("a1", 2)


def test_a_dead_one_holds_nobody_back(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "a1", "a2")
    for attempt in range(1, TRIES + 1):
        state = inbox.retry(claimed(inbox, clock), error="boom", at=clock(), now=clock())
        assert state is (State.DEAD if attempt == TRIES else State.WAITING)
    dead = inbox.deliveries(state=State.DEAD)
    assert [(row.guid, row.attempts, row.error) for row in dead] == [("a1", TRIES, "boom")]
    assert claimed(inbox, clock).delivery.guid == "a2"


def test_deferring_counts_no_try(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    for _ in range(TRIES * 3):
        job = claimed(inbox, clock)
        assert job.tries == 1
        assert inbox.defer(job, reason="rate limit", at=clock() + 60, now=clock())
        assert inbox.claim("w", now=clock()) is None
        clock.advance(60)
    assert inbox.deliveries(state=State.WAITING)[0].attempts == 0


def test_a_silent_worker_loses_its_job_and_can_change_nothing_any_more(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    lost = claimed(inbox, clock, "w1")
    clock.advance(LEASE - 1)
    assert inbox.claim("w2", now=clock()) is None
    clock.advance(1)
    job = claimed(inbox, clock, "w2")
    assert (job.id, job.attempt, job.tries) == (lost.id, 2, 2)

    intent = Intent(subject="o/r#1", purpose="main", comment_id=None, body_hash=None, tried_at=clock())
    assert not inbox.heartbeat(lost, now=clock())
    assert not inbox.save_intent(intent, job=lost, now=clock())
    assert inbox.retry(lost, error="x", at=clock(), now=clock()) is None
    assert not inbox.defer(lost, reason="x", at=clock(), now=clock())
    assert not inbox.bury(lost, error="x", now=clock())
    assert not inbox.finish(lost, outcome="x", now=clock())
    assert inbox.intent("o/r#1", "main") is None

    assert inbox.save_intent(intent, job=job, now=clock())
    assert inbox.finish(job, outcome="commented", now=clock())
    assert not inbox.finish(job, outcome="again", now=clock())


def test_the_fence_also_stops_an_earlier_claim_of_the_same_worker(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    earlier = claimed(inbox, clock, "w")
    clock.advance(LEASE)
    claimed(inbox, clock, "w")
    assert not inbox.finish(earlier, outcome="x", now=clock())


def test_a_heartbeat_keeps_the_job(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    job = claimed(inbox, clock, "w1")
    for _ in range(5):
        clock.advance(LEASE / 2)
        assert inbox.heartbeat(job, now=clock())
    assert inbox.claim("w2", now=clock()) is None


def test_saving_an_intent_keeps_the_job_too(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    job = claimed(inbox, clock, "w1")
    clock.advance(LEASE - 1)
    intent = Intent(subject="o/r#1", purpose="main", comment_id=None, body_hash=None, tried_at=clock())
    assert inbox.save_intent(intent, job=job, now=clock())
    clock.advance(LEASE - 1)
    assert inbox.claim("w2", now=clock()) is None


def test_a_delivery_that_kills_every_worker_dies_itself(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "poison", "next")
    for _ in range(TRIES):
        assert claimed(inbox, clock).delivery.guid == "poison"
        clock.advance(LEASE)
    assert claimed(inbox, clock).delivery.guid == "next"
    (dead,) = inbox.deliveries(state=State.DEAD)
    assert dead.guid == "poison"
    assert dead.error == "no worker survived the last try"


def test_done_and_dead_can_be_replayed_but_not_what_is_under_way(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    job = claimed(inbox, clock)
    assert not inbox.replay(job.id, now=clock())
    assert inbox.finish(job, outcome="commented", detail='{"reason": "x"}', now=clock())
    assert inbox.replay(job.id, now=clock())
    assert not inbox.replay(job.id, now=clock())
    assert not inbox.replay(job.id + 1, now=clock())
    (row,) = inbox.deliveries()
    assert (row.state, row.outcome, row.detail, row.error, row.attempts) == (State.WAITING, None, None, None, 0)


def test_what_became_of_it_is_recorded(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "a", subject="o/r#1")
    put(inbox, clock, "b", subject="o/r#2")
    inbox.finish(claimed(inbox, clock), outcome="silent", detail='{"verdict": "abstain"}', now=clock())
    inbox.bury(claimed(inbox, clock), error="422", detail="{}", now=clock())
    newest, oldest = inbox.deliveries()
    assert (oldest.guid, oldest.outcome, oldest.detail) == ("a", "silent", '{"verdict": "abstain"}')
    assert (newest.guid, newest.error, newest.detail) == ("b", "422", "{}")


def test_an_intent_is_remembered_as_last_saved(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "g")
    job = claimed(inbox, clock)
    before = Intent(subject="o/r#1", purpose="main", comment_id=None, body_hash=None, tried_at=clock())
    after = Intent(subject="o/r#1", purpose="main", comment_id=2**40, body_hash="h", tried_at=None)
    for intent in (before, after):
        assert inbox.save_intent(intent, job=job, now=clock())
        assert inbox.intent("o/r#1", "main") == intent
    assert inbox.intent("o/r#1", "reply:1") is None
    assert inbox.intent("o/r#10", "main") is None


def test_posts_of_a_repository_are_counted_by_their_last_try(inbox: SqlInbox, clock: FakeClock) -> None:
    def post(subject: str) -> float:
        put(inbox, clock, f"g{subject}", subject=subject)
        job = claimed(inbox, clock)
        tried = Intent(subject=subject, purpose="main", comment_id=None, body_hash=None, tried_at=clock())
        assert inbox.save_intent(tried, job=job, now=clock())
        known = Intent(subject=subject, purpose="main", comment_id=1, body_hash="h", tried_at=None)
        assert inbox.save_intent(known, job=job, now=clock())
        assert inbox.finish(job, outcome="commented", now=clock())
        return clock()

    start = clock()
    times = []
    for number in range(3):
        clock.advance(60)
        times.append(post(f"o/r#{number}"))
    post("o/r2#1")
    assert inbox.posts_since("o/r", start) == times
    assert inbox.posts_since("o/r", times[0]) == times[1:]


def test_facts_are_remembered_and_renewed(inbox: SqlInbox, clock: FakeClock) -> None:
    assert inbox.fact("host", "label-suggestions") is None
    inbox.save_fact("host", "label-suggestions", "unsupported", now=clock())
    clock.advance(5)
    inbox.save_fact("host", "label-suggestions", "supported", now=clock())
    fact = inbox.fact("host", "label-suggestions")
    assert fact is not None
    assert (fact.value, fact.updated_at) == ("supported", clock())
    assert inbox.facts("other") == []


def test_counts_show_every_state_and_the_oldest_unfinished(inbox: SqlInbox, clock: FakeClock) -> None:
    empty = inbox.counts(now=clock())
    assert (set(empty.states), sum(empty.states.values()), empty.oldest_age) == (set(State), 0, None)
    put(inbox, clock, "a", subject="o/r#1")
    clock.advance(10)
    put(inbox, clock, "b", subject="o/r#2")
    put(inbox, clock, "c", subject="o/r#3")
    inbox.bury(claimed(inbox, clock), error="x", now=clock())
    inbox.finish(claimed(inbox, clock), outcome="x", now=clock())
    claimed(inbox, clock)
    clock.advance(5)
    counts = inbox.counts(now=clock())
    assert counts.states == {State.WAITING: 0, State.LEASED: 1, State.DONE: 1, State.DEAD: 1}
    assert counts.oldest_age == 5


def test_pruning_takes_only_what_was_done_before(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "old-done", subject="o/r#1")
    put(inbox, clock, "old-dead", subject="o/r#2")
    put(inbox, clock, "old-leased", subject="o/r#3")
    put(inbox, clock, "new-done", subject="o/r#4")
    inbox.finish(claimed(inbox, clock), outcome="x", now=clock())
    inbox.bury(claimed(inbox, clock), error="x", now=clock())
    claimed(inbox, clock)
    last = claimed(inbox, clock)
    clock.advance(100)
    inbox.finish(last, outcome="x", now=clock())
    assert inbox.prune(clock()) == 1
    assert {row.guid for row in inbox.deliveries()} == {"old-dead", "old-leased", "new-done"}


def test_a_number_is_never_given_twice(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "a")
    job = claimed(inbox, clock)
    inbox.finish(job, outcome="x", now=clock())
    assert inbox.prune(clock() + 1) == 1
    put(inbox, clock, "b")
    assert claimed(inbox, clock).id > job.id


def test_text_that_a_database_refuses_is_mended(inbox: SqlInbox, clock: FakeClock) -> None:
    put(inbox, clock, "nul\0and\ud800half")
    job = claimed(inbox, clock)
    assert not inbox.put(delivery("nul\0and\ud800half"), now=clock())
    assert inbox.retry(job, error="bad \0 \udfff" + "x" * 10_000, at=clock(), now=clock()) is State.WAITING
    error = inbox.deliveries()[0].error
    assert error is not None
    assert error.startswith("bad \ufffd ?x")
    assert len(error) == 2_000


def test_the_list_can_be_cut_short(inbox: SqlInbox, clock: FakeClock) -> None:
    for number in range(5):
        put(inbox, clock, f"g{number}", subject=f"o/r#{number}")
    assert [row.guid for row in inbox.deliveries(limit=2)] == ["g4", "g3"]
