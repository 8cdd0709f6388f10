"""Labelled issues: what an issue prints, and which answer is right for it."""

from __future__ import annotations

import enum
from collections.abc import Iterable

import msgspec


class Expect(enum.StrEnum):
    EXPLAIN = "explain"
    """a message that the source raises today is printed: a comment is wanted"""
    EITHER = "either"
    """a message of an older release or of another project is printed: a comment by its own record is welcome"""
    SILENT = "silent"
    """nothing is printed that a record could explain: every comment is wrong"""


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    message: str
    root: bool = True
    """False for a consequence of an earlier panic."""
    owner: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    title: str
    body: str | None
    """GitHub sends null for an empty one."""
    expect: Expect
    printed: list[Printed] = []
    kind: str | None = None
    labels: list[str] = []
    """What the maintainers set; empty also where nobody has looked yet."""
    source: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """What the positions of a verdict refer to."""
        return f"{self.title}\n\n{self.body or ''}"


class CasesError(ValueError):
    """The file of cases cannot be read; the text names line and field."""


def read_cases(lines: Iterable[bytes]) -> list[Case]:
    """Read JSON lines; blank lines are skipped. Raises CasesError on the first bad line or repeated id."""
    decoder = msgspec.json.Decoder(Case)
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CasesError(f"line {number}: {error}") from error
        if case.id in cases:
            raise CasesError(f"line {number}: id {case.id!r} stands there twice")
        cases[case.id] = case
    if not cases:
        raise CasesError("there is no case in it")
    return list(cases.values())
