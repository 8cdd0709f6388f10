"""The catalogue that is shipped: every record passes lint and is reviewed, and lint sees when prose is exchanged."""

from __future__ import annotations

import hashlib

import pytest

from bench.record_swaps import at_random, false_alarms, reviewed, swap_and_lint
from bot.records.load import load_catalogue
from bot.records.model import Catalogue, Level, Trust
from tests.records.samples import ADAPTIVE, BURN, DEFORM

ROOT = BURN.parents[1]
SEEDS = {
    ADAPTIVE: "07cf95ee53b2a29456bb7e4a421bbfb4ea5d1481df1fd1e462661adbe1f5cced",
    DEFORM: "b757f489411371a4d56af2fe451f93ea7a938d588bf88bc27080d53d5c0da2a8",
}


@pytest.fixture(scope="module")
def shipped() -> Catalogue:
    return load_catalogue(ROOT)


def test_the_seeds_are_shipped_as_delivered() -> None:
    assert {seed: hashlib.sha256(seed.read_bytes()).hexdigest() for seed in SEEDS} == SEEDS


def test_everything_loads(shipped: Catalogue) -> None:
    assert [finding for finding in shipped.problems if finding.level is Level.ERROR] == []


def test_every_record_is_reviewed_and_passes_lint(shipped: Catalogue) -> None:
    failed = {
        entry.slug: [finding.message for finding in entry.findings if finding.level is not Level.NOTE]
        for entry in shipped.entries
        if entry.trust is not Trust.REVIEWED
    }
    assert failed == {}


def test_exchanged_prose_is_caught_and_prose_in_its_place_is_not() -> None:
    entries = reviewed(ROOT)
    assert false_alarms(entries) == {}
    assert len(entries) > 20
    outcome = swap_and_lint(entries, at_random, rounds=3)
    assert outcome.share >= 0.98, outcome.missed
