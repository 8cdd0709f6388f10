"""Building the index: every template filed under its keys, its words counted, its sites laid out.

Templates are read one by one and only their words are kept, so that building takes little more memory than the
finished arrays and the sites it is made from.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bot.matching import score, template, tokens, vocabulary
from bot.matching.corrections import Corrections
from bot.matching.hashtable import HashTable
from bot.matching.index import KINDS, Index, rarity, single_keys
from bot.matching.strings import Strings
from bot.matching.template import Template
from bot.matching.tokens import Hashes, Ints, Tokeniser
from bot.records.model import Site

COMMON = 256
"""A pair that more templates share is no key."""
IDENTIFIER = 6
"""Letters from which on a word with an underscore is a key by itself."""


def build(sites: Iterable[Site], tokeniser: Tokeniser) -> Index:
    """The index of these sites, which are sorted by the group of their text."""
    words = _Words()
    groups: dict[str, int] = {}
    kept: list[Site] = []
    owners = array("q")
    for site in sites:
        parsed = template.parse(site.message)
        group = groups.setdefault(template.canonical(parsed), len(groups))
        if group == len(words.literals):
            words.add(parsed)
        owners.append(group)
        kept.append(site)
    del groups
    owner = np.array(owners, np.int64)
    ordered = [kept[number] for number in np.argsort(owner, kind="stable").tolist()]
    count = len(words.literals)
    hashes = tokeniser.hash_words(words.words)
    kinds = _choose_keys(hashes, words, count)
    keys, groups_of_keys = np.concatenate([k for k, _ in kinds]), np.concatenate([g for _, g in kinds])
    unique, key_starts, postings = _filed(keys, groups_of_keys)
    sizes = np.diff(key_starts)
    weights = np.bincount(postings, np.repeat(rarity(sizes, count), sizes), count)
    vocabulary_hashes, counts = _document_counts(hashes, words.owner)
    return Index(
        table=HashTable.build(unique),
        lengths=np.array([len(k) for k, _ in kinds], np.int64),
        key_starts=key_starts,
        postings=postings.astype(np.int32),
        group_weights=np.maximum(weights, 1e-6).astype(np.float32),
        site_starts=np.append(0, np.cumsum(np.bincount(owner, minlength=count))).astype(np.int64),
        flags=np.array([_flags(site) for site in ordered], np.uint8),
        literals=Strings.build(words.literals),
        strengths=np.array(words.strengths, np.uint8),
        contents=np.array(words.contents, np.float32),
        records=Strings.build(s.record for s in ordered),
        slugs=Strings.build(s.slug for s in ordered),
        messages=Strings.build(s.message for s in ordered),
        paths=Strings.build(s.file_path or "" for s in ordered),
        functions=Strings.build(s.function or "" for s in ordered),
        words=HashTable.build(vocabulary_hashes),
        word_counts=counts,
        corrections=Corrections.build(words.distinct, tokeniser),
    )


class _Words:
    """The literal words of all groups in a row, and what is known of each group."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.distinct: dict[str, str] = {}
        self.literals: list[str] = []
        self.strengths = bytearray()
        self.contents = array("f")
        self._owners = array("q")
        self._joined = bytearray()
        self._cores = bytearray()

    def add(self, parsed: Template) -> None:
        """The template of the next group."""
        group = len(self.literals)
        breaks = {hole.before for hole in parsed.holes}
        for index, word in enumerate(parsed.folded):
            self.words.append(self.distinct.setdefault(word, word))
            self._owners.append(group)
            self._cores.append(index >= parsed.core)
            self._joined.append(index > parsed.core and index not in breaks)
        self.literals.append(template.literal(parsed))
        self.strengths.append(score.strength(parsed))
        self.contents.append(score.content(parsed))

    @property
    def owner(self) -> Ints:
        """Group of each word."""
        return np.array(self._owners, np.int64)

    @property
    def core(self) -> npt.NDArray[np.bool_]:
        """Whether each word is the record's own, not what std wraps around a text."""
        return np.frombuffer(bytes(self._cores), np.bool_)

    @property
    def joined(self) -> npt.NDArray[np.bool_]:
        """Whether each word follows the one before it without a hole between."""
        return np.frombuffer(bytes(self._joined), np.bool_)


def _filed(keys: Hashes, groups: Ints) -> tuple[Hashes, Ints, Ints]:
    """Distinct keys, where the groups of each begin, and the groups."""
    order = np.lexsort((groups, keys))
    keys, groups = keys[order], groups[order]
    distinct = np.ones(len(keys), bool)
    distinct[1:] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
    keys, groups = keys[distinct], groups[distinct]
    unique, starts = np.unique(keys, return_index=True)
    return unique, np.append(starts, len(keys)).astype(np.int64), groups


def _document_counts(hashes: Hashes, owner: Ints) -> tuple[Hashes, npt.NDArray[np.int32]]:
    order = np.lexsort((owner, hashes))
    hashes, owner = hashes[order], owner[order]
    new = np.ones(len(hashes), bool)
    new[1:] = (hashes[1:] != hashes[:-1]) | (owner[1:] != owner[:-1])
    unique, counts = np.unique(hashes[new], return_counts=True)
    return unique, counts.astype(np.int32)


def _choose_keys(hashes: Hashes, words: _Words, groups: int) -> tuple[tuple[Hashes, Ints], ...]:
    """(key, group) of single words, pairs and triples.

    Pairs; triples where the pair is common; identifiers by themselves; other single content words for templates left
    with fewer than two keys.
    """
    owner, join = words.owner, words.joined
    at = np.flatnonzero(join[1:])
    pair = tokens.pairs(hashes)[at] if len(hashes) > 1 else np.zeros(0, np.uint64)
    rare = _times(pair) <= COMMON
    pairs = pair[rare], owner[at][rare]
    crowded = np.zeros(len(hashes), bool)
    crowded[at[~rare]] = True
    crowded[1:] |= crowded[:-1].copy()
    three = np.flatnonzero(join[1:-1] & join[2:] & crowded[:-2])
    triple = tokens.triples(hashes)[three] if len(hashes) > 2 else np.zeros(0, np.uint64)
    rare = _times(triple) <= COMMON
    triples = triple[rare], owner[three][rare]
    filed = np.bincount(np.concatenate((pairs[1], triples[1])), minlength=groups)
    content = np.array([word not in vocabulary.FUNCTION_WORDS for word in words.words], bool)
    telling = np.array(["_" in word and len(word) >= IDENTIFIER for word in words.words], bool)
    lonely = np.flatnonzero(((filed[owner] < 2) & content & words.core) | telling) if groups else np.zeros(0, np.int64)
    single = single_keys(hashes[lonely])
    rare = _times(single) <= COMMON
    return (single[rare], owner[lonely][rare]), pairs, triples


def _times(keys: Hashes) -> Ints:
    """How often each key occurs among all."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[inverse].astype(np.int64)


def _flags(site: Site) -> int:
    return int(site.secondary) | int(site.needs_location) << 1 | KINDS.index(site.kind) << 2
