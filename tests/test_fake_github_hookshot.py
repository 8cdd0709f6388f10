"""Webhooks as the fake GitHub sends them: signed, in order, listed, redelivered."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.github import FakeGitHub, deliver, sign
from tests.github.client import Client, assertion

BURN = "tracel-ai/burn"


class Listener(ThreadingHTTPServer):
    """An app's webhook that remembers what it got and answers as it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Post)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 202

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/api/github/webhooks"

    def events(self) -> list[str]:
        """`event.action` of each delivery."""
        return [f"{headers['x-github-event']}.{json.loads(body).get('action')}" for headers, body in self.got]


class _Post(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(b"thanks")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    with Listener() as listener:
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield listener
        listener.shutdown()
        thread.join()


@pytest.fixture
def app_hook() -> Iterator[Listener]:
    with listening() as listener:
        yield listener


@pytest.fixture
def app(gh: FakeGitHub) -> Iterator[Client]:
    with Client(gh.url, assertion(gh.app.id, gh.private_key)) as client:
        yield client


def test_the_signature_is_githubs() -> None:
    """The vector of GitHub's own documentation."""
    assert sign("It's a Secret to Everybody", b"Hello, World!") == (
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    )


def test_a_delivery_is_signed_over_the_bytes_sent(app_hook: Listener) -> None:
    done = deliver(app_hook.url, "issues", {"action": "opened", "word": "naïve"}, guid="a-guid", secret="hush", app=7)
    assert (done.status, done.ok, done.body, done.guid) == (202, True, "thanks", "a-guid")
    headers, body = app_hook.got[0]
    expected = hmac.new(b"hush", body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert headers["x-github-delivery"] == "a-guid"
    assert headers["x-github-hook-installation-target-id"] == "7"
    assert headers["user-agent"].startswith("GitHub-Hookshot/")


def test_headers_can_be_bent_for_a_test(app_hook: Listener) -> None:
    deliver(app_hook.url, "issues", b"{}", secret="hush", headers={"X-Hub-Signature-256": "sha256=0"})
    assert app_hook.got[0][0]["x-hub-signature-256"] == "sha256=0"


def test_nobody_at_home_is_a_failed_delivery() -> None:
    done = deliver("http://127.0.0.1:9/", "ping", {}, secret="hush")
    assert (done.status, done.note, done.ok) == (502, "failed to connect to host", False)


def test_what_happens_is_delivered_in_order(gh: FakeGitHub, app_hook: Listener) -> None:
    burn = gh.repo(BURN)
    gh.connect(app_hook.url)
    issue = burn.open_issue(title="It panics", author="someone")
    burn.edit_issue(issue, body="more")
    burn.comment(issue, "someone", "/explain")
    burn.label(issue, "bug")
    burn.unlabel(issue, "bug")
    burn.close_issue(issue)
    assert app_hook.events() == [
        "issues.opened",
        "issues.edited",
        "issue_comment.created",
        "issues.labeled",
        "issues.unlabeled",
        "issues.closed",
    ]
    payload = json.loads(app_hook.got[1][1])
    assert payload["changes"] == {"body": {"from": ""}}
    assert payload["installation"]["id"] == gh.installation(BURN).id
    headers, body = app_hook.got[0]
    assert headers["x-hub-signature-256"] == sign(gh.webhook_secret, body)


def test_the_bots_own_comment_comes_back_to_it(gh: FakeGitHub, app_hook: Listener, app: Client) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    gh.connect(app_hook.url)
    token = app("POST", f"/app/installations/{gh.installation(BURN).id}/access_tokens").body["token"]
    with Client(gh.url, token) as bot:
        bot("POST", f"/repos/{BURN}/issues/1/comments", {"body": "Known."})
    gh.expect_comment(issue)
    gh.settle()
    payload = json.loads(app_hook.got[0][1])
    assert payload["sender"]["type"] == "Bot"
    assert payload["comment"]["performed_via_github_app"]["id"] == gh.app.id


def test_only_events_asked_for_are_delivered(gh: FakeGitHub, app_hook: Listener) -> None:
    burn = gh.repo(BURN)
    gh.connect(app_hook.url, events=["issue_comment"])
    burn.comment(burn.open_issue(title="It panics"), "someone", "hi")
    assert app_hook.events() == ["issue_comment.created"]


def test_failed_deliveries_are_listed_and_redelivered_under_their_guid(
    gh: FakeGitHub, app_hook: Listener, app: Client
) -> None:
    burn = gh.repo(BURN)
    gh.connect(app_hook.url)
    app_hook.status = 503
    burn.open_issue(title="During the outage")
    app_hook.status = 202
    burn.open_issue(title="After the outage")
    (failed,) = app("GET", "/app/hook/deliveries?status=failure").body
    assert (failed["status_code"], failed["event"], failed["redelivery"]) == (503, "issues", False)
    whole = app("GET", f"/app/hook/deliveries/{failed['id']}").body
    assert whole["request"]["payload"]["issue"]["title"] == "During the outage"
    assert app("POST", f"/app/hook/deliveries/{failed['id']}/attempts").status == 202
    gh.expect_write("POST", f"/app/hook/deliveries/{failed['id']}/attempts")
    gh.settle()
    assert [headers["x-github-delivery"] for headers, _ in app_hook.got][2] == failed["guid"]
    assert app_hook.got[2][1] == app_hook.got[0][1]
    listed = app("GET", "/app/hook/deliveries").body
    assert [(each["guid"] == failed["guid"], each["redelivery"], each["status_code"]) for each in listed] == [
        (True, True, 202),
        (False, False, 202),
        (True, False, 503),
    ]


def test_deliveries_are_paged_by_cursor_newest_first(gh: FakeGitHub, app: Client) -> None:
    for number in range(5):
        gh.hookshot.note("ping", {"zen": str(number)}, status_code=200, guid=f"guid-{number}")
    path, seen = "/app/hook/deliveries?per_page=2", []
    while path:
        page = app("GET", path)
        seen += [each["guid"] for each in page.body]
        path = page.link("next") or ""
    assert seen == [f"guid-{number}" for number in (4, 3, 2, 1, 0)]
    assert app("GET", "/app/hook/deliveries?cursor=next").status == 400


def test_deliveries_are_kept_for_three_days(gh: FakeGitHub, app: Client) -> None:
    entry = gh.hookshot.note("ping", {}, status_code=502)
    assert app("GET", "/app/hook/deliveries").body[0]["id"] == entry.id
    gh.clock.advance(3 * 86_400 + 1)
    assert app("GET", "/app/hook/deliveries").body == []
    assert app("POST", f"/app/hook/deliveries/{entry.id}/attempts").status == 404
    gh.expect_refused("POST", f"/app/hook/deliveries/{entry.id}/attempts", status=404)


def test_a_delivery_by_hand_can_be_doubled(gh: FakeGitHub, app_hook: Listener) -> None:
    burn = gh.repo(BURN)
    issue = burn.open_issue(title="It panics")
    gh.connect(app_hook.url)
    first = gh.deliver("issues", burn.payload(issue))
    gh.deliver("issues", burn.payload(issue), guid=first.guid)
    assert len({headers["x-github-delivery"] for headers, _ in app_hook.got}) == 1
    assert len(app_hook.got) == 2
