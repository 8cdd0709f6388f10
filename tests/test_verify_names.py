"""Names in code and prose: what is read out of any text, however odd, without failing or taking long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.rust.apis import Api
from bot.records.rust.definitions import Definitions, definitions_of, joined
from bot.records.rust.known import load_known
from bot.records.rust.literal import SourceFile, canonical
from bot.records.rust.manifests import Manifests, command_use, dependency_revision, manifest_use
from bot.records.rust.prose import inline_spans, without_fences
from bot.records.rust.references import Unparsable, Use, snippet_of

API = Api(version="burn 1", definitions=Definitions(), manifests=Manifests(), known=load_known())
RUSTY = st.text(alphabet="ab:.,<>(){}[]!#&;='\"`\\|-=+ \nAB_0é…", max_size=80)


@given(RUSTY)
def test_any_span_of_prose_can_be_looked_at(text: str) -> None:
    assert all(isinstance(complaint, str) for complaint in API.missing_in_span(text))


@given(RUSTY)
def test_any_code_is_read_or_refused_with_a_line_of_it(text: str) -> None:
    lines = range(1, text.count("\n") + 2)
    try:
        seen = {reference.line for reference in snippet_of(text).references}
    except Unparsable as error:
        seen = {error.line}
    assert all(line in lines for line in seen)


@pytest.mark.parametrize("text", ["use " + "a::{" * 3000 + "b" + "}" * 3000 + ";", "(" * 9000, "x" * 30_000])
def test_code_that_is_nested_or_long_beyond_reason_is_refused(text: str) -> None:
    with pytest.raises(Unparsable):
        snippet_of(text)


@given(st.text(alphabet="`a \n~", max_size=60))
def test_fences_and_spans_never_fail_and_lose_no_letter_outside_them(text: str) -> None:
    plain, fences = without_fences(text)
    if "```" not in text and "~~~" not in text:
        assert (plain, fences) == ("\n".join(text.splitlines()), [])
    for start, end in inline_spans(plain):
        assert plain[start] == plain[end - 1] == "`"


def test_spans_are_those_of_commonmark() -> None:
    text = "a `b` and ``c ` d`` but ` not this``"
    assert [text[start:end] for start, end in inline_spans(text)] == ["`b`", "``c ` d``"]


def test_fences_give_their_language_and_code() -> None:
    plain, fences = without_fences("one\n```Rust\nlet a = 1;\n```\ntwo\n~~~\nopen to the end")
    assert plain == "one\ntwo"
    assert fences == [("rust", "let a = 1;"), ("", "open to the end")]


def test_uses_are_told_from_definitions() -> None:
    code = """
