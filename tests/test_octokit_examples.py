"""Real webhook payloads of every event, signed and posted to the receiver: none may hurt it.

The examples are those of @octokit/webhooks-examples where the contract is at hand (`make contract`), and always the
payloads that the fake GitHub builds itself.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bot.inbox.port import Delivery
from bot.settings import Settings
from bot.web.app import create_app
from tests.bot_process import BotProcess
from tests.contract.__main__ import WEBHOOKS
from tests.github import FakeGitHub, deliver
from tests.github.contract import VARIABLE
from tests.github.hookshot import headers_for
from tests.test_contract import webhook_payloads

pytestmark = pytest.mark.contract

SECRET = "the secret of this test"
WORK = {"issues": {"opened", "edited"}, "issue_comment": {"created"}}
"""What the bot acts on; an `edited` one only when it says that title or body changed."""
INSTALLATION_EVENTS = {"installation", "installation_repositories"}


def octokit_examples() -> dict[str, list[dict[str, Any]]]:
    """Payloads by event; nothing when the contract is off. Raises FileNotFoundError when the folder is incomplete."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return {}
    index = json.loads((Path(folder) / "webhooks-examples.json").read_bytes())
    return {each["name"]: each["examples"] for each in index}


class Inbox:
    """Remembers what the receiver stored."""

    def __init__(self) -> None:
        self.stored: list[Delivery] = []

    def put(self, delivery: Delivery, *, now: float) -> bool:
        self.stored.append(delivery)
        return True


def answers(event: str, payloads: list[dict[str, Any]]) -> list[tuple[int, str, list[Delivery]]]:
    """Status and body for each payload, and what was stored for it."""
    inbox = Inbox()
    app = create_app(settings=Settings.from_env({"WEBHOOK_SECRET": SECRET}), inbox=inbox, wake=lambda: None)
    client, found = app.test_client(), []
    for payload in payloads:
        body = json.dumps(payload).encode()
        headers = headers_for(event, body, guid=str(uuid.uuid4()), secret=SECRET, app=123)
        before = len(inbox.stored)
        response = client.post("/api/github/webhooks", data=body, headers=headers)
        found.append((response.status_code, response.get_data(as_text=True), inbox.stored[before:]))
    return found


@pytest.mark.parametrize("event", sorted(octokit_examples()) or ["ping"])
def test_no_real_payload_is_answered_with_an_error(event: str) -> None:
    """Every event that GitHub knows; without the contract only a ping of our own."""
    examples = octokit_examples().get(event) or [{"zen": "Keep it logically awesome.", "hook_id": 1}]
    for payload, (status, said, stored) in zip(examples, answers(event, examples), strict=True):
        assert status in (200, 202), f"{event}.{payload.get('action')}: {status} {said}"
        if stored:
            assert status == 202
            action = payload.get("action", "")
            assert action in WORK.get(event, ()) or event in INSTALLATION_EVENTS, f"{event}.{action} is no work of ours"


def test_the_examples_that_mean_work_are_stored() -> None:
    """Of GitHub's own examples, those the bot answers; it is no use to be safe by ignoring everything."""
    examples = octokit_examples()
    if not examples:
        examples = {"issues": [], "issue_comment": []}
        with FakeGitHub() as gh:
            issue = gh.repo("tracel-ai/burn").open_issue(title="It panics", author="someone")
            examples["issues"].append(gh.repo("tracel-ai/burn").payload(issue))
            comment = gh.repo("tracel-ai/burn").comment(issue, "someone", "/explain")
            examples["issue_comment"].append(gh.repo("tracel-ai/burn").payload(issue, "created", comment=comment))
    stored = Counter(
        f"{event}.{delivery.action}"
        for event in WORK
        for _, _, deliveries in answers(event, examples[event])
        for delivery in deliveries
    )
    assert stored["issues.opened"] >= 1
    assert stored["issue_comment.created"] >= 1


def test_a_running_bot_takes_them_all_and_writes_nothing(gh: FakeGitHub, tmp_path: Path) -> None:
    """The whole bot over HTTP: repositories and installations that it was never given lead to no write."""
    examples = octokit_examples() or {
        name.partition("-")[0]: [payload]
        for name, (_, payload) in webhook_payloads(gh).items()
        if name in ("ping", "issues-labeled")
    }
    with BotProcess(folder=tmp_path, env=gh.environment() | {"TRIAGE_MODE": "live"}) as bot:
        answered = [
            (event, deliver(bot.webhook_url, event, payload, secret=gh.webhook_secret, app=gh.app.id).status)
            for event, payloads in examples.items()
            for payload in payloads
        ]
        assert {status for _, status in answered} <= {200, 202}
        stored = sum(status == 202 for _, status in answered)
        assert len(bot.wait_until_done(stored)) == stored
        assert bot.stop() == 0


@pytest.mark.parametrize("name", WEBHOOKS)
def test_payloads_of_the_fake_are_taken(gh: FakeGitHub, name: str) -> None:
    event, payload = webhook_payloads(gh)[name]
    ((status, said, _),) = answers(event, [payload])
    assert status in (200, 202), said
