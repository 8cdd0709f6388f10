"""Where a message stands at another commit: texts first, then function and likeness, never the line."""

from __future__ import annotations

import pytest

from bot.records.harvest import FoundSite
from bot.records.refresh_match import Located, SiteIndex, Sought, Status, is_telling
from bot.records.rust.sites import sites_of


def index(**files: str) -> SiteIndex:
    """Files by name, `__` for `/`."""
    found: list[FoundSite] = []
    paths = [f"{name.replace('__', '/')}.rs" for name in files]
    for path, source in zip(paths, files.values(), strict=True):
        found += [FoundSite(path=path, site=site, test=False) for site in sites_of(source).sites]
    return SiteIndex(found, paths)


def panics(**functions: str) -> str:
    return "".join(f'fn {name}() {{\n    panic!("{text}");\n}}\n' for name, text in functions.items())


def locate(
    now: SiteIndex, message: str, *, path: str = "a.rs", line: int = 2, function: str | None = "f",
    before: SiteIndex | None = None, taken: frozenset[str] = frozenset(),
) -> Located:  # fmt: skip
    sought = Sought(message=message, path=path, line=line, function=function)
    return now.locate(sought, before=before, taken=taken)


def place(located: Located) -> tuple[str, str, int]:
    assert located.found is not None
    return located.status.value, located.found.path, located.found.site.line


TEXT = "Cannot slice the tensor here"


def test_text_line_and_file_as_before_is_same() -> None:
    assert place(locate(index(a=panics(f=TEXT)), TEXT)) == ("same", "a.rs", 2)


def test_names_of_holes_do_not_make_another_text() -> None:
    assert place(locate(index(a=panics(f="Cannot slice {dim:?} of it")), "Cannot slice {} of it")) == (
        "same",
        "a.rs",
        2,
    )


def test_another_line_is_moved_and_so_is_another_file() -> None:
    assert place(locate(index(a="\n\n" + panics(f=TEXT)), TEXT)) == ("moved", "a.rs", 4)
    assert place(locate(index(b=panics(f=TEXT)), TEXT)) == ("moved", "b.rs", 2)


def test_of_several_places_the_function_decides_before_the_line() -> None:
    now = index(a=panics(g=TEXT, h=TEXT, f=TEXT))
    assert place(locate(now, TEXT, line=2)) == ("moved", "a.rs", 8)
    assert place(locate(now, TEXT, line=5, function=None)) == ("same", "a.rs", 5)


def test_the_file_name_decides_between_other_files() -> None:
    now = index(x__pool=panics(g=TEXT), x__conv=panics(g=TEXT))
    assert place(locate(now, TEXT, path="y/conv.rs"))[1] == "x/conv.rs"


def test_a_sibling_that_stood_there_before_is_not_where_it_moved() -> None:
    before = index(candle__ops=panics(f=TEXT), torch__ops=panics(f=TEXT))
    now = index(torch__ops=panics(f=TEXT))
    assert locate(now, TEXT, path="candle/ops.rs", before=before).status is Status.GONE


@pytest.mark.parametrize("text", ["not implemented", "not yet implemented", "{}: {}", "bad rank"])
def test_a_text_that_says_nothing_needs_file_and_function(text: str) -> None:
    assert not is_telling(text)
    now = index(b=panics(f=text), a=panics(g=text))
    assert locate(now, text).status is Status.GONE
    assert place(locate(index(a="\n" + panics(f=text)), text)) == ("moved", "a.rs", 3)
    assert place(locate(index(z__a=panics(f=text)), text)) == ("moved", "z/a.rs", 2)


def test_a_new_wording_in_the_same_function_is_reworded() -> None:
    located = locate(index(a=panics(f="Cannot slice the given tensor {shape:?} here")), TEXT)
    assert place(located) == ("reworded", "a.rs", 2)
    assert 0.5 < located.likeness < 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The conv2d weights do not fit the input", "The conv3d weights do not fit the input"),
        ("Up to 6 dimensions are supported", "Up to 7 dimensions are supported"),
        ("The gradients of the tensor are unknown", "No such file or folder can be found"),
        ("Cannot take the mean of it", "Cannot take {}"),
    ],
)
def test_a_sibling_or_another_message_is_no_new_wording(old: str, new: str) -> None:
    assert locate(index(a=panics(f=new)), old).status is Status.GONE


def test_other_identifiers_ask_for_more_likeness() -> None:
    old = "output_dtype must be given for this"
    assert locate(index(a=panics(f="input_rank should be known for that")), old).status is Status.GONE
    assert locate(index(a=panics(f="output_dtype should be known for that")), old).status is Status.REWORDED


def test_a_text_that_stood_beside_it_before_is_no_new_wording() -> None:
    sibling = "Cannot slice the tensor there"
    before = index(a=panics(f=TEXT, g=sibling))
    now = index(a=panics(g=sibling))
    assert locate(now, TEXT, function="g", before=before).status is Status.GONE
    assert locate(now, TEXT, function="g", taken=frozenset({sibling})).status is Status.GONE
    assert locate(now, TEXT, function="g").status is Status.REWORDED


def test_two_equally_likely_wordings_are_none() -> None:
    now = index(a='fn f() {\n panic!("Cannot slice the tensor aaa");\n panic!("Cannot slice the tensor bbb");\n}\n')
    assert locate(now, "Cannot slice the tensor ccc").status is Status.GONE


def test_the_same_function_elsewhere_counts_only_when_the_file_is_gone() -> None:
    changed = f"{TEXT}."
    assert locate(index(b=panics(f=changed), a=panics(g="Something else entirely")), TEXT).status is Status.GONE
    assert place(locate(index(b=panics(f=changed)), TEXT)) == ("reworded", "b.rs", 2)
    assert locate(index(b=panics(f=f"{TEXT} of this backend, sorry")), TEXT).status is Status.GONE
