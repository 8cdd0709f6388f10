"""GitHub's failures, and everything that can happen on the way there, as the three kinds the house knows.

| what happened | what it becomes |
|---|---|
| 5xx, 408, dropped connection, time-out, an answer that cannot be read | `Later`, outcome unknown |
| 429, 403 with a rate limit | `Later` with the seconds GitHub asks for |
| 404, 410, 423, 451, any redirect, 403 locked or archived | `Gone` |
| 400, 401, 403, 409, 422, any other 4xx | `Refused` |

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

import requests
from github import GithubException

from bot.github.port import GitHubError, Gone, Later, Refused
from bot.github.redact import redact

LIMIT_WITHOUT_HEADER_SECONDS = 60.0
"""GitHub: "wait for at least one minute before retrying"."""
_LONGEST_WAIT_SECONDS = 24 * 3600.0
_GONE = frozenset({404, 410, 423, 451})
_CLOSED_FOR_WRITES = ("issue is locked", "is locked", "was archived", "issues are disabled", "issues has been disabled")


class Unauthorized(Refused):
    """401: the credential is not, or no longer, good."""


class Unprocessable(Refused):
    """400, 415, 422: the server does not take this kind of request, or these values."""


@contextmanager
def translated(what: str, *, now: Callable[[], float] = time.time) -> Iterator[None]:
    """Everything that is raised inside leaves as a `GitHubError` about `what`. `now` gives Unix seconds."""
    try:
        yield
    except GitHubError:
        raise
    except GithubException as error:
        raise from_answer(what, status=error.status, data=error.data, headers=error.headers, now=now()) from None
    except requests.RequestException as error:
        # Its text may hold a header or a proxy's address: the type says enough.
        raise Later(f"{what}: {type(error).__name__}") from None
    except Exception as error:
        # PyGithub lets pass what JSON, a header or an unexpected type does to it. Whether a write arrived is unknown.
        raise Later(f"{what}: unreadable answer ({type(error).__name__})") from error


def from_answer(
    what: str, *, status: int, data: Any = None, headers: Mapping[str, Any] | None = None, now: float
) -> GitHubError:
    """The error for one HTTP answer. `headers` have lower-case names; `now` is in Unix seconds."""
    headers = headers or {}
    said = _message(data)
    message = redact(f"{what}: {status} {said}".rstrip())
    wait = asked_wait(headers, now=now)
    if status >= 500 or status == 408:
        return Later(message, after_seconds=wait)
    if status == 429 or (status == 403 and _is_rate_limit(headers, said)):
        return Later(message, after_seconds=LIMIT_WITHOUT_HEADER_SECONDS if wait is None else wait)
    if status in _GONE or 300 <= status < 400:
        return Gone(message)
    if status == 403 and any(words in said.lower() for words in _CLOSED_FOR_WRITES):
        return Gone(message)
    if status == 401:
        return Unauthorized(message)
    return (Unprocessable if status in (400, 415, 422) else Refused)(message)


def asked_wait(headers: Mapping[str, Any], *, now: float) -> float | None:
    """Seconds that GitHub asks to wait: `retry-after`, else until `x-ratelimit-reset` if nothing remains.

    https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
    """
    retry_after = str(headers.get("retry-after", "")).strip()
    if retry_after:
        seconds = _number(retry_after)
        return _bounded(seconds) if seconds is not None else _until_date(retry_after, now=now)
    reset = _number(headers.get("x-ratelimit-reset"))
    if reset is not None and _number(headers.get("x-ratelimit-remaining")) == 0:
        # The reset falls somewhere inside that second.
        return _bounded(reset - now + 1)
    return None


def _is_rate_limit(headers: Mapping[str, Any], said: str) -> bool:
    said = said.lower()
    return (
        "retry-after" in headers
        or _number(headers.get("x-ratelimit-remaining")) == 0
        or "rate limit" in said
        or "abuse detection" in said
        or said.endswith("please retry your request again later.")
    )


def _message(data: Any) -> str:
    """GitHub's own sentence, and for 422 the field and the code it complains about; cut to a line of a log."""
    if not isinstance(data, dict):
        return ""
    parts = [str(data.get("message") or "")]
    errors = data.get("errors")
    for error in errors[:3] if isinstance(errors, list) else ():
        if isinstance(error, dict):
            parts.append(" ".join(str(error[key]) for key in ("field", "code", "message") if error.get(key)))
        else:
            parts.append(str(error))
    return " ".join("; ".join(part for part in parts if part).split())[:300]


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < 1e12 else None


def _until_date(value: str, *, now: float) -> float | None:
    try:
        return _bounded(parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS)
