"""The fake against GitHub's own description: every operation and every webhook.

Without `GITHUB_CONTRACT_DIR` the same tests run and ask less: the calls must succeed and the payloads must be ones
that the bot reads. `make contract` runs them with the description.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from bot.policy.events import parse_event
from tests.contract.__main__ import WEBHOOKS
from tests.github import FakeGitHub, faults, payloads
from tests.github.api import ROUTES
from tests.github.client import Client, assertion
from tests.github.contract import VARIABLE, from_environment

pytestmark = pytest.mark.contract

BURN = "tracel-ai/burn"
REPO = f"/repos/{BURN}"
ISSUE = f"{REPO}/issues/1"


@dataclass(frozen=True)
class Ask:
    """One good call. `as_` is `app`, `bot` or `person`; `{comment}` and such stand for ids of the world below."""

    method: str
    path: str
    body: Any = None
    as_: str = "bot"
    status: int = 200


ASKS = {
    "apps/get-authenticated": Ask("GET", "/app", as_="app"),
    "apps/list-installations": Ask("GET", "/app/installations?per_page=5", as_="app"),
    "apps/get-installation": Ask("GET", "/app/installations/{installation}", as_="app"),
    "apps/create-installation-access-token": Ask(
        "POST",
        "/app/installations/{installation}/access_tokens",
        {"permissions": {"issues": "write"}, "repositories": ["burn"]},
        as_="app",
        status=201,
    ),
    "apps/get-webhook-config-for-app": Ask("GET", "/app/hook/config", as_="app"),
    "apps/get-repo-installation": Ask("GET", f"{REPO}/installation", as_="app"),
    "apps/list-repos-accessible-to-installation": Ask("GET", "/installation/repositories"),
    "apps/create-from-manifest": Ask("POST", "/app-manifests/{code}/conversions", as_="nobody", status=201),
    "apps/list-webhook-deliveries": Ask("GET", "/app/hook/deliveries?status=failure", as_="app"),
    "apps/get-webhook-delivery": Ask("GET", "/app/hook/deliveries/{delivery}", as_="app"),
    "apps/redeliver-webhook-delivery": Ask("POST", "/app/hook/deliveries/{delivery}/attempts", as_="app", status=202),
    "repos/get": Ask("GET", REPO),
    "repos/update": Ask("PATCH", REPO, {"description": "Deep learning"}, as_="person"),
    "repos/get-collaborator-permission-level": Ask("GET", f"{REPO}/collaborators/helper/permission"),
    "repos/get-content": Ask("GET", f"{REPO}/contents/.github/burn-triage.yml"),
    "issues/list-for-repo": Ask("GET", f"{REPO}/issues?state=all&since=2020-01-01T00:00:00Z&sort=updated"),
    "issues/create": Ask("POST", f"{REPO}/issues", {"title": "Broken settings", "body": "line 3"}, status=201),
    "issues/get": Ask("GET", ISSUE),
    "issues/update": Ask("PATCH", ISSUE, {"title": "New title", "state": "closed", "state_reason": "completed"}),
    "issues/list-events": Ask("GET", f"{ISSUE}/events"),
    "issues/list-comments": Ask("GET", f"{ISSUE}/comments?per_page=100&since=2020-01-01T00:00:00Z"),
    "issues/list-comments-for-repo": Ask("GET", f"{REPO}/issues/comments?sort=updated&direction=desc"),
    "issues/create-comment": Ask("POST", f"{ISSUE}/comments", {"body": "Known."}, status=201),
    "issues/get-comment": Ask("GET", f"{REPO}/issues/comments/{{own}}"),
    "issues/update-comment": Ask("PATCH", f"{REPO}/issues/comments/{{own}}", {"body": "Known, mended."}),
    "issues/delete-comment": Ask("DELETE", f"{REPO}/issues/comments/{{own}}", status=204),
    "issues/list-labels-for-repo": Ask("GET", f"{REPO}/labels?per_page=100"),
    "issues/list-labels-on-issue": Ask("GET", f"{ISSUE}/labels"),
    "issues/add-labels": Ask(
        "POST",
        f"{ISSUE}/labels",
        {"labels": ["docs", {"name": "onnx", "rationale": "It says so.", "suggest": True, "confidence": "low"}]},
    ),
    "issues/remove-label": Ask("DELETE", f"{ISSUE}/labels/bug"),
    "issues/list-suggestions": Ask("GET", f"{ISSUE}/suggestions?state=all"),
    "issues/approve-suggestion": Ask("POST", f"{ISSUE}/suggestions/{{suggestion}}/approve", as_="person"),
    "issues/dismiss-suggestion": Ask("POST", f"{ISSUE}/suggestions/{{suggestion}}/dismiss", as_="person"),
    "reactions/list-for-issue": Ask("GET", f"{ISSUE}/reactions?content=heart"),
    "reactions/create-for-issue": Ask("POST", f"{ISSUE}/reactions", {"content": "heart"}, status=201),
    "reactions/delete-for-issue": Ask("DELETE", f"{ISSUE}/reactions/{{on_issue}}", status=204),
    "reactions/list-for-issue-comment": Ask("GET", f"{REPO}/issues/comments/{{theirs}}/reactions"),
    "reactions/create-for-issue-comment": Ask(
        "POST", f"{REPO}/issues/comments/{{theirs}}/reactions", {"content": "+1"}, status=201
    ),
    "reactions/delete-for-issue-comment": Ask(
        "DELETE", f"{REPO}/issues/comments/{{theirs}}/reactions/{{on_comment}}", status=204
    ),
    "users/get-authenticated": Ask("GET", "/user", as_="person"),
    "users/get-by-username": Ask("GET", "/users/helper"),
    "rate-limit/get": Ask("GET", "/rate_limit"),
    "meta/get": Ask("GET", "/meta", as_="nobody"),
}


@dataclass
class World:
    """A repository in which every operation has something to answer."""

    gh: FakeGitHub
    clients: dict[str, Client]
    ids: dict[str, Any]

    def ask(self, ask: Ask) -> Any:
        return self.clients[ask.as_](ask.method, ask.path.format(**self.ids), ask.body)


@pytest.fixture
def world(gh: FakeGitHub) -> Iterator[World]:
    burn = gh.repo(BURN)
    burn.create_labels("bug", "onnx", "docs")
    burn.set_role("helper", "triage")
    burn.write_file(".github/burn-triage.yml", "mode: live\n")
    issue = burn.open_issue(title="It panics", body=None, author="someone")
    burn.edit_issue(issue, title="It panics, often", by="helper")
    burn.label(issue, "bug", by="helper")
    theirs = burn.comment(issue, "someone", "/explain")
    installation = gh.installation(BURN)
    gh.app.webhook_url = "https://example.com/hook"
    failed = gh.hookshot.note("issues", burn.payload(issue), status_code=503, response_body="later")
    app = Client(gh.url, assertion(gh.app.id, gh.private_key))
    token = app("POST", f"/app/installations/{installation.id}/access_tokens").body["token"]
    person = gh.personal_token("helper", permissions={"administration": "write"})
    clients = {"app": app, "bot": Client(gh.url, token), "person": Client(gh.url, person), "nobody": Client(gh.url)}
    bot = clients["bot"]
    comments = f"{REPO}/issues/comments"
    own = bot("POST", f"{ISSUE}/comments", {"body": "Known."}).body["id"]
    bot("POST", f"{ISSUE}/labels", {"labels": [{"name": "onnx", "suggest": True}]})
    ids = {
        "installation": installation.id,
        "code": gh.offer_manifest(),
        "delivery": failed.id,
        "own": own,
        "theirs": theirs.id,
        "suggestion": burn.suggestions(issue)[0].id,
        "on_issue": bot("POST", f"{ISSUE}/reactions", {"content": "eyes"}).body["id"],
        "on_comment": bot("POST", f"{comments}/{theirs.id}/reactions", {"content": "eyes"}).body["id"],
    }
    gh.expect_comment(issue)
    gh.expect_suggestions(issue, "onnx")
    gh.expect_reaction(issue, "eyes")
    gh.expect_reaction(theirs, "eyes")
    yield World(gh, clients, ids)
    for client in clients.values():
        client.connection.close()


def test_every_operation_has_a_call() -> None:
    assert ASKS.keys() == {route.operation for route in ROUTES if route.operation}


@pytest.mark.parametrize("operation", ASKS)
def test_an_operation_answers_as_github_describes_it(world: World, operation: str) -> None:
    ask = ASKS[operation]
    answer = world.ask(ask)
    assert answer.status == ask.status, answer.body
    if next(route for route in ROUTES if route.operation == operation).writes:
        world.gh.expect_write(ask.method, ask.path.format(**world.ids))


@pytest.mark.parametrize("status", [301, 401, 403, 404, 410, 422, 429, 500])
def test_refusals_have_githubs_shape(world: World, status: int) -> None:
    """Whatever is refused says why in GitHub's own form; the contract looks at the body."""
    burn, issue = world.gh.repo(BURN), world.gh.repo(BURN).state.issues[1]
    fault = {401: faults.bad_credentials(), 403: faults.secondary_limit(), 429: faults.too_many_requests()}.get(status)
    if status == 301:
        burn.transfer(issue, world.gh.repo("tracel-ai/cubecl"))
    elif status == 404:
        del burn.state.issues[1]
    elif status == 410:
        burn.delete_issue(issue)
    elif status == 500:
        fault = faults.server_error(500)
    if fault is not None:
        world.gh.faults.add("POST", f"{ISSUE}/comments", fault)
    answer = world.clients["bot"]("POST", f"{ISSUE}/comments", {"body": "" if status == 422 else "hi"})
    assert answer.status == status
    assert answer.body["message"]
    if fault is None:
        world.gh.expect_refused("POST", f"{ISSUE}/comments", status=status)


