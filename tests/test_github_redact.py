"""No credential survives redaction, and nothing else is lost."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github.redact import REDACTED, redact

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0abc/+=\nqwertyuiop\n-----END RSA PRIVATE KEY-----"
SECRETS = [
    "ghs_" + "a1B2" * 9,
    "ghp_" + "x" * 36,
    "gho_" + "x" * 36,
    "ghu_" + "x" * 36,
    "ghr_" + "x" * 76,
    "ghs_1234_" + "eyJhbGciOi" * 3,
    "github_pat_" + "11ABCDEFG0_" + "z" * 59,
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjMifQ.c2lnbmF0dXJl-_",
    PEM,
    PEM.replace("RSA ", ""),
    PEM.replace("\n", "\\n"),
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nabc\n-----END ENCRYPTED PRIVATE KEY-----",
    base64.b64encode(PEM.encode()).decode(),
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "token {} end", '{{"token":"{}"}}', "https://x-access-token:{}@github.com", "a={}&b"]
)
def test_a_credential_is_gone_and_the_rest_stays(secret: str, around: str) -> None:
    assert redact(around.format(secret)) == around.format(REDACTED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing here",
        "ghs_ is a prefix",
        "github_pat_",
        "-----BEGIN PUBLIC KEY-----",
        "eyJ",
        "sigh_abcdefghijkl",
        "line\nline",
    ],
)
def test_harmless_text_is_unchanged(text: str) -> None:
    assert redact(text) == text


def test_of_a_key_that_was_cut_off_nothing_stays() -> None:
    """What follows may go with it: it looks the same."""
    assert redact(f"key: {PEM.rpartition(chr(10))[0]}") == f"key: {REDACTED}"


def test_several_are_all_found() -> None:
    assert redact(" ".join(SECRETS[:8])) == " ".join([REDACTED] * 8)


def test_a_lone_surrogate_is_no_obstacle() -> None:
    assert redact("\udcff " + SECRETS[0]) == f"? {REDACTED}"


@given(
    before=st.text(alphabet=st.characters(exclude_categories=["L", "N", "Cs"], exclude_characters="_")),
    after=st.text(max_size=50),
)
def test_a_token_is_gone_in_any_surroundings(before: str, after: str) -> None:
    assert SECRETS[0] not in redact(f"{before}{SECRETS[0]}{after}")
