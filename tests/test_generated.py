"""Generated issues: the generator keeps its promises, and the matcher its precision on the long tail.

The records are invented, as dense with siblings as a tensor library's. The figures of the test half are a floor:
nothing is tuned on it. `make bench` measures more of them.
"""

from __future__ import annotations

import random

import pytest
from rapidfuzz import fuzz, process

from bench import quality
from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from bot.records.model import Site
from tests.issue_generator import catalogue
from tests.issue_generator.corruption import Corruption
from tests.issue_generator.filling import filled
from tests.issue_generator.issues import hard_negatives, positives
from tests.issue_generator.keys import Heads, Split, key, of_split
from tests.issue_generator.negatives import Negative
from tests.issue_generator.siblings import sibling

COUNT = 900
FLOORS = {
    Corruption.INTACT: 0.98,
    Corruption.TYPOS: 0.75,
    Corruption.REWORDED: 0.68,
    Corruption.TRUNCATED: 0.8,
    Corruption.WRAPPED: 0.95,
    Corruption.ANSI: 0.95,
    Corruption.CR: 0.95,
    Corruption.QUOTED: 0.95,
    Corruption.ENTITIES: 0.95,
    Corruption.PROSE: 0.95,
    Corruption.TITLE: 0.95,
    Corruption.PREFIXED: 0.95,
}


@pytest.fixture(scope="module")
def sites() -> list[Site]:
    return catalogue.sites(800)


@pytest.fixture(scope="module")
def measured(sites: list[Site]) -> quality.Quality:
    return quality.of_matcher(sites, quality.mixed_issues(sites, COUNT))


def test_the_same_seed_makes_the_same_issues(sites: list[Site]) -> None:
    def made(seed: int) -> list[object]:
        return [
            *positives(sites, split=Split.DEV, count=36, seed=seed),
            *hard_negatives(sites, split=Split.DEV, count=18, seed=seed),
        ]

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_a_larger_catalogue_begins_with_the_smaller_one() -> None:
    assert catalogue.sites(300)[:100] == catalogue.sites(100)


def test_the_halves_share_no_text(sites: list[Site]) -> None:
    dev, test = ({key(site.message) for site in of_split(sites, split)} for split in Split)
    assert not dev & test
    assert min(len(dev), len(test)) > 0.4 * len(dev | test)


def test_the_catalogue_is_full_of_siblings(sites: list[Site]) -> None:
    known = {key(site.message) for site in sites}
    assert len(known) < len(sites), "some texts are raised at several places"
    with_sibling = [
        text for text in known if max(process.cdist([text], list(known - {text}), scorer=fuzz.ratio)[0]) >= 90
    ]
    assert len(with_sibling) >= 0.3 * len(known), "as among the messages of burn"


def test_every_kind_of_issue_occurs(sites: list[Site]) -> None:
    kinds = {issue.kind for issue in quality.mixed_issues(sites, 108)}
    assert kinds == {*Corruption, *Negative} - {Negative.REMOVED}


def test_holes_are_filled_and_braces_kept() -> None:
    rng = random.Random(1)
    assert filled("a {{b}} c", rng) == "a {b} c"
    assert "{" not in filled("dimension {dim} of {shape:?} in {}", rng).replace("TensorId {", "").replace("Shape {", "")


def test_a_sibling_differs_in_one_word() -> None:
    for seed in range(20):
        assert sibling("the first row", random.Random(seed)) in ("the last row", "the first column")
    assert sibling("nothing to exchange here", random.Random(1)) is None


def test_a_cut_off_text_is_answerable_only_where_one_message_goes_on_like_that() -> None:
    shared = "the quantization scheme of the layer is"
    sites = [_site(f"{shared} unknown"), _site(f"{shared} missing"), _site("the optimizer lost its state entirely")]
    heads = Heads(sites)
    assert not heads.only(sites[0].message, sites[0].message, f"{shared}…")
    assert heads.only(sites[2].message, sites[2].message, "the optimizer lost its state…")
    assert not heads.only(sites[2].message, sites[2].message, "the optim…")


def _site(message: str) -> Site:
    return Site(
        record=key(message)[:16], slug="s", repo=catalogue.REPOSITORY, message=message, file_path="crates/a/b.rs"
    )


def test_nothing_wrong_is_said_about_generated_issues(measured: quality.Quality) -> None:
    assert list(measured.failures) == []
    assert measured.count(quality.RIGHT) > COUNT // 3


@pytest.mark.parametrize("kind", list(Corruption))
def test_what_happened_to_the_text_does_not_hide_it(measured: quality.Quality, kind: Corruption) -> None:
    found = measured.recall([kind])
    assert found.value is not None
    assert found.value >= FLOORS[kind], f"{kind}: {found}"


def test_no_other_record_speaks_when_the_right_one_is_missing(sites: list[Site]) -> None:
    found = quality.without_their_records(sites, 360, folds=3)
    assert list(found.failures) == []


def test_the_right_record_is_named_among_many(sites: list[Site]) -> None:
    """A thousand unrelated records more do not change what is said."""
    issues = list(positives(sites, split=Split.TEST, count=24, seed=5, kinds=(Corruption.INTACT,)))
    crowd = Matcher.build([*sites, *catalogue.sites(1_000, seed=9)])
    for issue in issues:
        verdict = crowd.judge(issue.title, issue.body)
        assert verdict.decision is Decision.EXPLAIN, issue.message
        assert verdict.matches[0].record == issue.record
