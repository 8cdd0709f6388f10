"""PyGithub behind the port, over real HTTP: what is sent, what is never sent twice, and what every fault becomes."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from bot.github.auth import CredentialsError
from bot.github.client import build_github
from bot.github.port import GitHub, GitHubError, Gone, IssueComment, Later, Refused, Repository
from tests.scripted import Answer, ScriptedGitHub, scripted_github

REPO = "tracel-ai/burn"
ISSUE = f"/repos/{REPO}/issues/7"
COMMENTS = f"{ISSUE}/comments"
TOKENS = "/app/installations/42/access_tokens"
PERSON = {"login": "octocat", "type": "User"}
US = {"login": "burn-triage[bot]", "type": "Bot"}
OUR_APP = {"id": 123, "slug": "burn-triage", "client_id": "Iv23liABC"}


@pytest.fixture(scope="session")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="session")
def pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


@pytest.fixture
def server() -> Iterator[ScriptedGitHub]:
    with scripted_github() as github:
        yield github


def grant(token: str = "ghs_one", minutes: float = 60) -> Answer:
    ends = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=minutes)
    return Answer(status=201, body={"token": token, "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%SZ")})


def comment(number: int = 1, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": number,
        "body": f"comment {number}",
        "user": PERSON,
        "performed_via_github_app": None,
        "html_url": f"https://github.com/{REPO}/issues/7#issuecomment-{number}",
        "url": f"https://api.github.com/repos/{REPO}/issues/comments/{number}",
    }
    return fields | changes


def with_token(server: ScriptedGitHub, **options: Any) -> Repository:
    fields: dict[str, Any] = {
        "api_url": server.url,
        "token": "ghp_x",
        "seconds_between_writes": 0.0,
        "timeout_seconds": 1,
    }
    return build_github(**(fields | options)).repository(REPO, installation=None)


def app_github(server: ScriptedGitHub, pem: str, app_id: str = "123", **options: Any) -> GitHub:
    fields: dict[str, Any] = {"api_url": server.url, "seconds_between_writes": 0.0, "timeout_seconds": 1}
    return build_github(app_id=app_id, private_key=pem, **(fields | options))


def as_app(server: ScriptedGitHub, pem: str, app_id: str = "123", **options: Any) -> Repository:
    return app_github(server, pem, app_id, **options).repository(REPO, installation=42)


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
    assert list(with_token(server).comments(7)) == [IssueComment(id=1, body="", ours=False)]
    assert len(server.sent) == 1


def test_label_names_are_read_once_and_kept(server: ScriptedGitHub) -> None:
    labels = f"/repos/{REPO}/labels"
    more = {"Link": f'<{{url}}{labels}?page=2>; rel="next"'}
    server.on("GET", labels, Answer(body=[{"name": "bug"}], headers=more), [{"name": "no_std"}])
    github = build_github(token="ghp_x", api_url=server.url)
    for _ in range(2):
        assert github.repository(REPO, installation=None).label_names() == {"bug", "no_std"}
    assert len(server.sent) == 2


# Which comments are ours


def ours(repository: Repository) -> list[bool]:
    return [each.ours for each in repository.comments(7)]


def test_with_a_token_the_comments_of_its_user_are_ours(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, [comment(1), comment(2, user={"login": "me", "type": "User"})])
    server.on("GET", "/user", {"login": "me"})
    repository = with_token(server)
    assert (ours(repository), ours(repository)) == ([False, True], [False, True])
    assert len(server.requests("GET", "/user")) == 1, "asked once"


def test_the_token_of_a_workflow_learns_its_name_from_graphql(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, [comment(1, user={"login": "github-actions[bot]", "type": "Bot"})])
    server.on("GET", "/user", Answer(status=403, body={"message": "Resource not accessible by integration"}))
    server.on("POST", "/graphql", {"data": {"viewer": {"login": "github-actions[bot]"}}})
    assert ours(with_token(server)) == [True]


def test_when_nobody_says_who_we_are_nothing_is_guessed(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, [comment(1)])
    server.on("GET", "/user", Answer(status=404))
    server.on("POST", "/graphql", Answer(status=404))
    with pytest.raises(Refused, match="ours"):
        ours(with_token(server))


def test_an_app_knows_its_comments_by_its_id(server: ScriptedGitHub, pem: str) -> None:
    server.on("POST", TOKENS, grant())
    server.on(
        "GET",
        COMMENTS,
        [
            comment(1, user=US, performed_via_github_app=OUR_APP),
            comment(2, user=US, performed_via_github_app={"id": 124, "slug": "burn-triage"}),
            comment(3),
        ],
    )
    assert ours(as_app(server, pem)) == [True, False, False]
    assert server.requests("GET", "/app") == []


@pytest.mark.parametrize("app", [OUR_APP, {"id": 123}])
def test_an_app_may_be_named_by_its_client_id(server: ScriptedGitHub, pem: str, app: dict[str, Any]) -> None:
    server.on("POST", TOKENS, grant())
    server.on("GET", "/app", OUR_APP)
    server.on("GET", COMMENTS, [comment(1, user=US, performed_via_github_app=app)])
    assert ours(as_app(server, pem, app_id="Iv23liABC")) == [True]


def test_where_github_does_not_name_the_app_its_login_decides(server: ScriptedGitHub, pem: str) -> None:
    server.on("POST", TOKENS, grant())
    server.on("GET", "/app", OUR_APP)
    server.on(
        "GET", COMMENTS, [comment(1, user=US), comment(2, user={"login": "other[bot]", "type": "Bot"}), comment(3)]
    )
    assert ours(as_app(server, pem)) == [True, False, False]
    assert len(server.requests("GET", "/app")) == 1


# Credentials


def test_an_app_signs_with_its_key_and_keeps_the_token(
    server: ScriptedGitHub, pem: str, key: rsa.RSAPrivateKey
) -> None:
    server.on("POST", TOKENS, grant("ghs_one"))
    server.on("POST", COMMENTS, Answer(status=201, body=comment()))
    github = app_github(server, pem)
    for _ in range(2):
        github.repository(REPO, installation=42).create_comment(7, "hello")
    exchanges = server.requests("POST", TOKENS)
    assert len(exchanges) == 1
    scheme, _, signed = exchanges[0].headers["authorization"].partition(" ")
    claims = jwt.decode(signed, key.public_key(), algorithms=["RS256"])
    assert (scheme, claims["iss"]) == ("Bearer", "123")
    assert claims["exp"] - claims["iat"] <= 600
    assert {each.headers["authorization"] for each in server.requests("POST", COMMENTS)} == {"token ghs_one"}


def test_each_installation_has_its_own_token(server: ScriptedGitHub, pem: str) -> None:
    server.on("POST", TOKENS, grant("ghs_42"))
    server.on("POST", "/app/installations/43/access_tokens", grant("ghs_43"))
    server.on("POST", COMMENTS, Answer(status=201, body=comment()))
    github = app_github(server, pem)
    for installation in (42, 43):
        github.repository(REPO, installation=installation).create_comment(7, "hello")
    assert [each.headers["authorization"] for each in server.requests("POST", COMMENTS)] == [
        "token ghs_42",
        "token ghs_43",
    ]


def test_a_token_that_is_about_to_end_is_renewed(server: ScriptedGitHub, pem: str) -> None:
    server.on("POST", TOKENS, grant("ghs_old", minutes=1), grant("ghs_new"))
    server.on("GET", COMMENTS, [])
    repository = as_app(server, pem)
    for _ in range(2):
        assert list(repository.comments(7)) == []
    assert [each.headers["authorization"] for each in server.requests("GET")] == ["token ghs_old", "token ghs_new"]


def test_a_token_that_github_refuses_is_dropped_and_the_next_try_gets_a_new_one(
    server: ScriptedGitHub, pem: str
) -> None:
    server.on("POST", TOKENS, grant("ghs_old"), grant("ghs_new"))
    server.on(
        "POST", COMMENTS, Answer(status=401, body={"message": "Bad credentials"}), Answer(status=201, body=comment())
    )
    repository = as_app(server, pem)
    with pytest.raises(Later):
        repository.create_comment(7, "hello")
    repository.create_comment(7, "hello")
    assert [each.headers["authorization"] for each in server.requests("POST", COMMENTS)] == [
        "token ghs_old",
        "token ghs_new",
    ]


@pytest.mark.parametrize(
    ("fault", "becomes"),
    [
        (Answer(status=404, body={"message": "Not Found"}), Gone),
        (Answer(status=403, body={"message": "This installation has been suspended"}), Gone),
        (Answer(status=401, body={"message": "A JSON web token could not be decoded"}), Refused),
        (Answer(status=422, body={"message": "The permissions requested are not granted"}), Refused),
        (Answer(status=502), Later),
        (Answer(status=201, body={}), Later),
        (Answer(status=201, body={"token": "ghs_x", "expires_at": "tomorrow"}), Later),
    ],
)
def test_a_token_that_cannot_be_had_says_why(
    server: ScriptedGitHub, pem: str, fault: Answer, becomes: type[GitHubError]
) -> None:
    server.on("POST", TOKENS, fault)
    with pytest.raises(becomes) as caught:
        as_app(server, pem).create_comment(7, "hello")
    assert "access token of installation 42" in str(caught.value)
    assert len(server.sent) == 1, "neither the exchange nor the comment is repeated"


def test_a_delivery_without_an_installation_asks_for_it(server: ScriptedGitHub, pem: str) -> None:
    server.on("GET", f"/repos/{REPO}/installation", {"id": 42})
    server.on("POST", TOKENS, grant())
    server.on("GET", COMMENTS, [])
    assert list(app_github(server, pem).repository(REPO, installation=None).comments(7)) == []


def test_a_repository_without_our_app_is_gone(server: ScriptedGitHub, pem: str) -> None:
    server.on("GET", f"/repos/{REPO}/installation", Answer(status=404, body={"message": "Not Found"}))
    github = app_github(server, pem)
    with pytest.raises(Gone):
        github.repository(REPO, installation=None)


@pytest.mark.parametrize("name", ["..", "a/..", "a/b/c", "a/b?x=1", "a", ""])
def test_a_name_that_could_change_a_path_is_refused(server: ScriptedGitHub, name: str) -> None:
    github = build_github(token="ghp_x", api_url=server.url)
    with pytest.raises(Refused):
        github.repository(name, installation=None)


def test_a_base_with_a_path_is_kept(server: ScriptedGitHub) -> None:
    server.on("GET", f"/api/v3{ISSUE}", {"number": 7, "title": "x"})
    github = build_github(token="ghp_x", api_url=f"{server.url}/api/v3")
    assert github.repository(REPO, installation=None).issue(7).title == "x"


def ec_pem() -> str:
    return (
        ec.generate_private_key(ec.SECP256R1())
        .private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        .decode()
    )


def locked_pem() -> str:
    return (
        rsa.generate_private_key(public_exponent=65537, key_size=2048)
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.BestAvailableEncryption(b"x"),
        )
        .decode()
    )


@pytest.mark.parametrize(
    "make", [lambda: "nonsense", lambda: "-----BEGIN RSA PRIVATE KEY-----\nxx", ec_pem, locked_pem]
)
def test_an_unusable_key_is_named_before_anything_is_sent(make: Any) -> None:
    text = make()
    with pytest.raises(CredentialsError, match="PRIVATE_KEY") as caught:
        build_github(app_id="123", private_key=text)
    assert caught.value.variable == "PRIVATE_KEY"
    assert text not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "variable"), [({}, "APP_ID"), ({"app_id": "1"}, "PRIVATE_KEY"), ({"private_key": "x"}, "APP_ID")]
)
def test_missing_credentials_are_named(given: dict[str, str], variable: str) -> None:
    with pytest.raises(CredentialsError) as caught:
        build_github(**given)  # type: ignore[arg-type]
    assert caught.value.variable == variable


def test_nothing_is_logged_that_holds_a_token(
    server: ScriptedGitHub, pem: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.on("POST", TOKENS, grant("ghs_verysecret"))
    server.on("GET", ISSUE, Answer(status=401, body={"message": "Bad credentials"}))
    with caplog.at_level(logging.DEBUG), pytest.raises(Later):
        as_app(server, pem).issue(7)
    assert "ghs_verysecret" not in caplog.text
    assert "PRIVATE KEY" not in caplog.text
