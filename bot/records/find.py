"""Finding a record: by the name a person typed, or by words."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Sequence

from bot.records.lint.words import content_words
from bot.records.model import Entry

SHORTEST_PREFIX = 4
IN_MESSAGE, IN_NAMES, IN_PROSE = 4.0, 2.0, 1.0


def named(entries: Sequence[Entry], name: str) -> list[Entry]:
    """The records with this id or slug; else those whose id or slug begins with it. Several when it is ambiguous."""
    exact = [entry for entry in entries if name in (entry.id, entry.slug)]
    if exact or len(name) < SHORTEST_PREFIX:
        return exact
    return [entry for entry in entries if entry.id.startswith(name) or entry.slug.startswith(name)]


def close_names(entries: Sequence[Entry], name: str) -> list[str]:
    """Slugs that look like what was typed."""
    return difflib.get_close_matches(name, [entry.slug for entry in entries], n=3, cutoff=0.5)


def search_records(entries: Sequence[Entry], query: str) -> list[tuple[float, Entry]]:
    """The records that hold words of `query`, best first: rare words count more, and the message more than prose."""
    wanted = content_words(query)
    places = [_places(entry) for entry in entries]
    frequency = Counter(word for parts in places for word in wanted & (parts[0] | parts[1] | parts[2]))
    weight = {word: math.log(1 + len(entries) / count) for word, count in frequency.items()}
    found: list[tuple[float, Entry]] = []
    for entry, parts in zip(entries, places, strict=True):
        score = 0.0
        for worth, words in zip((IN_MESSAGE, IN_NAMES, IN_PROSE), parts, strict=True):
            score += worth * sum(weight[word] for word in wanted & words)
        if score:
            found.append((score, entry))
    return sorted(found, key=lambda pair: (-pair[0], pair[1].slug))


def _places(entry: Entry) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    record, extension = entry.record, entry.extension
    messages = [record.error_message, *(site.error_message for site in extension.sites)]
    names = [record.slug, record.file_path, extension.function or "", extension.family or "", *record.tags]
    prose = [record.documentation, record.trigger_scenarios, record.common_situations, *record.solutions]
    return content_words("\n".join(messages)), content_words(" ".join(names)), content_words("\n".join(prose))
