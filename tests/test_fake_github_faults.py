"""Every fault that can be scripted on the fake GitHub: what the caller sees and what is stored."""

from __future__ import annotations

import http.client
from collections.abc import Iterator

import github
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.github import FakeGitHub, faults
from tests.github.client import Client
from tests.github.faults import Fault, compile_path
from tests.github.state import Issue

BURN = "tracel-ai/burn"
COMMENTS = f"/repos/{BURN}/issues/1/comments"
ANY_COMMENTS = "/repos/*/*/issues/*/comments"


@pytest.fixture
def issue(gh: FakeGitHub) -> Issue:
    return gh.repo(BURN).open_issue(title="It panics")


@pytest.fixture
def person(gh: FakeGitHub) -> Iterator[Client]:
    with Client(gh.url, gh.personal_token("someone")) as client:
        yield client


@pytest.mark.parametrize(
    ("fault", "status", "headers", "word"),
    [
        (faults.server_error(500), 500, {}, ""),
        (faults.server_error(502), 502, {}, ""),
        (faults.server_error(503), 503, {}, ""),
        (faults.secondary_limit(), 403, {"retry-after": "60"}, "secondary rate limit"),
        (faults.secondary_limit(None), 403, {}, "secondary rate limit"),
        (faults.too_many_requests(), 429, {}, "secondary rate limit"),
        (faults.too_many_requests(7), 429, {"retry-after": "7"}, "secondary rate limit"),
        (faults.rate_limit_exhausted(), 403, {"x-ratelimit-remaining": "0"}, "API rate limit exceeded"),
        (faults.bad_credentials(), 401, {}, "Bad credentials"),
        (faults.forbidden(), 403, {}, "Resource not accessible"),
        (faults.not_found(), 404, {}, "Not Found"),
        (faults.gone(), 410, {}, "deleted"),
        (faults.locked(), 403, {}, "locked"),
        (faults.unprocessable(), 422, {}, "Validation Failed"),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else None,
)
def test_a_refusal_stores_nothing_and_strikes_once(
    gh: FakeGitHub, issue: Issue, person: Client, fault: Fault, status: int, headers: dict[str, str], word: str
) -> None:
    rule = gh.faults.add("POST", ANY_COMMENTS, fault)
    answer = person("POST", COMMENTS, {"body": "hi"})
    assert answer.status == status
    assert headers.items() <= answer.headers.items()
    assert word in str(answer.body)
    assert ("retry-after" in answer.headers) == ("retry-after" in headers)
    assert gh.repo(BURN).comments(issue) == []
    assert person("POST", COMMENTS, {"body": "hi"}).status == 201
    assert rule.hits == 1
    gh.expect_comment(issue)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_an_error_after_storing_leaves_the_comment_there(
    gh: FakeGitHub, issue: Issue, person: Client, status: int
) -> None:
    gh.faults.add("POST", ANY_COMMENTS, faults.server_error(status, after_storing=True))
    assert person("POST", COMMENTS, {"body": "hi"}).status == status
    assert gh.expect_comment(issue).body == "hi"


@pytest.mark.parametrize("after_storing", [False, True])
def test_a_dropped_connection_tells_nothing(gh: FakeGitHub, issue: Issue, person: Client, after_storing: bool) -> None:
    gh.faults.add("POST", ANY_COMMENTS, faults.dropped(after_storing=after_storing))
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        person("POST", COMMENTS, {"body": "hi"})
    assert len(gh.repo(BURN).comments(issue)) == after_storing
    if after_storing:
        gh.expect_comment(issue)


def test_an_answer_cut_short_was_stored(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.faults.add("POST", ANY_COMMENTS, faults.cut_short())
    with pytest.raises(http.client.IncompleteRead):
        person("POST", COMMENTS, {"body": "hi"})
    gh.expect_comment(issue)


def test_a_slow_answer_is_the_true_one(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.faults.add("POST", ANY_COMMENTS, faults.slow(0.1))
    assert person("POST", COMMENTS, {"body": "hi"}).status == 201
    gh.expect_comment(issue)


def test_who_does_not_wait_for_a_slow_answer_has_written_all_the_same(gh: FakeGitHub, issue: Issue) -> None:
    gh.faults.add("POST", ANY_COMMENTS, faults.slow(60))
    with Client(gh.url, gh.personal_token("someone"), timeout=0.3) as hasty, pytest.raises(TimeoutError):
        hasty("POST", COMMENTS, {"body": "hi"})
    gh.expect_comment(issue)


def test_a_slow_failure(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.faults.add("POST", ANY_COMMENTS, faults.server_error(502, after_storing=True).delayed(0.1))
    assert person("POST", COMMENTS, {"body": "hi"}).status == 502
    gh.expect_comment(issue)


def test_the_nth_call_can_be_the_one_that_fails(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.faults.add("GET", COMMENTS, faults.server_error(500), skip=1, times=2)
    assert [person("GET", COMMENTS).status for _ in range(4)] == [200, 500, 500, 200]


def test_a_fault_for_good_ends_when_the_script_is_cleared(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    rule = gh.faults.add("*", "/repos/**", faults.server_error(503), times=None)
    assert {person("GET", COMMENTS).status for _ in range(5)} == {503}
    assert rule.hits == 5
    gh.faults.clear()
    assert person("GET", COMMENTS).status == 200


def test_a_scripted_redirect_carries_its_address(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.faults.add("GET", "/repos/{owner}/{repo}/issues/{n}", faults.moved(f"{gh.url}/repositories/1/issues/2"))
    answer = person("GET", f"/repos/{BURN}/issues/1")
    assert (answer.status, answer.headers["location"]) == (301, f"{gh.url}/repositories/1/issues/2")


def test_faults_strike_under_the_enterprise_prefix_too(gh: FakeGitHub, issue: Issue) -> None:
    gh.faults.add("GET", COMMENTS, faults.server_error(500))
    with Client(gh.enterprise_url, gh.personal_token("someone")) as person:
        assert [person("GET", COMMENTS).status for _ in range(2)] == [500, 200]


def test_an_exhausted_rate_limit_lasts_until_its_reset(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.exhaust_rate_limit(3600)
    answer = person("POST", COMMENTS, {"body": "hi"})
    assert answer.status == 403
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert int(answer.headers["x-ratelimit-reset"]) == pytest.approx(gh.clock() + 3600, abs=2)
    assert person("GET", "/rate_limit").body["rate"]["remaining"] == 0
    gh.expect_refused("POST", COMMENTS, status=403)
    gh.clock.advance(3601)
    assert person("POST", COMMENTS, {"body": "hi"}).status == 201
    gh.expect_comment(issue)


def test_requests_are_counted_for_each_caller(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.rate.limit = 3
    assert [person("GET", COMMENTS).status for _ in range(4)] == [200, 200, 200, 403]
    with Client(gh.url, gh.personal_token("other")) as other:
        assert other("GET", COMMENTS).headers["x-ratelimit-remaining"] == "2"


def test_a_comment_shows_up_in_lists_only_later(gh: FakeGitHub, issue: Issue, person: Client) -> None:
    gh.delay_listing(5)
    posted = person("POST", COMMENTS, {"body": "hi"}).body
    gh.expect_comment(issue)
    assert person("GET", COMMENTS).body == []
    assert person("GET", f"/repos/{BURN}/issues/comments/{posted['id']}").status == 200
    gh.clock.advance(5)
    assert [each["id"] for each in person("GET", COMMENTS).body] == [posted["id"]]


def test_the_fake_shows_what_a_replaying_client_does(gh: FakeGitHub, issue: Issue) -> None:
    """PyGithub as it comes repeats a POST that failed: two 502s that stored leave three comments."""
    gh.faults.add("POST", ANY_COMMENTS, faults.server_error(502, after_storing=True), times=2)
    retry = github.GithubRetry(total=3, backoff_factor=0)
    auth = github.Auth.Token(gh.personal_token("someone"))
    with github.Github(auth=auth, base_url=gh.url, retry=retry, seconds_between_requests=0) as client:
        client.get_repo(BURN).get_issue(1).create_comment("hi")
    assert len(gh.expect_comments(issue, 3)) == 3


@given(st.lists(st.text("abc.-_", min_size=1, max_size=5), min_size=1, max_size=5))
def test_a_path_pattern_matches_by_segments(segments: list[str]) -> None:
    path = "/" + "/".join(segments)
    assert compile_path(path).fullmatch(path)
    assert compile_path("/*" * len(segments)).fullmatch(path)
    assert compile_path("/**").fullmatch(path)
    assert compile_path("/{x}" * (len(segments) + 1)).fullmatch(path) is None
