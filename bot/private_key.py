"""The App's private key, in the forms in which people hand it over."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

_MAX_BYTES = 64 * 1024


def read_key_file(path: Path) -> tuple[str, str | None]:
    """The file's text, and a sentence of warning if others on the machine can read it.

    Raises `ValueError` with the path, the reason and what to do.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(_MAX_BYTES)
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}. Set the path of the App's .pem file.") from None
    exposed = f"{path} can be read by others on this machine. Run: chmod 600 {path}"
    return content.decode("utf-8", "replace"), exposed if mode & (stat.S_IRGRP | stat.S_IROTH) else None


def parse_private_key(text: str) -> str:
    """The key as PEM, from PEM, PEM with `\\n` for its line ends, or base64 of either.

    Raises `ValueError` with the reason and what to do, never with a part of the key.
    """
    pem = _with_line_ends(text)
    if not pem.startswith("-----BEGIN"):
        try:
            pem = _with_line_ends(base64.b64decode("".join(text.split()), validate=True).decode())
        except ValueError:  # binascii.Error and UnicodeDecodeError too
            raise ValueError("neither a PEM key nor base64 of one. Use the App's .pem file as it is.") from None
    problem = key_problem(pem)
    if problem:
        raise ValueError(f"{problem}. Generate a new private key on the App's settings page and use that file.")
    return pem


def _with_line_ends(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\\n", "\n").strip() + "\n"


def key_problem(pem: str) -> str | None:
    """What is wrong with a PEM text as an App's key; None where it is an unencrypted RSA private key."""
    # Imported here: commands that never talk to GitHub should not pay for it.
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key: object = load_pem_private_key(pem.encode(), password=None)
    except TypeError:
        return "the key is protected by a password, which is not supported"
    except (ValueError, UnsupportedAlgorithm):
        return "the key is damaged or cut short"
    return None if isinstance(key, RSAPrivateKey) else "the key is not an RSA key, which GitHub Apps use"
