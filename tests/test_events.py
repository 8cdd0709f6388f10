"""Payloads become events: only the fields used, each checked, and never any exception but PayloadError."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.policy.events import (
    CommentCreated,
    Ignored,
    Installation,
    IssueEdited,
    IssueOpened,
    PayloadError,
    parse_event,
    parse_repository,
)

EVENTS = ("issues", "issue_comment", "installation", "installation_repositories")


def opened(**changes: Any) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "action": "opened",
        "issue": {
            "number": 7,
            "title": "It panics",
            "body": "thread 'main' panicked at …",
            "state": "open",
            "locked": False,
            "labels": [{"id": 1, "name": "bug", "color": "f00"}],
            "user": {"login": "octocat", "type": "User", "id": 1},
        },
        "repository": {"full_name": "tracel-ai/burn", "private": False},
        "sender": {"login": "octocat", "type": "User"},
        "installation": {"id": 42, "node_id": "x"},
    }
    return payload | changes


def parse(payload: Any, event: str = "issues") -> Any:
    return parse_event(event, json.dumps(payload).encode())


def test_a_new_issue_carries_what_a_decision_needs() -> None:
    event = parse(opened())
    assert isinstance(event, IssueOpened)
    assert event.subject == "tracel-ai/burn#7"
    assert (event.action, event.repository, event.installation) == ("opened", "tracel-ai/burn", 42)
    assert (event.sender.login, event.sender.is_bot) == ("octocat", False)
    issue = event.issue
    assert (issue.number, issue.title, issue.labels) == (7, "It panics", ("bug",))
    assert (issue.author, issue.author_is_bot, issue.locked, issue.is_pull_request) == ("octocat", False, False, False)


def test_fields_that_github_adds_tomorrow_change_nothing() -> None:
    payload = opened(enterprise={"deep": [{"er": None}]})
    payload["issue"]["sub_issues_summary"] = {"total": 2**200}
    assert parse(payload) == parse(opened())


@pytest.mark.parametrize("body", [None, ""])
def test_an_issue_without_a_body_has_an_empty_one(body: str | None) -> None:
    payload = opened()
    payload["issue"]["body"] = body
    assert parse(payload).issue.body == ""


@pytest.mark.parametrize("absent", ["sender", "installation"])
def test_what_a_repository_webhook_leaves_out_is_no_error(absent: str) -> None:
    payload = opened()
    del payload[absent]
    event = parse(payload)
    assert event.sender.login == "octocat", "the author stands in for the sender"
    assert event.installation == (None if absent == "installation" else 42)


@pytest.mark.parametrize(
    ("user", "is_bot"),
    [
        ({"login": "dependabot[bot]", "type": "Bot"}, True),
        ({"login": "renovate[bot]"}, True),
        ({"login": "copilot", "type": "Bot"}, True),
        ({"login": "robot", "type": "User"}, False),
        ({"login": "acme", "type": "Organization"}, False),
        (None, False),
    ],
)
def test_a_bot_is_told_by_its_type_or_its_login(user: dict[str, str] | None, is_bot: bool) -> None:
    payload = opened()
    payload["issue"]["user"] = user
    assert parse(payload).issue.author_is_bot is is_bot


@pytest.mark.parametrize("value", [{}, {"url": "https://api.github.com/x"}])
def test_a_pull_request_is_known_by_its_key(value: object) -> None:
    payload = opened()
    payload["issue"]["pull_request"] = value
    assert parse(payload).issue.is_pull_request
    payload["issue"]["pull_request"] = None
    assert not parse(payload).issue.is_pull_request


@pytest.mark.parametrize(
    ("changes", "title", "body"),
    [
        ({"title": {"from": "x"}}, True, False),
        ({"body": {"from": None}}, False, True),
        ({"title": {"from": "x"}, "body": {"from": "y"}}, True, True),
    ],
)
def test_an_edit_says_what_changed(changes: Any, title: bool, body: bool) -> None:
    event = parse(opened(action="edited", changes=changes))
    assert isinstance(event, IssueEdited)
    assert (event.title_changed, event.body_changed) == (title, body)


@pytest.mark.parametrize("changes", [None, {}, {"title": None}, {"labels": ["bug"]}])
def test_an_edit_of_neither_title_nor_body_is_ignored(changes: Any) -> None:
    event = parse(opened(action="edited", changes=changes))
    assert isinstance(event, Ignored)
    assert "neither title nor body" in event.reason


def test_an_issue_that_was_transferred_here_is_not_new() -> None:
    event = parse(opened(changes={"old_issue": {"number": 1}, "old_repository": {"full_name": "a/b"}}))
    assert isinstance(event, Ignored)
    assert "transferred" in event.reason


def test_a_comment_carries_its_own_text_and_writer() -> None:
    comment = {
        "id": 99,
        "body": "/explain",
        "user": {"login": "burn-triage[bot]", "type": "Bot"},
        "performed_via_github_app": {"id": 123, "slug": "burn-triage"},
    }
    event = parse(opened(action="created", comment=comment), "issue_comment")
    assert isinstance(event, CommentCreated)
    assert event.subject == "tracel-ai/burn#7"
    assert (event.comment.id, event.comment.body, event.comment.app_id) == (99, "/explain", 123)
    assert event.comment.author_is_bot


@pytest.mark.parametrize("event", ["installation", "installation_repositories"])
@pytest.mark.parametrize("action", ["created", "deleted", "added", "something-new"])
def test_installations_are_their_own_subject(event: str, action: str) -> None:
    parsed = parse({"action": action, "installation": {"id": 42}, "sender": {"login": "octocat"}}, event)
    assert isinstance(parsed, Installation)
    assert (parsed.action, parsed.subject) == (action, "installation/42")


@pytest.mark.parametrize("event", ["ping", "push", "pull_request", "", "issues\n", "x" * 10_000])
def test_other_events_are_ignored_whatever_they_hold(event: str) -> None:
    assert isinstance(parse_event(event, b"\xff not even JSON"), Ignored)


@pytest.mark.parametrize(
    ("event", "action"),
    [("issues", "labeled"), ("issues", "transferred"), ("issue_comment", "edited"), ("issue_comment", "deleted")],
)
def test_other_actions_are_ignored_whatever_else_they_hold(event: str, action: str) -> None:
    parsed = parse({"action": action, "issue": None}, event)
    assert isinstance(parsed, Ignored)
    assert parsed.action == action


def broken(*path: str | int, value: Any) -> bytes:
    payload: Any = copy.deepcopy(opened())
    inner = payload
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(payload).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("action",), None),
        (("issue",), None),
        (("issue", "number"), "7"),
        (("issue", "number"), 0),
        (("issue", "number"), 2**64),
        (("issue", "number"), 7.5),
        (("issue", "title"), None),
        (("issue", "body"), ["x"]),
        (("issue", "locked"), "no"),
        (("issue", "labels", 0, "name"), 5),
        (("issue", "user", "login"), None),
        (("repository", "full_name"), 5),
        (("repository", "full_name"), "burn"),
        (("installation", "id"), -1),
        (("sender", "type"), 5),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_field(path: tuple[str | int, ...], value: Any) -> None:
    with pytest.raises(PayloadError) as caught:
        parse_event("issues", broken(*path, value=value))
    expected = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    assert caught.value.field == expected
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("path", "field"), [(("issue", "title"), "issue.title"), (("issue",), "issue"), (("repository",), "repository")]
)
def test_a_missing_field_is_named(path: tuple[str, ...], field: str) -> None:
    payload: Any = opened()
    inner = payload
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    with pytest.raises(PayloadError) as caught:
        parse(payload)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"opened"',
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b'{"action":"opened","x":' + b"[" * 100_000,
    ],
)
def test_what_is_no_json_object_is_an_error(payload: bytes) -> None:
    with pytest.raises(PayloadError):
        parse_event("issues", payload)


@pytest.mark.parametrize("digits", [b"9" * 30, b"9" * 10_000, b"1e999", b"-1", b"1" + b"0" * 400 + b".0"])
def test_a_huge_number_is_an_error(digits: bytes) -> None:
    payload = json.dumps(opened()).encode().replace(b'"number": 7', b'"number": ' + digits)
    with pytest.raises(PayloadError) as caught:
        parse_event("issues", payload)
    assert caught.value.field == "issue.number"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "burn",
        "a/",
        "/b",
        "a/b/c",
        "../b",
        "a/..",
        "./b",
        "a/.",
        "a b/c",
        "a/b\n",
        "a/b?x",
        "a/b#1",
        "ä/b",
        "a/%2e%2e",
    ],
)
def test_a_name_that_could_change_a_path_is_refused(name: str) -> None:
    with pytest.raises(PayloadError) as caught:
        parse(opened(repository={"full_name": name}))
    assert caught.value.field == "repository.full_name"


@pytest.mark.parametrize("name", ["tracel-ai/burn", "a/b", "A.b-c_d/..e", "o/.github"])
def test_real_names_pass_unchanged(name: str) -> None:
    assert parse_repository(name) == name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
PATHS = st.sampled_from(
    [
        ("action",), ("issue",), ("issue", "number"), ("issue", "title"), ("issue", "body"), ("issue", "labels"),
        ("issue", "user"), ("issue", "state"), ("issue", "locked"), ("issue", "pull_request"), ("repository",),
        ("repository", "full_name"), ("sender",), ("installation",), ("comment",), ("changes",), ("new",),
    ]
)  # fmt: skip


@given(event=st.sampled_from(EVENTS), payload=st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_payload_error(event: str, payload: bytes) -> None:
    with suppress(PayloadError):
        parse_event(event, payload)


@given(event=st.sampled_from(EVENTS), action=st.sampled_from(["opened", "edited", "created"]), path=PATHS, value=JSON)
def test_no_json_value_in_any_place_raises_anything_but_a_payload_error(
    event: str, action: str, path: tuple[str, ...], value: Any
) -> None:
    payload: Any = opened(action=action, comment={"id": 1, "body": "x"}, changes={"body": {"from": "x"}})
    inner = payload
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with suppress(PayloadError):
        parsed = parse(payload, event)
        assert isinstance(parsed, IssueOpened | IssueEdited | CommentCreated | Installation | Ignored)
