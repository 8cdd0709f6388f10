"""Who speaks, about what, and when the bot stays silent."""

from __future__ import annotations

from typing import Any

import pytest

from bot.matching.verdict import Decision, Match, Role
from bot.policy.actions import Decided, Nothing, Post, Retract
from bot.policy.events import IssueEdited, IssueFacts, IssueOpened, Sender
from bot.policy.issue import MAX_ALSO, decide_issue, skip_reason
from bot.policy.settings import LabelMode, Mode, PolicySettings
from bot.records.model import Entry, Extension, Trust
from tests.factories import changed, make_entry, make_match, make_record, make_verdict

LIVE = PolicySettings(mode=Mode.LIVE)
PERSON = Sender(login="octocat", is_bot=False)
LABELS = frozenset({"bug", "fusion"})

ROOT = make_entry(
    record=make_record(error_message="Should have handle for tensor {}", file_path="crates/burn-ir/src/handle.rs")
)
OTHER = make_entry(record=make_record(error_message="Only tensor input is valid", file_path="crates/onnx-ir/src/ir.rs"))
CONSEQUENCE = make_entry(
    record=make_record(
        error_message="Ordering is bigger than operations", file_path="crates/burn-fusion/src/ordering.rs"
    ),
    extension=Extension(secondary=True),
)


def opened(**facts: Any) -> IssueOpened:
    fields: dict[str, Any] = {"number": 7, "title": "It stops", "body": "…", "author": "octocat"}
    issue = IssueFacts(**(fields | facts))
    return IssueOpened(action="opened", repository="tracel-ai/burn", installation=42, sender=PERSON, issue=issue)


def edited(**facts: Any) -> IssueEdited:
    event = opened(**facts)
    return IssueEdited(
        action="edited",
        repository=event.repository,
        installation=42,
        sender=PERSON,
        issue=event.issue,
        title_changed=False,
        body_changed=True,
    )


def decide(
    *matches: Match,
    entries: tuple[Entry, ...] = (ROOT, OTHER, CONSEQUENCE),
    event: IssueOpened | IssueEdited | None = None,
    settings: PolicySettings = LIVE,
    **verdict: Any,
) -> Decided:
    return decide_issue(
        event or opened(),
        make_verdict(*matches, **verdict),
        entries={entry.id: entry for entry in entries},
        existing_labels=LABELS,
        settings=settings,
    )


def test_a_reviewed_record_that_is_printed_speaks() -> None:
    decided = decide(make_match(ROOT))
    assert isinstance(decided.action, Post)
    explanation = decided.action.explanation
    assert (explanation.entry, explanation.match.record, explanation.also) == (ROOT, ROOT.id, ())
    assert decided.verdict == explanation.verdict
    assert decided.reason == "one record's message is printed"


@pytest.mark.parametrize("decision", [Decision.AMBIGUOUS, Decision.ABSTAIN])
def test_no_other_verdict_than_explain_ever_speaks(decision: Decision) -> None:
    decided = decide(make_match(ROOT), make_match(OTHER), decision=decision, reason="two records print it")
    assert decided.action == Nothing(reason=f"{decision}: two records print it")
    assert decided.reason == f"{decision}: two records print it"


@pytest.mark.parametrize(
    ("trust", "floor", "speaks"),
    [
        (Trust.REVIEWED, Trust.REVIEWED, True),
        (Trust.LINTED, Trust.REVIEWED, False),
        (Trust.QUARANTINED, Trust.REVIEWED, False),
        (Trust.REVIEWED, Trust.LINTED, True),
        (Trust.LINTED, Trust.LINTED, True),
        (Trust.QUARANTINED, Trust.LINTED, False),
        (Trust.QUARANTINED, Trust.QUARANTINED, False),
    ],
)
def test_a_record_speaks_only_with_enough_trust(trust: Trust, floor: Trust, speaks: bool) -> None:
    entry = make_entry(trust=trust)
    decided = decide(make_match(entry), entries=(entry,), settings=changed(LIVE, trust_floor=floor))
    assert isinstance(decided.action, Post) is speaks
    if not speaks:
        assert trust.value in decided.reason
        assert entry.slug in decided.reason


