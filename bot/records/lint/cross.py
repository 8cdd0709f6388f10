"""Rules between the records of one repository: nothing twice, no prose at the wrong message, no pattern too wide.

Every rule goes through an index of hashes or rare words, never through all pairs: time grows with the catalogue's size.
"""

from __future__ import annotations

import heapq
import zlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from bot.records.lint import fit, patterns
from bot.records.lint.rule import Subject, name_of, why_of
from bot.records.model import Level

SHINGLE = 4
"""Words to a shingle."""
SKETCH = 12
"""Smallest shingle hashes kept: records that share three of them are compared in full."""
KINDS = 16
"""Different records with the same documentation that are compared with one another."""
NEARLY = 0.8
"""Share of common shingles from which two texts count as the same."""

Complaint = tuple[Subject, str | None, str]


class Repository:
    """The records of one repository, with what several rules need of them."""

    def __init__(self, subjects: Sequence[Subject], misfits: Sequence[fit.Misfit]) -> None:
        self.subjects = subjects
        self.misfits = misfits

    @cached_property
    def also_matched(self) -> list[tuple[Subject, list[str]]]:
        return list(patterns.matches_of_others(self.subjects))


Check = Callable[[Repository], Iterator[Complaint]]


@dataclass(frozen=True, kw_only=True)
class CrossRule:
    id: str
    level: Level
    why: str
    check: Check


def cross_rule(level: Level = Level.ERROR) -> Callable[[Check], CrossRule]:
    """As `rule`, for a check that sees all records of a repository."""

    def named(check: Check) -> CrossRule:
        return CrossRule(id=name_of(check), level=level, why=why_of(check), check=check)

    return named


@cross_rule()
def slug_unique(repository: Repository) -> Iterator[Complaint]:
    """Within a repository a slug names one record: links and files are made from it."""
    for group in _groups(repository.subjects, lambda subject: subject.record.slug):
        first, *others = sorted(group, key=lambda subject: not subject.vouched)
        for subject in others:
            yield subject, "slug", f"is the slug of {first.record.id} too"


@cross_rule()
def prose_unique(repository: Repository) -> Iterator[Complaint]:
    """No two messages have the same documentation, unless the records name one family: one of them would be wrong."""
    written = [subject for subject in repository.subjects if subject.record.documentation.strip()]
    for group in _groups(written, lambda subject: " ".join(subject.record.documentation.lower().split())):
        # One of each wording stands for all of it: the group may be large.
        kinds = {(one.message_words, one.entry.extension.family, one.vouched): one for one in group}
        for subject in group if len(kinds) > 1 else ():
            other = _other_of(subject, list(kinds.values())[:KINDS])
            if other:
                yield subject, "documentation", f"is word for word that of {other.record.slug}"


@cross_rule(Level.WARNING)
def prose_distinct(repository: Repository) -> Iterator[Complaint]:
    """Nearly the same documentation at another message was copied: say what differs, or name one family."""
    seen: dict[tuple[int, int], Subject] = {}
    for subject in repository.subjects:
        shingles = _shingles(subject.record.documentation)
        # The first to show two neighbouring smallest hashes stands for all that do.
        like = {
            id(other): other for key in _sketch(shingles) if (other := seen.setdefault(key, subject)) is not subject
        }
        for other in like.values():
            theirs = _shingles(other.record.documentation)
            if shingles != theirs and _must_differ(subject, other) and _alike(shingles, theirs) >= NEARLY:
                yield subject, "documentation", f"is nearly that of {other.record.slug}"
                break


@cross_rule()
def prose_fits_own_message(repository: Repository) -> Iterator[Complaint]:
    """The prose fits its own message better than any other: else the two were joined wrongly, or swapped."""
    for misfit in repository.misfits:
        if not misfit.subject.record.documentation.strip():
            continue  # `text-present` says so; what is not written belongs nowhere yet
        other = misfit.other.record.slug
        how = f"it is swapped with that of {other}" if misfit.swapped else f"look at {other}"
        yield misfit.subject, None, f"prose and message fit others better than each other ({misfit.belongs:.0%}): {how}"


@cross_rule()
def pattern_not_overbroad(repository: Repository) -> Iterator[Complaint]:
    """A pattern that matches many other messages says too little: such a record needs its location."""
    for subject, others in repository.also_matched:
        if len(others) >= patterns.OVERBROAD and not subject.located:
            names = ", ".join(others[:3])
            yield subject, "messagePattern", f"matches {len(others)} other messages, {names} …: set needsLocation"


@cross_rule(Level.NOTE)
def pattern_subsumes(repository: Repository) -> Iterator[Complaint]:
    """A pattern that also matches a longer message gives way to it: good to know when one of the two is written."""
    for subject, others in repository.also_matched:
        if len(others) < patterns.OVERBROAD or subject.located:
            yield subject, "messagePattern", f"also matches the longer message of {', '.join(others[:3])}"


RULES: tuple[CrossRule, ...] = (
    slug_unique,
    prose_unique,
    prose_distinct,
    prose_fits_own_message,
    pattern_not_overbroad,
    pattern_subsumes,
)


def _groups(subjects: Iterable[Subject], key: Callable[[Subject], Hashable]) -> Iterator[list[Subject]]:
    groups: dict[Hashable, list[Subject]] = defaultdict(list)
    for subject in subjects:
        groups[key(subject)].append(subject)
    return (group for group in groups.values() if len(group) > 1)


def _other_of(subject: Subject, group: list[Subject]) -> Subject | None:
    """A record whose prose this one must not share. What a person vouched for never yields to the unread."""
    for other in group:
        if _must_differ(subject, other) and not (subject.vouched and not other.vouched):
            return other
    return None


def _must_differ(one: Subject, other: Subject) -> bool:
    """Whether two records should not share their prose: other words in the message, and no common family."""
    family = one.entry.extension.family
    return one.message_words != other.message_words and (family is None or family != other.entry.extension.family)


def _shingles(text: str) -> frozenset[int]:
    words = text.lower().split()
    return frozenset(
        zlib.crc32(" ".join(words[at : at + SHINGLE]).encode()) for at in range(max(1, len(words) - SHINGLE + 1))
    )


def _sketch(shingles: frozenset[int]) -> Iterator[tuple[int, int]]:
    return pairwise(heapq.nsmallest(SKETCH, shingles))


def _alike(one: frozenset[int], other: frozenset[int]) -> float:
    return len(one & other) / len(one | other)
