"""Words and their hashes, all at once in numpy: a 64 KB text takes well under a millisecond.

A word is a run of ASCII letters, digits and `_`, with apostrophes inside it (`can't`). Everything else separates.
The hash of a word is its polynomial over 2**64, read off a running sum, so no word is ever cut out as a string.
Hashes only nominate candidates; what is said to match is compared letter by letter later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15 | 1
_MASK = (1 << 64) - 1
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_PAIR = np.uint64(0xD6E8FEB86659FD93)
_TRIPLE = np.uint64(0xA0761D6478BD642F)

_APOSTROPHE = 39


def _letters() -> npt.NDArray[np.uint8]:
    """Code of each byte inside a word, lower case; 0 separates."""
    table = np.zeros(256, np.uint8)
    for code in range(128):
        character = chr(code)
        if character.isalnum() or character == "_":
            table[code] = ord(character.lower())
    table[_APOSTROPHE] = _APOSTROPHE
    return table


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words of a text: `starts[i]:ends[i]` are character positions, `hashes[i]` identifies the lower-cased word."""

    starts: Ints
    ends: Ints
    hashes: Hashes

    def __len__(self) -> int:
        return len(self.hashes)


def mix(values: Hashes) -> Hashes:
    """Spread every bit of the input over the output (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX_A
    values = (values ^ (values >> np.uint64(27))) * _MIX_B
    return values ^ (values >> np.uint64(31))


def pairs(hashes: Hashes) -> Hashes:
    """One hash per two adjacent words."""
    return mix(hashes[:-1] * _PAIR + hashes[1:])


def triples(hashes: Hashes) -> Hashes:
    """One hash per three adjacent words."""
    return mix((hashes[:-2] * _PAIR + hashes[1:-1]) * _TRIPLE + hashes[2:])


class Tokeniser:
    """Holds the powers of the polynomial for texts up to `limit` characters. Immutable."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._letters = _letters()
        self._powers = _powers(_BASE, limit)
        self._inverse = _powers(pow(_BASE, -1, 1 << 64), limit)

    def tokens(self, text: str) -> Tokens:
        """Words of `text`, which has at most `limit` characters."""
        codes = self._letters[np.frombuffer(text.encode("ascii", "replace"), np.uint8)]
        inside = codes != 0
        apostrophes = np.flatnonzero(codes == _APOSTROPHE)
        if len(apostrophes):
            plain = inside.copy()
            plain[apostrophes] = False
            before = plain[np.maximum(apostrophes - 1, 0)]
            after = plain[np.minimum(apostrophes + 1, len(codes) - 1)]
            outer = apostrophes[~(before & after)]
            inside[outer] = False
            codes[outer] = 0
        edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
        starts, ends = edges[0::2], edges[1::2]
        sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum(codes.astype(np.uint64) * self._powers[: len(codes)], out=sums[1:])
        hashes = mix((sums[ends] - sums[starts]) * self._inverse[starts])
        return Tokens(starts, ends, hashes)

    def hash_words(self, words: list[str]) -> Hashes:
        """Hash of each of these words, which hold word characters only."""
        result = np.empty(len(words), np.uint64)
        done = 0
        while done < len(words):
            size = 0
            last = done
            while last < len(words) and size + len(words[last]) + 1 <= self.limit:
                size += len(words[last]) + 1
                last += 1
            part = self.tokens(" ".join(words[done:last])).hashes
            result[done:last] = part
            done = last
        return result


def _powers(base: int, count: int) -> Hashes:
    with np.errstate(over="ignore"):
        result = np.full(max(count, 1), np.uint64(base & _MASK))
        result[0] = 1
        return np.multiply.accumulate(result)
