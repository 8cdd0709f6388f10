"""Who we are: tokens made, kept, renewed and dropped, which comments are ours, and credentials that cannot be used."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from bot.github.auth import CredentialsError
from bot.github.client import build_github
from bot.github.port import GitHubError, Gone, Later, Refused, Repository
from tests.scripted import (
    COMMENTS,
    ISSUE,
    REPO,
    TOKENS,
    Answer,
    ScriptedGitHub,
    app_github,
    as_app,
    comment,
    grant,
    private_key,
    scripted_github,
    with_token,
)

US = {"login": "burn-triage[bot]", "type": "Bot"}
OUR_APP = {"id": 123, "slug": "burn-triage", "client_id": "Iv23liABC"}


@pytest.fixture
def server() -> Iterator[ScriptedGitHub]:
    with scripted_github() as github:
        yield github


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


def test_where_nobody_says_who_we_are_every_comment_may_be_ours(server: ScriptedGitHub) -> None:
    """The marker decides then: silence over a forged one is better than a second comment."""
    server.on("GET", COMMENTS, [comment(1), comment(2)])
    server.on("GET", "/user", Answer(status=404))
    server.on("POST", "/graphql", Answer(status=404))
    assert ours(with_token(server)) == [True, True]
    assert len(server.requests("GET", "/user")) == 1, "asked once"


def test_a_refused_credential_is_no_answer_to_who_we_are(server: ScriptedGitHub) -> None:
    server.on("GET", COMMENTS, [comment(1)])
    server.on("GET", "/user", Answer(status=401))
    with pytest.raises(Refused):
        ours(with_token(server))


def test_an_app_knows_its_comments_by_its_id(server: ScriptedGitHub) -> None:
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
    assert ours(as_app(server)) == [True, False, False]
    assert server.requests("GET", "/app") == []


@pytest.mark.parametrize("app", [OUR_APP, {"id": 123}])
def test_an_app_may_be_named_by_its_client_id(server: ScriptedGitHub, app: dict[str, Any]) -> None:
    server.on("POST", TOKENS, grant())
    server.on("GET", "/app", OUR_APP)
    server.on("GET", COMMENTS, [comment(1, user=US, performed_via_github_app=app)])
    assert ours(as_app(server, app_id="Iv23liABC")) == [True]


def test_where_github_does_not_name_the_app_its_login_decides(server: ScriptedGitHub) -> None:
    server.on("POST", TOKENS, grant())
    server.on("GET", "/app", OUR_APP)
    server.on(
        "GET", COMMENTS, [comment(1, user=US), comment(2, user={"login": "other[bot]", "type": "Bot"}), comment(3)]
    )
    assert ours(as_app(server)) == [True, False, False]
    assert len(server.requests("GET", "/app")) == 1


def test_where_a_server_says_less_than_github_an_app_still_finds_its_comment(server: ScriptedGitHub) -> None:
    """The marker decides then. Not knowing our own comment after a crash would mean a second one."""
    server.on("POST", TOKENS, grant())
    server.on("GET", "/app", Answer(status=404))
    unsigned, unnamed = comment(1), comment(2, user={"login": "burn-triage", "type": "Bot"})
    del unsigned["user"]
    server.on("GET", COMMENTS, [unsigned, unnamed, comment(3)])
    assert ours(as_app(server)) == [True, True, False]


# Credentials


def test_an_app_signs_with_its_key_and_keeps_the_token(server: ScriptedGitHub) -> None:
    server.on("POST", TOKENS, grant("ghs_one"))
    server.on("POST", COMMENTS, Answer(status=201, body=comment()))
    github = app_github(server)
    for _ in range(2):
        github.repository(REPO, installation=42).create_comment(7, "hello")
    exchanges = server.requests("POST", TOKENS)
    assert len(exchanges) == 1
    scheme, _, signed = exchanges[0].headers["authorization"].partition(" ")
    claims = jwt.decode(signed, private_key().public_key(), algorithms=["RS256"])
    assert (scheme, claims["iss"]) == ("Bearer", "123")
    assert claims["exp"] - claims["iat"] <= 600
    assert {each.headers["authorization"] for each in server.requests("POST", COMMENTS)} == {"token ghs_one"}


def test_each_installation_has_its_own_token(server: ScriptedGitHub) -> None:
    server.on("POST", TOKENS, grant("ghs_42"))
    server.on("POST", "/app/installations/43/access_tokens", grant("ghs_43"))
    server.on("POST", COMMENTS, Answer(status=201, body=comment()))
    github = app_github(server)
    for installation in (42, 43):
        github.repository(REPO, installation=installation).create_comment(7, "hello")
    assert [each.headers["authorization"] for each in server.requests("POST", COMMENTS)] == [
        "token ghs_42",
        "token ghs_43",
    ]


def test_a_token_that_is_about_to_end_is_renewed(server: ScriptedGitHub) -> None:
    server.on("POST", TOKENS, grant("ghs_old", minutes=1), grant("ghs_new"))
    server.on("GET", COMMENTS, [])
    repository = as_app(server)
    for _ in range(2):
        assert list(repository.comments(7)) == []
    assert [each.headers["authorization"] for each in server.requests("GET")] == ["token ghs_old", "token ghs_new"]


def test_a_token_that_github_refuses_is_dropped_and_the_next_try_gets_a_new_one(server: ScriptedGitHub) -> None:
    server.on("POST", TOKENS, grant("ghs_old"), grant("ghs_new"))
    server.on(
        "POST", COMMENTS, Answer(status=401, body={"message": "Bad credentials"}), Answer(status=201, body=comment())
    )
    repository = as_app(server)
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
def test_a_token_that_cannot_be_had_says_why(server: ScriptedGitHub, fault: Answer, becomes: type[GitHubError]) -> None:
    server.on("POST", TOKENS, fault)
    with pytest.raises(becomes) as caught:
        as_app(server).create_comment(7, "hello")
    assert "access token of installation 42" in str(caught.value)
    assert len(server.sent) == 1, "neither the exchange nor the comment is repeated"


def test_a_delivery_without_an_installation_asks_for_it(server: ScriptedGitHub) -> None:
    server.on("GET", f"/repos/{REPO}/installation", {"id": 42})
    server.on("POST", TOKENS, grant())
    server.on("GET", COMMENTS, [])
    assert list(app_github(server).repository(REPO, installation=None).comments(7)) == []


def test_a_repository_without_our_app_is_gone(server: ScriptedGitHub) -> None:
    server.on("GET", f"/repos/{REPO}/installation", Answer(status=404, body={"message": "Not Found"}))
    github = app_github(server)
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


def test_nothing_is_logged_that_holds_a_token(server: ScriptedGitHub, caplog: pytest.LogCaptureFixture) -> None:
    server.on("POST", TOKENS, grant("ghs_verysecret"))
    server.on("GET", ISSUE, Answer(status=401, body={"message": "Bad credentials"}))
    with caplog.at_level(logging.DEBUG), pytest.raises(Later):
        as_app(server).issue(7)
    assert "ghs_verysecret" not in caplog.text
    assert "PRIVATE KEY" not in caplog.text
