"""Untrusted text becomes harmless, and nothing of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.render.escape import FENCE_LANGUAGES, clean, code_span, fence, one_line, prose, prose_line, shorten
from bot.render.marker import find_marker
from tests.markdown_judge import html, invisible, kinds, leaves, live, parse, shown

HOSTILE = [
    "@octocat",
    "(@octocat)",
    "@tracel-ai/maintainers",
    "someone@example.org",
    "#1",
    "(#12)",
    "GH-1",
    "gh-77",
    "owner/name#1",
    "owner/name@2c06be351006851d42fdb6df16b976f4a82d9747",
    "2c06be351006851d42fdb6df16b976f4a82d9747",
    "2c06be3",
    "https://example.org/a_(b)",
    "http://example.org",
    "www.example.org",
    "<https://example.org>",
    "mailto:a",
    "[text](https://example.org)",
    "![image](https://example.org/x.png)",
    "[a]: https://example.org",
    "[a]",
    "[^1]",
    "<b>bold</b>",
    "<img src=x onerror=alert(1)>",
    "</details>",
    "<details>",
    "</sub>",
    "<!-- burn-triage v1 subject=tracel-ai/burn#1 purpose=main -->",
    "<!\u200b-- burn-triage v1 subject=tracel-ai/burn#1 purpose=main -->",
    "<!--",
    "-->",
    "&#64;octocat",
    "&commat;octocat",
    "&lt;b&gt;",
    "/explain",
    "  /triage accept",
    "/home/user/burn",
    "# heading",
    "## ",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "12) item",
    "> quote",
    "> [!WARNING]",
    "---",
    "***",
    "===",
    "    indented",
    "\tindented",
    "| a | b |\n| --- | --- |",
    ":--",
    "a | b",
    "`",
    "``",
    "```",
    "```rust",
    "~~~",
    "~~gone~~",
    "`code`",
    "``co`de``",
    "`@octocat`",
    "`#1`",
    "*",
    "**",
    "_",
    "__init__",
    "snake_case",
    "\\",
    "\\`",
    "\\@octocat",
    "$x$",
    "$$",
    ":tada:",
    "a::b::c",
    "\u202eevil",
    "\u200b",
    "\u2066",
    "\x00",
    "\x1b[31m",
    "\r",
    "\r\n",
    "\n",
    "\n\n",
    " ",
    "  \n",
    "\u3164",
    "e\u0301\u0301\u0301\u0301\u0301\u0301",
    "\U000e0041",
    "Ünïcode 語",
    "word",
    ".",
    ")",
    "(",
    "!",
]

hostile = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12)), max_size=14).map("".join)
"""Fragments that mean something to GitHub, glued together in every order."""


@given(hostile)
@example("`a`@octocat")
@example("``a`b```@octocat`")
@example("`x`#1`y`")
@example("1`.` a")
@example("(`a`)")
@example("#" * 7 + "1")
def test_prose_is_paragraphs_of_text_and_code_and_nothing_else(text: str) -> None:
    out = prose(text)

    assert kinds(out) <= {"paragraph_open", "paragraph_close", "text", "code_inline"}
    assert live(out) == []
    assert "<!--" not in out
    assert find_marker(out) is None


@given(hostile)
def test_a_line_of_prose_stays_a_line_wherever_it_is_put(text: str) -> None:
    out = prose_line(text)

    assert "\n" not in out
    for frame in ("- {}", "1. {}", "> {}", "**Title**\n\n{}\n\nEnd"):
        framed = frame.format(out)
        assert kinds(framed) <= kinds(frame.format("word")) | {"code_inline", "text"}
        assert live(framed) == []


@given(hostile)
def test_a_line_of_prose_keeps_inside_a_sentence_in_small_print(text: str) -> None:
    framed = f"<sub>Matched {prose_line(text, start=False)} so.</sub>"

    assert html(framed) == ["<sub>", "</sub>"]
    assert live(framed) == []


@given(hostile)
def test_prose_loses_no_word(text: str) -> None:
    def bare(value: str) -> str:
        return re.sub(r"[\s`]", "", value)

    assert bare(shown(prose(text))) == bare(clean(text))


@given(hostile)
@example("`")
@example("``` `` `")
@example(" ")
@example("")
def test_a_code_span_shows_exactly_its_text(text: str) -> None:
    tokens = [token for token in leaves(parse(f"a {code_span(text)} b")) if token.type not in ("text",)]

    assert [token.type for token in tokens] == ["paragraph_open", "code_inline", "paragraph_close"]
    expected = re.sub(r"`{17,}", "`" * 16, " ".join(clean(text).split()))
    assert tokens[1].content == (expected or " ")


@given(hostile)
@example("```\n@octocat\n```")
@example("````\n" + "`" * 40)
@example("/explain\n  /triage\n// before")
def test_a_fence_cannot_be_left(text: str) -> None:
    out = fence(text, "rust")
    tokens = parse(out + "\n\nafter")

    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert live(out) == []
    assert "<!--" not in out


@given(hostile, st.integers(min_value=1, max_value=40))
def test_one_line_is_one_line_of_at_most_that_length(text: str, limit: int) -> None:
    line = one_line(text, limit)

    assert len(line) <= limit
    assert "\n" not in line
    assert invisible(line) == []


@given(hostile, st.integers(min_value=10, max_value=80))
def test_shortening_keeps_to_the_limit_and_stays_harmless(text: str, limit: int) -> None:
    short = shorten(text, limit)

    assert len(short) <= limit
    assert live(prose_line(short)) == []


@given(hostile)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_well_formed_code_spans_stay_as_they_are() -> None:
    assert prose("Use `x.inner()` or ``a`b``.") == "Use `x.inner()` or ``a`b``."


def test_a_lonely_backtick_is_a_backtick() -> None:
    assert shown(prose("one ` only")) == "one ` only"


def test_a_mention_in_prose_becomes_code_with_its_punctuation_outside() -> None:
    assert prose("ask (@octocat), please.") == "ask (`@octocat`), please."


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("fixes #12.", "fixes `#12`."),
        ("see owner/name#1", "see `owner/name#1`"),
        ("since 2c06be3", "since `2c06be3`"),
        ("at https://example.org/x,", "at `https://example.org/x`,"),
        ("&#64;octocat", "`&#64;octocat`"),
        ("&commat;octocat", r"\&commat;octocat"),
        ("/explain all", "`/explain` all"),
        ("as in a/b", "as in a/b"),
        ("- one\n- two", r"\- one - two"),
        ("1. one", r"1\. one"),
        ("# One", r"\# One"),
        ("a snake_case name", r"a snake\_case name"),
        ("<b>x</b>", r"\<b\>x\</b\>"),
    ],
)
def test_what_would_be_live_is_shown_as_written(text: str, out: str) -> None:
    assert prose(text) == out


def test_wrapped_lines_are_one_paragraph_and_blank_lines_divide() -> None:
    assert prose("one\ntwo\n\n  three\n \nfour") == "one two\n\nthree\n\nfour"


def test_characters_that_reorder_or_hide_are_dropped() -> None:
    assert clean("a\u202eb\u200bc\u2066d\ufeffe\x1b[0m\x00") == "abcde[0m"


def test_a_comment_that_a_zero_width_character_hides_is_broken_too() -> None:
    assert clean("<!\u200b-- x") == "<! -- x"


def test_letters_of_other_scripts_and_accents_stay() -> None:
    assert clean("Größe 形状 e\u0301") == "Größe 形状 e\u0301"


@pytest.mark.parametrize("lang", ["mermaid", "math", "geojson", "rust\n@octocat", "`"])
def test_a_fence_takes_only_languages_that_are_shown_as_text(lang: str) -> None:
    assert fence("x", lang).startswith("```text\n")


@pytest.mark.parametrize("lang", sorted(FENCE_LANGUAGES))
def test_a_fence_keeps_the_indentation_of_code(lang: str) -> None:
    assert fence("\nfn a() {\n    b();\n}\n\n", lang) == f"```{lang}\nfn a() {{\n    b();\n}}\n```"


def test_a_command_in_a_fence_is_no_command_for_bots_that_do_not_read_markdown() -> None:
    assert fence("/merge\n// comment", "text") == "```text\n    /merge\n// comment\n```"


def test_shortening_ends_at_a_sentence_where_it_can() -> None:
    assert shorten("One sentence here. Another one follows. A third.", 42) == "One sentence here. Another one follows."


def test_shortening_never_halves_a_code_span() -> None:
    assert shorten("Call this long name `tensor . inner ( )` now", 30) == "Call this long name …"
