"""Error sites of Rust files: every macro form, odd literals, what surrounds them, and files the grammar cannot take."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.rust.brackets import BracketSurroundings
from bot.records.rust.scope import surroundings
from bot.records.rust.sites import Site, sites_of
from bot.records.rust.tokens import Sort, bracketed, split_arguments, tokens, unescape


def sites(source: str) -> tuple[Site, ...]:
    return sites_of(textwrap.dedent(source)).sites


def only(source: str) -> Site:
    found = sites(source)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ('panic!("boom {}", x);', "panic", "boom {}"),
        ('core::panic!("boom {x:?}");', "panic", "boom {x:?}"),
        ('unimplemented!["no 3d"];', "unimplemented", "no 3d"),
        ('todo!{"later"}', "todo", "later"),
        ('unreachable!("never {0} and {0}", x)', "unreachable", "never {0} and {0}"),
        ('assert!(x > 0, "x is {x}");', "assert", "x is {x}"),
        ('assert!(f("not this", 1), "but this");', "assert", "but this"),
        ('assert_eq!(a, [b, c], "sizes {} {}", a, b);', "assert_eq", "sizes {} {}"),
        ('debug_assert_ne!(a, b, "same");', "debug_assert_ne", "same"),
        ('let y = x.expect("There is a value");', "expect", "There is a value"),
        ('let y = x.expect(&format!("value of {x}"));', "expect", "value of {x}"),
        ('let y = x.expect_err("fails");', "expect", "fails"),
        ('return Err(format!("No file {}", p));', "err", "No file {}"),
        ('return Err("No such file".into());', "err", "No such file"),
        ('return Err(String::from("No such file"));', "err", "No such file"),
        ('return Err(Kind::Shape(format!("bad shape {s}")));', "err", "bad shape {s}"),
        ('return Err(Kind::Shape { reason: "bad shape here".to_string(), at: 1 });', "err", "bad shape here"),
        ('return Err(syn::Error::new(span, "only named fields"));', "err", "only named fields"),
        ('x.ok_or("not there yet")?;', "err", "not there yet"),
        ('x.ok_or_else(|| "not there yet".to_string())?;', "err", "not there yet"),
        ('x.map_err(|e| LoadError::Io(format!("cannot read: {e}")))?;', "err", "cannot read: {e}"),
        ('x.map_err(|e| format!("cannot read: {e}"))?;', "err", "cannot read: {e}"),
        ('check.register("Add", TensorError::new("The shapes differ").details(format!("{a} {b}")));',
         "tensor_check", "The shapes differ"),
        ('bail!("stop at {}", x);', "bail", "stop at {}"),
        ('ensure!(x.len() == 2, "two wanted");', "ensure", "two wanted"),
        ('return Err(anyhow!("went wrong"));', "err", "went wrong"),
        ('compile_error!("pick one feature");', "compile_error", "pick one feature"),
    ],
)  # fmt: skip
def test_every_form_gives_its_message(statement: str, kind: str, message: str) -> None:
    site = only(f"impl Thing {{\n    fn work(&self) {{\n        {statement}\n    }}\n}}\n")
    assert (site.message, site.function, site.line) == (message, "work", 3)
    assert site.kind == kind


@pytest.mark.parametrize(
    "statement",
    [
        'println!("hello");',
        'let x = "panic!(\\"no\\")";',
        '// panic!("no");',
        '/* panic!("no"); /* nested */ panic!("no"); */',
        "panic!(message);",
        "assert!(x > 0);",
        "assert_eq!(a, b);",
        'x.expect(MESSAGE);',
        'Err(io_error)?;',
        'Err(Kind::Missing("name"))?;',
        'Err(lookup("some key here"))?;',
        'map.get("a key").map_err(convert)?;',
        'write!(f, "not an error")?;',
        'let r = r#"panic!("no")"#;',
        "let c = '\"'; let d = '\\''; let e: &'static str = s;",
    ],
)  # fmt: skip
def test_what_is_no_error_text_gives_nothing(statement: str) -> None:
    assert sites(f"fn f() {{\n{statement}\n}}\n") == ()


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        (r'"say \"no\"\tand \\ \u{e9}\x21"', 'say "no"\tand \\ é!'),
        ('"first part, \\\n             second part"', "first part, second part"),
        ('"two\n        lines"', "two\n        lines"),
        ('r"raw \\n stays"', "raw \\n stays"),
        ('r#"raw "quoted" text"#', 'raw "quoted" text'),
        ('concat!("one ", "two ", 3)', "one two 3"),
        ('concat!("in ", env!("HOME"), " dir")', "in {} dir"),
        ('"braces {{}} and {}"', "braces {{}} and {}"),
        ('"naïve – 字 {}"', "naïve – 字 {}"),
    ],
)
def test_literals_say_what_rust_makes_of_them(literal: str, message: str) -> None:
    assert only(f"fn f() {{\n    panic!({literal}, x);\n}}\n").message == message


def test_a_macro_without_text_prints_what_std_says() -> None:
    found = sites("fn a() { unimplemented!() }\nfn b() { todo!() }\nfn c() { unreachable!() }\nfn d() { panic!() }\n")
    assert [(site.message, site.function, site.bare) for site in found] == [
        ("not implemented", "a", True),
        ("not yet implemented", "b", True),
        ("internal error: entered unreachable code", "c", True),
        ("explicit panic", "d", True),
    ]


def test_the_line_is_the_macros_and_the_literal_may_end_later() -> None:
    site = only("""\
        fn f() {
            let step = map
                .remove(&id)
                .expect(
                    "first \\
                     second",
                );
        }
        """)
    assert (site.line, site.last_line, site.message) == (4, 6, "first second")


def test_an_error_built_inside_map_err_stands_where_it_is_built() -> None:
    site = only("""\
        fn f() {
            x.map_err(|e| {
                LoadError::Io(format!("Failed to load: {e}"))
            })?;
        }
        """)
    assert (site.line, site.owner) == (3, "LoadError")


def test_thiserror_texts_belong_to_their_enum() -> None:
    found = sites("""\
        #[derive(Debug, thiserror::Error)]
        pub enum LoadError {
            #[error("cannot open {path}")]
            Open { path: String },
            #[error(transparent)]
            Other(#[from] std::io::Error),
        }

        #[derive(thiserror::Error)]
        #[error("broken")]
        pub struct Broken;
        """)
    assert [(site.kind, site.message, site.owner, site.line) for site in found] == [
        ("thiserror", "cannot open {path}", "LoadError", 3),
        ("thiserror", "broken", "Broken", 10),
    ]


def test_display_texts_count_for_errors_only() -> None:
    found = sites("""\
        impl std::fmt::Display for ReadError {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Magic => write!(f, "Invalid magic number"),
                    Self::Size(n) => f.write_str("Bad size"),
                }
            }
        }
        impl Display for Shape {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                write!(f, "Shape of {}", self.0)
            }
        }
        """)
    assert [(site.kind, site.message, site.owner) for site in found] == [
        ("display", "Invalid magic number", "ReadError"),
        ("display", "Bad size", "ReadError"),
    ]


def test_one_literal_is_one_site() -> None:
    assert only('fn f() { return Err(Box::new(LoadError::Io(format!("no file {p}")))); }').kind == "err"


@pytest.mark.parametrize(
    "source",
    [
        '#[test]\nfn f() { panic!("a b"); }\n',
        '#[cfg(test)]\nmod tests {\n    fn f() { panic!("a b"); }\n}\n',
        '#[cfg(all(test, feature = "std"))]\nmod checks {\n    mod inner { fn f() { panic!("a b"); } }\n}\n',
        '#[tokio::test]\nasync fn f() { panic!("a b"); }\n',
        '#![cfg(test)]\nfn f() { panic!("a b"); }\n',
        '#[cfg(test)]\nimpl Thing {\n    fn f() { panic!("a b"); }\n}\n',
    ],
)
@pytest.mark.parametrize("broken", ["", "fn broken( { ]\n"])
def test_what_only_tests_compile_is_marked(source: str, broken: str) -> None:
    assert only(source + broken).test


@pytest.mark.parametrize("attribute", ["#[cfg(not(test))]", '#[cfg(feature = "test")]', "#[testing]"])
def test_other_attributes_are_no_tests(attribute: str) -> None:
    assert not only(f'{attribute}\nfn f() {{ panic!("a b"); }}\n').test


def test_test_modules_in_files_of_their_own_are_named() -> None:
    source = "#[cfg(test)]\nmod tests;\nmod real;\n#[cfg(test)]\nmod inline { }\n"
    assert sites_of(source).test_modules == ("tests",)
    assert BracketSurroundings(source).test_modules() == ("tests",)


def test_functions_inside_a_macros_tokens_are_seen() -> None:
    found = sites("""\
        macro_rules! make {
            ($n:ident) => {
                fn build() -> $n { panic!("no {}", stringify!($n)) }
            };
        }
        fn outer() {
            run!({ let x = y.expect("has y"); });
        }
        """)
    assert [(site.message, site.function) for site in found] == [("no {}", "build"), ("has y", "outer")]


BROKEN = """\
impl Backend for Nd {
    fn slow<T: for<'a> Fn(&'a T)>(x: [u8; { N + 1 }]) -> Self where T: Copy {
        let é = |v| { v.expect("inner é") };
        if x { y(|| { panic!("in a closure") }) }
    }
    fn next() { unimplemented!() }
}
fn broken( -> ;; ] match } { {
mod more { fn late() { todo!("late text") } }
"""


def test_a_file_that_the_grammar_refuses_still_gives_its_sites() -> None:
    file = sites_of(BROKEN)
    assert not file.parsed
    assert [(site.line, site.message, site.function) for site in file.sites][:3] == [
        (3, "inner é", "slow"),
        (4, "in a closure", "slow"),
        (6, "not implemented", "next"),
    ]
    assert [site.message for site in file.sites][3:] == ["late text"]


def test_tree_and_brackets_agree_where_both_can_read() -> None:
    source = BROKEN.split("fn broken", 1)[0] + '#[error("é {0}")]\nstruct Fault(u8);\nfn z() { Err("a b")? }\n'
    tree, parsed = surroundings(source)
    assert parsed
    brackets = BracketSurroundings(source)
    for token in tokens(source):
        if token.sort is Sort.NAME and token.value in {"expect", "panic", "unimplemented", "Err"}:
            seen, counted = tree.at(token.start), brackets.at(token.start)
            assert seen is not None
            assert counted is not None
            assert (seen.function, seen.owner, seen.trait) == (counted.function, counted.owner, counted.trait)


@given(st.text(alphabet="fn panic!(){}[]\"'\\/*r#\n;,é ", max_size=200))
def test_no_text_at_all_makes_it_fail(source: str) -> None:
    for site in sites_of(source).sites:
        assert 1 <= site.line <= site.last_line <= source.count("\n") + 1


@given(st.text(max_size=100))
def test_tokens_cover_a_string_literal_whatever_it_holds(text: str) -> None:
    body = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r")
    [token] = tokens(f'"{body}"')
    assert token.sort is Sort.STRING
    assert token.value == text


def test_arguments_are_split_at_their_own_commas() -> None:
    inside = bracketed('f(a, (b, c), "d, e", [g, h],)', 1)
    assert [[token.value for token in argument] for argument in split_arguments(inside)] == [
        ["a"], ["(", "b", ",", "c", ")"], ["d, e"], ["[", "g", ",", "h", "]"],
    ]  # fmt: skip


def test_escapes_that_mean_nothing_are_kept() -> None:
    assert unescape("\\q \\u{d800} \\u{110000}") == "q \N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}"
