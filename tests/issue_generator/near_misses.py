"""Pairs of messages that differ in one telling word, every pair both ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from bot.records.model import Site
from tests.issue_generator.catalogue import REPOSITORY
from tests.issue_generator.siblings import OPPOSITES

FRAMES = (
    "The {word} of the layer must be set before it is called, got {{}}",
    "Unsupported {word} for a gather on this backend",
    "{word}_embedding: index {{}} is out of range for the table",
    "Can't compute the {word} of an empty tensor",
    "Expected the {word} shape to have {{}} entries, but found {{}}",
    "Sizes of the layers differ (layer: {{}}, {word}: {{}})",
    "Layer mismatch: {{}} against {{}} ({word})",
    "No layer named '{{}}' has a `{word}`",
    "Layer {{}}: {word} {{}} differs from the configured one",
)
NUMBERED = (
    "max_pool{word}: the kernel size {{:?}} exceeds the padded input",
    "Can't differentiate adaptive_pool{word} backward.",
    "The {word} convolution needs a weight of rank {{rank}}",
)
_PRINTS = (
    "```\nthread 'main' panicked at {path}:10:5:\n{message}\nnote: run with `RUST_BACKTRACE=1`\n```",
    "thread 'main' panicked at '{message}', {path}:10:5",
    "I get `{message}` when I call it.",
    "```\nError: {message}\n```",
)
PATH = "crates/burn-tensor/src/ops/check.rs"


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An issue that prints `printed`, and the sibling that it must not be taken for."""

    printed: Site
    sibling: Site
    body: str


def near_misses() -> Iterator[NearMiss]:
    for group in OPPOSITES:
        frames = NUMBERED if group[0] == "1d" else FRAMES
        for one, other in permutations(group, 2):
            for number, frame in enumerate(frames):
                message = frame.format(word=one)
                shown = message.replace("{rank}", "3").replace("{:?}", "[3, 3]").replace("{}", "7")
                first = (number + len(one) + len(other)) % len(_PRINTS)
                for form in (_PRINTS[first], _PRINTS[first - 2]):
                    body = form.format(message=shown, path=PATH)
                    yield NearMiss(_site(message, one), _site(frame.format(word=other), other), body)


def _site(message: str, word: str) -> Site:
    return Site(record=f"{word:0>16}", slug=word.replace("_", "-"), repo=REPOSITORY, message=message, file_path=PATH)
