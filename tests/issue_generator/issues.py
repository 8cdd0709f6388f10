"""The generator: from a catalogue to labelled issues, the same ones for the same seed.

Templates are split by the hash of their text into a half for developing and a half for testing; sites of one text
never stand on both sides. Whoever tunes looks at `Split.DEV` only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.records.model import Site
from tests.issue_generator import corruption, filling, negatives, printing, surroundings
from tests.issue_generator.corruption import Corruption
from tests.issue_generator.keys import Heads, Split, key, letters, of_split, telling
from tests.issue_generator.negatives import Negative
from tests.issue_generator.printing import Form, Place

PANICS = (Form.NEW, Form.NEW, Form.NEW, Form.NEW_ID, Form.OLD, Form.WASM, Form.LOGGED)


@dataclass(frozen=True, slots=True)
class Generated:
    """One labelled issue. `key` is the canonical text of the message printed, None where silence is right."""

    id: str
    title: str
    body: str
    kind: Corruption | Negative
    form: Form | None
    key: str | None
    message: str
    """The message as the program printed it, before anything happened to it."""
    record: str | None
    located: bool
    """Whether the place is printed too."""
    answerable: bool
    """Whether enough is left for a reader who knows the catalogue to be sure."""


def positives(
    sites: Sequence[Site], *, split: Split, count: int, seed: int, kinds: Sequence[Corruption] = tuple(Corruption)
) -> Iterator[Generated]:
    """`count` issues that print a message, the corruptions in turn."""
    rng = random.Random(f"{seed}:{split}:positives")
    chosen = [site for site in of_split(sites, split) if letters(site.message) >= 1]
    heads = Heads(sites)
    for number in range(count):
        yield positive(f"{split}-p{number}", rng.choice(chosen), kinds[number % len(kinds)], heads, rng)


def hard_negatives(sites: Sequence[Site], *, split: Split, count: int, seed: int) -> Iterator[Generated]:
    """`count` issues on which silence is right. Those with a removed record are `positives` judged without it."""
    rng = random.Random(f"{seed}:{split}:negatives")
    chosen, known = of_split(sites, split), frozenset(key(site.message) for site in sites)
    kinds = [kind for kind in Negative if kind is not Negative.REMOVED]
    made = 0
    while made < count:
        site, kind = rng.choice(chosen), kinds[made % len(kinds)]
        found = negatives.issue(kind, site, known, rng)
        if found is None:
            continue
        located = kind in _PANICS
        yield Generated(
            f"{split}-n{made}", found.title, found.body, kind, None, None, found.printed, None, located, True
        )
        made += 1


_PANICS = (Negative.SIBLING, Negative.CRATE, Negative.STD)


def positive(name: str, site: Site, kind: Corruption, heads: Heads, rng: random.Random) -> Generated:
    """One issue that prints the site's message, with this happening to it."""
    message = filling.filled(site.message, rng)
    intact = message
    place = Place.of(site, rng)
    form = rng.choice(PANICS)
    title = surroundings.title(rng)
    if kind in _MESSAGE:
        message = _MESSAGE[kind](message, rng)
    elif (
        kind is Corruption.INTACT
        and "\n" not in message
        and not site.message.rstrip().endswith("}")
        and rng.random() < 0.15
    ):
        message = printing.with_tail(message, rng)
    if kind is Corruption.TITLE:
        title = rng.choice(("{}", "panic: {}", 'Panics with "{}"', "Training fails: {}", "`{}`")).format(
            " ".join(message.split())
        )
        body, form = surroundings.body("(see the title)", rng), Form.BARE
    elif kind is Corruption.PROSE:
        said = rng.choice(('It panics with "{}" every time.', "I always get `{}` at this point.", "The error is: {}"))
        body, form = surroundings.body(said.format(" ".join(message.split())), rng), Form.BARE
    else:
        text = printing.printed(message, place, form, rng)
        if kind in _TEXT:
            text = _TEXT[kind](text, rng)
        shown = text if kind in (Corruption.QUOTED, Corruption.ENTITIES) else surroundings.fenced(text, rng)
        body = surroundings.body(shown, rng)
    located = form not in (Form.BARE, Form.ERROR)
    enough = located or telling(site.message)
    if kind is Corruption.TRUNCATED:
        enough = heads.only(site.message, intact, message)
    return Generated(name, title, body, kind, form, key(site.message), intact, site.record, located, enough)


_MESSAGE: dict[Corruption, Callable[[str, random.Random], str]] = {
    Corruption.TYPOS: corruption.typos,
    Corruption.TRUNCATED: corruption.truncated,
    Corruption.REWORDED: corruption.reworded,
}
_TEXT: dict[Corruption, Callable[[str, random.Random], str]] = {
    Corruption.WRAPPED: corruption.wrapped,
    Corruption.ANSI: corruption.ansi,
    Corruption.CR: corruption.carriage_returns,
    Corruption.QUOTED: corruption.quoted,
    Corruption.ENTITIES: lambda text, _: corruption.entities(text),
    Corruption.PREFIXED: corruption.prefixed,
}
