"""Whether an answer to a labelled issue is right.

A comment is right when the message of its first record is one that the issue prints, holes of the message standing
for anything; and, where that message is only a consequence of an earlier panic, when the answer says so.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

import msgspec

from bot.evaluation.cases import Case, Expect, Printed
from bot.matching.verdict import Decision, Role

_HOLE = re.compile(r"\{[^{}]*\}|\(\.\+\?\)")
_BLANKS = re.compile(r"\s+")
_STUBS = frozenset(("not implemented", "not yet implemented", "internal error: entered unreachable code"))
_HEAD = 20
"""Characters a print needs to count as the beginning of a longer message."""


class Outcome(enum.StrEnum):
    RIGHT = "right"
    LOCATED = "right-located"
    """right, by the place alone: the text says nothing"""
    WRONG = "wrong"
    NOT_ROOT = "wrong-not-root"
    """explains a consequence as if it were the cause"""
    FALSE = "false"
    """speaks where nothing is to be explained"""
    MISSED = "missed"
    """silent where a comment is wanted"""
    SILENT = "silent"

    @property
    def spoke(self) -> bool:
        return self not in (Outcome.MISSED, Outcome.SILENT)

    @property
    def right(self) -> bool:
        return self in (Outcome.RIGHT, Outcome.LOCATED)

    @property
    def bad(self) -> bool:
        return self.spoke and not self.right


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of a verdict: the decision, and of an explanation its first record."""

    decision: Decision
    message: str = ""
    role: Role = Role.ROOT


def judge(case: Case, answer: Answer) -> Outcome:
    if answer.decision is not Decision.EXPLAIN:
        return Outcome.MISSED if case.expect is Expect.EXPLAIN else Outcome.SILENT
    if case.expect is Expect.SILENT:
        return Outcome.FALSE
    shown = [printed for printed in case.printed if shows(answer.message, printed.message)]
    if not shown:
        return Outcome.WRONG
    if not _roots(shown) and answer.role is not Role.SECONDARY:
        return Outcome.NOT_ROOT
    return Outcome.LOCATED if _plain(answer.message) in _STUBS else Outcome.RIGHT


def shows(message: str, printed: str) -> bool:
    """Whether `printed` shows the record's `message`: all its literal pieces in order, or a cut-off beginning of it."""
    pieces = [piece for piece in map(_plain, _HOLE.split(message)) if piece]
    if not pieces:
        return False
    text = _plain(printed)
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            head = _plain(message.split("{", 1)[0])
            return len(text) >= _HEAD and head.startswith(text.rstrip(".… "))
        at = found + len(piece)
    return True


def _roots(printed: Sequence[Printed]) -> bool:
    return any(one.root for one in printed)


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().lower()
