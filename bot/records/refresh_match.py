"""Where does a record's message stand at another commit? By its text first, then by its function and a likeness.

Line numbers are never what finds it: they only choose between two places of one file that say the same.
"""

from __future__ import annotations

import enum
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

import msgspec
from rapidfuzz import fuzz

from bot.records.harvest import FoundSite, crate_of
from bot.records.rust.literal import canonical
from bot.records.rust.sites import PRINTED_ALONE

TELLING = 12
"""Literal characters from which a text alone says which error it is."""

SAME_FUNCTION = 0.55
SAME_FUNCTION_ELSEWHERE = 0.9
"""Only looked for when the old file is gone: else the same function of a sibling backend would do."""
SAME_FILE = 0.8
OTHER_IDENTIFIERS = 0.15
"""What it costs when the identifiers in the two texts differ."""
MARGIN = 0.04
"""By how much the best rewording must beat the next."""

_HOLE = re.compile(r"\{\}")
_TOKEN = re.compile(r"\w+")


class Status(enum.StrEnum):
    SAME = "same"
    """file, line and text as before"""
    MOVED = "moved"
    REWORDED = "reworded"
    GONE = "gone"


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a message where the record has it."""

    message: str
    path: str
    line: int | None
    function: str | None


class Located(msgspec.Struct, frozen=True, kw_only=True):
    status: Status
    found: FoundSite | None = None
    """`None` exactly when gone."""
    likeness: float = 1.0
    """Of the two texts, 0 to 1."""


class SiteIndex:
    """The error sites of one commit, by text and by place."""

    def __init__(self, sites: Iterable[FoundSite], files: Iterable[str] = ()) -> None:
        """`files` are the paths of the commit's sources, those without an error site too."""
        self._files = frozenset(files)
        self._by_text: dict[str, list[FoundSite]] = defaultdict(list)
        self._by_function: dict[str, list[FoundSite]] = defaultdict(list)
        self._by_file: dict[str, list[FoundSite]] = defaultdict(list)
        self._texts: dict[str, set[str]] = defaultdict(set)
        for one in sites:
            text = canonical(one.site.message)
            self._by_text[text].append(one)
            self._texts[one.path].add(text)
            self._by_file[one.path].append(one)
            if one.site.function:
                self._by_function[one.site.function].append(one)

    def has(self, path: str, message: str) -> bool:
        """Whether a file holds a text."""
        return canonical(message) in self._texts.get(path, ())

    def function_of(self, path: str, message: str, line: int | None) -> str | None:
        """The function that raises a text in a file, nearest to a line; `None` where nothing does."""
        wanted = canonical(message)
        places = [one for one in self._by_file.get(path, ()) if canonical(one.site.message) == wanted]
        nearest = min(places, key=lambda one: abs(one.site.line - (line or 0)), default=None)
        return nearest.site.function if nearest else None

    def locate(
        self, sought: Sought, *, before: SiteIndex | None = None, taken: frozenset[str] = frozenset()
    ) -> Located:
        """Where `sought` is now.

        What stood somewhere in `before`, the commit of the record, is no new place or wording of it, but a sibling.
        `taken` are the canonical texts of other records, for when that commit cannot be read.
        """
        exact = self._exact(sought, before)
        if exact is not None:
            stays = exact.path == sought.path and sought.line in range(exact.site.line, exact.site.last_line + 1)
            return Located(status=Status.SAME if stays else Status.MOVED, found=exact)
        return self._reworded(sought, before, taken) or Located(status=Status.GONE, likeness=0.0)

    def _exact(self, sought: Sought, before: SiteIndex | None) -> FoundSite | None:
        places = self._by_text.get(canonical(sought.message), [])
        places = [one for one in places if one.path == sought.path or not _stood(one, before)]
        if not is_telling(sought.message):
            # `not implemented` stands in a hundred places: only file and function tell which one it is.
            places = [one for one in places if _same_file(one, sought) and _same_function(one, sought)]
        return min(places, key=lambda one: _distance(one, sought)) if places else None

    def _reworded(self, sought: Sought, before: SiteIndex | None, taken: frozenset[str]) -> Located | None:
        near = {id(one): one for one in self._by_file.get(sought.path, ())}
        if sought.path not in self._files and not near:
            near = {id(one): one for one in self._by_function.get(sought.function or "", ())}
        rated = sorted(
            (
                (likeness, one)
                for one in near.values()
                if not one.site.bare and not _stood(one, before) and canonical(one.site.message) not in taken
                if (likeness := _likeness(sought, one)) is not None
            ),
            key=lambda pair: (-pair[0], _distance(pair[1], sought)),
        )
        if not rated:
            return None
        best, one = rated[0]
        rivals = [likeness for likeness, other in rated if canonical(other.site.message) != canonical(one.site.message)]
        if rivals and best - rivals[0] < MARGIN:
            return None
        return Located(status=Status.REWORDED, found=one, likeness=round(best, 3))


def _stood(one: FoundSite, before: SiteIndex | None) -> bool:
    return before is not None and before.has(one.path, one.site.message)


def is_telling(message: str) -> bool:
    """Whether the text alone says which error it is: enough of its own letters, and not what std prints for a stub."""
    return _weight(message) >= TELLING and canonical(message) not in PRINTED_ALONE.values()


def _weight(message: str) -> int:
    """Letters and digits outside holes."""
    return sum(character.isalnum() for character in _HOLE.sub("", canonical(message)))


def _likeness(sought: Sought, one: FoundSite) -> float | None:
    """How alike the texts are, or `None` where they cannot be one message in two wordings."""
    old, new = canonical(sought.message), canonical(one.site.message)
    # 2d is not 3d, and `6 dimensions` is not `7 dimensions`: a digit tells sibling messages apart.
    if _with_digits(old) != _with_digits(new) or not (is_telling(old) and is_telling(new)):
        return None
    likeness = fuzz.ratio(old.lower(), new.lower()) / 100
    if _same_function(one, sought):
        wanted = SAME_FUNCTION if one.path == sought.path else SAME_FUNCTION_ELSEWHERE
    else:
        wanted = SAME_FILE
    if _identifiers(old) != _identifiers(new):
        wanted += OTHER_IDENTIFIERS
    return likeness if likeness >= wanted else None


def _with_digits(text: str) -> list[str]:
    return sorted(token.lower() for token in _TOKEN.findall(text) if any(character.isdigit() for character in token))


def _identifiers(text: str) -> frozenset[str]:
    """snake_case and CamelCase names."""
    return frozenset(
        token
        for token in _TOKEN.findall(text)
        if "_" in token or (token[1:] != token[1:].lower() and token.upper() != token)
    )


def _same_file(one: FoundSite, sought: Sought) -> bool:
    return one.path == sought.path or PurePosixPath(one.path).name == PurePosixPath(sought.path).name


def _same_function(one: FoundSite, sought: Sought) -> bool:
    return sought.function is not None and one.site.function == sought.function


def _distance(one: FoundSite, sought: Sought) -> tuple[bool, bool, bool, bool, int, str]:
    """Smaller is nearer: path, then function, file name, crate; the line decides only within one file."""
    lines = abs(one.site.line - (sought.line or 0)) if one.path == sought.path else one.site.line
    return (
        one.path != sought.path,
        not _same_function(one, sought),
        not _same_file(one, sought),
        one.crate != crate_of(sought.path),
        lines,
        one.path,
    )
