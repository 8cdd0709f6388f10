"""Changes to a person's TOML file: only the value changes, everything else stays as it is written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from bot.records.refresh_toml import EditError, TomlFile

FILE = """\
# Why this record exists.
[record]
repo = "tracel-ai/burn"   # the repository
errorMessage = 'It''s "out" of {}'
lineNumber = 12 # the macro
documentation = '''
[not a table]
key = 1 # not a comment
'''
solutions = [
  "One, # still text",  # the first
  "Two]",
]

[extension]
function = "squeeze"
examples = ["a", 'b']

[review]
at = 2026-11-30
by = "t"

[[review.proofs]]
claim = "c"
lines = ["a:1"]
[[review.proofs]]
claim = "d"
lines = [
  "b:2",
]
""".replace("'It''s \"out\" of {}'", '''"It's \\"out\\" of {}"''')


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    edited = TomlFile(FILE).with_value(("record", "lineNumber"), 240)
    assert edited.text == FILE.replace("lineNumber = 12 # the macro", "lineNumber = 240 # the macro")


def test_a_missing_value_is_added_at_the_end_of_its_table() -> None:
    edited = TomlFile(FILE).with_value(("extension", "until"), "0.21.0")
    assert edited.text == FILE.replace("""examples = ["a", 'b']\n""", """examples = ["a", 'b']\nuntil = "0.21.0"\n""")


def test_a_value_inside_an_array_of_tables() -> None:
    edited = TomlFile(FILE).with_value(("review", "proofs", 1, "claim"), 'e "f"\n')
    assert edited.text == FILE.replace('claim = "d"', 'claim = "e \\"f\\"\\n"')


def test_a_missing_table_is_added_at_the_end() -> None:
    edited = TomlFile("id = 'x'\n").with_value(("extension", "kind"), "historical")
    assert edited.text == "id = 'x'\n\n[extension]\nkind = \"historical\"\n"


def test_a_first_table_of_an_array_follows_the_table_it_belongs_to() -> None:
    edited = TomlFile(FILE).with_table(("extension", "sites"), {"errorMessage": "new", "lineNumber": 3})
    block = '\n\n[[extension.sites]]\nerrorMessage = "new"\nlineNumber = 3\n\n[review]'
    assert edited.text == FILE.replace("\n\n[review]", block)


def test_a_further_table_follows_the_last_one() -> None:
    once = TomlFile(FILE).with_table(("extension", "sites"), {"errorMessage": "new"})
    twice = once.with_table(("extension", "sites"), {"errorMessage": "newer"})
    assert 'errorMessage = "new"\n\n[[extension.sites]]\nerrorMessage = "newer"\n\n[review]' in twice.text
    assert [site["errorMessage"] for site in twice.content["extension"]["sites"]] == ["new", "newer"]
    changed = twice.with_value(("extension", "sites", 0, "until"), "0.1.0")
    assert 'errorMessage = "new"\nuntil = "0.1.0"\n' in changed.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("sites = []", 'sites = [{ errorMessage = "n" }]'),
        ("sites = [{ a = 1 }]", 'sites = [{ a = 1 }, { errorMessage = "n" }]'),
        ("sites = [\n  { a = 1 }, # one\n]", 'sites = [\n  { a = 1 }, # one\n  { errorMessage = "n" },\n]'),
        ("sites = [\n  { a = 1 } # one\n]", 'sites = [\n  { a = 1 }, # one\n  { errorMessage = "n" },\n]'),
    ],
)
def test_an_inline_array_of_tables_grows_inline(before: str, after: str) -> None:
    edited = TomlFile(f"[extension]\n{before}\nkind = 'x'\n").with_table(("extension", "sites"), {"errorMessage": "n"})
    assert edited.text == f"[extension]\n{after}\nkind = 'x'\n"


def test_an_inline_table_takes_a_further_key() -> None:
    edited = TomlFile("a = { b = 1 }\nc = {}\n").with_value(("a", "d"), 2).with_value(("c", "e"), "f")
    assert edited.text == 'a = { b = 1, d = 2 }\nc = { e = "f" }\n'


def test_dotted_and_quoted_keys_are_found() -> None:
    edited = TomlFile('a . "b c".d = 1\n').with_value(("a", "b c", "d"), 2)
    assert edited.text == 'a . "b c".d = 2\n'


def test_what_cannot_be_done_in_place_is_refused() -> None:
    with pytest.raises(EditError):
        TomlFile("extension.kind = 'x'\n").with_value(("extension", "until"), "0.1.0")


def test_a_file_without_a_newline_at_its_end() -> None:
    edited = TomlFile("[record]\na = 1").with_value(("record", "b"), 2)
    assert edited.content == {"record": {"a": 1, "b": 2}}


simple: st.SearchStrategy[Any] = st.one_of(st.text(max_size=12), st.integers(-9, 10**6), st.booleans())
tables = st.dictionaries(
    st.text(alphabet='ab." é', min_size=1, max_size=4),
    st.recursive(
        simple,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(content=tables, value=st.one_of(st.text(max_size=20), st.integers(0, 99)), multiline=st.booleans())
def test_any_file_says_afterwards_what_it_said_and_the_change(content: Any, value: Any, multiline: bool) -> None:
    text = tomli_w.dumps({"record": content, "extension": {"k": 1}}, multiline_strings=multiline)
    edited = TomlFile(text).with_value(("record", "zz"), value).with_value(("extension", "k"), value)
    assert tomllib.loads(edited.text) == {"record": {**content, "zz": value}, "extension": {"k": value}}
    grown = edited.with_table(("extension", "sites"), {"m": value}).with_table(("extension", "sites"), {"m": 1})
    assert grown.content["extension"]["sites"] == [{"m": value}, {"m": 1}]
