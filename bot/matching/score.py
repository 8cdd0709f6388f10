"""How well a template fits, in parts that a person can read, and what fits too badly to count."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.matching import vocabulary
from bot.matching.align import FUNCTION_WEIGHT, SAME_PRICE, TYPO_PRICE, Alignment, Window, weights
from bot.matching.template import Template
from bot.matching.verdict import Score

COVERAGE, ALIGNMENT, WEIGHT, LOCATION = 0.5, 0.3, 0.12, 0.08
"""Shares of the parts in the total."""
THRESHOLD = 0.66
MARGIN = 0.04
SURE = 0.9
"""Quality of a setting from which on the text counts as printed rather than as a part of a sentence."""
LONG = 5.0
"""Weight of content words that a text in the middle of a sentence needs."""
TELLING = 5.0
"""Weight of content words from which on a text is as telling as it gets."""
WORDY, WORDY_CHARACTERS = 5, 24
"""Words and letters from which on two content words and their small ones tell enough."""
NAME = 9
"""Letters of a type's name that stands for itself."""


class Strength(enum.IntEnum):
    """How much a template's text alone tells."""

    NOTHING = 0
    """everybody prints it: file and function must agree"""
    LITTLE = 1
    """short: it must be printed by a panic or near its place"""
    ENOUGH = 2


@dataclass(frozen=True, slots=True)
class Fit:
    """The alignment in figures."""

    coverage: float
    alignment: float
    matched: float
    """Weight of the literal words that are there; more of it is more specific."""


def strength(template: Template) -> Strength:
    """How much the template's text tells without its location."""
    own = content(template)
    if template.std or template.characters < 12 or own < 2:
        return Strength.NOTHING
    if own >= 3:
        return Strength.ENOUGH if template.characters >= 16 else Strength.LITTLE
    # Many small words in their order tell as much as one more large one.
    wordy = len(template.words) - template.core >= WORDY and template.characters >= WORDY_CHARACTERS
    return Strength.ENOUGH if wordy else Strength.LITTLE


def is_name(template: Template) -> bool:
    """Whether the text is one telling identifier in what std puts around it, the name of an error type or variant."""
    own = template.words[template.core :]
    return template.core > 0 and len(own) == 1 and len(own[0]) >= NAME and vocabulary.is_identifier(own[0])


def content(template: Template) -> float:
    """Weight of a template's own content words."""
    return sum(w for w in weights(template)[template.core :] if w > FUNCTION_WEIGHT)


def fit(template: Template, window: Window, alignment: Alignment) -> Fit:
    """Coverage and alignment of a template that was laid over a window."""
    literal = weights(template)
    total = sum(literal)
    matched = sum(literal[i] for i, _ in alignment.pairs)
    price = TYPO_PRICE * sum(literal[i] for i, _ in alignment.typos)
    price += SAME_PRICE * sum(literal[i] for i, _ in alignment.same)
    extra = sum(FUNCTION_WEIGHT if window.words[j] in vocabulary.FUNCTION_WORDS else 1.0 for j in alignment.extra)
    missing = sum(literal[i] for i in alignment.missing)
    return Fit(
        coverage=max(0.0, (matched - price) / total) if total else 0.0,
        alignment=matched / (matched + missing + extra + price) if matched else 0.0,
        matched=matched,
    )


def score(template: Template, fitted: Fit, exact: bool, location: float) -> Score:
    telling = min(1.0, content(template) / TELLING)
    total = COVERAGE * fitted.coverage + ALIGNMENT * fitted.alignment + WEIGHT * telling + LOCATION * location
    return Score(
        total=round(total, 4),
        exact=exact,
        coverage=round(fitted.coverage, 4),
        alignment=round(fitted.alignment, 4),
        location=round(location, 4),
        weight=round(telling, 4),
    )
