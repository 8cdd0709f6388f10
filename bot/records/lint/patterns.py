"""Which record's pattern also matches another record's message. Candidates come from the pattern's rarest word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from bot.records.lint.rule import Subject
from bot.records.lint.words import without_holes

OVERBROAD = 8
"""From this many other messages on, a pattern says too little to speak without a location."""
LOOKED_AT = 200
"""Messages compared with one pattern at most."""

_WORD = re.compile(r"[A-Za-z0-9]+")


def matches_of_others(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, list[str]]]:
    """Each record with the slugs of the records, of other wording, whose message its pattern matches too."""
    words = [frozenset(_WORD.findall(without_holes(subject.record.error_message))) for subject in subjects]
    where: dict[str, list[int]] = defaultdict(list)
    for at, found in enumerate(words):
        for word in found:
            where[word].append(at)
    for at, subject in enumerate(subjects):
        if not words[at]:
            continue
        rarest = min(words[at], key=lambda word: (len(where[word]), word))
        others = [
            other for other in where[rarest][:LOOKED_AT] if words[at] <= words[other] and words[at] != words[other]
        ]
        pattern = subject.pattern if others else None
        if pattern is None:
            continue
        matched = {
            subjects[other].record.error_message: subjects[other].record.slug
            for other in others
            if pattern.search(subjects[other].record.error_message)
        }
        if matched:
            yield subject, list(matched.values())
