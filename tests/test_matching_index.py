"""Tokens, hash table, strings, candidates and corrections: what nominates a record."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bot.matching import filing, template, typos
from bot.matching.corrections import Corrections
from bot.matching.filing import COMMON
from bot.matching.hashtable import HashTable
from bot.matching.index import Index
from bot.matching.matcher import Matcher
from bot.matching.strings import Strings
from bot.matching.tokens import Tokeniser
from bot.matching.verdict import Decision
from tests.matching_world import CATALOGUE, DEFORM, site

TOKENISER = Tokeniser(20_000)
NO_CUTS = np.zeros(0, np.int64)


@given(st.text(max_size=300))
def test_words_are_those_of_the_plain_pattern(text: str) -> None:
    tokens = TOKENISER.tokens(text)
    found = [text[s:e].lower() for s, e in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)]
    assert found == [word.lower() for word in template.WORD.findall(text)]


@given(st.lists(st.from_regex(r"\A[a-z0-9_]{1,12}\Z"), min_size=1, max_size=20))
def test_a_word_has_the_same_hash_everywhere(words: list[str]) -> None:
    alone = [int(TOKENISER.tokens(word).hashes[0]) for word in words]
    assert TOKENISER.tokens("> ".join(words).upper()).hashes.tolist() == alone
    assert Tokeniser(16).hash_words(words).tolist() == alone


@given(st.sets(st.integers(0, 2**64 - 1), max_size=200), st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_hash_table_finds_what_is_there(keys: set[int], wanted: list[int]) -> None:
    table = HashTable.build(np.array(sorted(keys), np.uint64))
    asked = [*wanted, *sorted(keys)[:50]]
    for want, at in zip(asked, table.find(np.array(asked, np.uint64)).tolist(), strict=True):
        assert (at >= 0) == (want in keys)
        assert at < 0 or int(table.keys[at]) == want


@given(st.lists(st.text(max_size=20), max_size=20))
def test_strings_come_back(items: list[str]) -> None:
    kept = Strings.build(items)
    assert [kept[n] for n in range(len(kept))] == [item.encode("utf-8", "replace").decode() for item in items]


def candidates(index: Index, text: str) -> list[str]:
    found = index.candidates(*index.hits(TOKENISER.tokens(text).hashes), NO_CUTS)
    return [index.messages[index.sites(c.group)[0]] for c in found]


def test_every_record_is_nominated_by_its_own_text() -> None:
    index = filing.build(CATALOGUE, TOKENISER)
    for record in CATALOGUE:
        text = re.sub(r"\{[^{}]*\}", "3", record.message)
        wanted = template.canonical(template.parse(record.message))
        found = [template.canonical(template.parse(m)) for m in candidates(index, f"before {text} after")]
        assert wanted in found[:3], record.message


def test_equal_texts_are_one_group() -> None:
    index = filing.build(
        [site("Got {} of {a:?}", "a.rs"), site("Got {x} of {}", "b.rs"), site("Got none", "c.rs")], TOKENISER
    )
    assert len(index) == 2
    assert [len(index.sites(g)) for g in range(2)] == [2, 1]


def test_a_word_pair_that_everybody_has_is_replaced_by_triples() -> None:
    sites = [site(f"Unsupported dtype in kernel number{n} here", f"{n}.rs") for n in range(2 * COMMON)]
    matcher = Matcher.build(sites)
    verdict = matcher.judge("t", "```\nError: Unsupported dtype in kernel number77 here\n```")
    assert verdict.decision is Decision.EXPLAIN
    assert verdict.matches[0].message == "Unsupported dtype in kernel number77 here"


def test_many_near_records_do_not_hide_the_right_one() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda"]
    sites = [site(f"The {a} layer cannot be joined with the {b} layer", f"{a}{b}.rs") for a in words for b in words]
    matcher = Matcher.build(sites)
    for a, b in (("alpha", "lambda"), ("kappa", "beta"), ("zeta", "zeta")):
        verdict = matcher.judge(
            "t", f"thread 'main' panicked at src/main.rs:1:1:\nThe {a} layer cannot be joined with the {b} layer\n"
        )
        assert verdict.decision is Decision.EXPLAIN
        assert verdict.matches[0].message == f"The {a} layer cannot be joined with the {b} layer"


def test_corrections() -> None:
    corrections = Corrections.build({"dimension", "squeeze", "because", "size", "mask_fill", "conv2d", "in"}, TOKENISER)
    asked = ["dimenson", "sqeeze", "becuase", "sizes", "mask_fil", "conv3d", "im", "something"]
    assert corrections.correct(asked, TOKENISER) == [["dimension"], ["squeeze"], ["because"], ["size"], [], [], [], []]


def test_corrections_offer_the_two_nearest() -> None:
    corrections = Corrections.build({"types", "dtype", "stype"}, TOKENISER)
    (found,) = corrections.correct(["dtyqe"], TOKENISER)
    assert found[0] == "dtype"
    assert len(found) <= 2


@given(st.from_regex(r"\A[a-z]{4,12}\Z"), st.integers(0, 11), st.sampled_from("aeiouxyz"))
def test_one_slip_is_always_undone(word: str, at: int, letter: str) -> None:
    corrections = Corrections.build({word}, TOKENISER)
    for typed in (word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :]):
        if typos.is_typo(typed, word) and typed != word:
            assert corrections.correct([typed], TOKENISER) == [[word]]


def test_what_is_a_slip_and_what_another_word() -> None:
    for typed, literal in (("dimenson", "dimension"), ("recieved", "received"), ("teh", "the"), ("uninitialised", "initialised"),
                           ("conv3d", "conv2d"), ("irfft", "rfft"), ("mask_fil", "mask_fill"), ("backwards", "backward")):  # fmt: skip
        expected = (typed, literal) in {("dimenson", "dimension"), ("recieved", "received"), ("backwards", "backward")}
        assert typos.is_typo(typed, literal) is expected, (typed, literal)


def test_positions_of_a_long_issue() -> None:
    body = "word " * 6_000 + f"\n\n```\nError: {DEFORM}\n```\n" + "word " * 5_000
    verdict = Matcher.build(CATALOGUE).judge("t", body)
    assert verdict.decision is Decision.EXPLAIN
    span = verdict.matches[0].evidence.span
    assert f"t\n\n{body}"[span.start : span.end] == DEFORM[:-1]
