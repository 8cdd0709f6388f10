"""When two messages count as the same text, which half of the split a text belongs to, and what of it is enough."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence

from bot.matching import template
from bot.records.model import Site

LITTLE = 20
"""Letters of literal text below which a message needs its place, as does what everybody's code prints."""
CUT = 20
"""Letters of literal text that a cut-off message must still show."""


def words(text: str) -> tuple[str, ...]:
    """The words of a list that is written as a text."""
    return tuple(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The same for phrases, with `|` between them."""
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


class Split(enum.StrEnum):
    DEV = "dev"
    TEST = "test"


def key(message: str) -> str:
    """Equal for messages that print the same text."""
    return template.canonical(template.parse(message))


def split_of(message: str) -> Split:
    """By the hash of the text: sites of one text never stand on both sides."""
    return Split.TEST if hashlib.sha256(key(message).encode()).digest()[0] & 1 else Split.DEV


def of_split(sites: Sequence[Site], split: Split) -> list[Site]:
    return [site for site in sites if split_of(site.message) is split]


def letters(message: str) -> int:
    """Letters and digits of the literal text."""
    return sum(map(len, template.parse(message).words))


def telling(message: str) -> bool:
    """Whether the text alone tells whose it is."""
    parsed = template.parse(message)
    return not parsed.std and letters(message) >= LITTLE


class Heads:
    """Which messages begin alike: a cut-off print is answerable only where one message goes on like that."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._owners: dict[tuple[str, ...], set[str]] = {}
        for site in sites:
            words = template.parse(site.message).folded
            for length in range(1, len(words) + 1):
                self._owners.setdefault(words[:length], set()).add(key(site.message))

    def only(self, message: str, intact: str, cut: str) -> bool:
        """Whether the whole literal words that the cut left begin this message alone, and are `CUT` letters or more."""
        left = cut.rstrip(".… []")
        words = [word.lower() for word in template.WORD.findall(left)]
        if len(left) < len(intact) and intact[len(left)].isalnum():
            words = words[:-1]
        kept: list[str] = []
        for word in template.parse(message).folded:
            if word not in words:
                break
            words = words[words.index(word) + 1 :]
            kept.append(word)
        return sum(map(len, kept)) >= CUT and len(self._owners.get(tuple(kept), ())) == 1
