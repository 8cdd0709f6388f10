"""Looking for the literal pieces of a template as they stand, in order."""

from __future__ import annotations

from collections.abc import Iterator

_RESTARTS = 4


def glob(literal: str, joined: str, start: int = 0) -> tuple[list[tuple[int, int]], int] | None:
    r"""Find a literal (words with blanks, \x00 for holes) in words with blanks, from character `start` on.

    Pairs of (template word, window word) of the tightest place and its first character, or None. Linear in `joined`.
    """
    pieces = [f" {piece.strip()} " for piece in literal.split("\x00") if piece.strip()]
    if not pieces:
        return None
    at = start
    places: list[int] = []
    for piece in pieces:
        found = joined.find(piece, at)
        if found < 0:
            return None
        places.append(found)
        at = found + len(piece) - 1
    for number in range(len(pieces) - 2, -1, -1):
        places[number] = joined.rfind(pieces[number], 0, places[number + 1] + 1)
    pairs: list[tuple[int, int]] = []
    for piece, place in zip(pieces, places, strict=True):
        done, first = len(pairs), joined.count(" ", 0, place)
        pairs += [(done + k, first + k) for k in range(piece.count(" ") - 1)]
    return pairs, places[0]


def globs(literal: str, joined: str) -> Iterator[list[tuple[int, int]]]:
    """The first few places where the literal is found."""
    start = 0
    for _ in range(_RESTARTS):
        found = glob(literal, joined, start)
        if found is None:
            return
        yield found[0]
        start = found[1] + 1
