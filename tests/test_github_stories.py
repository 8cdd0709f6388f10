"""PyGithub behind the port against a GitHub with a memory: comments, tokens, locked and moved issues, suggestions."""

from __future__ import annotations

import pytest

from bot.github.client import build_github
from bot.github.port import Gone, LabelOutcome, Later, Refused, Repository
from bot.policy.actions import Confidence, LabelProposal
from tests.github import FakeGitHub, SuggestionMode, faults

BURN = "tracel-ai/burn"
BUG = LabelProposal(name="bug", rationale="A panic is printed.", confidence=Confidence.MEDIUM)


def as_app(gh: FakeGitHub) -> Repository:
    github = build_github(
        app_id=str(gh.app.id), private_key=gh.private_key, api_url=gh.url, seconds_between_writes=0.0, timeout_seconds=2
    )
    return github.repository(BURN, installation=gh.installation(BURN).id)


def test_a_comment_is_written_found_again_as_ours_and_edited(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    for n in range(120):
        burn.comment(issue, "octocat", f"me too, {n}")
    repository = as_app(gh)
    made = repository.create_comment(issue.number, "first")
    listed = list(repository.comments(issue.number))
    assert len(listed) == 121, "all pages"
    assert [each for each in listed if each.ours] == [made]
    repository.edit_comment(made.id, "second")
    assert list(repository.comments(issue.number))[-1].body == "second"
    comment = gh.expect_comment(issue, containing="second", by="burn-triage[bot]")
    gh.expect_edit(comment)


def test_a_bot_that_copies_our_words_is_not_us(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    burn.comment(issue, "copycat[bot]", "<!-- burn-triage v1 -->")
    burn.comment(issue, "burn-triage", "<!-- burn-triage v1 -->")
    assert [each.ours for each in as_app(gh).comments(issue.number)] == [False, False]


def test_a_plain_token_knows_the_comments_of_its_user(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    github = build_github(token=gh.personal_token("octocat"), api_url=gh.enterprise_url, seconds_between_writes=0.0)
    repository = github.repository(BURN, installation=None)
    issue = burn.open_issue(title="It panics", body="…", author="someone")
    burn.comment(issue, "someone", "me too")
    repository.create_comment(issue.number, "hello")
    assert [each.ours for each in repository.comments(issue.number)] == [False, True]
    gh.expect_comment(issue, by="octocat")


def test_an_expired_token_costs_one_try(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    repository = as_app(gh)
    assert repository.issue(issue.number).title == "It panics"
    gh.expire_tokens()
    with pytest.raises(Later):
        repository.issue(issue.number)
    assert repository.issue(issue.number).author == "octocat"


def test_a_write_that_was_stored_before_the_answer_broke_is_not_sent_again(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    repository = as_app(gh)
    for fault in (faults.server_error(after_storing=True), faults.dropped(after_storing=True), faults.cut_short()):
        gh.faults.add("POST", f"/repos/{BURN}/issues/{issue.number}/comments", fault)
        with pytest.raises(Later):
            repository.create_comment(issue.number, "hello")
    assert len(burn.comments(issue)) == 3, "one for each try"
    gh.expect_comments(issue, 3)


def test_a_locked_issue_is_gone_and_so_is_a_deleted_one(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    repository = as_app(gh)
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    number = issue.number
    burn.lock(issue)
    assert repository.issue(number).locked
    burn.delete_issue(issue)
    for call in (repository.issue, lambda n: list(repository.comments(n))):
        with pytest.raises(Gone):
            call(number)


def test_a_transferred_issue_is_not_followed(gh: FakeGitHub) -> None:
    burn, onnx = gh.repo(BURN), gh.repo("tracel-ai/burn-onnx")
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    number = issue.number
    moved = burn.transfer(issue, onnx)
    repository = as_app(gh)
    with pytest.raises(Gone):
        repository.issue(number)
    with pytest.raises(Gone):
        repository.create_comment(number, "hello")
    assert onnx.comments(moved) == []
    gh.expect_refused("POST", f"/repos/{BURN}/issues/{number}/comments", status=301)


def test_without_the_permission_a_comment_is_refused(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    gh.set_permission(BURN, "issues", "read")
    with pytest.raises(Refused):
        as_app(gh).create_comment(issue.number, "hello")
    gh.expect_refused("POST", f"/repos/{BURN}/issues/{issue.number}/comments", status=403)


def test_an_exhausted_limit_is_for_later(gh: FakeGitHub) -> None:
    issue = gh.repo(BURN).open_issue(title="It panics", body="…", author="octocat")
    repository = as_app(gh)
    repository.label_names()
    gh.exhaust_rate_limit(600)
    with pytest.raises(Later) as caught:
        repository.issue(issue.number)
    assert caught.value.after_seconds == pytest.approx(600, abs=10)


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [
        (SuggestionMode.NATIVE, LabelOutcome.SUGGESTED),
        (SuggestionMode.REFUSE, LabelOutcome.UNSUPPORTED),
        (SuggestionMode.APPLY, LabelOutcome.UNSUPPORTED),
    ],
)
def test_no_label_ever_stays_that_was_only_suggested(
    gh: FakeGitHub, mode: SuggestionMode, outcome: LabelOutcome
) -> None:
    burn = gh.repo(BURN)
    burn.create_labels("bug", "flex")
    issue = burn.open_issue(title="It panics", body="…", author="octocat")
    burn.label(issue, "flex")
    gh.set_suggestions(mode)
    repository = as_app(gh)
    assert {"bug", "flex"} <= repository.label_names()
    assert repository.suggest_labels(issue.number, [BUG]) is outcome
    assert burn.labels(issue) == ["flex"]
    if mode is SuggestionMode.NATIVE:
        assert [each.label for each in gh.expect_suggestions(issue, "bug")] == ["bug"]
    elif mode is SuggestionMode.REFUSE:
        gh.expect_refused("POST", f"/repos/{BURN}/issues/{issue.number}/labels", status=422)
    else:
        gh.expect_write("POST", f"/repos/{BURN}/issues/{issue.number}/labels")
        gh.expect_unlabelled(issue, "bug")


def test_a_repository_that_the_app_is_not_installed_on_is_gone(gh: FakeGitHub) -> None:
    gh.repo(BURN).create_labels("bug")
    gh.repo("someone/else", installed=False)
    github = build_github(app_id=gh.app.client_id, private_key=gh.private_key, api_url=gh.url)
    assert github.repository(BURN, installation=None).label_names() == {"bug"}
    with pytest.raises(Gone):
        github.repository("someone/else", installation=None)
