"""Who sent this body: HMAC-SHA256 over its raw bytes with a secret that only GitHub and we know.

https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence

_FORM = re.compile(r"sha256=[0-9a-f]{64}")


def has_form(header: str) -> bool:
    """Whether an `X-Hub-Signature-256` header can be a signature at all. Knows nothing of the body."""
    return _FORM.fullmatch(header) is not None


def is_signed(body: bytes, header: str, secrets: Sequence[bytes]) -> bool:
    """Whether one of `secrets` signed exactly these bytes. Takes the same time however much of the signature fits."""
    # Bytes, because compare_digest raises on a str that is not ASCII.
    given = header.encode("utf-8", "surrogateescape")
    fits = False
    for secret in secrets:
        fits |= hmac.compare_digest(b"sha256=" + hmac.digest(secret, body, "sha256").hex().encode(), given)
    return fits
