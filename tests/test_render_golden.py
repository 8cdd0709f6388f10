"""Each kind of comment as a file that a person can read. `UPDATE_GOLDEN=1` writes them anew; look at the diff then."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bot.render.cap import LIMIT
from bot.render.marker import find_marker
from tests.comment_kinds import KINDS
from tests.markdown_judge import html, links, live, visible_lines

GOLDEN = Path(__file__).parent / "golden"
SNIPPET = re.compile(r"(?<=\n\n)https://github\.com/[\w.-]+/[\w.-]+/blob/[0-9a-f]{40}/[\w./-]+#L\d+-L\d+(?=\n\n)")
LINK = re.compile(
    r"https://github\.com/[\w.-]+/[\w.-]+(?:/blob/[0-9a-f]{40}/[\w./-]+#L\d+(?:-L\d+)?)?"
    r"|https://redirect\.github\.com/[\w.-]+/[\w.-]+/issues/\d+"
)
TAGS = re.compile(r"<details><summary>[A-Za-z, ]+</summary>|</details>|</?sub>|<!-- burn-triage v1 [^<>]* -->")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_comment_is_the_golden_one(kind: str) -> None:
    path = GOLDEN / f"{kind}.md"
    body = KINDS[kind]()
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(body + "\n", encoding="utf-8")

    assert body + "\n" == path.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_kind() -> None:
    assert {path.stem for path in GOLDEN.glob("*.md")} == set(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_in_it_is_live_but_its_own_links(kind: str) -> None:
    body = KINDS[kind]()

    assert live(SNIPPET.sub("", body)) == []
    assert [link for link in links(body) if not LINK.fullmatch(link)] == []
    assert [tag for tag in html(body) if not TAGS.fullmatch(tag)] == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_it_is_short_and_ends_with_its_marker(kind: str) -> None:
    body = KINDS[kind]()
    marker = find_marker(body)

    assert visible_lines(body) < 25
    assert len(body) < LIMIT
    assert body.count("<!--") == 1
    assert body.endswith("-->")
    assert marker is not None
    assert marker.subject.endswith("#4711")
    assert marker.purpose == "main"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_it_says_that_it_is_automated_and_never_apologises_or_claims_a_solution(kind: str) -> None:
    body = KINDS[kind]().lower()

    assert "<sub>automated" in body
    assert re.search(r"\b(?:sorry|apolog\w+|unfortunately|solved|thanks?|please)\b", body) is None


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"retracted"}))
def test_it_shows_the_matched_line_the_record_and_how_to_object(kind: str) -> None:
    small = KINDS[kind]().rpartition("<sub>")[2]

    assert re.search(r"record \(`[0-9a-f]{16}`, (?:source read at|made from) `[0-9a-f]{7}` on \d{4}-\d\d-\d\d\)", small)
    assert re.search(r"The (?:line|title) `.+` matches (?:exactly|nearly)", small)
    assert "👎" in small
