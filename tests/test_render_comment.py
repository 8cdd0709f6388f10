"""What the comment says in which case, and that no record and no issue can make it say anything else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.matching.verdict import Role, Source, Span
from bot.policy.actions import Confidence, LabelProposal, Post, Retract
from bot.records.model import ErrorType, Extension, Kind, Trust
from bot.render.cap import LIMIT
from bot.render.comment import render_comment, render_retraction
from bot.render.marker import Marker, find_marker, has_marker
from tests.comment_kinds import KINDS, SUBJECT, ordering_entry
from tests.factories import (
    REPO,
    changed,
    make_entry,
    make_evidence,
    make_explanation,
    make_match,
    make_record,
    make_review,
    make_verdict,
)
from tests.markdown_judge import alerts, html, links, live, visible_lines
from tests.test_render_escape import hostile
from tests.test_render_golden import LINK, SNIPPET, TAGS


def render(*, subject: str = SUBJECT, repo: str = REPO, **explanation: Any) -> str:
    return render_comment(make_explanation(**explanation), subject=subject, repo=repo)


def with_record(**changes: Any) -> str:
    return render(entry=make_entry(record=make_record(**changes)))


def with_extension(**fields: Any) -> str:
    return render(entry=make_entry(extension=Extension(**fields)))


def unfolded(body: str) -> str:
    return re.sub(r"<details>.*?</details>", "", body, flags=re.DOTALL)


def test_title_cause_steps_source_details_footer_and_marker_stand_in_this_order() -> None:
    body = render()
    order = ["### ", "The dimension to squeeze", "**What to try**", "\n1. ", "https://", "<details>", "<sub>", "<!-- "]

    assert [body.index(part) for part in order] == sorted(body.index(part) for part in order)


def test_the_marker_names_issue_purpose_and_record() -> None:
    explanation = make_explanation()
    body = render_comment(explanation, subject=SUBJECT, repo=REPO, purpose="reply:77")

    assert find_marker(body) == Marker(subject=SUBJECT, purpose="reply:77", record=explanation.entry.id)
    assert not has_marker(body, subject=SUBJECT, purpose="main")


def test_the_same_knowledge_gives_the_same_comment() -> None:
    assert KINDS["several"]() == KINDS["several"]()


def test_a_post_and_its_explanation_render_alike() -> None:
    explanation = make_explanation()

    assert render_comment(Post(explanation=explanation), subject=SUBJECT, repo=REPO) == render_comment(
        explanation, subject=SUBJECT, repo=REPO
    )


def test_at_most_four_steps_are_shown_and_the_rest_is_folded() -> None:
    body = with_record(solutions=[f"Step {number}." for number in range(1, 7)])

    assert "4. Step 4." in unfolded(body)
    assert "Step 5." not in unfolded(body)
    assert "**More to try**\n\n- Step 5.\n- Step 6." in body


def test_long_steps_are_folded_before_the_comment_grows_too_long() -> None:
    step = "Say at some length what could be done about it, and why it may help, and for whom it does not. " * 3
    extension = Extension(burn_bug=True, report=["The smallest program that shows it."] * 5)
    record = make_record(solutions=[step] * 4, documentation="The cause takes some explaining as well. " * 14)
    body = render(entry=make_entry(record=record, extension=extension))

    assert visible_lines(body) < 25
    assert "1. Say at some length" in unfolded(body)
    assert "4. Say at some length" not in unfolded(body)
    assert "**More to try**\n\n- Say at some length" in body


def test_a_cause_too_long_for_the_eye_is_folded_in_full() -> None:
    body = with_record(documentation="The cause takes some explaining. " * 40)

    assert "**In full**\n\nThe cause takes" in body
    assert unfolded(body).count("The cause takes") < 20


def test_an_issue_is_not_related_to_itself() -> None:
    body = with_extension(related_issues=[SUBJECT, "tracel-ai/burn#1942"])
    number = SUBJECT.rpartition("#")[2]
    assert "issues/1942" in body
    assert f"issues/{number})" not in body
    assert "**Related**" not in with_extension(related_issues=[SUBJECT])


def test_without_steps_there_is_no_heading_for_them() -> None:
    assert "What to try" not in with_record(solutions=[])


def test_an_error_that_is_no_panic_is_not_called_one() -> None:
    assert with_record(error_type=ErrorType.EXCEPTION).startswith("### This error is documented")


def test_holes_of_the_template_are_shown_as_gaps_and_doubled_braces_as_braces() -> None:
    assert "`a … b … {c}`" in with_record(error_message="a {} b {name:?} {{c}}").splitlines()[0]


def test_an_unclosed_brace_is_a_brace() -> None:
    assert "`a { b`" in with_record(error_message="a { b").splitlines()[0]


def test_a_long_message_is_cut_in_the_title() -> None:
    assert len(with_record(error_message="word " * 200).splitlines()[0]) < 170


def test_an_exact_match_says_so() -> None:
    assert "` matches exactly. " in render()


def test_a_near_match_says_that_words_differ() -> None:
    entry = make_entry()

    assert "matches nearly: some of its words differ or are missing." in render(
        entry=entry, match=make_match(entry, exact=False)
    )


def test_an_agreeing_location_is_told_only_when_all_of_it_agrees() -> None:
    entry = make_entry()

    assert "crate, file and function included" in render(entry=entry, match=make_match(entry, location=1.0))
    assert "included" not in render(entry=entry, match=make_match(entry, location=0.66))


def test_a_match_in_the_title_says_title() -> None:
    assert "The title `" in render(match=make_match(evidence=make_evidence(source=Source.TITLE)))


def test_the_footer_tells_review_commit_and_date() -> None:
    small = render().rpartition("<sub>")[2]

    assert "from a reviewed record" in small
    assert "source read at `2c06be3` on 2026-11-30" in small


def test_a_linted_record_is_told_to_be_unreviewed_in_note_and_footer() -> None:
    body = render(entry=make_entry(trust=Trust.LINTED))

    assert "> [!NOTE]\n> Nobody has reviewed the text of this record yet" in body
    assert alerts(body) == 1
    assert "from an unreviewed record" in body


def test_a_record_changed_since_its_review_is_told_to_be_so() -> None:
    body = render(entry=make_entry(trust=Trust.LINTED, review=make_review()))

    assert "has changed since its text was reviewed" in body
    assert "from an unreviewed record" in body


def test_a_quarantined_record_shows_its_checked_half_only() -> None:
    extension = Extension(burn_bug=True, report=["All you know."], since="0.1.0", moved_to="a/b", kind=Kind.HISTORICAL)
    body = render(entry=make_entry(trust=Trust.QUARANTINED, extension=extension))

    assert "failed its checks" in body
    assert SNIPPET.search(body) is not None
    for text in ("What to try", "squeeze_dim", "All you know", "0.1.0", "a/b", "fault", "<details>"):
        assert text not in body


def test_a_historical_message_tells_the_last_release_and_where_the_code_lives() -> None:
    body = with_extension(kind=Kind.HISTORICAL, until="0.18.0", moved_to="tracel-ai/burn-onnx")

    assert "No burn release after 0.18.0 prints this message." in body
    assert "lives in [tracel-ai/burn-onnx](https://github.com/tracel-ai/burn-onnx) now" in body


def test_a_historical_message_of_unknown_end_is_just_gone() -> None:
    assert "The message is gone from burn." in with_extension(kind=Kind.HISTORICAL)


def test_a_surfaced_message_raised_at_a_burn_call_names_no_wrong_project() -> None:
    body = with_extension(kind=Kind.SURFACED)

    assert "The message comes from a library, under a call of burn." in body


def test_a_consequence_points_to_the_first_message_printed() -> None:
    assert "**Look here instead:** `thread 'main' panicked at src/main.rs:3:5: device lost`" in KINDS["secondary"]()


def test_a_consequence_never_points_to_another_consequence_or_to_itself() -> None:
    entry = ordering_entry()
    early = make_match(entry, role=Role.SECONDARY, evidence=make_evidence("a", span=Span(start=1, end=2, line=3)))
    late = make_match(
        entry, role=Role.SECONDARY, evidence=make_evidence("b", order=1, span=Span(start=8, end=9, line=5))
    )
    body = render(entry=entry, match=late, also=((early, entry),))

    assert "Look here instead" not in body
    assert "**Look elsewhere:** the first panic names the cause. Look for it above this line." in body


def test_what_is_only_said_in_prose_was_not_printed_first() -> None:
    entry = ordering_entry()
    said = make_evidence("x", source=Source.PROSE, span=Span(start=1, end=2, line=3))
    match = make_match(entry, role=Role.SECONDARY, evidence=make_evidence("b", order=1))
    verdict = make_verdict(match, evidence=(said, match.evidence))

    assert "Look here instead" not in render(entry=entry, match=match, verdict=verdict)


def test_a_consequence_in_training_points_to_the_log() -> None:
    assert "`experiment.log`" in unfolded(KINDS["secondary-in-training"]()).split("What to try")[0]


def test_a_fault_of_burn_says_so_and_lists_what_maintainers_ask_for() -> None:
    body = unfolded(with_extension(burn_bug=True, report=["A reproducer.", "The backtrace."]))

    assert body.startswith("### A fault in burn itself: ")
    assert "**What maintainers ask for**\n\n- A reproducer.\n- The backtrace." in body


def test_what_maintainers_ask_for_is_folded_when_burn_is_not_at_fault() -> None:
    body = with_extension(report=["A reproducer."])

    assert "What maintainers ask for" not in unfolded(body)
    assert "**What maintainers ask for**\n\n- A reproducer." in body


def test_an_old_release_is_told_to_update_before_the_steps() -> None:
    entry = make_entry(extension=Extension(fixed_in="0.19.0"))
    match = make_match(entry)
    body = unfolded(render(entry=entry, match=match, verdict=make_verdict(match, version="0.18.0")))

    assert body.index("**Update first:**") < body.index("**What to try**")


def test_several_messages_get_a_line_each_and_the_rest_is_counted() -> None:
    root, follows = make_entry(), ordering_entry()
    also = tuple((make_match(follows, role=Role.SECONDARY), follows) for _ in range(5))
    lines = render(entry=root, also=also).split("**Also printed**\n\n")[1].split("\n\n")[0].splitlines()

    assert lines[:3] == ["- `Ordering is bigger than operations`: follows from an earlier failure."] * 3
    assert lines[3:] == ["- and 2 more that are known."]


def test_of_an_unreviewed_record_among_several_only_the_place_is_told() -> None:
    other = make_entry(trust=Trust.LINTED)
    line = render(also=((make_match(other), other),)).split("**Also printed**\n\n")[1].splitlines()[0]

    assert "documented too. [source](https://github.com/" in line
    assert "Only dimensions" not in line


def test_labels_are_named_only_when_the_server_cannot_take_suggestions() -> None:
    label = LabelProposal(name="bug", rationale="a panic of burn is printed", confidence=Confidence.HIGH)
    post = Post(explanation=make_explanation(), labels=(label,))

    assert "Suggested labels" not in render_comment(post, subject=SUBJECT, repo=REPO)
    assert "Suggested labels: `bug` (a panic of burn is printed)." in render_comment(
        post, subject=SUBJECT, repo=REPO, name_labels=True
    )


def test_a_withdrawn_explanation_is_short_and_keeps_its_marker() -> None:
    body = render_retraction(Retract(reason="see @octocat #1"), subject=SUBJECT, record=None)

    assert visible_lines(body) <= 4
    assert live(body) == []
    assert find_marker(body) == Marker(subject=SUBJECT, purpose="main", record=None)


@pytest.mark.parametrize("subject", ["", "tracel-ai/burn", "a/b#1 --> x", "a/b#0"])
def test_a_subject_that_is_none_is_refused(subject: str) -> None:
    with pytest.raises(ValueError, match="marker"):
        render(subject=subject)


def test_a_huge_record_stays_short_to_the_eye_and_within_the_limit() -> None:
    long = "A long sentence of words that goes on and on. " * 400
    record = make_record(
        documentation=long,
        trigger_scenarios=long * 3,
        common_situations=long * 3,
        solutions=[long] * 50,
        prevention_tips=[long] * 50,
        example_fix="let x = 1;\n" * 4_000,
        validation_code="`" * 9_000,
    )
    extension = Extension(burn_bug=True, report=[long] * 50, related_issues=["a/b#1"] * 500)
    also = tuple((make_match(), make_entry()) for _ in range(200))
    body = render(entry=make_entry(record=record, extension=extension), also=also)

    assert len(body) <= LIMIT
    assert visible_lines(body) < 30
    assert body.count("<details>") == body.count("</details>") == 1
    assert has_marker(body, subject=SUBJECT, purpose="main")


texts = st.lists(hostile, max_size=3)


@given(
    st.fixed_dictionaries(
        {
            "error_message": hostile.filter(bool),
            "documentation": hostile,
            "trigger_scenarios": hostile,
            "common_situations": hostile,
            "solutions": texts,
            "example_fix": hostile,
            "validation_code": hostile,
            "prevention_tips": texts,
            "file_path": hostile,
            "github_url": hostile,
            "analyzed_at": hostile,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(Kind),
            "function": hostile,
            "api_version": hostile,
            "since": hostile,
            "until": hostile,
            "fixed_in": hostile,
            "fixed_by": hostile,
            "moved_to": hostile,
            "related_issues": texts,
            "burn_bug": st.booleans(),
            "report": texts,
        }
    ),
    st.sampled_from(Trust),
    st.sampled_from(Role),
    hostile,
)
def test_no_record_and_no_issue_makes_it_say_anything_live(
    fields: dict[str, Any], extra: dict[str, Any], trust: Trust, role: Role, text: str
) -> None:
    record = changed(make_record(), **fields)
    entry = make_entry(record=record, extension=Extension(**extra), trust=trust)
    first = make_evidence(text, span=Span(start=0, end=1, line=1))
    match = make_match(entry, role=role, evidence=make_evidence(text, order=1))
    verdict = make_verdict(match, evidence=(first, match.evidence), version=text)
    label = LabelProposal(name=text, rationale=text, confidence=Confidence.LOW)
    explanation = make_explanation(entry, match=match, verdict=verdict, also=((match, entry),))
    body = render_comment(Post(explanation=explanation, labels=(label,)), subject=SUBJECT, repo=REPO, name_labels=True)

    assert live(SNIPPET.sub("", body)) == []
    assert [link for link in links(body) if not LINK.fullmatch(link)] == []
    assert [tag for tag in html(body) if not TAGS.fullmatch(tag)] == []
    assert body.count("<!--") == 1
    assert find_marker(body) == Marker(subject=SUBJECT, purpose="main", record=entry.id)
    assert alerts(body) <= 1