use burn::tensor::{Tensor, ops::{conv2d as convolve, self}};
use other::*;
struct Mine<T> { inner: Tensor<T, 2> }
impl<T> Mine<T> {
    fn go(&self, x: T) -> Option<usize> {
        let Mine { inner } = self;
        let f = |y: usize| convolve(y, x.rank());
        if let Some(z) = f(1) { z.depth; Shape::<3>::new(z) } else { None }
    }
}
"""
    snippet = snippet_of(code)
    found = {(reference.use, str(reference)) for reference in snippet.references if not reference.local}
    assert found == {
        (Use.PATH, "burn::tensor::Tensor"), (Use.PATH, "burn::tensor::ops::conv2d"), (Use.PATH, "burn::tensor::ops"),
        (Use.TYPE, "other"), (Use.TYPE, "Tensor"), (Use.TYPE, "Option"), (Use.METHOD, ".rank()"),
        (Use.FUNCTION, "Some()"), (Use.FIELD, ".depth"), (Use.PATH, "Shape::new"), (Use.TYPE, "None"),
    }  # fmt: skip
    assert {"Mine", "T", "inner", "go", "x", "f", "y", "z", "convolve"} <= snippet.locals


def test_definitions_know_owners_traits_aliases_and_generated_names() -> None:
    found = joined(
        definitions_of(source)
        for source in (
            "pub trait Shape: Named { const RANK: usize; type Item; fn rank(&self, axis_index: usize) -> usize; }",
            "pub trait Named { fn label(&self) {} }\npub enum Kind { Dense, Sparse { nnz: u8 } }",
            "impl<'a> crate::Shape for &'a Kind { }\npub type Sort = Kind;\npub use Kind as Flavour;",
            "#[derive(Config)] pub struct Net { width: u8 }\n#[derive(Module)] pub struct Layer;",
            "impl<T> Blanket for T { }\npub trait Blanket { fn everywhere(&self); }",
            "macro_rules! ops { ($n:ident) => { pub fn generated() {} } }\nmake! { pub fn written() {} }",
            "#[cfg(test)]\nmod tests { pub fn only_in_tests() {} }\nfn hidden() {}\npub(crate) fn inside() {}",
            'fn read() { std::env::var("GRID_LOG"); }\n#[proc_macro_derive(Grid)]\npub fn grid(i: T) -> T { i }',
        )
    )
    assert {"RANK", "Item", "rank", "label", "Dense", "Sparse", "everywhere"} <= found.members_of("Flavour")
    assert found.members_of("Sort") == found.members_of("Flavour")
    assert {"new", "with_width"} <= found.members_of("Net")
    assert {"rank", "generated", "written", "with_width", "grid"} <= found.functions
    assert {"hidden", "inside", "read"} <= found.private
    assert not {"only_in_tests", "hidden", "inside"} & found.functions
    assert {"LayerRecord", "Kind", "Sort"} <= found.types
    assert ({"nnz", "width"}, {"axis_index", "T"}) == (found.fields, found.parameters & {"axis_index", "T"})
    assert ({"GRID_LOG"}, True) == (found.environment, "Grid" in found.macros)


def test_a_file_that_the_grammar_refuses_still_defines_names() -> None:
    assert {"first", "second"} <= definitions_of("pub fn first() {}\nfn broken( { ]\nfn second() {}").functions


@pytest.mark.parametrize(
    ("text", "crates", "features"),
    [
        ('burn = { version = "0.21", features = ["wgpu", "fusion"] }', ("burn",), ("wgpu", "fusion")),
        ('[dependencies.burn]\nversion = "1"\ndefault-features = false', ("burn",), ()),
        ('[dependencies]\nmine = { package = "burn", version = "1" }', ("burn",), ()),
        ('[target.x.dependencies]\nburn = "1"', ("burn",), ()),
        ('features = ["cuda"]', (), ("cuda",)),
    ],
)
def test_manifests_say_what_they_ask_for(text: str, crates: tuple[str, ...], features: tuple[str, ...]) -> None:
    use = manifest_use(text)
    assert use is not None
    assert (use.crates, use.features) == (crates, features)


def test_what_is_no_manifest_is_none() -> None:
    assert manifest_use("let x = 1;") is None
    assert manifest_use("words only") is None
    assert manifest_use("[" * 5000) is None


def test_cargo_commands_say_what_they_ask_for() -> None:
    use = command_use('cargo run -p burn-x --features "a,b/c" --release && cargo test -F d')
    assert (use.crates, use.features) == (("burn-x",), ("a", "c", "d"))


@pytest.mark.parametrize(
    ("entry", "revision"),
    [
        ('cubecl = "=0.9.1"', "v0.9.1"),
        ('cubecl = { version = "^0.9", rev = "abc" }', "abc"),
        ('cubecl = { git = "https://example.org/c", tag = "t1" }', "t1"),
        ('other = "1"', None),
    ],
)
def test_the_wanted_revision_of_a_dependency(entry: str, revision: str | None) -> None:
    assert dependency_revision(f"[workspace.dependencies]\n{entry}\n", "cubecl") == revision


def test_every_name_of_the_allow_list_is_one_word_with_a_reason() -> None:
    known = load_known()
    assert {"unwrap", "Vec", "RUST_BACKTRACE"} <= known.names
    assert all(name == name.strip() for name in known.names | known.crates | known.foreign)


def test_canonical_texts_differ_only_where_people_read_a_difference() -> None:
    assert canonical("a {x:?}  b\n {{c}}") == canonical("a {} b {{c}}") == "a {} b {c}"
    assert canonical("2d") != canonical("3d")


def test_a_message_in_a_constant_stands_where_it_is_written() -> None:
    file = SourceFile('fn f() {\n    custom_error(\n        "made of ",\n        "two parts",\n    );\n}\n')
    assert file.stands_at("made of two parts", 2).last_line == 4
    assert not file.stands_at("made of three parts", 2).stands
    assert not file.stands_at("made of two parts", 5).stands


def test_an_assertion_without_a_text_prints_its_condition() -> None:
    file = SourceFile(
        'fn f() {\n    assert!(\n        self.shape() [dim] > k, // why\n    );\n    assert!(a, "b");\n}\n'
    )
    assert file.stands_at("assertion failed: self.shape()[dim] > k", 3).stands
    elsewhere = file.stands_at("assertion failed: self.shape()[dim] > k", 5)
    assert (elsewhere.stands, elsewhere.elsewhere) == (False, (2,))
    assert not file.stands_at("assertion failed: self.shape()[dim] < k", 3).stands
