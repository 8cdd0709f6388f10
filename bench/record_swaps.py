"""How much wrongly joined prose lint catches, and what it says of prose that stands where it belongs.

The prose of reviewed records is exchanged, pair by pair, while message, file, function and examples stay: what
upstream's join by a model's index does when it slips. A record counts as caught when a rule about
prose then reports an error.

    python -m bench.record_swaps [CATALOGUE] [--rounds N]
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bot.records.lint import join, lint_entries
from bot.records.load import load_catalogue
from bot.records.model import AUTHORED_FIELDS, Entry, Extension, Level, Record, Trust
from bot.records.where import default_root

AUTHORED = tuple(spec.name for spec in msgspec.structs.fields(Record) if spec.encode_name in AUTHORED_FIELDS)

PROSE_RULES = frozenset({rule.id for rule in join.RULES} | {"prose-fits-own-message", "prose-unique"})
"""Those that compare prose with what it is said of: the only ones that may count a swap as caught."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    swapped: int
    caught: int
    rules: Counter[str]
    """How many of the swapped records each rule reports."""
    missed: Counter[tuple[str, str]]
    """Slugs of message and prose."""

    @property
    def share(self) -> float:
        return self.caught / self.swapped if self.swapped else 1.0


Pairing = Callable[[Sequence[Entry], random.Random], list[tuple[int, int]]]


def reviewed(root: Path) -> list[Entry]:
    return [entry for entry in load_catalogue(root).entries if entry.trust is Trust.REVIEWED]


def at_random(entries: Sequence[Entry], rng: random.Random) -> list[tuple[int, int]]:
    """Everybody with somebody."""
    order = list(range(len(entries)))
    rng.shuffle(order)
    return list(zip(order[::2], order[1::2], strict=False))


def one_pair(entries: Sequence[Entry], rng: random.Random) -> list[tuple[int, int]]:
    """A single slip in a catalogue that is otherwise sound."""
    first, second = rng.sample(range(len(entries)), 2)
    return [(first, second)]


def swap_and_lint(entries: Sequence[Entry], pairing: Pairing, *, rounds: int, seed: int = 1) -> Outcome:
    """Pairs of one family share one explanation: they are left out."""
    rng = random.Random(seed)
    swapped = caught = 0
    rules: Counter[str] = Counter()
    missed: Counter[tuple[str, str]] = Counter()
    for _ in range(rounds):
        pairs = [pair for pair in pairing(entries, rng) if not _kin(entries[pair[0]], entries[pair[1]])]
        prose_of = {at: other for pair in pairs for at, other in (pair, pair[::-1])}
        joined = [
            _with_prose(entry, entries[prose_of[at]].record) if at in prose_of else entry
            for at, entry in enumerate(entries)
        ]
        errors: dict[str, set[str]] = {}
        for finding in lint_entries(joined, Path()):
            if finding.level is Level.ERROR and finding.record and finding.rule in PROSE_RULES:
                errors.setdefault(finding.record, set()).add(finding.rule)
        for at, other in prose_of.items():
            swapped += 1
            found = errors.get(entries[at].id, set())
            caught += bool(found)
            rules.update(found)
            if not found:
                missed[entries[at].slug, entries[other].slug] += 1
    return Outcome(swapped=swapped, caught=caught, rules=rules, missed=missed)


def without_review(entry: Entry) -> Entry:
    """As if nobody had looked at it: nothing but what upstream could deliver."""
    return msgspec.structs.replace(entry, review=None, extension=Extension(function=entry.extension.function))


def false_alarms(entries: Sequence[Entry]) -> dict[str, set[str]]:
    """Errors of the rules about prose where it belongs, by slug."""
    slugs = {entry.id: entry.slug for entry in entries}
    found: dict[str, set[str]] = {}
    for finding in lint_entries(entries, Path()):
        if finding.level is Level.ERROR and finding.record and finding.rule in PROSE_RULES:
            found.setdefault(slugs[finding.record], set()).add(finding.rule)
    return found


def _with_prose(entry: Entry, other: Record) -> Entry:
    record = msgspec.structs.replace(entry.record, **{name: getattr(other, name) for name in AUTHORED})
    return msgspec.structs.replace(entry, record=record)


def _kin(one: Entry, other: Entry) -> bool:
    return one.extension.family is not None and one.extension.family == other.extension.family


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalogue", nargs="?", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    catalogue = load_catalogue(arguments.catalogue or default_root())
    entries = [entry for entry in catalogue.entries if entry.review and not entry.review_is_stale]
    alarms = false_alarms(entries)
    print(f"records with a review that fits   {len(entries)}")
    print(f"false alarms                      {len(alarms)} = {len(alarms) / max(1, len(entries)):.2%}")
    for slug, rules in sorted(alarms.items()):
        print(f"    {slug}: {', '.join(sorted(rules))}")
    unread = [without_review(entry) for entry in entries]
    objected = false_alarms(unread)
    print(f"the same with reviews removed     {len(objected)} = {len(objected) / max(1, len(entries)):.2%}")
    for name, records, pairing, rounds in (
        ("all swapped in pairs", entries, at_random, arguments.rounds),
        ("one pair swapped", entries, one_pair, arguments.rounds * 10),
        ("one pair swapped, reviews removed", unread, one_pair, arguments.rounds * 10),
    ):
        outcome = swap_and_lint(records, pairing, rounds=rounds)
        print(f"{name:<34}{outcome.caught} of {outcome.swapped} caught = {outcome.share:.2%}")
        for rule, count in outcome.rules.most_common():
            print(f"    {rule:<30}{count / outcome.swapped:.1%}")
        for (message, prose), count in outcome.missed.most_common(8):
            print(f"    missed {count} x: {message} with the prose of {prose}")


if __name__ == "__main__":
    main()
