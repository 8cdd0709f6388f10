"""The fake GitHub as PyGithub and a bare client see it: what is stored, listed, paged and refused."""

from __future__ import annotations

from collections.abc import Iterator

import github
import pytest
from github.Issue import Issue as RemoteIssue
from github.Repository import Repository

from tests.github import FakeGitHub
from tests.github.client import Client
from tests.github.state import MAX_BODY

BURN = "tracel-ai/burn"
COMMENTS = f"/repos/{BURN}/issues/1/comments"


def as_installation(gh: FakeGitHub, base_url: str) -> github.Github:
    """PyGithub as the app's installation: no retries and no pauses."""
    auth = github.Auth.AppAuth(gh.app.id, gh.private_key).get_installation_auth(gh.installation(BURN).id)
    return github.Github(
        auth=auth, base_url=base_url, retry=None, seconds_between_requests=None, seconds_between_writes=None
    )


@pytest.fixture
def remote(gh: FakeGitHub) -> Iterator[Repository]:
    """The repository through PyGithub, as the app's installation sees it."""
    gh.repo(BURN)
    auth = github.Auth.AppAuth(gh.app.id, gh.private_key).get_installation_auth(gh.installation(BURN).id)
    with github.Github(
        auth=auth, base_url=gh.url, retry=None, seconds_between_requests=0, seconds_between_writes=0
    ) as client:
        yield client.get_repo(BURN)


@pytest.fixture
def person(gh: FakeGitHub) -> Iterator[Client]:
    gh.repo(BURN)
    with Client(gh.url, gh.personal_token("someone")) as client:
        yield client


def test_an_issue_read_through_pygithub_is_the_one_that_was_opened(gh: FakeGitHub, remote: Repository) -> None:
    issue = gh.repo(BURN).open_issue(title="It panics", body="thread 'main' panicked", author="someone")
    gh.repo(BURN).label(issue, "bug")
    seen = remote.get_issue(issue.number)
    assert (seen.title, seen.body, seen.user.login, seen.state) == (
        "It panics",
        "thread 'main' panicked",
        "someone",
        "open",
    )
    assert [label.name for label in seen.labels] == ["bug"]
    assert seen.html_url == f"https://github.com/{BURN}/issues/1"


def test_the_bots_comment_carries_its_name_and_its_app(gh: FakeGitHub, remote: Repository) -> None:
    issue = gh.repo(BURN).open_issue(title="It panics")
    posted = remote.get_issue(issue.number).create_comment("Known.")
    raw = posted.raw_data
    assert raw["user"]["login"] == "burn-triage[bot]"
    assert raw["user"]["type"] == "Bot"
    assert raw["performed_via_github_app"]["id"] == gh.app.id
    comment = gh.expect_comment(issue, containing="Known", by="burn-triage[bot]")
    posted.edit("Known, and mended.")
    gh.expect_edit(comment)
    assert comment.body == "Known, and mended."
    posted.delete()
    gh.expect_deleted(comment)
    assert gh.repo(BURN).comments(issue) == []


def test_paging_shows_every_comment_once_and_in_order(gh: FakeGitHub, remote: Repository) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="Long thread")
    for number in range(65):
        burn.comment(issue, "someone", f"comment {number}")
    seen = [comment.body for comment in remote.get_issue(issue.number).get_comments()]
    assert seen == [f"comment {number}" for number in range(65)]


def test_link_headers_lead_through_the_pages_and_back(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="Long thread")
    for number in range(5):
        burn.comment(issue, "someone", f"comment {number}")
    first = person("GET", f"{COMMENTS}?per_page=2")
    assert [each["body"] for each in first.body] == ["comment 0", "comment 1"]
    assert first.link("prev") is None
    last = person("GET", first.link("last") or "")
    assert [each["body"] for each in last.body] == ["comment 4"]
    assert last.link("next") is None
    assert person("GET", last.link("first") or "").body == first.body
    assert len(person("GET", last.link("prev") or "").body) == 2


