"""Labels: from the matched record, from what the issue shows, never one that the repository lacks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.policy.actions import Confidence, LabelProposal
from bot.policy.events import IssueFacts
from bot.policy.labels import propose_labels
from bot.policy.settings import LabelMode, PolicySettings
from bot.policy.signs import Sign, signs
from bot.policy.table import LabelTable
from bot.records.model import Entry, Extension, Trust
from tests.factories import changed, make_entry, make_record

ALL = LabelTable().all_names()


def propose(
    title: str = "It stops",
    body: str = "",
    *,
    entry: Entry | None = None,
    existing: frozenset[str] = ALL,
    settings: PolicySettings | None = None,
    **facts: Any,
) -> dict[str, LabelProposal]:
    issue = IssueFacts(number=7, title=title, body=body, **facts)
    proposals = propose_labels(issue, entry=entry, existing=existing, settings=settings or PolicySettings())
    return {proposal.name: proposal for proposal in proposals}


def found(title: str, body: str = "") -> set[Sign]:
    return {each.sign for each in signs(title, body)}


PANIC = "thread 'main' panicked at src/main.rs:5:1:\nboom"

# What the issue shows


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("It stops", PANIC, {Sign.PANIC}),
        ("It stops", "process didn't exit successfully: `build-script-build` (exit code: 101)", {Sign.PANIC}),
        ("It stops", "**Describe the bug**\nA wrong sum.", {Sign.BUG_REPORT}),
        ("It stops", "### Describe the bug\n" + PANIC, {Sign.BUG_REPORT}),
        ("quantize on tch", "it panics at qtensor.rs:20 saying `not implemented`", {Sign.MISSING_PIECE}),
        ("It does not build", "error: could not compile `burn-core` (lib)", {Sign.COMPILE_ERROR}),
        ("Schedulers", "### Feature description\nA trait.", {Sign.FEATURE_REQUEST}),
        ("Add a CTC loss", "", {Sign.FEATURE_REQUEST}),
        ("Bump wgpu to 0.19", "### Feature description\nNewer.", {Sign.UPGRADE}),
        ("Trouble with a model", "INFO burn_import::onnx::to_burn: Starting", {Sign.ONNX}),
        ("ONNX import stops", "", {Sign.ONNX}),
        ("WGPU performance: pooling kernels", "", {Sign.WGPU, Sign.PERFORMANCE}),
        ("burn-store: read one tensor", "", {Sign.STORE}),
        ("burn-flex: wrong sum", "", {Sign.FLEX}),
        ("`no_std` for inference", "", {Sign.NO_STD}),
        ("Burn book: typo", "", {Sign.DOCUMENTATION}),
    ],
)
def test_each_sign_has_its_evidence(title: str, body: str, expected: set[Sign]) -> None:
    assert found(title, body) == expected


@pytest.mark.parametrize(
    ("title", "body", "absent"),
    [
        ("Error handling instead of a crash", "Functions should return a Result.", Sign.PANIC),
        ("Add a panic hook", PANIC, Sign.FEATURE_REQUEST),
        ("Fused wgpu kernel is wrong with fusion", "", Sign.WGPU),
        ("A slow kernel panics", PANIC, Sign.PERFORMANCE),
        ("Book example panics", PANIC, Sign.DOCUMENTATION),
        ("The operation is not implemented", "", Sign.MISSING_PIECE),
        ("Update the readme", "", Sign.UPGRADE),
        ("Additional metrics", "", Sign.FEATURE_REQUEST),
        ("onnxruntime comparison", "", Sign.ONNX),
    ],
)
def test_a_word_alone_is_not_enough(title: str, body: str, absent: Sign) -> None:
    assert absent not in found(title, body)


def test_nothing_is_suggested_for_a_plain_question() -> None:
    assert propose("How do I get a primitive out of an element?", "I have a tensor.") == {}


@given(title=st.text(max_size=80), body=st.text(max_size=300))
def test_any_text_is_read_and_always_the_same(title: str, body: str) -> None:
    assert signs(title, body) == signs(title, body)


# What the record stands for

FUSION = make_entry(record=make_record(file_path="crates/burn-fusion/src/stream.rs", tags=["rust"]))


def test_the_crate_of_the_matched_record_gives_a_label() -> None:
    proposal = propose(entry=FUSION)["fusion"]
    assert proposal.confidence is Confidence.MEDIUM
    assert "burn-fusion" in proposal.rationale
    assert FUSION.slug in proposal.rationale


def test_so_does_the_repository_of_a_foreign_message() -> None:
    entry = make_entry(record=make_record(repo="gfx-rs/wgpu", file_path="wgpu/src/backend/wgpu_core.rs", tags=[]))
    assert set(propose(entry=entry)) == {"wgpu"}


def test_tags_family_and_extension_of_a_record_that_may_speak_give_labels() -> None:
    table = LabelTable(families={"handles": "blocked"})
    entry = make_entry(
        record=make_record(tags=["rust", "autotune"]), extension=Extension(labels=["flex"], family="handles")
    )
    proposals = propose(entry=entry, existing=ALL | {"blocked"}, settings=PolicySettings(labels=table))
    assert set(proposals) == {"flex", "autotune", "blocked"}
    assert {proposal.confidence for proposal in proposals.values()} == {Confidence.HIGH}


@pytest.mark.parametrize("trust", [Trust.LINTED, Trust.QUARANTINED])
def test_of_a_record_that_nobody_reviewed_only_the_place_counts(trust: Trust) -> None:
    record = make_record(file_path="crates/burn-fusion/src/stream.rs", tags=["autotune"])
    entry = make_entry(record=record, extension=Extension(labels=["flex"], burn_bug=True), trust=trust)
    assert set(propose(entry=entry)) == {"fusion"}


def test_a_panic_with_a_reviewed_record_is_a_bug_only_if_the_record_says_so() -> None:
    assert set(propose(body=PANIC)) == {"bug"}
    assert set(propose(body=PANIC, entry=make_entry())) == set()
    proposal = propose(body=PANIC, entry=make_entry(extension=Extension(burn_bug=True)))["bug"]
    assert proposal.confidence is Confidence.HIGH
    assert set(propose(body=PANIC, entry=make_entry(trust=Trust.LINTED))) == {"bug"}


# What never happens


def test_a_label_that_the_repository_lacks_is_never_suggested() -> None:
    assert propose(body=PANIC, existing=frozenset()) == {}
    assert propose(body=PANIC, existing=frozenset({"question"})) == {}


def test_a_label_goes_by_the_name_it_has_in_the_repository() -> None:
    assert set(propose(body=PANIC, existing=frozenset({"Bug"}))) == {"Bug"}


def test_a_label_that_the_issue_has_is_not_suggested_again() -> None:
    assert propose(body=PANIC, labels=("BUG",)) == {}


def test_at_most_three_and_the_surest_first() -> None:
    entry = make_entry(
        record=make_record(file_path="crates/burn-fusion/src/stream.rs", tags=[]),
        extension=Extension(labels=["flex", "store", "autotune"]),
    )
    issue = IssueFacts(number=7, title="It stops", body=PANIC)
    proposals = propose_labels(issue, entry=entry, existing=ALL, settings=PolicySettings())
    assert [proposal.name for proposal in proposals] == ["flex", "store", "autotune"]
    assert len(propose_labels(issue, entry=entry, existing=ALL, settings=PolicySettings(max_labels=5))) == 4
    assert propose_labels(issue, entry=entry, existing=ALL, settings=PolicySettings(max_labels=0)) == ()


def test_one_label_for_two_reasons_is_one_proposal_with_the_better_reason() -> None:
    entry = changed(FUSION, extension=Extension(labels=["fusion"]))
    proposals = propose(entry=entry)
    assert set(proposals) == {"fusion"}
    assert proposals["fusion"].confidence is Confidence.HIGH


def test_mode_off_suggests_nothing() -> None:
    assert propose(body=PANIC, settings=PolicySettings(label_mode=LabelMode.OFF)) == {}


def test_a_rationale_never_carries_words_of_the_issue() -> None:
    for proposal in propose("Add @octocat's slow ONNX import", "<!-- x --> " + PANIC).values():
        assert "octocat" not in proposal.rationale
        assert len(proposal.rationale) < 200


def test_a_table_of_other_names_is_followed() -> None:
    table = LabelTable(signs={Sign.PANIC: "type: bug"})
    settings = PolicySettings(labels=table)
    assert set(propose(body=PANIC, existing=frozenset({"type: bug", "bug"}), settings=settings)) == {"type: bug"}
