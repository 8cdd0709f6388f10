"""Every way in which GitHub can say no, as one of the three kinds of error."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
import requests
from github import GithubException
from hypothesis import given
from hypothesis import strategies as st

from bot.github.errors import (
    LIMIT_WITHOUT_HEADER_SECONDS,
    Unauthorized,
    Unprocessable,
    asked_wait,
    from_answer,
    translated,
)
from bot.github.port import GitHubError, Gone, Later, Refused

NOW = 1_800_000_000.0


def answer(status: int, message: str = "", **headers: str) -> GitHubError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return from_answer("comment", status=status, data={"message": message}, headers=named, now=NOW)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599, 408])
def test_a_server_in_trouble_is_for_later(status: int) -> None:
    error = answer(status)
    assert isinstance(error, Later)
    assert error.after_seconds is None


@pytest.mark.parametrize("status", [404, 410, 423, 451, 301, 302, 307, 308])
def test_what_is_not_there_any_more_is_gone(status: int) -> None:
    assert isinstance(answer(status, "Not Found"), Gone)


@pytest.mark.parametrize(
    "message",
    [
        "Unable to create comment because issue is locked.",
        "Repository was archived so is read-only.",
        "Issues are disabled for this repo",
    ],
)
def test_what_takes_no_writes_any_more_is_gone(message: str) -> None:
    assert type(answer(403, message)) is Gone


@pytest.mark.parametrize("status", [400, 401, 403, 405, 406, 409, 413, 415, 418, 422])
def test_everything_else_is_ours_to_mend(status: int) -> None:
    assert isinstance(answer(status, "Resource not accessible by integration"), Refused)


def test_refusals_that_somebody_acts_upon_have_a_kind_of_their_own() -> None:
    assert type(answer(401)) is Unauthorized
    assert [type(answer(status)) for status in (400, 415, 422)] == [Unprocessable] * 3
    assert type(answer(403)) is Refused


@pytest.mark.parametrize(
    ("status", "message", "headers", "after"),
    [
        (429, "", {"retry_after": "17"}, 17.0),
        (429, "", {}, LIMIT_WITHOUT_HEADER_SECONDS),
        (403, "You have exceeded a secondary rate limit.", {"retry_after": "30"}, 30.0),
        (403, "You have exceeded a secondary rate limit.", {}, LIMIT_WITHOUT_HEADER_SECONDS),
        (403, "", {"retry_after": "5"}, 5.0),
        (403, "API rate limit exceeded", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1800000100"}, 101.0),
        (403, "", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1800000100"}, 101.0),
        (403, "API rate limit exceeded", {"x_ratelimit_remaining": "0"}, LIMIT_WITHOUT_HEADER_SECONDS),
        (403, "", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1799999999"}, 0.0),
        (429, "", {"retry_after": "soon"}, LIMIT_WITHOUT_HEADER_SECONDS),
        (429, "", {"retry_after": "-5"}, LIMIT_WITHOUT_HEADER_SECONDS),
        (503, "", {"retry_after": "120"}, 120.0),
    ],
)
def test_a_limit_is_for_later_when_github_says(status: int, message: str, headers: Any, after: float) -> None:
    error = answer(status, message, **headers)
    assert isinstance(error, Later)
    assert error.after_seconds == after


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.fromtimestamp(NOW + 40, UTC), usegmt=True)
    assert asked_wait({"retry-after": date}, now=NOW) == 40.0


def test_no_wait_is_longer_than_a_day() -> None:
    assert asked_wait({"retry-after": "99999999"}, now=NOW) == 24 * 3600.0


def test_a_permission_that_is_missing_is_no_rate_limit() -> None:
    error = answer(403, "Resource not accessible by integration", x_ratelimit_remaining="4999")
    assert isinstance(error, Refused)
    assert "Resource not accessible by integration" in str(error)


def test_a_validation_error_names_the_field() -> None:
    data = {
        "message": "Validation Failed",
        "errors": [{"resource": "IssueComment", "field": "body", "code": "too_long"}],
    }
    assert (
        str(from_answer("comment", status=422, data=data, now=NOW)) == "comment: 422 Validation Failed; body too_long"
    )


def test_a_message_is_one_short_line_without_secrets() -> None:
    text = str(answer(422, "bad ghs_0123456789abcdefghij\n" + "x" * 5000))
    assert "ghs_" not in text
    assert "\n" not in text
    assert len(text) < 400


@given(
    status=st.integers(300, 599),
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
    | st.dictionaries(
        st.sampled_from(["message", "errors"]), st.lists(st.dictionaries(st.text(), st.text())) | st.text()
    ),
    headers=st.dictionaries(
        st.sampled_from(["retry-after", "x-ratelimit-reset", "x-ratelimit-remaining"]), st.text() | st.floats().map(str)
    ),
)
def test_any_answer_becomes_an_error_of_ours(status: int, data: Any, headers: dict[str, str]) -> None:
    error = from_answer("x", status=status, data=data, headers=headers, now=NOW)
    assert isinstance(error, Later | Gone | Refused)
    if isinstance(error, Later) and error.after_seconds is not None:
        assert 0 <= error.after_seconds <= 24 * 3600


@pytest.mark.parametrize(
    ("raised", "becomes"),
    [
        (requests.ConnectionError("x"), Later),
        (requests.ReadTimeout("x"), Later),
        (requests.exceptions.InvalidHeader("token ghp_0123456789abcdef"), Later),
        (GithubException(404, {"message": "Not Found"}, {}), Gone),
        (GithubException(422, None, None), Refused),
        (GithubException(500, b"<html>", {}), Later),
        (ValueError("no JSON"), Later),
        (AssertionError("example.org"), Later),
        (RecursionError(), Later),
        (Gone("already ours"), Gone),
    ],
)
def test_nothing_else_gets_out(raised: Exception, becomes: type[GitHubError]) -> None:
    with pytest.raises(GitHubError) as caught, translated("comment"):
        raise raised
    assert isinstance(caught.value, becomes)
    assert "ghp_" not in str(caught.value)


def test_an_interrupt_is_left_alone() -> None:
    with pytest.raises(KeyboardInterrupt), translated("comment"):
        raise KeyboardInterrupt
