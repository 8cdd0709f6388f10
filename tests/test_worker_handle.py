"""One delivery from payload to comment: what is decided, what is written, and what is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.github.port import Gone, Later, Refused
from bot.inbox.port import Delivery, DeliveryRow, State
from bot.inbox.sql import SqlInbox, open_inbox
from bot.policy.settings import LabelMode, Mode
from bot.render.marker import find_marker

from .conftest import FakeClock
from .worker_world import ENTRIES, LEASE, REPO, FakeRepository, World, policy


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[SqlInbox]:
    opened = open_inbox(f"sqlite:///{tmp_path / 'inbox'}", lease_seconds=LEASE)
    yield opened
    opened.close()


@pytest.fixture
def repository(clock: FakeClock) -> FakeRepository:
    return FakeRepository(clock)


@pytest.fixture
def world(inbox: SqlInbox, repository: FakeRepository, clock: FakeClock) -> World:
    return World(inbox, repository, clock)


def row(world: World, guid: str) -> DeliveryRow:
    return next(row for row in world.inbox.deliveries() if row.guid == guid)


def detail(world: World, guid: str) -> dict[str, Any]:
    text = row(world, guid).detail
    assert text is not None
    found: dict[str, Any] = json.loads(text)
    return found


def only_body(repository: FakeRepository, number: int = 1) -> str:
    (comment,) = repository.on(number)
    return comment.body


def test_a_known_message_is_explained_and_labels_are_suggested(world: World, repository: FakeRepository) -> None:
    repository.open(1, "it prints ALPHA and stops")
    guid = world.put("opened", 1, "it prints ALPHA and stops")
    world.work()
    body = only_body(repository)
    assert ENTRIES["ALPHA"].id in body
    marker = find_marker(body)
    assert marker is not None
    assert (marker.subject, marker.purpose) == (f"{REPO}#1", "main")
    assert repository.suggested == {1: ["burn-tensor"]}
    recorded = detail(world, guid)
    assert row(world, guid).outcome == "commented"
    assert recorded["action"] == "post"
    assert recorded["decision"] == "explain"
    assert recorded["matches"] == [
        {"record": ENTRIES["ALPHA"].id, "slug": ENTRIES["ALPHA"].slug, "role": "root", "confidence": 1.0}
    ]
    assert recorded["comment_id"] == repository.on(1)[0].id
    assert (recorded["labels"], recorded["labelled"]) == (["burn-tensor"], "suggested")


def test_an_unknown_message_is_met_with_silence_and_the_reason_is_recorded(
    world: World, repository: FakeRepository
) -> None:
    repository.open(1, "please add a feature")
    guid = world.put("opened", 1, "please add a feature")
    world.work()
    assert repository.on(1) == []
    assert row(world, guid).outcome == "silent"
    assert detail(world, guid)["reason"] == "abstain: no known message is printed"


def test_the_issue_is_judged_as_it_stands_not_as_the_delivery_shows_it(
    world: World, repository: FakeRepository
) -> None:
    repository.open(1, "it prints BETA")
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert ENTRIES["BETA"].id in only_body(repository)


def test_an_edit_changes_the_same_comment(world: World, repository: FakeRepository) -> None:
    repository.open(1, "it prints ALPHA")
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    first = repository.on(1)[0].id
    repository.open(1, "it prints BETA")
    guid = world.put("edited", 1, "it prints BETA")
    world.work()
    assert ENTRIES["BETA"].id in only_body(repository)
    assert repository.on(1)[0].id == first
    assert row(world, guid).outcome == "edited"
    assert repository.suggested == {1: ["burn-tensor"]}


def test_an_edit_that_takes_the_message_away_withdraws_the_comment_and_back_again(
    world: World, repository: FakeRepository
) -> None:
    outcomes: list[str | None] = []
    for body in ("it prints ALPHA", "never mind", "never mind", "it prints ALPHA again"):
        repository.open(1, body)
        guid = world.put("opened" if not outcomes else "edited", 1, body)
        world.work()
        outcomes.append(row(world, guid).outcome)
        assert ("withdrawn" in only_body(repository)) == (body == "never mind")
    assert outcomes == ["commented", "retracted", "unchanged", "edited"]
    assert repository.posts == 1


def test_an_edit_of_an_issue_that_was_never_explained_says_nothing(world: World, repository: FakeRepository) -> None:
    repository.open(1, "please add a feature")
    guid = world.put("edited", 1, "please add a feature")
    world.work()
    assert repository.on(1) == []
    assert row(world, guid).outcome == "silent"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"state": "closed"}, "the issue is closed"),
        ({"locked": True}, "the issue is locked"),
        ({"author_is_bot": True, "author": "x[bot]"}, "opened by a bot (x[bot])"),
        ({"is_pull_request": True}, "a pull request"),
    ],
)
def test_what_the_issue_has_become_meanwhile_counts(
    world: World, repository: FakeRepository, changes: dict[str, Any], reason: str
) -> None:
    repository.open(1, "it prints ALPHA", **changes)
    guid = world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert (repository.on(1), repository.suggested) == ([], {})
    assert detail(world, guid)["reason"] == reason


@pytest.mark.parametrize(("mode", "outcome"), [(Mode.SHADOW, "shadow"), (Mode.OFF, "silent")])
def test_what_is_not_live_writes_nothing(world: World, repository: FakeRepository, mode: Mode, outcome: str) -> None:
    world.settings = policy(mode=mode)
    repository.open(1, "it prints ALPHA")
    guid = world.put("opened", 1, "it prints ALPHA")
    for write in ("create_comment", "edit_comment", "suggest_labels", "add_labels"):
        repository.fail(write, Refused(f"{write} must not be called"))
    world.work()
    assert row(world, guid).outcome == outcome
    assert all(len(left) == 1 for left in repository.faults.values())
    if mode is Mode.SHADOW:
        assert detail(world, guid)["action"] == "post"
        assert detail(world, guid)["matches"][0]["record"] == ENTRIES["ALPHA"].id


def test_a_server_that_knows_no_suggestions_has_the_labels_named_in_the_comment(
    world: World, repository: FakeRepository
) -> None:
    repository.knows_suggestions = False
    for number in (1, 2):
        repository.open(number, "it prints ALPHA")
        world.put("opened", number, "it prints ALPHA")
        world.work()
        assert "`burn-tensor`" in only_body(repository, number)
        repository.fail("suggest_labels", Refused("must not be called a second time"))
    assert repository.posts == 2
    assert len(repository.faults["suggest_labels"]) == 2


def test_labels_are_applied_where_the_operator_chose_that(world: World, repository: FakeRepository) -> None:
    world.settings = policy(label_mode=LabelMode.APPLY)
    repository.open(1, "it prints ALPHA")
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert (repository.applied, repository.suggested) == ({1: ["burn-tensor"]}, {})


@pytest.mark.parametrize("error", [Later("502"), Gone("404"), Refused("403")])
@pytest.mark.parametrize("method", ["label_names", "suggest_labels"])
def test_labels_in_trouble_do_not_touch_the_comment(
    world: World, repository: FakeRepository, method: str, error: Any
) -> None:
    repository.fail(method, *[error] * 10)
    repository.open(1, "it prints ALPHA")
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert ENTRIES["ALPHA"].id in only_body(repository)
    assert repository.posts == 1
    assert world.inbox.counts(now=world.clock()).states[State.DONE] == 1


@pytest.mark.parametrize("method", ["label_names", "suggest_labels"])
def test_labels_come_when_the_trouble_passes(world: World, repository: FakeRepository, method: str) -> None:
    repository.fail(method, Later("502"))
    repository.open(1, "it prints ALPHA")
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert repository.suggested == {1: ["burn-tensor"]}
    assert repository.posts == 1


@pytest.mark.parametrize("method", ["issue", "comments", "create_comment"])
def test_an_issue_that_is_gone_ends_the_matter(world: World, repository: FakeRepository, method: str) -> None:
    repository.open(1, "it prints ALPHA")
    if method == "issue":
        del repository.issues[1]
        repository.fail("comments", Gone("404"))
    else:
        repository.fail(method, Gone("410"))
    guid = world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert (row(world, guid).state, row(world, guid).outcome) == (State.DONE, "gone")
    assert repository.posts == 0


def test_a_refusal_is_kept_for_a_person_and_runs_again_when_replayed(world: World, repository: FakeRepository) -> None:
    repository.fail("create_comment", Refused("403 Resource not accessible by integration"))
    repository.open(1, "it prints ALPHA")
    guid = world.put("opened", 1, "it prints ALPHA")
    world.work()
    dead = row(world, guid)
    assert (dead.state, dead.attempts) == (State.DEAD, 1)
    assert dead.error == "Refused: 403 Resource not accessible by integration"
    assert world.inbox.replay(dead.id, now=world.clock())
    world.work()
    assert row(world, guid).outcome == "commented"


def test_no_more_comments_an_hour_than_allowed_and_none_is_lost(world: World, repository: FakeRepository) -> None:
    world.settings = policy(comments_per_hour=3)
    start = world.clock()
    posted: list[float] = []
    create = repository.create_comment

    def watched(number: int, body: str) -> Any:
        posted.append(world.clock() - start)
        return create(number, body)

    repository.create_comment = watched  # type: ignore[method-assign]
    for number in range(1, 9):
        repository.open(number, "it prints ALPHA")
        world.put("opened", number, "it prints ALPHA")
    world.work()
    assert [int(at // 3600) for at in posted] == [0, 0, 0, 1, 1, 1, 2, 2]
    assert all(len(repository.on(number)) == 1 for number in range(1, 9))


def test_the_cap_does_not_hold_back_an_edit_or_a_second_try(world: World, repository: FakeRepository) -> None:
    world.settings = policy(comments_per_hour=1)
    repository.fail("create_comment", Later("502"))
    repository.open(1, "it prints ALPHA")
    start = world.clock()
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    repository.open(1, "it prints BETA")
    world.put("edited", 1, "it prints BETA")
    world.work()
    assert ENTRIES["BETA"].id in only_body(repository)
    assert world.clock() - start < 60


def test_a_waiting_crowd_costs_github_nothing(world: World, repository: FakeRepository) -> None:
    world.settings = policy(comments_per_hour=0)
    repository.open(1, "it prints ALPHA")
    world.put("opened", 1, "it prints ALPHA")
    repository.fail("issue", Refused("must not be called"))
    assert world.worker().once()
    assert world.outcomes == ["deferred"]
    assert repository.faults["issue"]


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("installation", {"action": "created", "installation": {"id": 7}, "sender": {"login": "ann"}}),
        ("issues", {"action": "labeled"}),
        ("push", {}),
    ],
)
def test_other_events_end_quietly(world: World, event: str, body: dict[str, Any]) -> None:
    delivery = Delivery(
        app="1",
        guid="g",
        event=event,
        action=body.get("action", ""),
        subject="installation/7",
        installation=7,
        payload=msgspec.json.encode({"action": "", **body}),
    )
    world.inbox.put(delivery, now=world.clock())
    world.work()
    assert row(world, "g").outcome == "ignored"


def test_a_payload_that_is_none_is_kept_for_a_person_and_holds_nobody_back(
    world: World, repository: FakeRepository
) -> None:
    repository.open(1, "it prints ALPHA")
    broken = Delivery(
        app="1", guid="g", event="issues", action="opened", subject=f"{REPO}#1", installation=7, payload=b"{"
    )
    world.inbox.put(broken, now=world.clock())
    world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert row(world, "g").state is State.DEAD
    assert (row(world, "g").error or "").startswith("PayloadError")
    assert len(repository.on(1)) == 1


def test_half_a_surrogate_pair_in_the_issue_is_no_obstacle(world: World, repository: FakeRepository) -> None:
    repository.open(1, "it prints ALPHA \ud83d")
    guid = world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert row(world, guid).outcome == "commented"


def test_a_long_outage_of_github_ends_with_the_comment(world: World, repository: FakeRepository) -> None:
    repository.open(1, "it prints ALPHA")
    repository.fail("issue", *[Later("503")] * 20)
    start = world.clock()
    guid = world.put("opened", 1, "it prints ALPHA")
    world.work()
    assert row(world, guid).outcome == "commented"
    assert world.clock() - start > 5 * 3600
