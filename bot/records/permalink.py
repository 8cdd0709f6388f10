"""A GitHub link to source lines at a fixed commit, read back into its parts."""

from __future__ import annotations

import re
from urllib.parse import unquote

import msgspec

COMMIT = re.compile(r"[0-9a-f]{40}")

_PERMALINK = re.compile(
    r"https://github\.com/(?P<repo>[A-Za-z0-9._-]+/[A-Za-z0-9._-]+)/blob/(?P<sha>[0-9a-f]{40})/"
    r"(?P<path>[^#?\s]+)(?:#L(?P<start>[1-9][0-9]{0,7})(?:-L(?P<end>[1-9][0-9]{0,7}))?)?"
)


class Permalink(msgspec.Struct, frozen=True, kw_only=True):
    repo: str
    sha: str
    path: str
    start: int | None
    end: int | None
    """Equal to `start` for a single line; both None when the link names no lines."""


def parse_permalink(url: str) -> Permalink | None:
    """None unless `url` is a blob link pinned to a full commit id.

    https://docs.github.com/en/repositories/working-with-files/using-files/getting-permanent-links-to-files
    """
    found = _PERMALINK.fullmatch(url) if len(url) <= 2_000 else None
    if found is None:
        return None
    start = int(found["start"]) if found["start"] else None
    end = int(found["end"]) if found["end"] else start
    return Permalink(repo=found["repo"], sha=found["sha"], path=unquote(found["path"]), start=start, end=end)
