"""Who may do what on the fake GitHub: apps, installations, people, and what happens when a right is gone."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github import FakeGitHub
from tests.github.client import Client, assertion

BURN = "tracel-ai/burn"
COMMENTS = f"/repos/{BURN}/issues/1/comments"


def as_app(gh: FakeGitHub, **claims: Any) -> Client:
    return Client(gh.url, assertion(gh.app.id, gh.private_key, **claims))


def as_installation(gh: FakeGitHub, full_name: str = BURN, **body: Any) -> Client:
    gh.repo(full_name)
    number = gh.installation(full_name).id
    with as_app(gh) as app:
        return Client(gh.url, app("POST", f"/app/installations/{number}/access_tokens", body).body["token"])


def test_an_app_proves_itself_and_finds_its_installations(gh: FakeGitHub) -> None:
    gh.repo(BURN)
    gh.repo("someone/else", installed=False)
    with as_app(gh) as app:
        assert app("GET", "/app").body["slug"] == "burn-triage"
        assert [each["account"]["login"] for each in app("GET", "/app/installations").body] == ["tracel-ai"]
        found = app("GET", f"/repos/{BURN}/installation").body
        assert found["id"] == gh.installation(BURN).id
        assert app("GET", f"/app/installations/{found['id']}").body == found
        assert app("GET", "/repos/someone/else/installation").status == 404
        assert app("GET", "/repos/tracel-ai/unknown/installation").status == 404


def test_the_client_id_is_as_good_an_issuer_as_the_app_id(gh: FakeGitHub) -> None:
    with Client(gh.url, assertion(gh.app.client_id, gh.private_key)) as app:
        assert app("GET", "/app").status == 200


@pytest.mark.parametrize(
    ("claims", "word"),
    [
        ({"issued": 120}, "iat"),
        ({"issued": -600, "lifetime": 300}, "exp"),
        ({"issued": 0, "lifetime": 700}, "too far in the future"),
    ],
    ids=["issued in the future", "expired", "valid too long"],
)
def test_an_assertion_outside_its_time_is_refused(gh: FakeGitHub, claims: dict[str, Any], word: str) -> None:
    with as_app(gh, **claims) as app:
        answer = app("GET", "/app")
    assert answer.status == 401
    assert word in answer.body["message"]


def test_drifting_clocks_break_a_good_assertion(gh: FakeGitHub) -> None:
    with as_app(gh, issued=0) as app:
        assert app("GET", "/app").status == 200
        gh.drift(-30)
        assert app("GET", "/app").status == 401
        gh.drift(400)
        assert app("GET", "/app").status == 401


def test_forged_assertions_are_refused(gh: FakeGitHub) -> None:
    other = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    claims = {"iat": 0, "exp": 10**10, "iss": str(gh.app.id)}

    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    forged = [
        jwt.encode(claims, other, algorithm="RS256"),
        jwt.encode(claims, "x" * 32, algorithm="HS256"),
        f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}.",
        assertion(999, gh.private_key),
        "a.b.c",
    ]
    for each in forged:
        with Client(gh.url, each) as app:
            assert app("GET", "/app").status == 401


def test_an_installation_token_works_for_an_hour(gh: FakeGitHub) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    with as_installation(gh) as bot:
        assert bot("GET", f"/repos/{BURN}/issues/1").status == 200
        gh.clock.advance(3600)
        answer = bot("GET", f"/repos/{BURN}/issues/1")
    assert (answer.status, answer.body["message"]) == (401, "Bad credentials")


def test_tokens_can_be_made_to_expire_at_once(gh: FakeGitHub) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    with as_installation(gh) as old:
        gh.expire_tokens()
        assert old("GET", f"/repos/{BURN}/issues/1").status == 401
    with as_installation(gh) as new:
        assert new("GET", f"/repos/{BURN}/issues/1").status == 200


def test_an_installation_sees_nothing_of_other_accounts(gh: FakeGitHub) -> None:
    gh.repo("someone/else").open_issue(title="Private matter")
    with as_installation(gh) as bot:
        assert bot("GET", "/repos/someone/else/issues/1").status == 404
        assert bot("POST", "/repos/someone/else/issues/1/comments", {"body": "hi"}).status == 404
        assert [each["full_name"] for each in bot("GET", "/installation/repositories").body["repositories"]] == [BURN]
    gh.expect_refused("POST", "/repos/someone/else/issues/1/comments", status=404)


def test_a_token_can_be_narrowed_but_not_widened(gh: FakeGitHub) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    gh.repo("tracel-ai/cubecl").open_issue(title="It panics too")
    with as_installation(gh, permissions={"issues": "read"}, repositories=["burn"]) as bot:
        assert bot("GET", f"/repos/{BURN}/issues/1").status == 200
        assert bot("GET", "/repos/tracel-ai/cubecl/issues/1").status == 404
        assert bot("POST", COMMENTS, {"body": "hi"}).status == 403
    gh.expect_refused("POST", COMMENTS, status=403)
    number = gh.installation(BURN).id
    with as_app(gh) as app:
        for body in ({"permissions": {"contents": "write"}}, {"repositories": ["unknown"]}):
            assert app("POST", f"/app/installations/{number}/access_tokens", body).status == 422


def test_a_permission_withdrawn_binds_tokens_in_use(gh: FakeGitHub) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    with as_installation(gh) as bot:
        gh.set_permission(BURN, "issues", "read")
        answer = bot("POST", COMMENTS, {"body": "hi"})
        assert (answer.status, answer.body["message"]) == (403, "Resource not accessible by integration")
        gh.expect_refused("POST", COMMENTS, status=403)
        gh.set_permission(BURN, "issues", None)
        assert bot("GET", COMMENTS).status == 403
        gh.set_permission(BURN, "issues", "write")
        assert bot("POST", COMMENTS, {"body": "hi"}).status == 201
    gh.expect_comment(gh.repo(BURN).state.issues[1])


def test_a_suspended_installation_is_told_so(gh: FakeGitHub) -> None:
    gh.repo(BURN)
    with as_installation(gh) as bot, as_app(gh) as app:
        installation = gh.installation(BURN)
        installation.suspended_at = gh.clock()
        assert bot("GET", f"/repos/{BURN}").status == 403
        assert app("POST", f"/app/installations/{installation.id}/access_tokens").status == 403
        assert app("GET", f"/app/installations/{installation.id}").body["suspended_at"] is not None


def test_without_a_credential_almost_nothing_is_answered(gh: FakeGitHub) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    with Client(gh.url) as nobody:
        assert nobody("GET", f"/repos/{BURN}/issues/1").status == 401
        assert nobody("GET", "/app").status == 401
        assert nobody("GET", "/meta").status == 200
        assert nobody("GET", f"/repos/{BURN}", authorization="Basic eDp5").status == 401
        assert nobody("GET", f"/repos/{BURN}", authorization="Bearer ghs_unknown").status == 401
        assert nobody("GET", "/meta", user_agent="").status == 403


def test_the_wrong_kind_of_credential_is_refused(gh: FakeGitHub) -> None:
    gh.repo(BURN).open_issue(title="It panics")
    with as_app(gh) as app, as_installation(gh) as bot:
        assert app("GET", f"/repos/{BURN}/issues/1").status == 403
        assert bot("GET", "/app").status == 401
        assert bot("GET", "/user").status == 403


def test_a_person_writes_under_their_own_name(gh: FakeGitHub) -> None:
    issue = gh.repo(BURN).open_issue(title="It panics")
    with Client(gh.url, gh.personal_token("someone")) as person:
        assert person("GET", "/user").body["login"] == "someone"
        posted = person("POST", COMMENTS, {"body": "hi"})
    assert posted.body["performed_via_github_app"] is None
    gh.expect_comment(issue, by="someone")


def test_nobody_edits_anothers_comment(gh: FakeGitHub) -> None:
    burn = gh.repo(BURN)
    theirs = burn.comment(burn.open_issue(title="It panics"), "someone", "mine")
    path = f"/repos/{BURN}/issues/comments/{theirs.id}"
    with as_installation(gh) as bot:
        assert bot("PATCH", path, {"body": "yours"}).status == 403
        assert bot("DELETE", path).status == 403
    gh.expect_refused("PATCH", path, status=403)
    gh.expect_refused("DELETE", path, status=403)
    assert theirs.body == "mine"


def test_the_token_of_a_workflow_run(gh: FakeGitHub) -> None:
    issue = gh.repo(BURN).open_issue(title="It panics")
    gh.repo("tracel-ai/cubecl")
    with Client(gh.url, gh.actions_token(BURN)) as action:
        assert action("GET", "/user").status == 403
        assert action("GET", "/repos/tracel-ai/cubecl").status == 404
        assert action("POST", COMMENTS, {"body": "hi"}).body["performed_via_github_app"]["slug"] == "github-actions"
    gh.expect_comment(issue, by="github-actions[bot]")
    assert gh.installation(BURN).app == gh.app.id
