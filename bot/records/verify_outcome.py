"""What `records verify` looks at, and what it answers."""

from __future__ import annotations

import enum

import msgspec


class Check(enum.StrEnum):
    LITERAL = "literal"
    """the message stands at file and line"""
    PERMALINK = "permalink"
    """the link's lines show it"""
    EXCERPT = "excerpt"
    """the record's `sourceCode` is the source"""
    FUNCTION = "function"
    """the enclosing function is the stated one"""
    SITES = "sites"
    """a further site's message stands where it says"""
    PROOF = "proof"
    """a review's lines exist"""
    CODE = "code"
    """example code parses"""
    API = "api"
    """every name exists in the stated version"""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that does not hold (or, among `unchecked`, that could not be looked at)."""

    check: Check
    record: str
    """Slug."""
    id: str
    path: str
    """The record's file."""
    field: str
    message: str
    sentence: str | None = None
    """The sentence or source line that says it."""


class Proven(msgspec.Struct, frozen=True, kw_only=True):
    records: int
    checked: dict[str, int]
    """By check: how many single claims were looked at."""
    failures: tuple[Problem, ...]
    unchecked: tuple[Problem, ...]
    """Nothing to compare with: no checkout, no such commit, no such release."""


class Found(msgspec.Struct, frozen=True):
    """The outcome of one claim: a complaint, none, or a reason why nobody can tell."""

    check: Check
    field: str
    complaint: str | None = None
    sentence: str | None = None
    checked: bool = True
