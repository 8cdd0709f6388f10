"""What is measured with: catalogues of every size, and issues of 64 KB."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from bot.records.load import load_catalogue
from bot.records.model import Site
from bot.records.sites import sites as sites_of
from tests.issue_generator import catalogue, surroundings
from tests.issue_generator.issues import positives
from tests.issue_generator.keys import Split

BASE = 1_600
SIZE = 65_000
"""Characters of a long issue: just under GitHub's limit of 65,536."""


def base(source: Path | None) -> list[Site]:
    """The sites that issues are made from: those of a catalogue, or invented ones."""
    return catalogue.sites(BASE) if source is None else list(sites_of(load_catalogue(source)))


def grown(sites: Sequence[Site], count: int) -> list[Site]:
    """The first `count` of these sites and, when they do not suffice, of invented ones."""
    missing = count - len(sites)
    return list(sites[:count]) if missing <= 0 else [*sites, *catalogue.sites(missing, seed=2)]


def long_issues(sites: Sequence[Site], count: int, *, seed: int = 3) -> list[tuple[str, str]]:
    """`count` issues of 64 KB that print a message somewhere between logs, program text and backtraces."""
    rng = random.Random(f"{seed}:long")
    return [
        (issue.title, surroundings.padded(issue.body, SIZE, rng))
        for issue in positives(sites, split=Split.TEST, count=count, seed=seed)
    ]
