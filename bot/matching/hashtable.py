"""A fixed table from 64-bit hashes to numbers, as plain arrays: built once, searched for thousands of keys at a time.

Keys are sorted and reached through their top bits, so a look-up is two reads and a handful of comparisons whatever
the size; being arrays, the table can be mapped from a file and shared by processes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.matching.tokens import Hashes, Ints


@dataclass(frozen=True, slots=True)
class HashTable:
    keys: Hashes
    """Sorted, distinct."""
    buckets: npt.NDArray[np.int32]
    """`buckets[b]` is the first key whose top bits are at least `b`."""

    @classmethod
    def build(cls, keys: Hashes) -> HashTable:
        """A table of these sorted, distinct keys."""
        bits = max(4, (2 * len(keys)).bit_length())
        bounds = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
        buckets = np.empty((1 << bits) + 1, np.int32)
        buckets[:-1] = np.searchsorted(keys, bounds)
        buckets[-1] = len(keys)
        return cls(keys, buckets)

    def find(self, wanted: Hashes) -> Ints:
        """Position of each wanted key, -1 where there is none."""
        result = np.full(len(wanted), -1, np.int64)
        if not len(self.keys) or not len(wanted):
            return result
        bits = (len(self.buckets) - 1).bit_length() - 1
        bucket = (wanted >> np.uint64(64 - bits)).astype(np.int64)
        at = self.buckets[bucket].astype(np.int64)
        end = self.buckets[bucket + 1].astype(np.int64)
        open_ = np.flatnonzero(at < end)
        while len(open_):
            here = at[open_]
            hit = self.keys[here] == wanted[open_]
            result[open_[hit]] = here[hit]
            at[open_] += 1
            open_ = open_[~hit & (at[open_] < end[open_])]
        return result
