"""The hidden line by which the bot knows its own comments again.

It names the subject, so that a copy of the comment under another issue does not count, and it counts only as the first
or last line: a reply that quotes the comment carries the marker too, but not there. Whether the comment is ours at all
is for the GitHub room to tell.
"""

from __future__ import annotations

import re

import msgspec

NAME = "burn-triage"
_SUBJECT = r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}#[1-9][0-9]{0,17}"
_PURPOSE = r"[a-z][a-z0-9-]{0,30}(?::[A-Za-z0-9_-]{1,60})?"
_RECORD = r"[0-9a-f]{16}"
_MARKER = re.compile(
    rf"<!-- {NAME} v1 subject=(?P<subject>{_SUBJECT}) purpose=(?P<purpose>{_PURPOSE})"
    rf"(?: record=(?P<record>{_RECORD}))? -->"
)
MAIN = "main"
"""The purpose of the one comment that explains the issue."""


class Marker(msgspec.Struct, frozen=True, kw_only=True):
    subject: str
    """`owner/name#number`"""
    purpose: str
    """`main`, or what else the comment is for, as in `reply:123`"""
    record: str | None
    """Id of the record that the comment explains."""


def marker(*, subject: str, purpose: str, record: str | None) -> str:
    """The marker as a line. Raises ValueError for anything that is not of the form above."""
    line = f"<!-- {NAME} v1 subject={subject} purpose={purpose}{f' record={record}' if record is not None else ''} -->"
    if _MARKER.fullmatch(line) is None:
        raise ValueError(f"not to be put into a marker: {subject!r}, {purpose!r}, {record!r}")
    return line


def find_marker(body: str) -> Marker | None:
    """The marker of a comment, from its first or last line; None for any other comment."""
    lines = body.strip().splitlines()
    for line in (lines[-1], lines[0]) if lines else ():
        found = _MARKER.fullmatch(line.strip())
        if found is not None:
            return Marker(subject=found["subject"], purpose=found["purpose"], record=found["record"])
    return None


def has_marker(body: str, *, subject: str, purpose: str) -> bool:
    """Whether the comment is the one for this subject and purpose. Repository names know no case."""
    found = find_marker(body)
    return found is not None and found.subject.lower() == subject.lower() and found.purpose == purpose
