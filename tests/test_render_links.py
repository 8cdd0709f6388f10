"""Links are built from checked parts; a snippet shows the function that raises, not half the file."""

from __future__ import annotations

import pytest

from bot.records.model import Record
from bot.render.links import MOST_LINES, issue_link, repo_link, source_line, source_link, source_repo
from tests.factories import FILE, REPO, SHA, changed, make_record

BLOB = f"https://github.com/{REPO}/blob/{SHA}/{FILE}"
SOURCE = "\n".join(
    [
        "    fn other() {",
        "        1",
        "    }",
        *[f"    // {number}" for number in range(20)],
        "    pub(crate) fn squeeze<const D: usize>(",
        "        dim: usize,",
        "    ) {",
        '        panic!("no");',
        "    }",
        *[f"    // {number}" for number in range(20)],
    ]
)


def windowed(line: int = 127, first: int = 101) -> Record:
    return make_record(
        line_number=line,
        source_code=SOURCE,
        source_code_start=first,
        source_code_end=first + 47,
        github_url=f"{BLOB}#L{first}-L{first + 47}",
    )


def test_in_its_own_repository_the_permalink_is_a_bare_address() -> None:
    assert source_line(make_record(), repo=REPO, function=None) == f"{BLOB}#L250-L258"


def test_repository_names_know_no_case() -> None:
    assert source_line(make_record(), repo="Tracel-AI/Burn", function=None) == f"{BLOB}#L250-L258"


def test_elsewhere_it_is_a_text_link() -> None:
    line = source_line(make_record(), repo="someone/app", function=None)

    assert line == f"Source: [`{REPO}/{FILE}`, lines 250–258]({BLOB}#L250-L258)"


def test_a_long_window_is_narrowed_to_the_function() -> None:
    assert source_line(windowed(), repo=REPO, function="squeeze") == f"{BLOB}#L124-L128"


@pytest.mark.parametrize("function", [None, "unsqueeze", "squee", ".*"])
def test_without_the_function_it_is_narrowed_to_lines_around(function: str | None) -> None:
    assert source_line(windowed(), repo=REPO, function=function) == f"{BLOB}#L119-L130"


def test_a_line_outside_its_own_window_keeps_the_windows_head() -> None:
    line = source_line(windowed(line=9_000), repo=REPO, function="squeeze")

    assert line == f"{BLOB}#L101-L{101 + MOST_LINES - 1}"


def test_a_permalink_without_lines_gets_those_around_the_raising_one() -> None:
    assert source_line(changed(make_record(), github_url=BLOB), repo=REPO, function=None) == f"{BLOB}#L246-L257"


def test_a_record_without_any_line_links_the_file() -> None:
    record = changed(make_record(), github_url=BLOB, line_number=None)

    assert source_line(record, repo=REPO, function=None) == BLOB


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/tracel-ai/burn/blob/main/src/lib.rs#L1",
        "https://example.org/tracel-ai/burn",
        "javascript:alert(1)",
        f"{BLOB}#L1) [x](https://example.org",
        f"https://github.com/-x/burn/blob/{SHA}/a.rs#L1",
        "",
    ],
)
def test_what_is_no_permalink_is_never_a_link(url: str) -> None:
    record = changed(make_record(), github_url=url)

    assert source_line(record, repo=REPO, function=None) == f"Raised in `{FILE}`."
    assert source_link(record) == f"`{FILE}`"
    assert source_repo(record) is None


def test_a_path_with_odd_characters_is_encoded() -> None:
    url = f"https://github.com/{REPO}/blob/{SHA}/a(b)%20%22%3E[c].rs#L1"
    line = source_line(changed(make_record(), github_url=url), repo="a/b", function=None)

    assert line == (
        f'Source: [`{REPO}/a(b) ">[c].rs`, line 1](https://github.com/{REPO}/blob/{SHA}/a%28b%29%20%22%3E%5Bc%5D.rs#L1)'
    )


def test_a_related_issue_leaves_no_trace_over_there() -> None:
    assert issue_link("tracel-ai/burn#1942") == (
        "[tracel-ai/burn issue 1942](https://redirect.github.com/tracel-ai/burn/issues/1942)"
    )


@pytest.mark.parametrize(
    "reference", ["#12", "tracel-ai/burn#0", "a/b#1)[x](y", "https://example.org", "@octocat", "a/_b_#1"]
)
def test_any_other_reference_is_code(reference: str) -> None:
    assert issue_link(reference) == f"`{reference}`"


def test_a_repository_is_a_link_and_anything_else_is_code() -> None:
    assert repo_link("gfx-rs/wgpu") == "[gfx-rs/wgpu](https://github.com/gfx-rs/wgpu)"
    assert repo_link("not a repository") == "`not a repository`"
    assert repo_link("a/_b_") == "`a/_b_`"
