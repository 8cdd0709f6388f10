"""The two records the project started from: what is posted about them is true, whatever their raw prose says."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_rust

from bot.records.model import Trust
from tests.comment_kinds import DEFORM, POOL, ROOT, comment, shipped

FOLDER = ROOT / "records" / "tracel-ai" / "burn"
RAW = {
    POOL: "07cf95ee53b2a29456bb7e4a421bbfb4ea5d1481df1fd1e462661adbe1f5cced",
    DEFORM: "b757f489411371a4d56af2fe451f93ea7a938d588bf88bc27080d53d5c0da2a8",
}
MESSAGES = {
    POOL: "Can't differentiate adaptive avg pool2d backward.",
    DEFORM: "Can't differentiate deform conv 2d backward.",
}
LINES = {POOL: "#L1829-L1834", DEFORM: "#L906-L916"}

both = pytest.mark.parametrize("slug", sorted(RAW))


def body(slug: str) -> str:
    return comment(shipped(slug), MESSAGES[slug])


@both
def test_the_raw_record_is_byte_for_byte_what_was_delivered(slug: str) -> None:
    assert hashlib.sha256((FOLDER / f"{slug}.json").read_bytes()).hexdigest() == RAW[slug]


@both
def test_the_record_is_reviewed_and_clean(slug: str) -> None:
    entry = shipped(slug)

    assert entry.trust is Trust.REVIEWED
    assert [finding for finding in entry.findings if finding.level != "note"] == []


@both
def test_every_prose_field_is_replaced_or_cleared(slug: str) -> None:
    entry = shipped(slug)
    wrong = {
        "documentation",
        "triggerScenarios",
        "commonSituations",
        "solutions",
        "exampleFix",
        "preventionTips",
        "tags",
    }

    assert wrong | {"validationCode"} <= set(entry.corrected)
    for value in (entry.record.validation_code, entry.record.type_guard, entry.record.try_catch_pattern):
        assert value is None


@both
def test_the_cause_says_that_ordinary_training_works_and_that_nesting_is_the_way_here(slug: str) -> None:
    cause = shipped(slug).record.documentation

    assert "Ordinary training through" in cause
    assert "works" in cause
    assert "`Autodiff<Autodiff<B>>`" in cause
    assert "`.inner()`" in body(slug) or "`x.inner()`" in body(slug)


@both
def test_the_comment_never_says_that_the_gradient_does_not_exist(slug: str) -> None:
    text = body(slug).lower()

    for claim in ("no gradient rule", "only the forward", "not implemented", "unimplemented", "implement the backward"):
        assert claim not in text


def test_the_deform_conv_comment_has_no_word_of_the_error_it_was_mixed_up_with() -> None:
    assert re.search(r"q_to_device|q_reshape|quantiz|router", body(DEFORM), re.IGNORECASE) is None


@both
def test_the_snippet_is_the_function_that_panics(slug: str) -> None:
    assert re.search(rf"^https://github\.com/tracel-ai/burn/blob/\S+{LINES[slug]}$", body(slug), re.MULTILINE)


@both
def test_version_facts_and_the_related_issue_are_told(slug: str) -> None:
    text = body(slug)

    assert "possible up to burn 0.21" in text
    assert "`Only first-order autodiff is supported`" in text
    assert "`Autodiff should not wrap an autodiff tensor.`" in text
    assert "https://redirect.github.com/tracel-ai/burn/issues/1942" in text


@both
def test_nobody_is_told_to_detach(slug: str) -> None:
    mentions = [line for line in body(slug).splitlines() if "detach" in line]

    assert mentions == ["- Do not use `detach` to silence this panic: it removes the gradient without a word."]


@both
def test_the_example_is_rust_with_a_before_and_an_after(slug: str) -> None:
    code = shipped(slug).record.example_fix or ""
    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language())).parse(code.encode())

    assert not tree.root_node.has_error
    assert "// before" in code
    assert "// after" in code


@both
def test_it_has_printed_examples_of_at_least_two_forms(slug: str) -> None:
    examples = shipped(slug).extension.examples

    assert len(examples) >= 2
    assert all(MESSAGES[slug] in example for example in examples)
    assert all("burn-autodiff-" in example for example in examples)


@both
def test_every_claim_names_its_source_lines(slug: str) -> None:
    entry = shipped(slug)
    review = entry.review
    place = r"(?:tracel-ai/burn@[0-9a-f]{40}:)?[\w./-]+\.rs:\d+(?:-\d+)?"

    assert review is not None
    assert review.raw_sha256 == entry.raw_sha256 != entry.file_sha256, "an import rewrites the file"
    assert len(review.proofs) >= 5
    assert all(re.fullmatch(place, line) for proof in review.proofs for line in proof.lines)


def test_the_seeds_lie_where_the_catalogue_is_looked_for() -> None:
    assert {path.stem for path in Path(FOLDER).glob("can-t-differentiate-*.json")} >= set(RAW)
