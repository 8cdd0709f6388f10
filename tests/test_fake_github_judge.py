"""The judge that the other tests rely on: an unclaimed write fails the test, and claims are exact."""

from __future__ import annotations

import http.client

import pytest

from tests.github import FakeGitHub, faults
from tests.github.client import Client

pytest_plugins = ["pytester"]

BURN = "tracel-ai/burn"
COMMENTS = f"/repos/{BURN}/issues/1/comments"


@pytest.fixture
def person(gh: FakeGitHub) -> Client:
    gh.repo(BURN).open_issue(title="It panics")
    return Client(gh.url, gh.personal_token("someone"))


def test_an_unclaimed_write_is_named(gh: FakeGitHub, person: Client) -> None:
    person("POST", COMMENTS, {"body": "nobody asked"})
    with pytest.raises(AssertionError, match=r"1 write.*\n.*POST .*/issues/1/comments -> 201 \(stored\).*nobody asked"):
        gh.assert_all_writes_asserted()
    gh.expect_comment(gh.repo(BURN).state.issues[1])
    gh.assert_all_writes_asserted()


def test_a_claim_is_for_one_write_only(gh: FakeGitHub, person: Client) -> None:
    issue = gh.repo(BURN).state.issues[1]
    with pytest.raises(AssertionError, match="expected 1 stored POST"):
        gh.expect_comment(issue)
    for body in ("one", "two"):
        person("POST", COMMENTS, {"body": body})
    with pytest.raises(AssertionError, match="found 2 unclaimed"):
        gh.expect_comment(issue)
    assert [each.body["body"] for each in gh.expect_comments(issue, 2)] == ["one", "two"]
    with pytest.raises(AssertionError, match="found 0 unclaimed"):
        gh.expect_comment(issue)


def test_claims_look_at_what_was_written(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    burn.create_labels("bug", "onnx")
    issue = burn.state.issues[1]
    person("POST", COMMENTS, {"body": "hello"})
    with pytest.raises(AssertionError, match="'goodbye' is not in the comment"):
        gh.expect_comment(issue, containing="goodbye")
    person("POST", f"/repos/{BURN}/issues/1/labels", {"labels": [{"name": "bug", "suggest": True}]})
    with pytest.raises(AssertionError, match="expected 1 stored POST"):
        gh.expect_labels(issue, "bug")
    with pytest.raises(AssertionError, match="suggested"):
        gh.expect_suggestions(issue, "onnx")


def test_a_refused_write_is_owed_unless_a_scripted_fault_refused_it(gh: FakeGitHub, person: Client) -> None:
    gh.faults.add("POST", COMMENTS, faults.locked())
    person("POST", COMMENTS, {"body": "hi"})
    gh.expect_no_writes()
    gh.repo(BURN).lock(gh.repo(BURN).state.issues[1])
    person("POST", COMMENTS, {"body": "hi"})
    with pytest.raises(AssertionError, match=r"403 \(not stored\)"):
        gh.expect_no_writes()
    gh.expect_refused("POST", COMMENTS, status=403)


def test_an_endpoint_that_does_not_exist_is_noticed() -> None:
    with FakeGitHub() as gh, Client(gh.url, gh.personal_token("someone")) as person:
        assert person("GET", f"/repos/{gh.repo(BURN).full_name}/no-such-thing").status == 404
        with pytest.raises(AssertionError, match="endpoints that the fake does not have"):
            gh.assert_all_writes_asserted()
        person("DELETE", f"/repos/{BURN}")
        with pytest.raises(AssertionError, match=r"DELETE /repos/tracel-ai/burn -> 404"):
            gh.assert_all_writes_asserted()


def test_a_mistake_of_the_fake_itself_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeGitHub() as gh, Client(gh.url) as nobody:
        monkeypatch.setattr(gh.front, "handle", lambda _request, _base: 1 // 0)
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            nobody("GET", "/meta")
        gh.stop()
        with pytest.raises(AssertionError, match="ZeroDivisionError"):
            gh.assert_all_writes_asserted()


def test_the_fixture_fails_a_test_that_writes_more_than_it_says(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from tests.github.client import Client

        PATH = "/repos/tracel-ai/burn/issues/1/comments"

        def post(gh):
            gh.repo("tracel-ai/burn").open_issue(title="It panics")
            with Client(gh.url, gh.personal_token("someone")) as person:
                person("POST", PATH, {"body": "hi"})

        def test_claims_it(gh):
            post(gh)
            gh.expect_comment(gh.repo("tracel-ai/burn").state.issues[1])

        def test_says_nothing(gh):
            post(gh)

        def test_fails_anyway(gh):
            post(gh)
            assert False
        """
    )
    result = pytester.runpytest_inprocess("-p", "tests.github.fixtures", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*1 write(s) that no test asserted:*"])
