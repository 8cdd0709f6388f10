"""Words as lint compares them: identifiers taken apart, endings dropped, digits kept (2d is not 3d)."""

from __future__ import annotations

import re
from functools import lru_cache

from bot.records.derive import HOLE, pattern_of

_CAMEL = re.compile(r"([a-z])([A-Z])")
_WORD = re.compile(r"[a-z0-9]+")
_IDENTIFIER = re.compile(r"\w+", re.ASCII)
_DIMENSION = re.compile(r"([a-z]{3,})([0-9]+d?)")
_STOP = frozenset(
    """a about above after all also an and any are as at be because been before being but by can cannot could did do
    does doing don done else for from get given got had has have having he her here how if in into is it its itself
    just let may me more most must my no non nor not now of off on once one only or other our out over own per s same
    should so some such t than that the their them then there these they this those to too under until up use used
    using via was we were what when where which while who why will with without would you your""".split()  # noqa: SIM905 (one word a line would fill three screens)
)
_ENDINGS = (
    "ations",
    "ation",
    "ating",
    "ated",
    "ates",
    "ate",
    "ions",
    "ion",
    "ings",
    "ing",
    "ies",
    "ed",
    "es",
    "s",
    "e",
)

_SHORT = {
    "allocation": "alloc",
    "allocate": "alloc",
    "argument": "arg",
    "configuration": "config",
    "dimension": "dim",
    "directory": "dir",
    "initialize": "init",
    "initialization": "init",
    "maximum": "max",
    "minimum": "min",
    "parameter": "param",
}
"""Words that code and prose write at different length."""


def without_holes(message: str) -> str:
    """The message's literal text, every placeholder a blank."""
    pattern = pattern_of(message)
    if HOLE not in pattern:
        return message
    return re.sub(r"\\(.)", r"\1", pattern.replace(HOLE, " "))


def content_words(text: str) -> frozenset[str]:
    """What the text is about: stems of its words, `conv2d` also as `conv` and `2d`."""
    tokens = set(_WORD.findall(_CAMEL.sub(r"\1 \2", text).lower())) - _STOP
    found = {stem(token) for token in tokens if len(token) > 1 or token.isdigit()}
    for token in tokens:
        parts = None if token.isalpha() else _DIMENSION.fullmatch(token)
        if parts:
            found.update(parts.groups())
    return frozenset(found)


def identifiers(text: str) -> set[str]:
    """Every whole word of letters, digits and underscores."""
    return set(_IDENTIFIER.findall(text))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    word = _SHORT.get(word.removesuffix("s"), word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
