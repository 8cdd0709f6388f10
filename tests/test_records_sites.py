"""From records to error sites: one for each wording, with the function that a backtrace would show."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.excerpt import enclosing_function
from bot.records.load import load_catalogue, sites
from bot.records.model import Kind
from tests.records.samples import ADAPTIVE, DEFORM, OWN, load, raw


@pytest.mark.parametrize(
    ("path", "function"), [(ADAPTIVE, "adaptive_avg_pool2d_backward"), (DEFORM, "deform_conv2d_backward")]
)
def test_the_seeds_functions_are_read_off_their_excerpts(path: Path, function: str) -> None:
    (site,) = sites(load_catalogue(path))
    assert site.function == function
    assert site.pattern
    assert not site.needs_location


def test_every_further_wording_is_a_site_of_its_record(tmp_path: Path) -> None:
    head, _, tail = OWN.partition("[review]")
    further = (
        '[[extension.sites]]\nerrorMessage = "Cannot squeeze {}"\nfunction = "check"\n'
        '[[extension.sites]]\nerrorMessage = "No squeeze"\nfilePath = "old/check.rs"\n'
    )
    catalogue = load(
        tmp_path, own=head.replace("[extension]", "[extension]\nsecondary = true") + further + "[review]" + tail
    )
    first, second, third = sites(catalogue)
    assert {site.record for site in (first, second, third)} == {catalogue.entries[0].id}
    assert (first.message, first.function) == ("Can't squeeze dimension {} because its size is not 1", "squeeze")
    assert (second.message, second.function, second.file_path) == ("Cannot squeeze {}", "check", None)
    assert (third.message, third.function, third.file_path) == ("No squeeze", None, "old/check.rs")
    assert all(site.secondary for site in (first, second, third))
    assert (first.pattern is not None, second.pattern, third.pattern) == (True, None, None)


def test_a_located_record_needs_its_location(tmp_path: Path) -> None:
    catalogue = load(tmp_path, own=OWN.replace("[extension]", '[extension]\nkind = "located"'))
    (site,) = sites(catalogue)
    assert site.needs_location
    assert site.kind is Kind.LOCATED


def test_the_stated_function_outranks_the_excerpts(tmp_path: Path) -> None:
    beside = f'id = "{raw()["id"]}"\n[extension]\nfunction = "stated"\n'
    (site,) = sites(load(tmp_path, raw=raw(), beside=beside))
    assert site.function == "stated"


def test_records_without_excerpt_line_or_function_still_are_sites(tmp_path: Path) -> None:
    bare = raw(sourceCode=None, sourceCodeStart=None, sourceCodeEnd=None)
    lineless = raw("Cannot unfold: {} is flat already", lineNumber=None)
    assert [site.function for site in sites(load(tmp_path, a=bare, b=lineless))] == [None, None]


# The function around a line


def function_at(source: str) -> str | None:
    """Of the line that holds the panic."""
    lines = source.split("\n")
    (index,) = [index for index, line in enumerate(lines) if "panic!" in line or "expect(" in line]
    return enclosing_function(source, index)


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("fn outer() {\n    panic!()\n}", "outer"),
        ("pub(crate) async unsafe fn outer<T>(\n    x: T,\n) -> u8\nwhere\n    T: X,\n{\n    panic!()\n}", "outer"),
        ("fn outer() { panic!() }", "outer"),
        ('fn before() {\n    let a = "}}}";\n}\nfn outer() {\n    panic!()', "outer"),
        ("fn outer() {\n    fn inner() {\n        ok()\n    }\n    panic!()\n}", "outer"),
        ("fn outer() {\n    let f = |x| {\n        match x {\n            _ => panic!(),", "outer"),
        ("fn outer(a: [u8; 3]) -> [u8; 2] {\n    panic!()\n}", "outer"),
        ("fn outer() {\n    // a { brace } {\n    /* fn no() { */\n    panic!()\n}", "outer"),
        ("fn outer() {\n    let c = '{'; let s = r#\"fn x() {\"#;\n    panic!()\n}", "outer"),
        ("fn outer<'a>(x: &'a str) {\n    panic!()\n}", "outer"),
        ("fn r#try() {\n    panic!()\n}", "try"),
        ('fn outer() {\n    x.method(\n        a,\n    )\n    .expect("no")\n}', "outer"),
        ("    }\n\n    fn outer() {\n        panic!()\n    }", "outer"),
        ("impl Fn() for X {\n    const A: u8 = panic!();\n}", None),
        ("    let x = 1;\n    panic!()\n}", None),
        ("fn closed() {\n}\nstatic X: u8 = panic!();", None),
        ("fn declared(x: u8) -> u8;\nmod a {\n    static X: u8 = panic!();", None),
    ],
)
def test_the_innermost_open_function_counts(source: str, function: str | None) -> None:
    assert function_at(source) == function


def test_a_line_outside_the_excerpt_has_no_function() -> None:
    assert enclosing_function("fn a() {", 1) is None
    assert enclosing_function("fn a() {", -1) is None


@given(st.text(alphabet="fn a(){}[];\"'/*\\\n#r", max_size=400), st.integers(0, 20))
def test_any_text_is_read_to_its_end(source: str, index: int) -> None:
    name = enclosing_function(source, index)
    assert name is None or name in source


@pytest.mark.parametrize("unit", ['"', "/*", "'", "{", "fn a(", '\\"', 'r#"', "fn "])
def test_hostile_excerpts_are_read_once(unit: str) -> None:
    # A quadratic reader would take minutes here.
    enclosing_function(unit * (19_000 // len(unit)) + "\nx", 1)
