"""What is a slip of the pen, and what another word."""

from __future__ import annotations

from rapidfuzz.distance import OSA

from bot.matching import vocabulary


def distance(one: str, other: str) -> int:
    """Letters to put in, leave out, replace or exchange with the neighbour."""
    return OSA.distance(one, other)


def is_typo(word: str, literal: str) -> bool:
    """Whether `word`, which the catalogue does not hold, is a slip of the pen for `literal`.

    A word put before or behind a word makes another one (`irfft`, `unsupported`), and so does a digit. In an
    identifier only one part may differ, and a short part is another operation (`float_sin`, `float_min`).
    """
    if abs(len(word) - len(literal)) > 2 or len(word) < 4 or len(literal) < 4:
        return False
    if "_" in literal:
        return _is_typo_in_part(word, literal)
    allowed = 1 if len(literal) < 8 or word[0] != literal[0] else 2
    if OSA.distance(word, literal, score_cutoff=allowed) > allowed:
        return False
    if vocabulary.has_digit(word) or vocabulary.has_digit(literal):
        return False
    return not (word in vocabulary.DISCRIMINATORS or word.endswith(literal) or literal.endswith(word))


def _is_typo_in_part(word: str, literal: str) -> bool:
    parts, others = word.split("_"), literal.split("_")
    if len(parts) != len(others):
        return False
    differing = [(part, other) for part, other in zip(parts, others, strict=True) if part != other]
    if len(differing) != 1:
        return False
    part, other = differing[0]
    if min(len(part), len(other)) < 5 or part.startswith(other) or other.startswith(part):
        return False
    return OSA.distance(part, other) <= 1 and is_typo(part, other)
