"""Siblings are never taken for each other: every pair of words that tell messages apart, both ways."""

from __future__ import annotations

import pytest

from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from tests.issue_generator.near_misses import NearMiss, near_misses

PAIRS = list(near_misses())


def named(pair: NearMiss) -> str:
    return f"{pair.printed.slug} printed, not {pair.sibling.slug}"


def test_there_are_pairs_of_every_kind() -> None:
    words = {(pair.printed.slug, pair.sibling.slug) for pair in PAIRS}
    assert {("2d", "3d"), ("3d", "2d"), ("float", "int"), ("min", "max"), ("conv", "conv-transpose")} <= words
    assert {(other, one) for one, other in words} == words, "every pair both ways"
    assert len(PAIRS) > 300


@pytest.mark.parametrize("word", sorted({pair.printed.slug for pair in PAIRS}))
def test_a_sibling_stays_silent_alone_and_gives_way_to_the_one_that_is_printed(word: str) -> None:
    for pair in PAIRS:
        if pair.printed.slug != word:
            continue
        alone = Matcher.build([pair.sibling]).judge("It stops", pair.body)
        assert alone.decision is not Decision.EXPLAIN, f"{named(pair)}: {pair.body}"
        both = Matcher.build([pair.sibling, pair.printed]).judge("It stops", pair.body)
        assert both.decision is Decision.EXPLAIN, f"{named(pair)}: {both.reason}"
        assert both.matches[0].record == pair.printed.record, named(pair)
