"""The shapes that are decoded of a payload: the fields used, and no more.

Decoding is partial: other fields are skipped, so a field that GitHub adds tomorrow cannot break us. What is used is
checked, and every failure is a `PayloadError` that names the field.
"""

from __future__ import annotations

import re
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

_FIELD_IN_MESSAGE = re.compile(r" - at `\$\.?([^`]*)`$")
_MISSING_IN_MESSAGE = re.compile(r"missing required field `([^`]*)`")


class PayloadError(ValueError):
    """The payload is not what GitHub documents. `field` is its path, e.g. `issue.number`; "" is the whole body."""

    def __init__(self, problem: str, *, field: str = "") -> None:
        super().__init__(f"payload field `{field}`: {problem}" if field else f"payload: {problem}")
        self.field = field


# Ids are bounded to what a database column and JSON readers agree on.
_Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class User(msgspec.Struct):
    login: str
    type: str = "User"


class App(msgspec.Struct):
    id: _Id


class Ref(msgspec.Struct):
    id: _Id


class Label(msgspec.Struct):
    name: str


class Repository(msgspec.Struct):
    full_name: str


class Issue(msgspec.Struct):
    number: _Id
    title: str
    body: str | None = None
    labels: list[Label] | None = None
    state: str | None = "open"
    locked: bool | None = False
    # Only its presence counts: Raw is skipped over without being built, and is empty when absent.
    pull_request: msgspec.Raw = msgspec.Raw()
    user: User | None = None


class Comment(msgspec.Struct):
    id: _Id
    body: str | None = None
    user: User | None = None
    performed_via_github_app: App | None = None


class Changes(msgspec.Struct):
    title: msgspec.Raw = msgspec.Raw()
    body: msgspec.Raw = msgspec.Raw()
    old_issue: msgspec.Raw = msgspec.Raw()


class Action(msgspec.Struct):
    action: str


class IssuesPayload(msgspec.Struct):
    action: str
    issue: Issue
    repository: Repository
    sender: User | None = None
    installation: Ref | None = None
    changes: Changes | None = None


class CommentPayload(msgspec.Struct):
    action: str
    issue: Issue
    comment: Comment
    repository: Repository
    sender: User | None = None
    installation: Ref | None = None


class InstallationPayload(msgspec.Struct):
    action: str
    installation: Ref
    sender: User | None = None


_P = TypeVar("_P")


def decode(payload: bytes, shape: type[_P]) -> _P:
    try:
        return msgspec.json.decode(payload, type=shape)
    except msgspec.ValidationError as error:
        text = str(error)
        at = _FIELD_IN_MESSAGE.search(text)
        field = at.group(1) if at else ""
        missing = _MISSING_IN_MESSAGE.search(text)
        if missing:
            field = f"{field}.{missing.group(1)}".lstrip(".")
        raise PayloadError(_FIELD_IN_MESSAGE.sub("", text), field=field) from None
    except RecursionError:
        raise PayloadError("nested too deeply") from None
    except (msgspec.DecodeError, UnicodeError, OverflowError, ValueError) as error:
        raise PayloadError(f"not JSON: {error}") from None