def webhook_payloads(gh: FakeGitHub) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every payload that the fake can build, by the description's name: event and payload."""
    burn, state = gh.repo(BURN), gh.backend.state
    issue = burn.open_issue(title="It panics", body=None, author="someone")
    burn.label(issue, "bug", by="helper")
    comment = burn.comment(issue, "someone", "/explain")
    installation = gh.installation(BURN)
    label = burn.state.labels[0]
    found = {
        "issues-opened": burn.payload(issue),
        "issues-edited": burn.payload(issue, "edited", changes={"body": {"from": "before"}}),
        "issues-labeled": payloads.about_issue(state, issue, action="labeled", sender="helper", label=label),
        "issues-unlabeled": payloads.about_issue(state, issue, action="unlabeled", sender="helper", label=label),
        "issues-reopened": burn.payload(issue, "reopened"),
        "issue-comment-created": burn.payload(issue, "created", comment=comment),
        "issue-comment-edited": burn.payload(issue, "edited", comment=comment, changes={"body": {"from": "x"}}),
        "issue-comment-deleted": burn.payload(issue, "deleted", comment=comment),
        "installation-created": payloads.about_installation(state, installation, action="created", sender="helper"),
        "installation-deleted": payloads.about_installation(state, installation, action="deleted", sender="helper"),
        "installation-unsuspend": payloads.about_installation(state, installation, action="unsuspend", sender="helper"),
        "installation-repositories-added": payloads.about_installation_repositories(
            state, installation, sender="helper", added=[burn.state]
        ),
        "installation-repositories-removed": payloads.about_installation_repositories(
            state, installation, sender="helper", removed=[burn.state]
        ),
        "ping": payloads.ping(state, gh.app, url="https://example.com/hook"),
    }
    burn.close_issue(issue)
    found["issues-closed"] = burn.payload(issue, "closed")
    installation.suspended_at, installation.suspended_by = gh.clock(), "helper"
    found["installation-suspend"] = payloads.about_installation(state, installation, action="suspend", sender="helper")
    return {
        name: (name.replace("-" + _dashed(payload), "").replace("-", "_"), payload) for name, payload in found.items()
    }


def _dashed(payload: dict[str, Any]) -> str:
    return str(payload.get("action", "")).replace("_", "-")


@pytest.mark.parametrize("name", WEBHOOKS)
def test_a_webhook_has_githubs_shape(gh: FakeGitHub, name: str) -> None:
    event, payload = webhook_payloads(gh)[name]
    parsed = parse_event(event, json.dumps(payload).encode())
    assert parsed is not None
    contract = from_environment()
    if contract is not None:
        assert contract.webhook(name, payload) == []
        assert list(_webhook_schema(event, payload).iter_errors(payload)) == []


def test_every_webhook_is_built(gh: FakeGitHub) -> None:
    assert sorted(webhook_payloads(gh)) == sorted(WEBHOOKS)


def _webhook_schema(event: str, payload: dict[str, Any]) -> jsonschema_rs.Validator:
    """The second opinion: @octokit/webhooks-schemas, older and closed."""
    whole = json.loads((Path(os.environ[VARIABLE]) / "webhooks-schemas.json").read_text())
    name = f"{event}${payload.get('action', 'event')}"
    return jsonschema_rs.Draft7Validator(
        {"definitions": whole["definitions"], "$ref": f"#/definitions/{name}"}, validate_formats=True
    )