def test_since_lists_only_what_changed_after_it(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    burn.comment(burn.open_issue(title="Old"), "someone", "old")
    gh.clock.advance(3600)
    burn.comment(burn.open_issue(title="New"), "someone", "new")
    moment = person("GET", f"/repos/{BURN}/issues/2").body["created_at"]
    assert [each["title"] for each in person("GET", f"/repos/{BURN}/issues?since={moment}").body] == ["New"]
    assert [each["body"] for each in person("GET", f"/repos/{BURN}/issues/comments?since={moment}").body] == ["new"]
    assert person("GET", f"{COMMENTS}?since={moment}").body == []
    assert person("GET", f"{COMMENTS}?since=yesterday").status == 422


def test_issues_are_listed_by_state_and_newest_first(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    for title in ("one", "two", "three"):
        burn.open_issue(title=title)
        gh.clock.advance(1)
    burn.close_issue(burn.state.issues[2])

    def titles(query: str) -> list[str]:
        return [each["title"] for each in person("GET", f"/repos/{BURN}/issues{query}").body]

    assert titles("") == ["three", "one"]
    assert titles("?state=closed") == ["two"]
    assert titles("?state=all&direction=asc") == ["one", "two", "three"]
    burn.label(burn.state.issues[1], "bug")
    assert titles("?labels=bug") == ["one"]
    assert person("GET", f"/repos/{BURN}/issues?state=lost").status == 422


def test_a_reaction_is_counted_once_for_each_account(gh: FakeGitHub, person: Client, remote: Repository) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    comment = burn.comment(issue, "someone", "/explain")
    path = f"/repos/{BURN}/issues/comments/{comment.id}/reactions"
    assert person("POST", path, {"content": "eyes"}).status == 201
    again = person("POST", path, {"content": "eyes"})
    assert again.status == 200
    gh.expect_write("POST", path, times=2)
    assert person("GET", f"{COMMENTS}").body[0]["reactions"]["eyes"] == 1
    assert person("DELETE", f"{path}/{again.body['id']}").status == 204
    gh.expect_write("DELETE", f"{path}/*")
    assert burn.reactions(comment) == []
    assert person("POST", path, {"content": "shrug"}).status == 422
    gh.expect_refused("POST", path, status=422)
    remote.get_issue(1).create_reaction("heart")
    gh.expect_reaction(issue, "heart")
    assert burn.reactions(issue, by="burn-triage[bot]") == ["heart"]


def test_hiding_a_comment_through_graphql(gh: FakeGitHub, remote: Repository, person: Client) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    posted = remote.get_issue(1).create_comment("Known.")
    comment = gh.expect_comment(issue)
    assert posted.minimize("RESOLVED") is True
    gh.expect_hidden(comment, reason="RESOLVED")
    assert person("GET", f"/repos/{BURN}/issues/comments/{comment.id}").body["minimized"] == {"reason": "resolved"}
    assert posted.unminimize() is True
    gh.expect_write("POST", "/graphql")
    assert comment.minimized is None


def test_graphql_refuses_what_it_does_not_know(gh: FakeGitHub, person: Client) -> None:
    wrong = {"query": "mutation { minimizeComment(input: $input) }", "variables": {"input": {"subjectId": "IC_nope"}}}
    assert person("POST", "/graphql", wrong).body["errors"][0]["type"] == "NOT_FOUND"
    assert "errors" in person("POST", "/graphql", {"query": "{ viewer { login } }"}).body
    gh.expect_refused("POST", "/graphql", status=200, times=2)


def test_the_settings_file_is_read_from_the_default_branch_only(gh: FakeGitHub, remote: Repository) -> None:
    burn = gh.repo(BURN)
    burn.write_file(".github/burn-triage.yml", "mode: live\n")
    content = remote.get_contents(".github/burn-triage.yml")
    assert not isinstance(content, list)
    assert content.decoded_content == b"mode: live\n"
    for path, ref in ((".github/burn-triage.yml", "evil"), (".github/other.yml", None)):
        with pytest.raises(github.GithubException) as refused:
            remote.get_contents(path, ref=ref) if ref else remote.get_contents(path)
        # One file is all that `single_file` opens.
        assert refused.value.status == (404 if ref else 403)


@pytest.mark.parametrize(
    ("role", "permission", "word"),
    [
        ("admin", None, "admin"),
        ("maintain", None, "write"),
        ("write", None, "write"),
        ("triage", None, "read"),
        ("read", None, "read"),
        ("none", None, "none"),
        ("community-helper", "write", "write"),
    ],
)
def test_roles_are_told_by_name(
    gh: FakeGitHub, remote: Repository, role: str, permission: str | None, word: str
) -> None:
    gh.repo(BURN).set_role("somebody", role, permission=permission)
    raw = remote.requester.requestJsonAndCheck("GET", f"/repos/{BURN}/collaborators/somebody/permission")[1]
    assert (raw["role_name"], raw["permission"]) == (role, word)


def test_a_stranger_reads_a_public_repository_and_nobody_is_not_a_user(gh: FakeGitHub, person: Client) -> None:
    path = f"/repos/{BURN}/collaborators/{{}}/permission"
    assert person("GET", path.format("someone")).body["role_name"] == "read"
    assert person("GET", path.format("ghost-nobody")).status == 404


def test_enterprise_answers_under_its_prefix_with_addresses_of_its_own(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    with as_installation(gh, gh.enterprise_url) as client:
        remote: RemoteIssue = client.get_repo(BURN).get_issue(issue.number)
        assert remote.url == f"{gh.enterprise_url}/repos/{BURN}/issues/1"
        remote.create_comment("Known.").minimize()
    gh.expect_hidden(gh.expect_comment(issue))


def test_a_body_over_the_limit_is_refused_on_creation_and_on_edit(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    assert person("POST", COMMENTS, {"body": "x" * MAX_BODY}).status == 201
    comment = gh.expect_comment(issue)
    refused = person("PATCH", f"/repos/{BURN}/issues/comments/{comment.id}", {"body": "x" * (MAX_BODY + 1)})
    assert refused.status == 422
    assert "65536" in refused.body["errors"][0]["message"]
    assert person("POST", COMMENTS, {"body": " \n"}).status == 422
    assert person("POST", COMMENTS, {"body": 1}).status == 422
    assert person("POST", COMMENTS, b"{").status == 400
    gh.expect_refused("PATCH", "/repos/*/*/issues/comments/*", status=422)
    gh.expect_refused("POST", COMMENTS, status=422, times=2)
    gh.expect_refused("POST", COMMENTS, status=400)
    assert len(comment.body) == MAX_BODY


def test_final_states_of_an_issue(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    locked, deleted, moved = (burn.open_issue(title=title) for title in ("locked", "deleted", "moved"))
    burn.lock(locked)
    burn.delete_issue(deleted)
    elsewhere = gh.repo("tracel-ai/cubecl")
    new = burn.transfer(moved, elsewhere)
    answers = [person("POST", f"/repos/{BURN}/issues/{number}/comments", {"body": "hi"}) for number in (1, 2, 3, 4)]
    assert [each.status for each in answers] == [403, 410, 301, 404]
    for number, status in ((1, 403), (2, 410), (3, 301), (4, 404)):
        gh.expect_refused("POST", f"/repos/{BURN}/issues/{number}/comments", status=status)
    there = answers[2].headers["location"]
    assert there == f"{gh.url}/repositories/{elsewhere.state.id}/issues/{new.number}/comments"
    assert person("GET", there.removeprefix(gh.url)).body == []


def test_a_renamed_repository_redirects(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    burn.open_issue(title="It panics")
    burn.rename("burn-next")
    answer = person("GET", f"/repos/{BURN}/issues/1")
    assert answer.status == 301
    assert person("GET", answer.headers["location"].removeprefix(gh.url)).body["title"] == "It panics"


def test_repository_switches(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    burn.open_issue(title="It panics")
    with Client(gh.url, gh.personal_token("owner", permissions={"administration": "write"})) as owner:
        assert owner("PATCH", f"/repos/{BURN}", {"has_issues": False}).body["has_issues"] is False
        assert owner("GET", f"/repos/{BURN}/issues").status == 410
        assert owner("PATCH", f"/repos/{BURN}", {"has_issues": True, "archived": True}).status == 200
        gh.expect_write("PATCH", f"/repos/{BURN}", times=2)
        assert owner("POST", COMMENTS, {"body": "hi"}).status == 403
        gh.expect_refused("POST", COMMENTS, status=403)


def test_an_issue_is_opened_and_changed_through_the_api(gh: FakeGitHub, person: Client) -> None:
    burn = gh.repo(BURN)
    created = person("POST", f"/repos/{BURN}/issues", {"title": "Broken settings", "body": "line 3", "labels": ["bug"]})
    assert (created.status, created.body["number"]) == (201, 1)
    gh.expect_write("POST", f"/repos/{BURN}/issues")
    changed = person(
        "PATCH",
        f"/repos/{BURN}/issues/1",
        {"title": "Settings", "state": "closed", "state_reason": "not_planned", "labels": ["docs"]},
    )
    assert (changed.body["state"], changed.body["state_reason"]) == ("closed", "not_planned")
    assert burn.labels(burn.state.issues[1]) == ["docs"]
    gh.expect_write("PATCH", f"/repos/{BURN}/issues/1")
    assert person("POST", f"/repos/{BURN}/issues", {"title": ""}).status == 422
    gh.expect_refused("POST", f"/repos/{BURN}/issues", status=422)


def test_what_has_not_changed_is_not_sent_again_and_costs_nothing(gh: FakeGitHub, person: Client) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    first = person("GET", f"/repos/{BURN}/issues/1")
    again = person("GET", f"/repos/{BURN}/issues/1", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]
    gh.repo(BURN).comment(gh.repo(BURN).state.issues[1], "someone", "hi")
    assert person("GET", f"/repos/{BURN}/issues/1", if_none_match=first.headers["etag"]).status == 200


def test_the_manifest_code_buys_the_credentials_once(gh: FakeGitHub) -> None:
    code = gh.offer_manifest("fresh-app")
    late = gh.offer_manifest("late-app")
    with Client(gh.url) as nobody:
        bought = nobody("POST", f"/app-manifests/{code}/conversions")
        assert bought.status == 201
        assert bought.body["slug"] == "fresh-app"
        assert bought.body["pem"].startswith("-----BEGIN RSA PRIVATE KEY-----")
        gh.expect_write("POST", f"/app-manifests/{code}/conversions")
        gh.clock.advance(3600)
        for spent in (code, late):
            assert nobody("POST", f"/app-manifests/{spent}/conversions").status == 404
            gh.expect_refused("POST", f"/app-manifests/{spent}/conversions", status=404)
