"""Words of which one in the place of another makes another message."""

from __future__ import annotations

import random
import re

OPPOSITES: tuple[tuple[str, ...], ...] = (
    ("1d", "2d", "3d", "4d"),
    ("float", "int", "bool"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("forward", "backward"),
    ("conv", "conv_transpose"),
    ("avg", "max"),
    ("row", "column"),
    ("rows", "columns"),
    ("lhs", "rhs"),
    ("left", "right"),
    ("rank", "length"),
    ("first", "last"),
    ("input", "output"),
    ("start", "end"),
    ("lower", "upper"),
    ("encode", "decode"),
    ("read", "write"),
    ("load", "save"),
    ("open", "close"),
    ("positive", "negative"),
    ("smaller", "greater"),
    ("even", "odd"),
    ("key", "value"),
    ("squeeze", "unsqueeze"),
    ("argmin", "argmax"),
    ("width", "height"),
    ("weight", "bias"),
)
"""Words of which one in the place of another makes another message."""
_BY_WORD = {word: group for group in OPPOSITES for word in group}
_PIECE = re.compile(r"[A-Za-z0-9]+")


def sibling(message: str, rng: random.Random) -> str | None:
    """The message with one telling word exchanged for its opposite, None where it has none."""
    found = [
        m
        for m in _PIECE.finditer(re.sub(r"\{[^{}]*\}", lambda h: " " * len(h[0]), message))
        if m[0].lower() in _BY_WORD
    ]
    digits = list(re.finditer(r"(?<=[a-z])[1234]d\b", message))
    if not found and not digits:
        return None
    match = rng.choice([*found, *digits])
    word = match[0].lower()
    other = rng.choice([w for w in _BY_WORD[word] if w != word])
    return message[: match.start()] + (other.capitalize() if match[0][0].isupper() else other) + message[match.end() :]
