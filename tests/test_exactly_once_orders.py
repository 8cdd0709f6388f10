"""Deliveries may come late, twice, in any order, and while the issue is being edited: the end is the same comment."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.inbox.port import State
from bot.inbox.sql import SqlInbox, open_inbox

from .conftest import FakeClock
from .worker_world import ENTRIES, LEASE, FakeRepository, World

TEXTS = {"ALPHA": "it prints ALPHA", "BETA": "it prints BETA", "": "never mind"}
_QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


class Stage:
    """One store, an issue of its own for every example."""

    def __init__(self, inbox: SqlInbox) -> None:
        self.inbox = inbox
        self.clock = FakeClock()
        self._numbers = itertools.count(1)

    def issue(self) -> tuple[int, FakeRepository, World]:
        repository = FakeRepository(self.clock)
        return next(self._numbers), repository, World(self.inbox, repository, self.clock)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    inbox = open_inbox(f"sqlite:///{tmp_path / 'inbox'}", lease_seconds=LEASE)
    yield Stage(inbox)
    inbox.close()


# What each delivery showed when it was sent. The issue itself stands as BETA.
DELIVERIES = {
    "a": ("opened", "it prints ALPHA"),
    "b": ("edited", "never mind"),
    "c": ("edited", "it prints BETA"),
}


@given(
    order=st.permutations(list(DELIVERIES)),
    again=st.lists(st.sampled_from(list(DELIVERIES)), max_size=5),
    pauses=st.lists(st.booleans(), min_size=10, max_size=10),
    replayed=st.booleans(),
)
@_QUICK
def test_any_order_with_any_repetition_ends_in_the_same_comment_and_labels(
    stage: Stage, order: list[str], again: list[str], pauses: list[bool], replayed: bool
) -> None:
    number, repository, world = stage.issue()
    repository.open(number, TEXTS["BETA"])
    for guid, pause in zip([*order, *again], pauses, strict=False):
        action, body = DELIVERIES[guid]
        world.put(action, number, body, guid=f"{number}-{guid}")
        if pause:
            world.work()
    world.work()
    if replayed:
        for row in stage.inbox.deliveries(limit=len(DELIVERIES)):
            assert stage.inbox.replay(row.id, now=world.clock())
        world.work()
    (comment,) = repository.on(number)
    assert ENTRIES["BETA"].id in comment.body
    assert repository.posts == 1
    assert repository.suggested == {number: ["burn-tensor"]}


@given(
    texts=st.lists(st.sampled_from(list(TEXTS)), min_size=1, max_size=5),
    steps=st.lists(st.integers(min_value=0, max_value=9), max_size=20),
)
@_QUICK
def test_while_the_issue_is_edited_the_comment_follows_however_late_the_deliveries_are(
    stage: Stage, texts: list[str], steps: list[int]
) -> None:
    """A step is: the author writes the next text, a pending delivery arrives (any of them), or a worker works."""
    number, repository, world = stage.issue()
    worker = world.worker()
    to_write = [TEXTS[text] for text in texts]
    pending: list[tuple[str, str]] = []
    for step in [*steps, *[0] * len(texts)]:
        if step % 3 == 0 and to_write:
            body = to_write.pop(0)
            pending.append(("edited" if number in repository.issues else "opened", body))
            repository.open(number, body)
        elif step % 3 == 1 and pending:
            action, shown = pending.pop(step % len(pending))
            world.put(action, number, shown)
        else:
            worker.once()
    for action, shown in pending:
        world.put(action, number, shown)
    world.work(worker)
    last = texts[-1]
    bodies = [comment.body for comment in repository.on(number)]
    assert len(bodies) <= 1
    if last:
        assert [ENTRIES[last].id in body for body in bodies] == [True]
    else:
        assert all("withdrawn" in body for body in bodies)
    assert repository.posts == len(bodies)
    counts = stage.inbox.counts(now=world.clock())
    assert counts.states[State.DEAD] == 0
