"""Every answer is short JSON: `status`, and for an error a sentence that says what to do."""

from __future__ import annotations

import msgspec
from flask import Response


class Refusal(Exception):
    """The request is not taken. Shown to the sender."""

    def __init__(self, code: int, message: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = headers or {}


def answer(code: int, status: str, *, headers: dict[str, str] | None = None, **details: object) -> Response:
    body = msgspec.json.encode({"status": status, **details})
    return Response(body + b"\n", code, headers, mimetype="application/json")


def error(code: int, message: str, *, headers: dict[str, str] | None = None) -> Response:
    return answer(code, "error", headers=headers, message=message)
