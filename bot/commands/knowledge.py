"""What the bot knows: the catalogue as loaded and the matcher built from it. Every command starts here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from bot.matching.matcher import Matcher
from bot.records.load import load_catalogue, sites
from bot.records.model import Catalogue, Entry


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    catalogue: Catalogue
    entries: dict[str, Entry]
    matcher: Matcher


def load_knowledge(root: Path, *, index: Path | None = None) -> Knowledge:
    """Load the catalogue below `root` and its matcher, from the saved `index` when that still fits.

    Raises `click.ClickException` when not a single record could be loaded: a bot without records can only be silent.
    """
    catalogue = load_catalogue(root)
    if not catalogue.entries:
        reasons = "".join(f"\n  {finding.path}: {finding.message}" for finding in catalogue.problems[:10])
        raise click.ClickException(f"no record could be loaded from {root}{reasons}")
    matcher = Matcher.load(index, catalogue.content_hash) if index else None
    if matcher is None:
        matcher = Matcher.build(sites(catalogue))
        if index:
            _keep(matcher, index, catalogue.content_hash)
    return Knowledge(catalogue=catalogue, entries=catalogue.by_id(), matcher=matcher)


def _keep(matcher: Matcher, index: Path, key: str) -> None:
    """Only a saving of time: without it the next run builds the index again."""
    try:
        matcher.save(index, key)
    except OSError as error:
        click.echo(f"the index cannot be kept in {index}: {error.strerror}", err=True)
