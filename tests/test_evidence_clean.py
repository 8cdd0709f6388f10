"""Cleaning frees the text of what is not words, in linear time, and forgets no position."""

from __future__ import annotations

import re
import string

from hypothesis import given
from hypothesis import strategies as st

from bot.matching.clean import MAX_CHARS, MAX_TITLE, clean
from bot.matching.offsets import OffsetMap

FRAGMENTS = st.sampled_from(
    ["&lt;", "&quot;", "&#39;", "&amp;", "&nbsp;", "\\_", "\\*", "\u200b", "\x1b[31m", "^[[0m", "<!-- x -->", "<b>", "\r", "\n", "a", "Z", "\\n", "9"]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS | st.text(max_size=8), max_size=40).map("".join)


@given(TEXTS, TEXTS)
def test_both_texts_have_one_length_and_positions_lie_in_the_original(title: str, body: str) -> None:
    cleaned = clean(title, body)
    original = f"{title}\n\n{body}"
    assert len(cleaned.text) == len(cleaned.words)
    assert 0 <= cleaned.title_end <= len(cleaned.text)
    positions = [cleaned.offsets.original(at) for at in range(len(cleaned.text) + 1)]
    assert positions == sorted(positions)
    assert all(0 <= at <= len(original) for at in positions)


@given(TEXTS, TEXTS)
def test_every_kept_letter_comes_from_the_same_letter(title: str, body: str) -> None:
    cleaned = clean(title, body)
    original = f"{title}\n\n{body}"
    for at, letter in enumerate(cleaned.words):
        if letter in string.ascii_letters + string.digits:
            source = cleaned.offsets.original(at)
            # A letter may also be what an entity stands for.
            assert original[source] == letter or original[source] == "&"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=5), st.text("ab&;", max_size=60))
def test_edits_on_top_of_edits(cuts: list[tuple[int, int]], text: str) -> None:
    offsets = OffsetMap(len(text))
    tagged = list(range(len(text)))
    now = text
    for pattern in (re.compile("&a?;?"), re.compile("b+"), re.compile("a&")):
        marks: list[int] = []
        done = 0
        for match in pattern.finditer(now):
            marks += tagged[done : match.start()]
            marks += [tagged[match.start()]] if match[0] else []
            done = match.end()
        marks += tagged[done:]
        now = offsets.substitute(pattern, now, lambda m: "a" if m[0] else "")
        tagged = marks
    for at, source in enumerate(tagged):
        if now[at] != "a":
            assert offsets.original(at) == source


def test_long_body_keeps_head_and_tail() -> None:
    body = "head " + "x" * (2 * MAX_CHARS) + " tail"
    cleaned = clean("t", body)
    assert len(cleaned.text) <= MAX_CHARS + 16
    assert "head" in cleaned.text
    assert cleaned.text.endswith("tail")
    at = cleaned.text.index("tail")
    assert f"t\n\n{body}"[cleaned.offsets.original(at) :] == "tail"


def test_long_title_is_cut_and_the_body_still_found() -> None:
    title = "t" * (3 * MAX_TITLE)
    cleaned = clean(title, "body")
    assert cleaned.title_end == MAX_TITLE
    at = cleaned.text.index("body")
    assert cleaned.offsets.original(at) == len(title) + 2


def test_entities_shift_and_colours_do_not() -> None:
    cleaned = clean("t", "a &lt;b&gt; \x1b[31mred\x1b[0m")
    assert "a <b>" in cleaned.text
    at = cleaned.text.index("red")
    assert cleaned.offsets.original(at) == "t\n\na &lt;b&gt; \x1b[31mred".index("red")


def test_comments_and_debug_escapes_are_no_words() -> None:
    cleaned = clean("t", 'x <!-- hidden\nwords --> y Torch("one\\ntwo\\"")')
    assert "hidden" not in cleaned.text
    assert "one \ntwo" in cleaned.words
    assert "one\\ntwo" in cleaned.text


def test_tags_are_no_words_but_type_parameters_are() -> None:
    cleaned = clean("t", "<details><summary>log</summary> Autodiff<B> <b>bold</b>")
    assert "details" not in cleaned.words
    assert "Autodiff<B>" in cleaned.words
    assert "<b>" not in cleaned.words


def test_typographic_quotes_become_plain_at_the_same_place() -> None:
    cleaned = clean("t", "can\u2019t \u201csay\u201d")
    assert 'can\'t "say"' in cleaned.text
