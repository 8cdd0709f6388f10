"""PyGithub behind the port, over real HTTP: what is sent, what is never sent twice, and what every fault becomes."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from bot.github.client import build_github
from bot.github.port import GitHubError, Gone, IssueComment, Later, Refused
from tests.scripted import COMMENTS, ISSUE, PERSON, REPO, Answer, ScriptedGitHub, comment, scripted_github, with_token


@pytest.fixture
def server() -> Iterator[ScriptedGitHub]:
    with scripted_github() as github:
        yield github


# One POST


@pytest.mark.parametrize(
    "fault", [Answer(status=502), Answer(status=500), Answer(status=503), Answer(drop=True), Answer(delay_seconds=1.5)]
)
def test_a_comment_is_posted_once_whatever_becomes_of_it(server: ScriptedGitHub, fault: Answer) -> None:
    server.on("POST", COMMENTS, fault)
    with pytest.raises(Later):
        with_token(server).create_comment(7, "hello")
    assert len(server.requests("POST")) == 1


def test_nor_is_an_edit_repeated(server: ScriptedGitHub) -> None:
    server.on("PATCH", f"/repos/{REPO}/issues/comments/5", Answer(status=502))
    with pytest.raises(Later):
        with_token(server).edit_comment(5, "hello")
    assert len(server.requests("PATCH")) == 1


def test_a_read_is_tried_again_after_a_broken_gateway_or_connection(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, Answer(status=502), Answer(drop=True), [comment()])
    server.on("GET", "/user", PERSON)
    assert [each.id for each in with_token(server).comments(7)] == [1]
    assert len(server.requests("GET", COMMENTS)) == 3


def test_but_not_for_ever(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, Answer(status=502))
    with pytest.raises(Later):
        list(with_token(server).comments(7))
    assert len(server.requests("GET")) == 3


def test_a_new_comment_is_ours_and_costs_one_request(server: ScriptedGitHub) -> None:
    server.on("POST", COMMENTS, Answer(status=201, body=comment(99, body="hello")))
    made = with_token(server).create_comment(7, "hello")
    assert made == IssueComment(
        id=99, body="hello", ours=True, html_url=f"https://github.com/{REPO}/issues/7#issuecomment-99"
    )
    assert [(each.method, each.body) for each in server.sent] == [("POST", {"body": "hello"})]
    assert server.sent[0].headers["authorization"] == "token ghp_x"
    assert server.sent[0].headers["user-agent"] == "burn-triage"


def test_an_edit_costs_one_request(server: ScriptedGitHub) -> None:
    server.on("PATCH", f"/repos/{REPO}/issues/comments/5", comment(5, body="new"))
    edited = with_token(server).edit_comment(5, "new")
    assert (edited.id, edited.body, edited.ours) == (5, "new", True)
    assert [(each.method, each.body) for each in server.sent] == [("PATCH", {"body": "new"})]


@pytest.mark.parametrize("body", [b"", b"<html>ok</html>", b"[]", b'{"id": "x"}', b"{", b"null", b"{}"])
def test_a_success_that_cannot_be_read_is_for_later(server: ScriptedGitHub, body: bytes) -> None:
    server.on("POST", COMMENTS, Answer(status=201, body=body))
    with pytest.raises(Later):
        with_token(server).create_comment(7, "hello")
    assert len(server.sent) == 1


@pytest.mark.parametrize("body", ["x" * 65_537, " \n"])
def test_a_body_that_github_would_refuse_is_not_sent(server: ScriptedGitHub, body: str) -> None:
    repository = with_token(server)
    with pytest.raises(Refused):
        repository.create_comment(7, body)
    with pytest.raises(Refused):
        repository.edit_comment(5, body)
    assert server.sent == []


# Faults


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_never_followed(server: ScriptedGitHub, status: int) -> None:
    moved = Answer(status=status, headers={"Location": "{url}/repositories/1/issues/9/comments"})
    server.on("POST", COMMENTS, moved)
    server.on("GET", ISSUE, moved)
    repository = with_token(server)
    with pytest.raises(Gone):
        repository.create_comment(7, "hello")
    with pytest.raises(Gone):
        repository.issue(7)
    assert len(server.sent) == 2


@pytest.mark.parametrize(
    ("fault", "becomes"),
    [
        (Answer(status=404, body={"message": "Not Found"}), Gone),
        (Answer(status=410, body={"message": "This issue was deleted"}), Gone),
        (Answer(status=403, body={"message": "Unable to create comment because issue is locked."}), Gone),
        (Answer(status=403, body={"message": "Resource not accessible by integration"}), Refused),
        (Answer(status=422, body={"message": "Validation Failed"}), Refused),
        (Answer(status=401, body={"message": "Bad credentials"}), Refused),
        (Answer(status=503, body=b"<html>"), Later),
    ],
)
def test_every_refusal_has_its_meaning(server: ScriptedGitHub, fault: Answer, becomes: type[GitHubError]) -> None:
    server.on("POST", COMMENTS, fault)
    with pytest.raises(becomes) as caught:
        with_token(server).create_comment(7, "hello")
    assert f"comment on {REPO}#7" in str(caught.value)


def test_a_server_that_is_not_there_is_for_later() -> None:
    github = build_github(token="ghp_x", api_url="http://127.0.0.1:9", timeout_seconds=1)
    with pytest.raises(Later):
        github.repository(REPO, installation=None).issue(7)


def test_a_secondary_limit_holds_everything_of_this_installation_for_as_long_as_asked(server: ScriptedGitHub) -> None:
    limit = Answer(
        status=403, headers={"Retry-After": "30"}, body={"message": "You have exceeded a secondary rate limit"}
    )
    server.on("POST", COMMENTS, limit)
    repository = with_token(server)
    with pytest.raises(Later) as caught:
        repository.create_comment(7, "hello")
    assert caught.value.after_seconds == 30
    for call in (lambda: repository.create_comment(8, "hello"), lambda: list(repository.comments(7))):
        with pytest.raises(Later) as caught:
            call()
        assert caught.value.after_seconds == pytest.approx(30, abs=5)
    assert len(server.sent) == 1


@pytest.mark.parametrize("status", [403, 429])
def test_an_exhausted_primary_limit_waits_for_its_reset_without_sleeping(server: ScriptedGitHub, status: int) -> None:
    reset = str(int(time.time()) + 1800)
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Limit": "5000", "X-RateLimit-Reset": reset}
    server.on("GET", ISSUE, Answer(status=status, headers=headers, body={"message": "API rate limit exceeded for x"}))
    with pytest.raises(Later) as caught:
        with_token(server).issue(7)
    assert caught.value.after_seconds == pytest.approx(1800, abs=10)
    assert len(server.sent) == 1


def test_an_answer_that_is_not_ready_is_not_waited_for(server: ScriptedGitHub) -> None:
    server.on("GET", ISSUE, Answer(status=202, body={}))
    with pytest.raises(Later):
        with_token(server).issue(7)
    assert len(server.sent) == 1


def test_writes_keep_their_distance(server: ScriptedGitHub) -> None:
    server.on("POST", COMMENTS, Answer(status=201, body=comment()))
    repository = with_token(server, seconds_between_writes=60.0)
    repository.create_comment(7, "one")
    with pytest.raises(Later) as caught:
        repository.create_comment(7, "two")
    assert caught.value.after_seconds == pytest.approx(60, abs=5)
    assert len(server.sent) == 1


# Reading


def test_an_issue_is_read_with_one_request(server: ScriptedGitHub) -> None:
    raw = {
        "number": 7,
        "title": "It panics",
        "body": None,
        "state": "open",
        "locked": False,
        "labels": [{"name": "bug"}, "old-form"],
        "user": {"login": "renovate[bot]", "type": "Bot"},
        "pull_request": {"url": "…"},
        "new_field": {},
    }
    server.on("GET", ISSUE, raw)
    issue = with_token(server).issue(7)
    assert (issue.number, issue.title, issue.body, issue.labels) == (7, "It panics", "", ("bug", "old-form"))
    assert (issue.is_pull_request, issue.author, issue.author_is_bot) == (True, "renovate[bot]", True)
    assert len(server.sent) == 1


def test_an_issue_of_a_deleted_account_has_no_author(server: ScriptedGitHub) -> None:
    server.on("GET", ISSUE, {"number": 7, "title": "x", "user": None, "labels": []})
    issue = with_token(server).issue(7)
    assert (issue.author, issue.author_is_bot, issue.is_pull_request) == ("", False, False)


def test_comments_are_read_through_all_pages(server: ScriptedGitHub) -> None:
    more = {"Link": f'<{{url}}{COMMENTS}?page=2&per_page=100>; rel="next"'}
    server.on("GET", COMMENTS, Answer(body=[comment(1), comment(2)], headers=more), [comment(3)])
    server.on("GET", "/user", PERSON)
    assert [each.id for each in with_token(server).comments(7)] == [1, 2, 3]
    assert [each.query for each in server.requests("GET", COMMENTS)] == [
        {"per_page": "100"},
        {"page": "2", "per_page": "100"},
    ]


def test_a_next_page_on_another_host_is_not_fetched(server: ScriptedGitHub) -> None:
    for elsewhere in ("http://localhost:1/x", "https://evil.example/repos"):
        server.on("GET", COMMENTS, Answer(body=[comment(1)], headers={"Link": f'<{elsewhere}>; rel="next"'}))
    server.on("GET", "/user", PERSON)
    for _ in range(2):
        with pytest.raises(GitHubError):
            list(with_token(server).comments(7))


def test_a_comment_without_some_fields_costs_no_further_request(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, [{"id": 1, "user": None}])
    assert list(with_token(server).comments(7)) == [IssueComment(id=1, body="", ours=True)]
    assert len(server.sent) == 1


def test_label_names_are_read_once_and_kept(server: ScriptedGitHub) -> None:
    labels = f"/repos/{REPO}/labels"
    more = {"Link": f'<{{url}}{labels}?page=2>; rel="next"'}
    server.on("GET", labels, Answer(body=[{"name": "bug"}], headers=more), [{"name": "no_std"}])
    github = build_github(token="ghp_x", api_url=server.url)
    for _ in range(2):
        assert github.repository(REPO, installation=None).label_names() == {"bug", "no_std"}
    assert len(server.sent) == 2
