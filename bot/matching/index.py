"""From words of an issue to the few templates it might print: an inverted index over rare word pairs.

Every template is filed under its pairs of adjacent literal words; a pair that too many templates share is replaced by
triples, and a template without pairs is filed under single words. A look-up costs the same whatever the catalogue
holds: hash all words, keep those pairs that are keys, spend a fixed budget of postings on the rarest.
Sites with the same canonical text form one group; where they differ (file, function) is looked at later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.matching import tokens
from bot.matching.corrections import Corrections
from bot.matching.hashtable import HashTable
from bot.matching.strings import Strings
from bot.matching.tokens import Hashes, Ints
from bot.records.model import Kind

POSTINGS = 24_000
"""Postings looked at for one issue."""
REPEATS = 8
"""Occurrences of one key in one issue that are looked at."""
GAP = 48
"""Words between two hits of one template beyond which they are two occurrences."""
CANDIDATES = 40
FLOOR = 0.15
"""Share of a template's key weight below which it is no candidate."""

Filter = Callable[[Ints, Ints, npt.NDArray[np.floating[Any]]], npt.NDArray[np.bool_]]
_SINGLE = np.uint64(0x5851F42D4C957F2D)
KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A template whose keys occur in the text between the words `first` and `last` (inclusive), half of them before
    `middle`.
    """

    group: int
    first: int
    middle: int
    last: int
    coverage: float


@dataclass(frozen=True, slots=True)
class Index:
    """Arrays only, so that it can be saved and mapped. Sites are sorted by group."""

    table: HashTable
    """Keys of all templates."""
    lengths: Ints
    """How many keys are single words, pairs, triples: what nobody filed is not looked up."""
    key_starts: Ints
    postings: npt.NDArray[np.int32]
    """Groups of key `k` are `postings[key_starts[k]:key_starts[k + 1]]`."""
    group_weights: npt.NDArray[np.float32]
    site_starts: Ints
    """Sites of group `g` are `site_starts[g]:site_starts[g + 1]`."""
    flags: npt.NDArray[np.uint8]
    """Per site: bit 0 secondary, bit 1 needs location, bits 2-4 kind."""
    literals: Strings
    """Per group: literal words in lower case with a blank between, and \\x00 where a hole is."""
    strengths: npt.NDArray[np.uint8]
    """Per group: how much its text alone tells (`score.Strength`)."""
    contents: npt.NDArray[np.float32]
    """Per group: weight of its own content words."""
    records: Strings
    slugs: Strings
    messages: Strings
    paths: Strings
    functions: Strings
    words: HashTable
    """Every literal word, lower case."""
    word_counts: npt.NDArray[np.int32]
    """In how many groups the word stands."""
    corrections: Corrections

    def __len__(self) -> int:
        return len(self.group_weights)

    def sites(self, group: int) -> range:
        return range(int(self.site_starts[group]), int(self.site_starts[group + 1]))

    def secondary(self, site: int) -> bool:
        return bool(self.flags[site] & 1)

    def needs_location(self, site: int) -> bool:
        return bool(self.flags[site] & 2)

    def kind(self, site: int) -> Kind:
        return KINDS[int(self.flags[site]) >> 2]

    def counts(self, hashes: Hashes) -> npt.NDArray[np.int32]:
        """In how many templates each word stands; 0 for words that the catalogue does not know."""
        if not len(self.word_counts):
            return np.zeros(len(hashes), np.int32)
        at = self.words.find(hashes)
        return np.where(at >= 0, self.word_counts[np.maximum(at, 0)], 0).astype(np.int32)

    def candidates(self, positions: Ints, keys: Ints, cuts: Ints, keep: Filter | None = None) -> list[Candidate]:
        """Templates that the text may print, best covered first.

        `positions` and `keys` are what `hits` found; no occurrence goes across the word positions in `cuts`.
        `keep` says of (groups, first words, coverages) which are worth a look.
        """
        if not len(positions):
            return []
        positions, keys = self._affordable(positions, keys)
        starts = self.key_starts[keys]
        sizes = self.key_starts[keys + 1] - starts
        total = int(sizes.sum())
        source = np.repeat(np.arange(len(keys)), sizes)
        offsets = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        groups = self.postings[starts[source] + offsets].astype(np.int64)
        where = positions[source]
        order = np.lexsort((where, groups))
        groups, where, source = groups[order], where[order], source[order]
        part = np.searchsorted(cuts, where, side="right")
        new = np.ones(total, bool)
        new[1:] = (groups[1:] != groups[:-1]) | (where[1:] - where[:-1] > GAP) | (part[1:] != part[:-1])
        heads = np.flatnonzero(new)
        tails = np.append(heads[1:], total) - 1
        group = groups[heads]
        # A key counts once for an occurrence, however often it stands there.
        pairs = np.sort((np.cumsum(new) - 1) * np.int64(len(self.table.keys)) + keys[source])
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])]
        weight = rarity(np.diff(self.key_starts)[pairs % len(self.table.keys)], len(self))
        coverage = np.bincount(pairs // len(self.table.keys), weight, len(heads)) / self.group_weights[group]
        interest = coverage * np.minimum(1.0, self.group_weights[group] / 12.0) ** 0.25
        good = np.flatnonzero(coverage >= FLOOR)
        if keep is not None:
            good = good[keep(group[good], where[heads[good]], coverage[good])]
        best = good[np.lexsort((group[good], where[heads][good], -interest[good]))][:CANDIDATES]
        return [
            Candidate(
                group=int(group[i]),
                first=int(where[heads[i]]),
                middle=int(where[(heads[i] + tails[i]) // 2]),
                last=int(where[tails[i]]),
                coverage=float(coverage[i]),
            )
            for i in best
        ]

    def hits(self, hashes: Hashes) -> tuple[Ints, Ints]:
        """(word position, key) of everything in the text that is a key."""
        found = [np.zeros(0, np.int64)]
        if self.lengths[0]:
            found.append(self.table.find(single_keys(hashes)))
        if len(hashes) >= 2:
            found.append(self.table.find(tokens.pairs(hashes)))
        if len(hashes) >= 3 and self.lengths[2]:
            found.append(self.table.find(tokens.triples(hashes)))
        at = [np.flatnonzero(f >= 0) for f in found]
        return np.concatenate(at), np.concatenate([f[a] for f, a in zip(found, at, strict=True)])

    def _affordable(self, positions: Ints, keys: Ints) -> tuple[Ints, Ints]:
        """The first repeats of each key, the rarest keys first, within the budget."""
        order = np.lexsort((positions, keys))
        positions, keys = positions[order], keys[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        rank = np.arange(len(keys)) - np.repeat(first, np.diff(np.append(first, len(keys))))
        sizes = self.key_starts[keys + 1] - self.key_starts[keys]
        keep = np.flatnonzero(rank < REPEATS)
        keep = keep[np.argsort(sizes[keep], kind="stable")]
        keep = keep[np.cumsum(sizes[keep]) <= POSTINGS]
        return positions[keep], keys[keep]


def single_keys(hashes: Hashes) -> Hashes:
    """One hash per word, other than the word's own."""
    return tokens.mix(hashes ^ _SINGLE)


def rarity(sizes: Ints, groups: int) -> npt.NDArray[np.float64]:
    """Weight of keys that so many of the groups have."""
    return np.log1p(groups / np.maximum(sizes, 1))
