"""The burn version that an issue shows, from the surest sign to the weakest, and none when unsure.

Every burn release so far is 0.x, which tells its versions from those of compilers, drivers and systems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bot.matching.verdict import Location

_NUMBER = r"(0\.\d{1,3}(?:\.\d{1,3})?(?:-(?:pre|alpha|beta|rc|dev)(?:\.\d{1,3})?)?)(?![\w-]|\.\d)"
_PATH = re.compile(r"burn(?:-[a-z]{2,20}){0,3}-(0\.\d{1,3}\.\d{1,3}(?:-[a-z]{2,6}(?:\.\d{1,3})?)?)[/\\]")
_SAID = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Cargo.toml and Cargo.lock lines, cargo's own output.
        rf"^[ \t>`]*burn[ \t]*=[ \t]*(?:\{{[^\n}}]{{0,200}}?version[ \t]*=[ \t]*)?\"[\^=~]?{_NUMBER}",
        rf"name = \"burn\"\s{{1,40}}version = \"{_NUMBER}",
        rf"Compiling burn v{_NUMBER}",
        # Sentences and lists: burn 0.18, Burn v0.18.0, burn: 0.18, burn-core 0.18.
        r"[Bb]urn(?:-[a-z]{2,20}){0,2}`?(?: crate)?[ \t]*[:=]?[ \t]*[`\"']?"
        rf"(?:version[ \t]*)?[v~^=]{{0,2}}{_NUMBER}",
        rf"^[ \t>*-]*(?:Burn )?[Vv]ersion[ \t]*[:=]?[ \t*]*`?v?{_NUMBER}",
    )
)


def burn_version(text: str, printed: Iterable[Location]) -> str | None:
    """The version of burn, e.g. "0.18.0" or "0.18": of the panic's path, of any path, of a Cargo line, as said."""
    for location in printed:
        if location.version and location.crate and (location.crate == "burn" or location.crate.startswith("burn-")):
            return location.version
    paths = Counter(match[1] for match in _PATH.finditer(text))
    if paths:
        return min(paths, key=lambda version: (-paths[version], version))
    for pattern in _SAID:
        match = pattern.search(text)
        if match is not None:
            return match[1]
    return None
