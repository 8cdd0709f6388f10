"""Which catalogue word a misspelt word was meant to be.

A word and all words one letter shorter are filed for every word of the vocabulary (the symmetric-delete scheme), so a
misspelling is looked up by itself and its own one-letter-shorter forms: one slip, or two when one of them is an
exchange or a loss on each side. Only words that no template holds are ever corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.matching import typos
from bot.matching.hashtable import HashTable
from bot.matching.strings import Strings
from bot.matching.tokens import Ints, Tokeniser

SHORTEST, LONGEST = 4, 32
MAX_CHOICES = 8
"""Vocabulary words compared with one misspelling."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """Arrays only, so that it can be saved and mapped."""

    table: HashTable
    starts: Ints
    targets: npt.NDArray[np.int32]
    """Words of form `k` are `targets[starts[k]:starts[k + 1]]`, numbers of `spellings`."""
    spellings: Strings

    @classmethod
    def build(cls, words: Iterable[str], tokeniser: Tokeniser) -> Corrections:
        """File these distinct lower-case words; those that nobody mistypes are left out."""
        kept = sorted(word for word in words if _correctable(word))
        forms: list[str] = []
        owners: list[int] = []
        for number, word in enumerate(kept):
            shorter = _forms(word)
            forms += shorter
            owners += [number] * len(shorter)
        hashes = tokeniser.hash_words(forms)
        targets = np.array(owners, np.int32)
        order = np.lexsort((targets, hashes))
        unique, starts = np.unique(hashes[order], return_index=True)
        return cls(
            HashTable.build(unique),
            np.append(starts, len(forms)).astype(np.int64),
            targets[order],
            Strings.build(kept),
        )

    def correct(self, words: Sequence[str], tokeniser: Tokeniser) -> list[list[str]]:
        """For each lower-case word the catalogue words it may have been meant to be, nearest first, at most two."""
        asked = [(n, form) for n, word in enumerate(words) if _correctable(word) for form in _forms(word)]
        if not asked or not len(self.targets):
            return [[] for _ in words]
        found = self.table.find(tokeniser.hash_words([form for _, form in asked]))
        choices: list[dict[int, None]] = [{} for _ in words]
        for (number, _), at in zip(asked, found.tolist(), strict=True):
            if at >= 0 and len(choices[number]) < MAX_CHOICES:
                first, last = int(self.starts[at]), int(self.starts[at + 1])
                choices[number].update(dict.fromkeys(self.targets[first : min(last, first + MAX_CHOICES)].tolist()))
        return [self._best(word, chosen) for word, chosen in zip(words, choices, strict=True)]

    def _best(self, word: str, chosen: Iterable[int]) -> list[str]:
        near = [literal for literal in {self.spellings[n] for n in chosen} if typos.is_typo(word, literal)]
        return sorted(near, key=lambda literal: (typos.distance(word, literal), literal))[:2]


def _correctable(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word.isascii() and ("_" in word or word.isalpha())


def _forms(word: str) -> list[str]:
    """The word and every form with one letter left out, each once."""
    return list(dict.fromkeys([word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]))
