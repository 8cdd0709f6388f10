"""The allow-list of names that exist outside a checkout: data with reasons, in `known.toml`."""

from __future__ import annotations

import tomllib
from importlib import resources

import msgspec


class _Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reason: str
    words: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    names: list[_Group]
    crates: list[_Group]
    foreign: list[_Group]
    provided: list[_Group]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    names: frozenset[str]
    crates: frozenset[str]
    """Crates whose paths are taken as given, with underscores."""
    foreign: frozenset[str]
    """Names that begin another language's expressions."""
    provided: frozenset[str]
    """What traits from outside give to any type."""


def load_known() -> Known:
    text = resources.files("bot.records.rust").joinpath("known.toml").read_text(encoding="utf-8")
    file = msgspec.convert(tomllib.loads(text), _File)
    return Known(
        names=_words(file.names),
        crates=_words(file.crates),
        foreign=_words(file.foreign),
        provided=_words(file.provided),
    )


def _words(groups: list[_Group]) -> frozenset[str]:
    return frozenset(word for group in groups for word in group.words.split())
