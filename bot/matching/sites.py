"""Which record of a group is meant: one text, perhaps many places. Only the printed location and function can tell."""

from __future__ import annotations

from dataclasses import dataclass

from bot.matching import locations, score
from bot.matching.context import Setting
from bot.matching.index import Index
from bot.matching.score import Strength
from bot.matching.template import Template
from bot.matching.verdict import Location
from bot.records.model import Kind

MAX_SITES = 400
AGREES = 0.8
"""Crate and file name are the same."""
NEAR = 0.3
"""The crate is the same, or the file moved between burn's crates."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The sites that remain, one per record; more than one means that nothing tells them apart."""

    sites: tuple[int, ...]
    location: float
    """Agreement of the best site, 0 to 1."""
    refused: str | None = None
    """Why none remains; `sites` then holds the nearest."""


NONE = Choice((), 0.0)


def choose(index: Index, group: int, printed: Location | None, template: Template, setting: Setting) -> Choice:
    """The sites of `group`, whose text is `template`, that the printed location allows."""
    strength = score.strength(template)
    is_name = score.is_name(template) and setting.quality == 1.0
    if printed is not None and locations.is_std(printed):
        printed = None
    rated: list[tuple[float, bool, int]] = []
    refusals: list[tuple[float, str, int]] = []
    for site in index.sites(group)[:MAX_SITES]:
        path, function = index.paths[site], index.functions[site]
        agreed = locations.agreement(path, printed) if printed is not None and path else 0.0
        named = bool(function) and printed is not None and locations.same_function(function, printed)
        if is_name and not index.needs_location(site) and printed is not None and locations.is_kin(path, printed):
            refused = None
        elif strength is Strength.NOTHING or index.needs_location(site):
            refused = _elsewhere(path, function, printed, agreed, named)
        elif strength is Strength.LITTLE and not (index.kind(site) is Kind.SURFACED and setting.quality == 1.0):
            refused = _too_short(printed, agreed, setting)
        else:
            refused = None
        if refused is None:
            rated.append((agreed, named, site))
        else:
            refusals.append((agreed, refused, site))
    if not rated:
        _, reason, nearest = max(refusals, key=lambda r: r[0])
        return Choice((nearest,), 0.0, reason)
    best = max((agreed, named) for agreed, named, _ in rated)
    kept: dict[str, int] = {}
    for agreed, named, site in rated:
        if (agreed, named) == best:
            kept.setdefault(index.records[site], site)
    return Choice(tuple(kept.values()), min(1.0, best[0] + 0.2) if best[1] else best[0])


def _elsewhere(path: str, function: str, printed: Location | None, agreed: float, named: bool) -> str | None:
    """Why a text that says nothing by itself is not this site's."""
    if printed is None or not path:
        return "its text is common: it needs the location, and none is printed"
    if agreed < AGREES:
        return f"its text is common, and it was printed in {_name(printed)}, not at the record's place"
    if function and printed.functions and not named:
        return f"its text is common, and it was printed in the function {printed.functions[0]}, not in {function}"
    return None


def _too_short(printed: Location | None, agreed: float, setting: Setting) -> str | None:
    if printed is None:
        return (
            None
            if setting.quality == 1.0 or setting.alone
            else "its text is short: it needs the location, and none is printed"
        )
    return None if agreed >= NEAR else "its text is short, and it was printed at another place"


def _name(printed: Location) -> str:
    """Crate and file name, as far as known."""
    name = locations.place(printed.path).name
    return f"{printed.crate}'s {name}" if printed.crate else name
