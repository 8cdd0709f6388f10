"""The only writer: one comment, found again, edited in place, never posted a second time."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.github.port import Gone, Later, Refused
from bot.inbox.port import Job
from bot.inbox.sql import SqlInbox, open_inbox
from bot.policy.actions import Confidence, LabelProposal
from bot.render.marker import marker
from bot.worker.apply import Applier, Written
from bot.worker.outcome import LeaseLost, NotYet, Outcome

from .conftest import FakeClock
from .worker_world import LEASE, REPO, SETTLE, Comment, FakeRepository, World, delivery

MARK = marker(subject=f"{REPO}#1", purpose="main", record=None)
BODY = f"the explanation\n{MARK}"
OTHER = f"another explanation\n{MARK}"


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[SqlInbox]:
    opened = open_inbox(f"sqlite:///{tmp_path / 'inbox'}", lease_seconds=LEASE)
    yield opened
    opened.close()


@pytest.fixture
def repository(clock: FakeClock) -> FakeRepository:
    repository = FakeRepository(clock)
    repository.open(1, "text")
    return repository


@pytest.fixture
def world(inbox: SqlInbox, repository: FakeRepository, clock: FakeClock) -> World:
    return World(inbox, repository, clock)


@pytest.fixture
def applier(world: World) -> Applier:
    return world.applier()


@pytest.fixture
def job(inbox: SqlInbox, clock: FakeClock) -> Job:
    inbox.put(delivery("g", "opened", 1, "text"), now=clock())
    job = inbox.claim("w", now=clock())
    assert job is not None
    return job


def apply(applier: Applier, repository: FakeRepository, job: Job, body: str = BODY, *, create: bool = True) -> Written:
    written = applier.comment(repository, 1, body, job=job, create=create)
    assert isinstance(written, Written)
    return written


def bodies(repository: FakeRepository) -> list[str]:
    return [comment.body for comment in repository.on(1)]


def test_the_first_time_it_posts_and_remembers(
    applier: Applier, repository: FakeRepository, inbox: SqlInbox, job: Job
) -> None:
    written = apply(applier, repository, job)
    (comment,) = repository.on(1)
    assert (written.outcome, written.comment_id) == (Outcome.COMMENTED, comment.id)
    intent = inbox.intent(f"{REPO}#1", "main")
    assert intent is not None
    assert (intent.comment_id, intent.tried_at) == (comment.id, None)


def test_the_same_again_changes_nothing(applier: Applier, repository: FakeRepository, job: Job) -> None:
    apply(applier, repository, job)
    repository.fail("edit_comment", Refused("nobody should call this"))
    repository.fail("comments", Refused("nor this"))
    assert apply(applier, repository, job).outcome is Outcome.UNCHANGED
    assert apply(applier, repository, job, BODY.replace("\n", "\r\n") + "\n").outcome is Outcome.UNCHANGED
    assert bodies(repository) == [BODY]


def test_another_text_edits_the_same_comment(applier: Applier, repository: FakeRepository, job: Job) -> None:
    first = apply(applier, repository, job)
    second = apply(applier, repository, job, OTHER)
    assert (second.outcome, second.comment_id) == (Outcome.EDITED, first.comment_id)
    assert bodies(repository) == [OTHER]


def test_a_comment_that_the_store_forgot_is_found_by_its_marker(
    applier: Applier, repository: FakeRepository, job: Job
) -> None:
    repository.written += [
        Comment(1, 1, "something else", ours=True),
        Comment(2, 1, BODY, ours=True),
        Comment(3, 1, BODY, ours=True),
    ]
    assert apply(applier, repository, job) == Written(outcome=Outcome.UNCHANGED, comment_id=2)
    assert apply(applier, repository, job, OTHER) == Written(outcome=Outcome.EDITED, comment_id=2)
    assert bodies(repository) == ["something else", OTHER, BODY]
    assert repository.posts == 0


@pytest.mark.parametrize(
    "decoy",
    [
        Comment(1, 1, BODY, ours=False),
        Comment(1, 1, f"look:\n{MARK}\nwhat is this?", ours=True),
        Comment(1, 1, marker(subject=f"{REPO}#1", purpose="reply:5", record=None), ours=True),
        Comment(1, 2, BODY, ours=True),
    ],
    ids=["by somebody else", "quoted in the middle", "for another purpose", "on another issue"],
)
def test_what_only_looks_like_our_comment_does_not_count(
    applier: Applier, repository: FakeRepository, job: Job, decoy: Comment
) -> None:
    repository.written.append(dataclasses.replace(decoy))
    assert apply(applier, repository, job).outcome is Outcome.COMMENTED
    assert repository.written[0] == decoy


def test_after_a_rename_the_old_comment_is_still_ours(applier: Applier, repository: FakeRepository, job: Job) -> None:
    old = marker(subject="old/name#1", purpose="main", record=None)
    repository.written.append(Comment(9, 1, f"the explanation\n{old}"))
    assert apply(applier, repository, job) == Written(outcome=Outcome.EDITED, comment_id=9)
    assert bodies(repository) == [BODY]


def test_a_comment_that_somebody_deleted_is_not_posted_again(
    applier: Applier, repository: FakeRepository, job: Job
) -> None:
    apply(applier, repository, job)
    repository.written.clear()
    for text in (OTHER, BODY + "!", OTHER):
        with pytest.raises(Gone):
            apply(applier, repository, job, text)
    assert repository.posts == 1
    assert bodies(repository) == []


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("lag", [0.0, SETTLE - 1])
def test_after_an_unknown_outcome_it_waits_looks_and_only_then_posts(
    applier: Applier, repository: FakeRepository, job: Job, clock: FakeClock, arrives: bool, lag: float
) -> None:
    repository.lag = lag
    repository.fail("create_comment", Later("502"), arrives=arrives)
    with pytest.raises(Later):
        apply(applier, repository, job)
    clock.advance(SETTLE - 2)
    waits = applier.comment(repository, 1, BODY, job=job)
    assert waits == NotYet(at=clock() + 2, reason="a comment may be on its way")
    clock.advance(2)
    assert apply(applier, repository, job).outcome is Outcome.COMMENTED
    assert bodies(repository) == [BODY]
    assert repository.posts == 1


def test_a_try_that_arrived_is_known_by_its_text_whoever_the_server_calls_its_author(
    applier: Applier, repository: FakeRepository, job: Job, clock: FakeClock
) -> None:
    repository.fail("create_comment", Later("502"), arrives=True)
    with pytest.raises(Later):
        apply(applier, repository, job)
    repository.written[0].ours = False
    clock.advance(SETTLE)
    assert apply(applier, repository, job).outcome is Outcome.COMMENTED
    assert bodies(repository) == [BODY]


def test_the_wait_begins_when_the_call_failed_not_when_it_began(
    applier: Applier, repository: FakeRepository, job: Job, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(number: int, body: str) -> None:
        clock.advance(30)
        repository.written.append(Comment(1, number, body, listed_at=clock() + SETTLE - 1))
        raise Later("time-out")

    monkeypatch.setattr(repository, "create_comment", slow)
    with pytest.raises(Later):
        apply(applier, repository, job)
    monkeypatch.undo()
    assert isinstance(applier.comment(repository, 1, BODY, job=job), NotYet)
    clock.advance(SETTLE)
    assert apply(applier, repository, job).outcome is Outcome.COMMENTED
    assert len(repository.on(1)) == 1


def test_a_try_in_the_future_of_a_clock_that_was_set_back_does_not_wait_for_ever(
    applier: Applier, repository: FakeRepository, job: Job, clock: FakeClock
) -> None:
    repository.fail("create_comment", Later("502"), arrives=True)
    with pytest.raises(Later):
        apply(applier, repository, job)
    clock.advance(-86_400)
    repository.written[0].listed_at = 0.0
    assert apply(applier, repository, job).outcome is Outcome.COMMENTED
    assert repository.posts == 1


@pytest.mark.parametrize("error", [Gone("locked"), Refused("422")])
def test_a_refusal_is_final_and_known_so_the_next_time_needs_no_waiting(
    applier: Applier, repository: FakeRepository, job: Job, error: Exception
) -> None:
    repository.fail("create_comment", error)  # type: ignore[arg-type]
    with pytest.raises(type(error)):
        apply(applier, repository, job)
    assert apply(applier, repository, job).outcome is Outcome.COMMENTED


def test_the_try_is_stored_before_the_call(
    applier: Applier,
    repository: FakeRepository,
    inbox: SqlInbox,
    job: Job,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    post = repository.create_comment

    def watched(number: int, body: str) -> object:
        seen.append(inbox.intent(f"{REPO}#1", "main"))
        return post(number, body)

    monkeypatch.setattr(repository, "create_comment", watched)
    apply(applier, repository, job)
    (intent,) = seen
    assert intent is not None
    assert (intent.comment_id, intent.tried_at) == (None, clock())


def test_without_the_lease_nothing_is_posted_or_edited(
    applier: Applier, repository: FakeRepository, inbox: SqlInbox, job: Job, clock: FakeClock
) -> None:
    apply(applier, repository, job)
    clock.advance(LEASE)
    other = inbox.claim("other", now=clock())
    assert other is not None
    with pytest.raises(LeaseLost):
        apply(applier, repository, job, OTHER)
    assert bodies(repository) == [BODY]
    repository.written.clear()
    with pytest.raises(LeaseLost):
        applier.comment(repository, 1, BODY, job=job, purpose="reply:1")
    assert repository.posts == 1


def test_a_process_that_slept_after_storing_the_try_does_not_post(
    applier: Applier,
    repository: FakeRepository,
    inbox: SqlInbox,
    job: Job,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save = inbox.save_intent

    def save_and_sleep(*arguments: object, **options: object) -> bool:
        saved = save(*arguments, **options)  # type: ignore[arg-type]
        clock.advance(LEASE)
        return saved

    monkeypatch.setattr(inbox, "save_intent", save_and_sleep)
    with pytest.raises(LeaseLost):
        apply(applier, repository, job)
    assert repository.posts == 0


def test_not_creating_edits_what_stands_and_posts_nothing(
    applier: Applier, repository: FakeRepository, job: Job
) -> None:
    assert apply(applier, repository, job, create=False) == Written(outcome=Outcome.SILENT)
    assert repository.posts == 0
    apply(applier, repository, job)
    assert apply(applier, repository, job, OTHER, create=False).outcome is Outcome.EDITED
    assert bodies(repository) == [OTHER]


def label(name: str) -> LabelProposal:
    return LabelProposal(name=name, rationale="because", confidence=Confidence.HIGH)


def test_a_label_is_suggested_once_in_the_issues_life(applier: Applier, repository: FakeRepository, job: Job) -> None:
    applier.labels(repository, 1, [label("bug")], job=job, directly=False)
    applier.labels(repository, 1, [label("bug"), label("question")], job=job, directly=False)
    applier.labels(repository, 1, [label("bug"), label("question")], job=job, directly=False)
    assert repository.suggested == {1: ["bug", "question"]}


def test_labels_that_fail_for_now_are_tried_again_a_few_times_only(
    applier: Applier, repository: FakeRepository, inbox: SqlInbox, job: Job, clock: FakeClock
) -> None:
    repository.fail("suggest_labels", *[Later("502")] * 3)
    for _ in range(2):
        with pytest.raises(Later):
            applier.labels(repository, 1, [label("bug")], job=job, directly=False)
        inbox.retry(job, error="502", at=clock(), now=clock())
        again = inbox.claim("w", now=clock())
        assert again is not None
        job = again
    assert applier.labels(repository, 1, [label("bug")], job=job, directly=False) is None
    assert repository.suggested == {}


@pytest.mark.parametrize("error", [Gone("404"), Refused("permission missing")])
def test_labels_that_are_refused_are_left(
    applier: Applier, repository: FakeRepository, job: Job, error: Exception
) -> None:
    repository.fail("suggest_labels", error)  # type: ignore[arg-type]
    assert applier.labels(repository, 1, [label("bug")], job=job, directly=False) is None


def test_a_host_without_suggestions_is_remembered_for_a_day(
    applier: Applier, repository: FakeRepository, job: Job, clock: FakeClock
) -> None:
    repository.knows_suggestions = False
    assert applier.host_suggests_labels()
    applier.labels(repository, 1, [label("bug")], job=job, directly=False)
    assert not applier.host_suggests_labels()
    clock.advance(25 * 3600)
    assert applier.host_suggests_labels()


def test_labels_are_put_on_the_issue_where_the_operator_chose_that(
    applier: Applier, repository: FakeRepository, job: Job
) -> None:
    for _ in range(2):
        applier.labels(repository, 1, [label("bug")], job=job, directly=True)
    assert (repository.applied, repository.suggested) == ({1: ["bug"]}, {})
