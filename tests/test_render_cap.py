"""A body that is too long is cut, and what is left is still a whole comment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.cap import LIMIT, cap
from bot.render.escape import fence, prose
from bot.render.marker import find_marker, marker
from tests.markdown_judge import html, leaves, parse

TAIL = "<sub>small print</sub>\n\n" + marker(subject="tracel-ai/burn#12", purpose="main", record="5c5da46720dbbf10")

blocks = st.one_of(
    st.text(max_size=80).map(prose),
    st.text(max_size=120).map(lambda text: fence(text, "rust")),
    st.text(max_size=120).map(lambda text: f"<details><summary>More</summary>\n\n{fence(text, 'text')}\n\n</details>"),
    st.just("### `title`"),
    st.just("1. one\n2. two"),
)


@given(st.lists(blocks, max_size=8).map("\n\n".join), st.integers(min_value=230, max_value=900))
def test_it_fits_keeps_its_tail_and_leaves_nothing_open(markdown: str, limit: int) -> None:
    out = cap(markdown, tail=TAIL, limit=limit)

    assert len(out) <= limit
    assert out.endswith(TAIL)
    assert find_marker(out) is not None
    assert "".join(html(out)).count("<details>") == "".join(html(out)).count("</details>")
    assert html(out)[-3:] == ["<sub>", "</sub>", TAIL.splitlines()[-1]]
    assert not any(token.type == "fence" and "small print" in token.content for token in leaves(parse(out)))


def test_what_fits_is_not_touched() -> None:
    assert cap("body", tail=TAIL) == f"body\n\n{TAIL}"
    assert cap("body") == "body"


def test_a_body_of_exactly_the_limit_is_not_cut() -> None:
    assert cap("a" * LIMIT) == "a" * LIMIT


def test_a_body_over_the_limit_says_that_it_was_cut() -> None:
    out = cap("\n".join(["line"] * 20_000), tail=TAIL)

    assert len(out) <= LIMIT
    assert len(out) > LIMIT - 100
    assert "cut here" in out


def test_one_giant_line_is_left_out_whole() -> None:
    assert cap("title\n" + "a" * 70_000).startswith("title\n\n… (cut here")


def test_an_open_fence_and_details_are_closed_in_order() -> None:
    body = "<details><summary>More</summary>\n\n````rust\n" + "let x = 1;\n" * 100 + "````\n\n</details>"
    out = cap(body, tail=TAIL, limit=600)

    assert "\n````\n\n… (cut here: too long for one comment)\n\n</details>\n\n<sub>" in out


def test_emoji_count_as_two() -> None:
    out = cap("👎\n" * 40_000)

    assert len(out.encode("utf-16-le")) // 2 <= LIMIT


def test_a_tail_that_cannot_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        cap("body" * 100, tail=TAIL, limit=100)