@pytest.mark.parametrize(("confidence", "speaks"), [(1.0, True), (0.85, True), (0.849, False), (float("nan"), False)])
def test_a_match_below_the_confidence_floor_is_silent(confidence: float, speaks: bool) -> None:
    decided = decide(changed(make_match(ROOT), confidence=confidence))
    assert isinstance(decided.action, Post) is speaks


def test_a_record_that_is_not_loaded_is_silent() -> None:
    decided = decide(make_match(ROOT), entries=())
    assert decided.action == Nothing(reason=f"the record {ROOT.slug} is not loaded")


def test_an_explain_without_a_match_is_silent() -> None:
    assert isinstance(decide(decision=Decision.EXPLAIN).action, Nothing)


# Cause and consequence


def test_the_cause_leads_and_its_consequence_follows() -> None:
    decided = decide(make_match(ROOT), make_match(CONSEQUENCE, role=Role.SECONDARY))
    assert isinstance(decided.action, Post)
    explanation = decided.action.explanation
    assert explanation.entry == ROOT
    assert [(match.role, entry) for match, entry in explanation.also] == [(Role.SECONDARY, CONSEQUENCE)]


def test_a_consequence_printed_above_its_cause_does_not_lead() -> None:
    decided = decide(make_match(CONSEQUENCE, role=Role.SECONDARY), make_match(ROOT))
    assert isinstance(decided.action, Post)
    assert decided.action.explanation.entry == ROOT
    assert [entry for _, entry in decided.action.explanation.also] == [CONSEQUENCE]


def test_a_consequence_alone_speaks_as_a_consequence() -> None:
    decided = decide(make_match(CONSEQUENCE, role=Role.SECONDARY))
    assert isinstance(decided.action, Post)
    assert decided.action.explanation.match.role is Role.SECONDARY


def test_a_record_that_is_never_the_root_is_a_consequence_whatever_the_matcher_says() -> None:
    decided = decide(make_match(CONSEQUENCE, role=Role.ROOT))
    assert isinstance(decided.action, Post)
    assert decided.action.explanation.match.role is Role.SECONDARY


def test_when_the_cause_may_not_speak_its_consequence_may_as_one() -> None:
    quiet = changed(ROOT, trust=Trust.LINTED)
    decided = decide(make_match(quiet), make_match(CONSEQUENCE, role=Role.SECONDARY), entries=(quiet, CONSEQUENCE))
    assert isinstance(decided.action, Post)
    explanation = decided.action.explanation
    assert (explanation.entry, explanation.match.role, explanation.also) == (CONSEQUENCE, Role.SECONDARY, ())
    assert "only a consequence" in decided.reason
    assert quiet.slug in decided.reason


def test_when_the_cause_may_not_speak_no_other_cause_takes_its_place() -> None:
    quiet = changed(ROOT, trust=Trust.LINTED)
    decided = decide(make_match(quiet), make_match(OTHER), entries=(quiet, OTHER))
    assert isinstance(decided.action, Nothing)
    assert quiet.slug in decided.reason


def test_nor_does_another_cause_follow_a_consequence_that_speaks_alone() -> None:
    quiet = changed(ROOT, trust=Trust.LINTED)
    decided = decide(
        make_match(quiet),
        make_match(OTHER),
        make_match(CONSEQUENCE, role=Role.SECONDARY),
        entries=(quiet, OTHER, CONSEQUENCE),
    )
    assert isinstance(decided.action, Post)
    assert decided.action.explanation.entry == CONSEQUENCE
    assert decided.action.explanation.also == ()


def test_what_follows_must_be_allowed_to_speak_too() -> None:
    quiet, unsure = changed(OTHER, trust=Trust.LINTED), changed(make_match(CONSEQUENCE), confidence=0.5)
    decided = decide(make_match(ROOT), make_match(quiet), unsure, entries=(ROOT, quiet, CONSEQUENCE))
    assert isinstance(decided.action, Post)
    assert decided.action.explanation.also == ()


def test_a_message_printed_twice_is_explained_once() -> None:
    decided = decide(make_match(ROOT), make_match(OTHER), make_match(ROOT), make_match(OTHER))
    assert isinstance(decided.action, Post)
    assert [entry for _, entry in decided.action.explanation.also] == [OTHER]


