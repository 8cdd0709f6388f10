"""Whoever quotes our comment in an issue gets no second one about the words of the first."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.quoted import without_our_comments
from tests.comment_kinds import KINDS

PANIC = "thread 'main' panicked at src/main.rs:1:1:\nsomething of the author's own"
EXPLANATIONS = sorted(set(KINDS) - {"retracted"})
TITLE, FOOTER = "### This panic is documented: `x`", "<sub>Automated, from a reviewed record (`0`, …"


def copied(body: str) -> str:
    return body


def without_marker(body: str) -> str:
    return body.rpartition("\n\n")[0]


def quoted(body: str) -> str:
    return "> " + body.replace("\n", "\n> ")


def quoted_twice(body: str) -> str:
    return quoted(quoted(body))


def with_carriage_returns(body: str) -> str:
    return body.replace("\n", "\r\n")


def as_a_browser_copies_it(body: str) -> str:
    return body.replace("`", "").replace("<sub>", "").replace("</sub>", "").removeprefix("### ")


FORMS = [copied, without_marker, quoted, quoted_twice, with_carriage_returns, as_a_browser_copies_it]


@pytest.mark.parametrize("kind", EXPLANATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_our_comment_is_left_and_all_of_the_authors_text(kind: str, form: Callable[[str], str]) -> None:
    comment = form(KINDS[kind]())
    text = f"The bot said:\n\n{comment}\n\nBut I see:\n\n{PANIC}\n"
    left = without_our_comments(text)
    assert len(left) == len(text)
    assert left[left.index("But I see") :] == text[text.index("But I see") :]
    between = left[len("The bot said:") : left.index("But I see")]
    marker = KINDS[kind]().splitlines()[-1]
    assert between.replace(marker, "").strip(" >\r\n") == ""


@pytest.mark.parametrize("kind", EXPLANATIONS)
def test_of_a_comment_quoted_in_part_the_quote_is_ours_and_no_more(kind: str) -> None:
    head = quoted("\n".join(KINDS[kind]().splitlines()[:4]))
    left = without_our_comments(f"{head}\n\n{PANIC}")
    assert left.strip() == PANIC


def test_a_title_alone_takes_nothing_else_along() -> None:
    assert without_our_comments(f"{TITLE}\n{PANIC}").strip() == PANIC


def test_a_footer_alone_takes_nothing_else_along() -> None:
    assert without_our_comments(f"{PANIC}\n{FOOTER}").strip() == PANIC


LINES = st.sampled_from([TITLE, FOOTER, f"> {TITLE}", f"> {FOOTER}", "> quoted", "text", "", PANIC])


@given(st.lists(LINES | st.text(max_size=20)).map("\n".join))
def test_length_and_line_ends_stay_what_they_were(text: str) -> None:
    left = without_our_comments(text)
    assert len(left) == len(text)
    assert [at for at, char in enumerate(left) if char == "\n"] == [at for at, char in enumerate(text) if char == "\n"]


@given(st.text())
def test_a_text_without_our_words_is_left_alone(text: str) -> None:
    assert without_our_comments(text) == text
