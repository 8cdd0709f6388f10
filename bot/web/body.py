"""Reading a request body that nobody has vouched for yet: never more than the cap, whatever its headers claim."""

from __future__ import annotations

from typing import Protocol

MAX_BODY = 25 * 1024 * 1024
"""GitHub sends no larger payloads. https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap"""

_CHUNK = 256 * 1024


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class TooLarge(Exception):
    """The body is longer than the cap."""


def read_body(stream: Readable, cap: int) -> bytes:
    """The whole body, at most `cap` bytes. Raises `TooLarge` as soon as there is one more.

    Werkzeug's own limit cuts a chunked body off at the cap without a word, and a cut body looks badly signed.
    """
    chunks: list[bytes] = []
    length = 0
    while chunk := stream.read(min(_CHUNK, cap + 1 - length)):
        length += len(chunk)
        if length > cap:
            raise TooLarge
        chunks.append(chunk)
    return b"".join(chunks)