def test_a_comment_stays_readable_when_many_messages_are_printed() -> None:
    entries = tuple(make_entry(record=make_record(error_message=f"Failure number {n} of many")) for n in range(8))
    decided = decide(*(make_match(entry) for entry in entries), entries=entries)
    assert isinstance(decided.action, Post)
    assert [entry for _, entry in decided.action.explanation.also] == list(entries[1 : 1 + MAX_ALSO])


# Edits


def test_an_edit_that_prints_a_known_message_has_the_comment() -> None:
    assert isinstance(decide(make_match(ROOT), event=edited()).action, Post)


@pytest.mark.parametrize("decision", [Decision.ABSTAIN, Decision.AMBIGUOUS])
def test_an_edit_after_which_nothing_is_certain_withdraws_the_comment(decision: Decision) -> None:
    decided = decide(event=edited(), decision=decision, reason="no known message is printed")
    assert decided.action == Retract(reason=f"{decision}: no known message is printed")


def test_an_edit_whose_record_may_no_longer_speak_withdraws_the_comment() -> None:
    quiet = changed(ROOT, trust=Trust.QUARANTINED)
    assert isinstance(decide(make_match(quiet), entries=(quiet,), event=edited()).action, Retract)


# Skipped whatever the issue says


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"is_pull_request": True}, "a pull request"),
        ({"author": "renovate[bot]", "author_is_bot": True}, "opened by a bot (renovate[bot])"),
        ({"locked": True}, "the issue is locked"),
        ({"state": "closed"}, "the issue is closed"),
    ],
)
@pytest.mark.parametrize("make", [opened, edited])
def test_some_issues_are_left_alone(make: Any, facts: dict[str, Any], reason: str) -> None:
    decided = decide(make_match(ROOT), event=make(**facts))
    assert decided == Decided(action=Nothing(reason=reason), labels=(), verdict=None, reason=reason)


def test_an_edit_by_a_bot_is_left_alone() -> None:
    event = changed(edited(), sender=Sender(login="prettier[bot]", is_bot=True))
    decided = decide(make_match(ROOT), event=event)
    assert decided.action == Nothing(reason="edited by a bot (prettier[bot])")


def test_nothing_is_decided_when_switched_off() -> None:
    assert decide(make_match(ROOT), settings=PolicySettings(mode=Mode.OFF)).action == Nothing(reason="switched off")
    assert skip_reason(opened(), LIVE) is None


def test_shadow_decides_the_same_and_may_not_write() -> None:
    shadow = PolicySettings()
    assert shadow.mode is Mode.SHADOW
    assert decide(make_match(ROOT), settings=shadow) == decide(make_match(ROOT))
    assert (shadow.writes, LIVE.writes, PolicySettings(mode=Mode.OFF).writes) == (False, True, False)


# Labels come along


def test_labels_are_suggested_with_a_comment_and_without() -> None:
    body = "thread 'main' panicked at src/main.rs:1:1:\nboom"
    with_comment = decide(make_match(CONSEQUENCE), event=opened(body=body))
    assert isinstance(with_comment.action, Post)
    assert [label.name for label in with_comment.labels] == ["fusion"]
    assert with_comment.action.labels == with_comment.labels
    without = decide(event=opened(body=body))
    assert isinstance(without.action, Nothing)
    assert [label.name for label in without.labels] == ["bug"]


def test_an_edit_suggests_nothing_again_but_keeps_the_names_for_the_comment() -> None:
    decided = decide(make_match(CONSEQUENCE), event=edited())
    assert isinstance(decided.action, Post)
    assert decided.labels == ()
    assert [label.name for label in decided.action.labels] == ["fusion"]


def test_label_mode_off_suggests_nothing() -> None:
    decided = decide(make_match(CONSEQUENCE), settings=changed(LIVE, label_mode=LabelMode.OFF))
    assert isinstance(decided.action, Post)
    assert (decided.labels, decided.action.labels) == ((), ())


def test_an_ambiguous_match_suggests_no_label_of_its_records() -> None:
    decided = decide(make_match(CONSEQUENCE), decision=Decision.AMBIGUOUS)
    assert decided.labels == ()
