"""Labels and label suggestions on the fake GitHub, and the servers that know no suggestions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.github import FakeGitHub, SuggestionMode
from tests.github.client import Client

BURN = "tracel-ai/burn"
LABELS = f"/repos/{BURN}/issues/1/labels"


@pytest.fixture
def person(gh: FakeGitHub) -> Iterator[Client]:
    with Client(gh.url, gh.personal_token("someone")) as client:
        yield client


def test_a_label_suggestion_waits_for_a_person(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    burn.create_labels("bug", "onnx")
    issue = burn.open_issue(title="It panics")
    entry = {"name": "bug", "rationale": "It prints a panic.", "suggest": True, "confidence": "high"}
    assert person("POST", LABELS, {"labels": [entry]}).body == []
    (suggestion,) = gh.expect_suggestions(issue, "bug")
    assert (suggestion.rationale, suggestion.confidence) == ("It prints a panic.", "high")
    assert burn.labels(issue) == []
    listed = person("GET", f"/repos/{BURN}/issues/1/suggestions").body
    assert [(each["state"], each["confidence"]) for each in listed] == [("pending", "HIGH")]
    approved = person("POST", f"/repos/{BURN}/issues/1/suggestions/{suggestion.id}/approve")
    assert approved.body["state"] == "approved"
    gh.expect_write("POST", f"/repos/{BURN}/issues/1/suggestions/*/approve")
    assert burn.labels(issue) == ["bug"]
    assert person("POST", f"/repos/{BURN}/issues/1/suggestions/{suggestion.id}/dismiss").status == 422
    gh.expect_refused("POST", f"/repos/{BURN}/issues/1/suggestions/*/dismiss", status=422)


def test_a_suggestion_made_twice_is_pending_once(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    burn.create_labels("bug")
    issue = burn.open_issue(title="It panics")
    for rationale in ("first", "second"):
        person("POST", LABELS, {"labels": [{"name": "bug", "suggest": True, "rationale": rationale}]})
        gh.expect_suggestions(issue, "bug")
    assert [each.rationale for each in burn.suggestions(issue)] == ["second"]
    assert [each.state for each in burn.suggestions(issue, state="all")] == ["replaced", "pending"]
    burn.dismiss_suggestion(issue, "bug")
    assert burn.suggestions(issue) == []


def test_a_label_that_vanished_cannot_be_suggested(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    burn.create_labels("bug")
    issue = burn.open_issue(title="It panics")
    burn.delete_label("bug")
    assert person("POST", LABELS, {"labels": [{"name": "bug", "suggest": True}]}).status == 422
    gh.expect_refused("POST", LABELS, status=422)
    assert burn.suggestions(issue, state="all") == []


def test_an_older_server_refuses_label_objects(gh: FakeGitHub, person: Client) -> None:
    gh.set_suggestions(SuggestionMode.REFUSE)
    burn = gh.repo(BURN)
    burn.create_labels("bug")
    issue = burn.open_issue(title="It panics")
    assert person("POST", LABELS, {"labels": [{"name": "bug", "suggest": True}]}).status == 422
    gh.expect_refused("POST", LABELS, status=422)
    assert person("POST", LABELS, {"labels": ["bug"]}).status == 200
    gh.expect_labels(issue, "bug")
    assert person("GET", f"/repos/{BURN}/issues/1/suggestions").status == 404


def test_another_older_server_applies_what_was_to_be_suggested(gh: FakeGitHub, person: Client) -> None:
    gh.set_suggestions(SuggestionMode.APPLY)
    burn = gh.repo(BURN)
    burn.create_labels("bug")
    issue = burn.open_issue(title="It panics")
    answer = person("POST", LABELS, {"labels": [{"name": "bug", "suggest": True}]})
    assert [each["name"] for each in answer.body] == ["bug"]
    gh.expect_write("POST", LABELS)
    assert burn.labels(issue) == ["bug"]
    assert person("DELETE", f"{LABELS}/bug").body == []
    gh.expect_unlabelled(issue, "bug")


def test_adding_a_label_that_the_repository_lacks_creates_it(gh: FakeGitHub, person: Client) -> None:
    """As on GitHub: a bot must not do this by accident."""
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    person("POST", LABELS, {"labels": ["invented"]})
    gh.expect_labels(issue, "invented")
    assert [label.name for label in burn.state.labels] == ["invented"]


def test_a_label_with_a_slash_and_a_blank_is_found_by_its_encoded_name(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    burn.label(issue, "backend/wgpu & co")
    (label,) = person("GET", LABELS).body
    assert label["url"].endswith("/labels/backend%2Fwgpu%20%26%20co")
    assert person("DELETE", f"{LABELS}/backend%2Fwgpu%20%26%20co").status == 200
    gh.expect_unlabelled(issue, "backend/wgpu & co")
    assert burn.labels(issue) == []


def test_who_removed_a_label_stands_in_the_history(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    burn.label(issue, "bug", by="maintainer")
    burn.unlabel(issue, "bug", by="maintainer")
    events = person("GET", f"/repos/{BURN}/issues/1/events").body
    assert [(each["event"], each["actor"]["login"], each["label"]["name"]) for each in events] == [
        ("labeled", "maintainer", "bug"),
        ("unlabeled", "maintainer", "bug"),
    ]
