"""Issues that a matcher is tempted by and must stay silent on."""

from __future__ import annotations

import enum
import random
import re
from typing import NamedTuple

from bot.records.model import Site
from tests.issue_generator import filling, printing, surroundings
from tests.issue_generator.keys import key
from tests.issue_generator.printing import Form, Place
from tests.issue_generator.siblings import sibling


class Negative(enum.StrEnum):
    REMOVED = "record removed"
    SIBLING = "sibling message"
    CRATE = "other crate"
    STD = "bare std message"
    REQUEST = "feature request"
    QUESTION = "question"
    SOURCE = "source quoted"


_CRATES = (
    (
        "tokio-1.43.0/src/runtime/scheduler/mod.rs",
        "there is no reactor running, must be called from the context of a runtime",
    ),
    ("serde_json-1.0.140/src/de.rs", "EOF while parsing a value at line 1 column 0"),
    ("image-0.25.5/src/buffer.rs", "Image index (12, 40) out of bounds (12, 12)"),
    (
        "winit-0.30.9/src/event_loop.rs",
        "Initializing the event loop outside of the main thread is a cross-platform hazard",
    ),
    ("rayon-core-1.12.1/src/registry.rs", "The global thread pool has not been initialized"),
    ("hound-3.5.1/src/read.rs", "Ill-formed WAVE file: no RIFF tag found"),
    ("polars-core-0.46.0/src/frame/mod.rs", "column 'target' does not have the same height as the frame"),
)
_STD = (
    "called `Option::unwrap()` on a `None` value",
    "index out of bounds: the len is 4 but the index is 4",
    "attempt to subtract with overflow",
    "not implemented",
    "not yet implemented",
    "explicit panic",
    "internal error: entered unreachable code",
    "called `Result::unwrap()` on an `Err` value: RecvError",
    "range end index 9 out of range for slice of length 8",
    "assertion failed: a < b",
    "capacity overflow",
    "already borrowed: BorrowMutError",
)


class Tempting(NamedTuple):
    title: str
    body: str
    printed: str = ""
    """The message in it that no record explains, if it prints one."""


def issue(kind: Negative, site: Site, known: frozenset[str], rng: random.Random) -> Tempting | None:
    """One that must stay silent; None where this site cannot give one.

    `known`: the keys of the catalogue. A sibling that is a record itself would be no negative.
    """
    message = filling.filled(site.message, rng)
    match kind:
        case Negative.REMOVED:
            raise ValueError("a removed record needs a catalogue without it, not another issue")
        case Negative.SIBLING:
            other = sibling(site.message, rng)
            if other is None or key(other) in known:
                return None
            return _panic(filling.filled(other, rng), Place.of(site, rng), rng)
        case Negative.CRATE:
            path, text = rng.choice(_CRATES)
            place = Place(
                f"/home/user/.cargo/registry/src/index.crates.io-6f17d22bba15001f/{path}", "88:9", ("demo::main",)
            )
            return _panic(text, place, rng)
        case Negative.STD:
            place = Place(
                f"src/{rng.choice(('main', 'data', 'train'))}.rs",
                f"{rng.randint(5, 300)}:9",
                ("demo::train::run", "demo::main"),
            )
            return _panic(rng.choice(_STD), place, rng)
        case Negative.SOURCE:
            source = f'```rust\nif !ok {{\n    panic!("{filling.literal(site.message)}");\n}}\n```'
            return Tempting(
                "Reading the source",
                f"I was reading {site.file_path} and do not follow this branch:\n\n{source}\n\nWhen is it taken?",
            )
        case _:
            words = [w for w in re.findall(r"[A-Za-z0-9_]+", message) if len(w) > 2]
            if len(words) < 3:
                return None
            return _talk(kind, words, rng)


def _talk(kind: Negative, words: list[str], rng: random.Random) -> Tempting:
    """The message's words in sentences of another meaning."""
    rng.shuffle(words)
    half = max(2, len(words) // 2)
    one, two = " ".join(words[:half]), " ".join(words[half:])
    if kind is Negative.REQUEST:
        return Tempting(
            f"Feature request: better {words[0]} {words[1]}",
            f"It would be great to have {one} in a later release. Today one has to write it by hand. "
            f"I imagine an API for {two or one} with the usual options. I can open a pull request.",
        )
    return Tempting(
        f"How do I choose {words[0]} and {words[1]}?",
        f"Is there a recommended way to think about {one}? The book mentions {two or one} but gives no example. "
        f"Nothing crashes, I only want to understand it.\n\n{surroundings.code(rng)}",
    )


def _panic(message: str, place: Place, rng: random.Random) -> Tempting:
    form = rng.choice((Form.NEW, Form.NEW_ID, Form.OLD))
    shown = surroundings.fenced(printing.printed(message, place, form, rng), rng)
    return Tempting(surroundings.title(rng), surroundings.body(shown, rng), message)
