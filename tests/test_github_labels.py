"""Label suggestions: in GitHub's native form, and undone where a server applies them instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.github.client import build_github
from bot.github.port import Gone, LabelOutcome, Later, Refused, Repository
from bot.policy.actions import Confidence, LabelProposal
from tests.scripted import Answer, ScriptedGitHub, scripted_github

LABELS = "/repos/tracel-ai/burn/issues/7/labels"
BUG = LabelProposal(name="bug", rationale="A panic is printed.", confidence=Confidence.MEDIUM)
AREA = LabelProposal(name="area/wgpu", rationale="The title names it.", confidence=Confidence.HIGH)


@pytest.fixture
def server() -> Iterator[ScriptedGitHub]:
    with scripted_github() as github:
        yield github


@pytest.fixture
def repository(server: ScriptedGitHub) -> Repository:
    github = build_github(token="ghp_x", api_url=server.url, seconds_between_writes=0.0)
    return github.repository("tracel-ai/burn", installation=None)


def named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


def test_a_suggestion_is_sent_in_the_native_form(server: ScriptedGitHub, repository: Repository) -> None:
    server.on("GET", LABELS, named("flex"))
    server.on("POST", LABELS, named("flex"))
    assert repository.suggest_labels(7, [BUG, AREA]) is LabelOutcome.SUGGESTED
    assert [each.body for each in server.requests("POST")] == [
        {
            "labels": [
                {"name": "bug", "rationale": "A panic is printed.", "suggest": True, "confidence": "medium"},
                {"name": "area/wgpu", "rationale": "The title names it.", "suggest": True, "confidence": "high"},
            ]
        }
    ]


@pytest.mark.parametrize("status", [400, 415, 422])
def test_a_server_that_refuses_the_form_is_unsupported(
    server: ScriptedGitHub, repository: Repository, status: int
) -> None:
    server.on("GET", LABELS, [])
    server.on("POST", LABELS, Answer(status=status, body={"message": "is not a string"}))
    assert repository.suggest_labels(7, [BUG]) is LabelOutcome.UNSUPPORTED


def test_labels_that_a_server_applied_are_taken_off_again(server: ScriptedGitHub, repository: Repository) -> None:
    server.on("GET", LABELS, named("flex"), named("flex", "bug", "area/wgpu"))
    server.on("POST", LABELS, named("flex", "bug", "area/wgpu"))
    server.on("DELETE", f"{LABELS}/bug", named("flex", "area/wgpu"))
    server.on("DELETE", f"{LABELS}/area%2Fwgpu", named("flex"))
    assert repository.suggest_labels(7, [BUG, AREA]) is LabelOutcome.UNSUPPORTED
    assert len(server.requests("DELETE")) == 2


def test_a_label_that_was_there_before_stays(server: ScriptedGitHub, repository: Repository) -> None:
    server.on("GET", LABELS, named("BUG"), named("BUG", "area/wgpu"))
    server.on("POST", LABELS, named("BUG", "area/wgpu"))
    server.on("DELETE", f"{LABELS}/area%2Fwgpu", named("BUG"))
    assert repository.suggest_labels(7, [BUG, AREA]) is LabelOutcome.UNSUPPORTED
    assert [each["name"] for each in server.requests("POST")[0].body["labels"]] == ["area/wgpu"]


def test_an_answer_that_only_names_the_suggestion_is_no_application(
    server: ScriptedGitHub, repository: Repository
) -> None:
    server.on("GET", LABELS, [])
    server.on("POST", LABELS, [{"name": "bug", "suggested": True}])
    assert repository.suggest_labels(7, [BUG]) is LabelOutcome.SUGGESTED


@pytest.mark.parametrize("answer", [None, {"labels": []}])
def test_an_answer_of_another_shape_is_checked_on_the_issue(
    server: ScriptedGitHub, repository: Repository, answer: Any
) -> None:
    server.on("GET", LABELS, [], named("bug"))
    server.on("POST", LABELS, Answer(body=answer))
    server.on("DELETE", f"{LABELS}/bug", [])
    assert repository.suggest_labels(7, [BUG]) is LabelOutcome.UNSUPPORTED


def test_nothing_is_sent_when_the_issue_has_them_all(server: ScriptedGitHub, repository: Repository) -> None:
    server.on("GET", LABELS, named("Bug"))
    assert repository.suggest_labels(7, [BUG]) is LabelOutcome.SUGGESTED
    assert server.requests("POST") == []


def test_nothing_is_asked_when_nothing_is_suggested(server: ScriptedGitHub, repository: Repository) -> None:
    assert repository.suggest_labels(7, []) is LabelOutcome.SUGGESTED
    assert server.sent == []


def test_taking_off_is_tried_again_because_the_label_would_be_ours(
    server: ScriptedGitHub, repository: Repository
) -> None:
    server.on("GET", LABELS, [], named("bug"))
    server.on("POST", LABELS, named("bug"))
    server.on("DELETE", f"{LABELS}/bug", Answer(status=502), Answer(drop=True), [])
    assert repository.suggest_labels(7, [BUG]) is LabelOutcome.UNSUPPORTED
    assert len(server.requests("DELETE")) == 3


def test_a_label_that_somebody_else_took_off_first_is_fine(server: ScriptedGitHub, repository: Repository) -> None:
    server.on("GET", LABELS, [], named("bug"))
    server.on("POST", LABELS, named("bug"))
    server.on("DELETE", f"{LABELS}/bug", Answer(status=404, body={"message": "Label does not exist"}))
    assert repository.suggest_labels(7, [BUG]) is LabelOutcome.UNSUPPORTED


@pytest.mark.parametrize(
    ("fault", "becomes"),
    [
        (Answer(status=502), Later),
        (Answer(status=404, body={"message": "Not Found"}), Gone),
        (Answer(status=403, body={"message": "Resource not accessible by integration"}), Refused),
    ],
)
def test_other_faults_are_errors_and_sent_once(
    server: ScriptedGitHub, repository: Repository, fault: Answer, becomes: type[Exception]
) -> None:
    server.on("GET", LABELS, [])
    server.on("POST", LABELS, fault)
    with pytest.raises(becomes):
        repository.suggest_labels(7, [BUG])
    assert len(server.requests("POST")) == 1


def test_applying_sends_the_plain_form(server: ScriptedGitHub, repository: Repository) -> None:
    server.on("POST", LABELS, named("bug", "area/wgpu"))
    repository.add_labels(7, ["bug", "area/wgpu"])
    repository.add_labels(7, [])
    assert [each.body for each in server.requests("POST")] == [["bug", "area/wgpu"]]
