"""The answer of the matcher: explain, ambiguous or abstain, each with the evidence for and against."""

from __future__ import annotations

import enum

import msgspec


class Decision(enum.StrEnum):
    EXPLAIN = "explain"
    """one record's message is printed, and no other could be meant: may speak by itself"""
    AMBIGUOUS = "ambiguous"
    """one text, several records, nothing that tells them apart: speaks only when asked"""
    ABSTAIN = "abstain"


class Role(enum.StrEnum):
    ROOT = "root"
    SECONDARY = "secondary"
    """a consequence of an earlier panic"""


class Source(enum.StrEnum):
    """Where in the issue a piece of evidence was found."""

    PANIC = "panic"
    ERROR = "error"
    CAUSED_BY = "caused-by"
    REPORT = "report"
    """a numbered reason of a tensor operation report"""
    ASSERTION = "assertion"
    TITLE = "title"
    CODE = "code"
    """a code span or a line of a fence without a panic header"""
    PROSE = "prose"


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """A `file:line:col` with what its path tells. Line numbers drift and are never matched."""

    path: str
    line: int | None = None
    crate: str | None = None
    version: str | None = None
    functions: tuple[str, ...] = ()
    """Function names of the backtrace that belongs to it, innermost first."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Where the words stand in the text that was judged (title + "\\n\\n" + body): character offsets, 1-based line."""

    start: int
    end: int
    line: int


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    source: Source
    text: str
    """The cleaned message text."""
    quote: str
    """The line of the issue as a person would recognise it (at most 300 characters)."""
    span: Span
    location: Location | None = None
    order: int = 0
    """Position among the printed messages: 0 is the first."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The parts add up to what the verdict rests on; each is 0 to 1."""

    total: float
    exact: bool
    """the template matches the text word for word, holes aside"""
    coverage: float
    """share of the template's literal weight found in the text"""
    alignment: float
    """similarity of the aligned words"""
    location: float
    """agreement of crate, file and function: 1 all, 0 nothing known or other"""
    weight: float
    """how telling the template's words are in this catalogue"""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    record: str
    slug: str
    message: str
    role: Role
    confidence: float
    """0 to 1; `score.total` after evidence quality. Only a printed location can speak against it."""
    evidence: Evidence
    score: Score
    words: tuple[Span, ...] = ()
    """the matched words inside the judged text, for highlighting"""


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate that was looked at and refused, with the reason a person can follow."""

    record: str
    slug: str
    message: str
    score: float
    reason: str
    """e.g. `veto: "3d" stands where the record has "2d"`, `below the threshold`, `needs the location`"""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    decision: Decision
    reason: str
    """One clause a person can follow."""
    matches: tuple[Match, ...] = ()
    """Best first: the root panic, then what follows from it. For ambiguous: the records it could be."""
    runner_up: Rejected | None = None
    margin: float = 0.0
    """Score of the best minus score of the runner-up of another message."""
    rejected: tuple[Rejected, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """All that was found printed, matched or not."""
    version: str | None = None
    """The burn version that the issue shows, if any."""
