"""The receiver's answers: what is taken, what is refused, and that nothing unsigned reaches the store."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from bot.inbox.port import Delivery, StoreUnavailable
from bot.settings import Settings
from bot.web.app import create_app
from bot.web.body import MAX_BODY, TooLarge, read_body
from bot.web.metrics import Metrics
from bot.web.signature import has_form, is_signed
from bot.web.webhook import Receiver

SECRET = "It's a Secret to Everybody"
PATH = "/api/github/webhooks"


class Shelf:
    """A store in memory that can be told to fail."""

    def __init__(self) -> None:
        self.kept: list[Delivery] = []
        self.calls = 0
        self.broken: Exception | None = None

    def put(self, delivery: Delivery, *, now: float) -> bool:
        self.calls += 1
        if self.broken:
            raise self.broken
        if any((kept.app, kept.guid) == (delivery.app, delivery.guid) for kept in self.kept):
            return False
        self.kept.append(delivery)
        return True


class Room:
    """A receiver with its store, and a hand that signs."""

    def __init__(self, **env: str) -> None:
        self.store = Shelf()
        self.woken = 0
        self.metrics = Metrics()
        self.app: Flask = create_app(
            settings=Settings.from_env({"WEBHOOK_SECRET": SECRET, "APP_ID": "", **env}),
            inbox=self.store,
            wake=self._wake,
            metrics=self.metrics,
        )
        self.client: FlaskClient = self.app.test_client()

    def _wake(self) -> None:
        self.woken += 1

    def post(self, body: bytes, **headers: str | None) -> TestResponse:
        """A valid delivery, but for `headers`: `X_GitHub_Event="ping"` replaces one, None leaves it out."""
        return self.post_to(PATH, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def post_to(self, path: str, body: bytes, headers: Mapping[str, str | None] = MappingProxyType({})) -> TestResponse:
        given: dict[str, str | None] = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "issues",
            "X-GitHub-Delivery": "guid-1",
            "X-Hub-Signature-256": sign(body),
            **headers,
        }
        return self.client.post(path, data=body, headers={name: v for name, v in given.items() if v is not None})


def sign(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def payload(action: str = "opened", **more: Any) -> bytes:
    issue = {"number": 7, "title": "It panics", "body": "…", "user": {"login": "ann", "type": "User"}}
    return json.dumps(
        {
            "action": action,
            "issue": issue,
            "repository": {"full_name": "tracel-ai/burn"},
            "sender": {"login": "ann", "type": "User"},
            "installation": {"id": 99},
            **more,
        }
    ).encode()


def said(response: TestResponse) -> dict[str, Any]:
    assert response.mimetype == "application/json"
    body = response.get_json()
    assert isinstance(body, dict)
    return body


@pytest.fixture
def room() -> Room:
    return Room()


def test_a_signed_new_issue_is_stored_and_then_accepted(room: Room) -> None:
    body = payload()
    response = room.post(body, X_GitHub_Hook_Installation_Target_ID="4242")
    assert (response.status_code, said(response)) == (202, {"status": "accepted"})
    (kept,) = room.store.kept
    assert kept == Delivery(
        app="4242",
        guid="guid-1",
        event="issues",
        action="opened",
        subject="tracel-ai/burn#7",
        installation=99,
        payload=body,
    )
    assert room.woken == 1


def test_githubs_own_test_vector_is_a_valid_signature(room: Room) -> None:
    header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert is_signed(b"Hello, World!", header, [SECRET.encode()])
    # It gets past the signature: what is wrong with it is only that it is not JSON.
    response = room.post(b"Hello, World!", X_Hub_Signature_256=header)
    assert response.status_code == 400
    assert "not JSON" in said(response)["message"]


def test_the_second_of_two_secrets_may_sign_during_rotation() -> None:
    room = Room(WEBHOOK_SECRET=f"the new secret, {SECRET}")
    answers = {}
    for secret in ("the new secret", SECRET, "another"):
        response = room.post(
            payload(), X_Hub_Signature_256=sign(payload(), secret), X_GitHub_Delivery=sign(b"", secret)
        )
        answers[secret] = response.status_code
    assert answers == {"the new secret": 202, SECRET: 202, "another": 403}


@given(at=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=7))
def test_one_changed_bit_is_refused_and_the_store_never_hears_of_it(at: int, bit: int) -> None:
    room = Room()
    body = payload()
    changed = bytearray(body)
    changed[at % len(body)] ^= 1 << bit
    response = room.post(bytes(changed), X_Hub_Signature_256=sign(body))
    assert response.status_code == 403
    assert (room.store.calls, room.woken) == (0, 0)


@given(st.text(max_size=80).filter(lambda text: "\n" not in text and "\r" not in text))
def test_no_other_signature_header_is_accepted_or_crashes(header: str) -> None:
    body = payload()
    assert not is_signed(body, header, [SECRET.encode()])
    assert has_form(sign(body))


@pytest.mark.parametrize("header", ["sha256=é" + "0" * 63, "sha1=" + "0" * 40, "0" * 64, "sha256=" + "A" * 64, "ÿþ"])
def test_a_signature_of_another_form_is_refused(room: Room, header: str) -> None:
    response = room.post(payload(), X_Hub_Signature_256=header.encode().decode("latin-1"))
    assert response.status_code == 403
    assert room.store.calls == 0


def test_a_missing_signature_says_how_to_give_the_webhook_a_secret(room: Room) -> None:
    response = room.post(payload(), X_Hub_Signature_256=None)
    assert response.status_code == 403
    assert "X-Hub-Signature-256 is missing: give the webhook a secret" in said(response)["message"]


def test_of_an_unsigned_request_nothing_else_is_looked_at(room: Room) -> None:
    response = room.post(b"{", X_Hub_Signature_256="sha256=" + "0" * 64, X_GitHub_Event=None, Content_Type="text/plain")
    assert response.status_code == 403


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_post_is_allowed(room: Room, method: str) -> None:
    response = room.client.open(PATH, method=method)
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", None])
def test_another_content_type_is_told_what_to_set(room: Room, kind: str | None) -> None:
    response = room.post(payload(), Content_Type=kind)
    assert response.status_code == 415
    assert "application/json" in said(response)["message"]
    assert room.store.calls == 0


def test_a_charset_behind_the_content_type_is_fine(room: Room) -> None:
    assert room.post(payload(), Content_Type="application/json; charset=utf-8").status_code == 202


@pytest.mark.parametrize("name", ["X-GitHub-Event", "X-GitHub-Delivery"])
@pytest.mark.parametrize("value", [None, "", "  ", "two words", "é", "x" * 201])
def test_a_header_that_is_missing_or_broken_is_named(room: Room, name: str, value: str | None) -> None:
    response = room.post_to(PATH, payload(), {name: value})
    assert response.status_code == 400
    assert name in said(response)["message"]
    assert room.store.calls == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nul", b"[]", b"1", b'"x"', b'{"action": "opened"} x', b"\xff\xfe", b'{"a":' * 100_000, b"\x00"],
    ids=lambda body: repr(body[:12]),
)
@pytest.mark.parametrize("event", ["issues", "ping", "star"])
def test_what_is_not_a_json_object_is_refused(room: Room, body: bytes, event: str) -> None:
    response = room.post(body, X_GitHub_Event=event)
    assert response.status_code == 400
    assert said(response)["status"] == "error"
    assert room.store.calls == 0


def test_a_field_that_is_not_what_github_documents_is_named(room: Room) -> None:
    response = room.post(payload(issue={"number": "7", "title": "x"}))
    assert response.status_code == 400
    assert "issue.number" in said(response)["message"]


def test_ping_is_answered(room: Room) -> None:
    response = room.post(b'{"zen": "Design for failure.", "hook_id": 1}', X_GitHub_Event="ping")
    assert (response.status_code, said(response)) == (200, {"status": "pong"})
    assert room.store.calls == 0


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("star", b'{"action": "created"}'),
        ("issues", payload("labeled")),
        ("issues", payload("transferred")),
        ("issues", payload("edited", changes={})),
        ("issue_comment", payload("deleted")),
        ("an_event_of_tomorrow", b'{"action": ["?"]}'),
    ],
)
def test_events_and_actions_that_are_not_ours_are_fine_and_leave_the_store_alone(
    room: Room, event: str, body: bytes
) -> None:
    response = room.post(body, X_GitHub_Event=event)
    assert response.status_code == 200
    assert said(response)["status"] == "ignored"
    assert room.store.calls == 0


def test_comments_on_issues_are_kept_but_not_those_on_pull_requests(room: Room) -> None:
    comment = {"id": 5, "body": "/explain", "user": {"login": "ann", "type": "User"}}
    issue = {"number": 7, "title": "x", "body": None, "user": {"login": "ann", "type": "User"}}
    asked = payload("created", issue=issue, comment=comment)
    assert room.post(asked, X_GitHub_Event="issue_comment").status_code == 202
    on_pull = payload("created", issue={**issue, "pull_request": {"url": "https://example.org"}}, comment=comment)
    response = room.post(on_pull, X_GitHub_Event="issue_comment", X_GitHub_Delivery="guid-2")
    assert response.status_code == 200
    assert len(room.store.kept) == 1


def test_an_installation_is_kept_under_its_own_subject(room: Room) -> None:
    body = json.dumps({"action": "created", "installation": {"id": 99}}).encode()
    assert room.post(body, X_GitHub_Event="installation").status_code == 202
    assert room.store.kept[0].subject == "installation/99"


def test_a_redelivery_is_a_duplicate_but_another_app_is_not(room: Room) -> None:
    assert room.post(payload()).status_code == 202
    again = room.post(payload())
    assert (again.status_code, said(again)) == (200, {"status": "duplicate"})
    assert room.post(payload(), X_GitHub_Hook_Installation_Target_ID="7").status_code == 202
    assert [kept.app for kept in room.store.kept] == ["token", "7"]
    assert room.woken == 2


def test_a_store_that_cannot_take_it_is_a_503_and_the_redelivery_succeeds(room: Room) -> None:
    room.store.broken = StoreUnavailable("OperationalError: database or disk is full")
    response = room.post(payload())
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0
    assert "disk" not in response.get_data(as_text=True)
    assert room.woken == 0
    room.store.broken = None
    assert room.post(payload()).status_code == 202


def test_a_fault_of_our_own_is_a_short_500_without_a_trace(room: Room) -> None:
    room.store.broken = RuntimeError("planted detail")
    response = room.post(payload())
    assert response.status_code == 500
    assert "planted" not in response.get_data(as_text=True)
    assert "Redeliver" in said(response)["message"]


def test_an_unknown_page_says_where_deliveries_go(room: Room) -> None:
    response = room.post_to("/webhook", payload())
    assert response.status_code == 404
    assert f"POST {PATH}" in said(response)["message"]


def test_the_path_can_be_set() -> None:
    room = Room(WEBHOOK_PATH="/hooks/burn")
    assert room.post_to("/hooks/burn", payload()).status_code == 202
    assert room.post(payload()).status_code == 404


def test_a_declared_length_over_the_cap_is_refused(room: Room) -> None:
    body = b" " * (MAX_BODY + 1)
    response = room.post(body)
    assert response.status_code == 413
    assert str(MAX_BODY) in said(response)["message"]


def test_a_body_of_exactly_the_cap_is_taken(room: Room) -> None:
    filler = MAX_BODY - len(payload(x=""))
    body = payload(x="x" * filler)
    assert len(body) == MAX_BODY
    assert room.post(body).status_code == 202


@pytest.mark.parametrize("claimed", [None, "0", "10"], ids=["none", "zero", "too small"])
def test_the_cap_holds_whatever_the_length_header_claims(room: Room, claimed: str | None) -> None:
    body = b" " * (MAX_BODY + 1)
    environ = {"wsgi.input": io.BytesIO(body), "wsgi.input_terminated": True, "HTTP_X_HUB_SIGNATURE_256": sign(body)}
    if claimed:
        environ["CONTENT_LENGTH"] = claimed
    response = room.client.post(PATH, environ_overrides=environ)
    assert response.status_code == 413
    assert room.store.calls == 0


@given(
    body=st.binary(max_size=300),
    cap=st.integers(min_value=0, max_value=200),
    piece=st.integers(min_value=1, max_value=50),
)
def test_a_body_is_read_whole_or_not_at_all(body: bytes, cap: int, piece: int) -> None:
    class Dribble:
        """Gives a little at a time, as a socket does."""

        def __init__(self) -> None:
            self.rest = body

        def read(self, size: int, /) -> bytes:
            given, self.rest = self.rest[: min(size, piece)], self.rest[min(size, piece) :]
            return given

    if len(body) > cap:
        with pytest.raises(TooLarge):
            read_body(Dribble(), cap)
    else:
        assert read_body(Dribble(), cap) == body


@pytest.mark.parametrize("secrets", [[], [""]])
def test_a_receiver_without_a_secret_cannot_be_built(secrets: list[str]) -> None:
    metrics = Metrics()
    with pytest.raises(ValueError, match="secret"):
        Receiver(secrets=secrets, app="x", inbox=Shelf(), wake=lambda: None, metrics=metrics, now=lambda: 0.0)


def figure(room: Room, name: str, **labels: str) -> float | None:
    return room.metrics.registry.get_sample_value(name, labels)


def test_what_was_answered_is_counted_and_senders_cannot_invent_labels(room: Room) -> None:
    room.post(payload())
    room.post(payload())
    room.post(payload(), X_Hub_Signature_256=sign(payload(), "wrong"), X_GitHub_Event="invented")
    room.post(b"{}", X_GitHub_Event="invented_too", X_GitHub_Delivery="guid-2")
    assert figure(room, "burn_triage_deliveries_total", event="issues", answer="accepted") == 1
    assert figure(room, "burn_triage_deliveries_total", event="issues", answer="duplicate") == 1
    assert figure(room, "burn_triage_deliveries_total", event="other", answer="refused 403") == 1
    assert figure(room, "burn_triage_deliveries_total", event="other", answer="ignored") == 1
    assert figure(room, "burn_triage_receive_seconds_count") == 4
    assert "invented" not in room.metrics.render().decode()


ODD: st.SearchStrategy[object] = st.one_of(
    st.none(), st.integers(), st.text(max_size=9), st.lists(st.integers(), max_size=2), st.just({})
)
FIELDS = ["action", "issue", "repository", "installation", "sender", "changes", "comment"]


@given(changes=st.dictionaries(st.sampled_from(FIELDS), ODD), event=st.sampled_from(["issues", "issue_comment"]))
def test_no_signed_payload_whatever_its_shape_is_a_fault_of_ours(changes: dict[str, Any], event: str) -> None:
    body = json.dumps({**json.loads(payload()), **changes}).encode()
    assert Room().post(body, X_GitHub_Event=event).status_code in (200, 202, 400)
