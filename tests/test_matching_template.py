"""How a source literal is read: words, holes, signs, and what std wraps around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.matching import template
from bot.matching.score import Strength, content, strength
from bot.matching.template import Hole, parse


def test_words_and_holes() -> None:
    read = parse("Can't squeeze dimension {} because its size is not 1")
    assert read.folded == ("can't", "squeeze", "dimension", "because", "its", "size", "is", "not", "1")
    assert read.holes == (Hole(3),)


@pytest.mark.parametrize("hole", ["{}", "{0}", "{name}", "{:?}", "{x:?}", "{e:#?}", "{dim:>5}", "{self.x}"])
def test_every_kind_of_placeholder_is_the_same_hole(hole: str) -> None:
    assert template.canonical(parse(f"got {hole} here")) == template.canonical(parse("got {} here"))


def test_doubled_braces_are_printed_braces() -> None:
    read = parse("TensorId {{ value: {} }} is gone")
    assert read.words == ("TensorId", "value", "is", "gone")
    assert read.holes == (Hole(2, signs=":"),)


def test_braces_around_blanks_are_no_hole() -> None:
    assert parse("SendError { .. } here").holes == ()


def test_text_glued_to_a_hole_belongs_to_it() -> None:
    read = parse("conv{}d backward, {:?}D tensor")
    assert read.words == ("backward", "tensor")
    assert [(hole.prefix, hole.suffix) for hole in read.holes] == [("conv", "d"), ("", "D")]


def test_neighbouring_holes_are_one() -> None:
    assert len(parse("from {}{} to {}, {}").holes) == 2


def test_signs_are_kept() -> None:
    assert template.canonical(parse("expected > {}")) != template.canonical(parse("expected < {}"))
    assert template.canonical(parse("start + length")) != template.canonical(parse("start length"))


def test_a_last_hole_after_a_colon_makes_no_other_message() -> None:
    assert template.canonical(parse("Cannot load: {}")) == template.canonical(parse("Cannot load"))
    assert template.canonical(parse("Cannot load {x} of {y}")) != template.canonical(parse("Cannot load {x} of"))


def test_escapes_of_the_literal() -> None:
    assert parse('one\\n   two \\\n      three \\"four\\"').folded == ("one", "two", "three", "four")


@pytest.mark.parametrize(
    "wrapper",
    ["not implemented: ", "not yet implemented: ", "internal error: entered unreachable code: ", "assertion failed: ",
     "assertion `left == right` failed: ", "called `Result::unwrap()` on an `Err` value: "],
)  # fmt: skip
def test_what_std_wraps_around_is_not_the_record_s_own_text(wrapper: str) -> None:
    read = parse(wrapper + "Kernel launch impossible here")
    assert read.folded[read.core :] == ("kernel", "launch", "impossible", "here")
    assert content(read) == content(parse("Kernel launch impossible here"))


@pytest.mark.parametrize(
    "text",
    ["not implemented", "not yet implemented", "internal error: entered unreachable code", "explicit panic",
     "called `Option::unwrap()` on a `None` value", "called `Result::unwrap()` on an `Err` value: {}",
     "index out of bounds: the len is {} but the index is {}", "attempt to subtract with overflow", "assertion failed",
     "no entry found for key", "out of memory", "{}", "{}: {}", "Error: {}", "Failed", "io error: {err}"],
)  # fmt: skip
def test_texts_that_everybody_prints_tell_nothing(text: str) -> None:
    assert strength(parse(text)) is Strength.NOTHING


@pytest.mark.parametrize("text", ["Metal unsupported", "Tensor handle: {:?}"])
def test_short_texts_tell_little(text: str) -> None:
    assert strength(parse(text)) is Strength.LITTLE


@pytest.mark.parametrize("text", ["Can't differentiate deform conv 2d backward.", "Ordering is bigger than operations"])
def test_telling_texts(text: str) -> None:
    assert strength(parse(text)) is Strength.ENOUGH


@given(st.text(max_size=300))
def test_any_literal_can_be_read(message: str) -> None:
    read = parse(message)
    assert len(read.words) == len(read.folded) <= template.MAX_WORDS
    assert all(0 <= hole.before <= len(read.words) for hole in read.holes)
    assert 0 <= read.core <= len(read.words) + 16
    template.canonical(read)
    assert template.literal(read).replace("\x00", "").split() == list(read.folded)
