"""The proof of the one comment: the process dies before and after every single write, and the end is always the same.

Each scenario is run once undisturbed to number its crash points, then once for each of them; the plainest one also for
each pair, and all of them with many random ones. After a crash a new worker starts with nothing but the store.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.github.port import Later
from bot.inbox.port import State
from bot.inbox.sql import SqlInbox, open_inbox
from bot.render.marker import find_marker

from .conftest import FakeClock
from .crash_points import GITHUB_WRITES, STORE_WRITES, Crash, CrashPoints, Mortal
from .worker_world import ENTRIES, LEASE, REPO, SETTLE, FakeRepository, World

ALPHA, BETA, NOTHING = "it prints ALPHA", "it prints BETA", "never mind"


@dataclass
class Life:
    """A scenario on one issue, told against a world in which the process may die at any write."""

    number: int
    world: World
    repository: FakeRepository

    def says(self, body: str) -> None:
        """The author writes, on GitHub: no write of ours."""
        self.repository.open(self.number, body)

    def delivered(self, action: str, body: str, guid: str) -> None:
        """GitHub delivers. When we die before the answer, the delivery is asked for again."""
        while True:
            try:
                self.world.put(action, self.number, body, guid=f"{self.number}-{guid}")
            except Crash:
                continue
            return

    def worked(self) -> None:
        """Workers come and die until all is done. The next one starts long before the lease of the last runs out."""
        while True:
            try:
                self.world.work()
            except Crash:
                continue
            return


def opened(life: Life) -> None:
    life.says(ALPHA)
    life.delivered("opened", ALPHA, "a")
    life.worked()


def edited(life: Life) -> None:
    opened(life)
    life.says(BETA)
    life.delivered("edited", BETA, "b")
    life.worked()


def edited_at_once(life: Life) -> None:
    life.says(BETA)
    life.delivered("opened", ALPHA, "a")
    life.delivered("edited", BETA, "b")
    life.delivered("opened", ALPHA, "a")
    life.worked()


def withdrawn(life: Life) -> None:
    opened(life)
    life.says(NOTHING)
    life.delivered("edited", NOTHING, "b")
    life.worked()


def stored_but_answered_502(life: Life) -> None:
    life.repository.fail("create_comment", Later("502"), arrives=True)
    opened(life)


def refused_by_a_502(life: Life) -> None:
    life.repository.fail("create_comment", Later("502"), Later("connection reset"))
    opened(life)


def listed_only_later(life: Life) -> None:
    life.repository.lag = SETTLE - 0.5
    life.repository.fail("create_comment", Later("time-out"), arrives=True)
    opened(life)


def limited(life: Life) -> None:
    life.repository.fail("create_comment", Later("429", after_seconds=600))
    life.repository.fail("suggest_labels", Later("403 secondary limit", after_seconds=60))
    opened(life)


def without_suggestions(life: Life) -> None:
    life.repository.knows_suggestions = False
    opened(life)


Scenario = Callable[[Life], None]
SCENARIOS: dict[Scenario, str] = {
    opened: "ALPHA",
    edited: "BETA",
    edited_at_once: "BETA",
    withdrawn: "",
    stored_but_answered_502: "ALPHA",
    refused_by_a_502: "ALPHA",
    listed_only_later: "ALPHA",
    limited: "ALPHA",
    without_suggestions: "ALPHA",
}


class Stage:
    """One store for many lives, each on an issue of its own."""

    def __init__(self, inbox: SqlInbox, clock: FakeClock) -> None:
        self.inbox = inbox
        self.clock = clock
        self.numbers = itertools.count(1)

    def play(self, scenario: Scenario, *crashes: int) -> CrashPoints:
        """Run the scenario with these crashes and check how it ended."""
        points = CrashPoints(crashes)
        repository = FakeRepository(self.clock)
        number = next(self.numbers)
        world = World(
            inbox=Mortal(self.inbox, STORE_WRITES, points),
            repository=Mortal(repository, GITHUB_WRITES, points),
            clock=self.clock,
            host=f"https://host-{number}",
        )
        scenario(Life(number, world, repository))
        story = f"{scenario.__name__} with crashes {[points.reached[at] for at in crashes if at < len(points.reached)]}"
        self._check(number, repository, SCENARIOS[scenario], story)
        return points

    def _check(self, number: int, repository: FakeRepository, word: str, story: str) -> None:
        subject = f"{REPO}#{number}"
        comments = repository.on(number)
        assert len(comments) == 1, story
        (comment,) = comments
        marker = find_marker(comment.body)
        assert marker is not None, story
        assert marker.subject == subject, story
        assert (ENTRIES[word].id in comment.body) if word else ("withdrawn" in comment.body), story
        intent = self.inbox.intent(subject, "main")
        assert intent is not None, story
        assert (intent.comment_id, intent.tried_at) == (comment.id, None), story
        if repository.knows_suggestions:
            assert set(repository.suggested[number]) == {"burn-tensor"}, story
        else:
            assert "`burn-tensor`" in comment.body, story
        assert all(row.state is State.DONE for row in self.inbox.deliveries() if row.subject == subject), story


def unhurried(inbox: SqlInbox) -> None:
    """Spare the disk: here a process dies, not the machine."""

    @sa.event.listens_for(inbox.engine, "connect")
    def _spare(connection: Any, _record: Any) -> None:
        sqlite = inbox.engine.dialect.name == "sqlite"
        connection.execute("PRAGMA synchronous = OFF" if sqlite else "SET synchronous_commit = off")
        connection.commit()

    inbox.engine.dispose()


@contextmanager
def staged(url: str, clock: FakeClock) -> Iterator[Stage]:
    inbox = open_inbox(url, lease_seconds=LEASE, max_tries=40)
    unhurried(inbox)
    yield Stage(inbox, clock)
    inbox.close()


@pytest.fixture
def stage(tmp_path: Path, clock: FakeClock) -> Iterator[Stage]:
    with staged(f"sqlite:///{tmp_path / 'inbox'}", clock) as stage:
        yield stage


@pytest.fixture
def postgres_stage(postgres_url: str, clock: FakeClock) -> Iterator[Stage]:
    with staged(postgres_url, clock) as stage:
        yield stage


def die_at_each(stage: Stage, scenario: Scenario) -> None:
    undisturbed = stage.play(scenario)
    assert {"before create_comment", "after create_comment", "before save_intent", "after finish"} <= set(
        undisturbed.reached
    )
    for at in range(len(undisturbed.reached)):
        assert len(stage.play(scenario, at).reached) > at


def die_at_random(stage: Stage, lives: int) -> None:
    chance = random.Random(2_026)
    for _ in range(lives):
        scenario = chance.choice(list(SCENARIOS))
        stage.play(scenario, *chance.sample(range(60), chance.randint(3, 12)))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_a_crash_before_or_after_any_write_leaves_exactly_one_comment(stage: Stage, scenario: Scenario) -> None:
    die_at_each(stage, scenario)


@pytest.mark.postgres
@pytest.mark.parametrize("scenario", [opened, edited, listed_only_later], ids=lambda scenario: scenario.__name__)
def test_so_it_does_on_postgres(postgres_stage: Stage, scenario: Scenario) -> None:
    die_at_each(postgres_stage, scenario)


@pytest.mark.slow
def test_so_does_a_second_crash_at_any_write_after_the_first(stage: Stage) -> None:
    for first in range(len(stage.play(opened).reached)):
        disturbed = stage.play(opened, first)
        for second in range(first + 1, len(disturbed.reached)):
            stage.play(opened, first, second)


def test_so_do_many_crashes_at_random(stage: Stage) -> None:
    die_at_random(stage, 80)


@pytest.mark.postgres
def test_so_do_many_crashes_at_random_on_postgres(postgres_stage: Stage) -> None:
    die_at_random(postgres_stage, 15)


def test_the_harness_would_notice_a_second_comment(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without looking for the marker first, a crash right after the POST must be seen to double the comment."""
    monkeypatch.setattr(FakeRepository, "comments", lambda self, number: iter(()))
    points = stage.play(opened)
    after_post = points.reached.index("after create_comment")
    with pytest.raises(AssertionError, match="opened with crashes"):
        stage.play(opened, after_post)
