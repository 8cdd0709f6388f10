"""How one setting is read. Each function raises `ValueError` with a sentence that says what to set."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

TAKEN_PATHS = ("/healthz", "/readyz", "/metrics")


def split(value: str | None) -> list[str]:
    return [part.strip() for part in (value or "").split(",") if part.strip()]


def whole(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", value) or not low <= int(value) <= high:
            raise ValueError(f"Set a whole number from {low} to {high}.")
        return int(value)

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value) or not low <= float(value) <= high:
            raise ValueError(f"Set a number from {low:g} to {high:g}.")
        return float(value)

    return parse


_E = TypeVar("_E", bound=enum.StrEnum)


def one_of(kind: type[_E]) -> Callable[[str], _E]:
    def parse(value: str) -> _E:
        try:
            return kind(value.lower())
        except ValueError:
            raise ValueError(f"Set one of {', '.join(member.value for member in kind)}.") from None

    return parse


def url_path(value: str) -> str:
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value):
        raise ValueError("Set a path such as /api/github/webhooks.")
    if value in TAKEN_PATHS:
        raise ValueError(f"The bot answers something else at {', '.join(TAKEN_PATHS)}. Set another path.")
    return value


def host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.:_-]{1,253}", value):
        raise ValueError("Set the address to listen on, such as 127.0.0.1 or 0.0.0.0.")
    return value


def database_url(value: str) -> str:
    scheme = value.partition("://")[0]
    if "://" not in value or scheme.partition("+")[0] not in ("sqlite", "postgresql", "postgres"):
        raise ValueError("Set sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME.")
    return value


def api_url(value: str) -> str:
    expected = "Set the address of the API, such as https://api.github.com or https://HOST/api/v3."
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise ValueError(expected) from None
    if not usable or parts.query or parts.fragment:
        raise ValueError(expected)
    if parts.username or parts.password:
        raise ValueError("Leave user and password out of the address.")
    return value.rstrip("/")


def ghe_api_url(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?", value):
        raise ValueError("Set the bare host name of GitHub Enterprise, such as github.example.org.")
    return f"https://{value}/api/v3"


def app_id(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}", value):
        raise ValueError("Set the App ID or client ID shown on the App's settings page.")
    return value


def token(value: str) -> str:
    if not re.fullmatch(r"[!-~]+", value):
        raise ValueError("Set the token alone: it has no blanks, line ends or letters beyond ASCII.")
    return value
