"""Siblings are never taken for each other: every pair of words that tell messages apart, both ways."""

from __future__ import annotations

import pytest

from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from tests.issue_generator.near_misses import near_misses

PAIRS = list(near_misses())


def test_there_are_pairs_of_every_kind() -> None:
    words = {(pair.printed.slug, pair.sibling.slug) for pair in PAIRS}
    assert {("2d", "3d"), ("3d", "2d"), ("float", "int"), ("min", "max"), ("conv", "conv-transpose")} <= words
    assert {(other, one) for one, other in words} == words, "every pair both ways"
    assert len(PAIRS) > 300


@pytest.mark.parametrize("word", sorted({pair.printed.slug for pair in PAIRS}))
def test_a_sibling_stays_silent_alone_and_gives_way_to_the_one_that_is_printed(word: str) -> None:
    pairs = [pair for pair in PAIRS if pair.printed.slug == word]
    named = 0
    for pair in pairs:
        alone = Matcher.build([pair.sibling]).judge("It stops", pair.body)
        assert alone.decision is not Decision.EXPLAIN, f"{pair.sibling.message!r} is said of {pair.body}"
        both = Matcher.build([pair.sibling, pair.printed]).judge("It stops", pair.body)
        if both.decision is Decision.EXPLAIN:
            assert both.matches[0].record == pair.printed.record, f"{both.matches[0].message!r} is said of {pair.body}"
            named += 1
    assert named >= 0.85 * len(pairs), "silence about everything would be easy"
