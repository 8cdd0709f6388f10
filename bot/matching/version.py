"""The burn version that an issue shows: from crate paths, Cargo lines, or prose. Simple, and silent when unsure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bot.matching.verdict import Location

_NUMBER = r"(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:-(?:pre|alpha|beta|rc|dev)(?:\.\d{1,3})?)?)"
_PATH = re.compile(r"\bburn(?:-[a-z]{2,20}){0,3}-(\d{1,2}\.\d{1,3}\.\d{1,3}(?:-[a-z]{2,6}(?:\.\d{1,3})?)?)[/\\]")
_CARGO = re.compile(
    rf"^[ \t>]*burn[ \t]*=[ \t]*(?:\"[\^=~]?|\{{[^\n}}]{{0,200}}?version[ \t]*=[ \t]*\"[\^=~]?){_NUMBER}\"",
    re.MULTILINE,
)
_PROSE = re.compile(
    rf"\bburn(?:[ -](?:version|v|rs))?[ \t]*[:=]?[ \t]*[`\"']?[v~^]?{_NUMBER}\b(?![\w/])", re.IGNORECASE
)


def burn_version(text: str, printed: Iterable[Location]) -> str | None:
    """The version of burn, e.g. "0.18.0" or "0.18"; paths of panics first, then any path, Cargo, prose."""
    for location in printed:
        if location.version and location.crate and (location.crate == "burn" or location.crate.startswith("burn-")):
            return location.version
    paths = Counter(match[1] for match in _PATH.finditer(text))
    if paths:
        return min(paths, key=lambda version: (-paths[version], version))
    for pattern in (_CARGO, _PROSE):
        match = pattern.search(text)
        if match is not None:
            return match[1]
    return None
