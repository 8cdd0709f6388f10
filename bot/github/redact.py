"""Makes credentials unreadable in any text that is about to be logged or shown.

The shapes are GitHub's: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
The engine is RE2, because the text may be anything and of any length.
"""

from __future__ import annotations

import re2

_CREDENTIALS = re2.compile(
    r"\bgh[a-z]_[A-Za-z0-9_]{10,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{10,}"
    # A JSON Web Token: three base64url parts, the first of which opens with `{"`.
    r"|\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*"
    # A private key, whole or cut off after the header; also with `\\n` for its line ends.
    r"|-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
    r"(?:(?s:.*?)-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|[A-Za-z0-9+/=\s\\]*)"
    # base64 of "-----BEGIN "
    r"|LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]*"
)
REDACTED = "[redacted]"


def redact(text: str) -> str:
    """`text` with GitHub tokens, JSON Web Tokens and private keys replaced by `[redacted]`. Linear in the text."""
    # Lone surrogates (from undecodable file names or arguments) are not text for RE2.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return str(_CREDENTIALS.sub(REDACTED, clean))
