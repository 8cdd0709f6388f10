"""Which record of a group is meant: one text, perhaps many places. Only the printed location and function can tell."""

from __future__ import annotations

from dataclasses import dataclass

from bot.matching import locations
from bot.matching.index import Index
from bot.matching.verdict import Location

MAX_SITES = 400
AGREES = 0.8
"""Crate and file name are the same."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The sites that remain, one per record; more than one means that nothing tells them apart."""

    sites: tuple[int, ...]
    location: float
    """Agreement of the best site, 0 to 1."""
    refused: str | None = None


def choose(index: Index, group: int, printed: Location | None, short: bool) -> Choice:
    """The sites of `group` that the printed location allows. `short`: the text alone does not tell enough."""
    rated: list[tuple[float, bool, int]] = []
    reason = "needs the location, and none is printed"
    for site in list(index.sites(group))[:MAX_SITES]:
        path, function = index.paths[site], index.functions[site]
        agreed = locations.agreement(path, printed) if printed is not None and path else 0.0
        named = bool(function) and printed is not None and locations.same_function(function, printed)
        if short or index.needs_location(site):
            if printed is None or not path:
                continue
            if agreed < AGREES:
                reason = f"needs the location, and {printed.path.rsplit('/', 1)[-1]} is another file"
                continue
            if function and printed.functions and not named:
                reason = f"needs the function {function}, and the backtrace shows {printed.functions[0]}"
                continue
        rated.append((agreed, named, site))
    if not rated:
        return Choice((), 0.0, reason)
    best = max((agreed, named) for agreed, named, _ in rated)
    kept: dict[str, int] = {}
    for agreed, named, site in rated:
        if (agreed, named) == best:
            kept.setdefault(index.records[site], site)
    location = best[0] if not best[1] else min(1.0, best[0] + 0.2)
    return Choice(tuple(kept.values()), location)
