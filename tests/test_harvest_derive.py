"""What is computed from a message and its place: the rules of upstream, proven on both seed records."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from bot.records import derive

SEEDS = sorted((Path(__file__).parent.parent / "records/tracel-ai/burn").glob("can-t-differentiate-*.json"))


@pytest.fixture(params=SEEDS, ids=lambda path: path.stem)
def seed(request: pytest.FixtureRequest) -> dict[str, object]:
    record = json.loads(request.param.read_text(encoding="utf-8"))["record"]
    assert isinstance(record, dict)
    return record


def test_both_seeds_are_there() -> None:
    assert len(SEEDS) >= 2


def test_the_seeds_id_slug_and_pattern_are_reproduced(seed: dict[str, str]) -> None:
    code, message, path = seed["errorCode"], seed["errorMessage"], seed["filePath"]
    assert derive.record_id(seed["repo"], code, message, path) == seed["id"]
    assert derive.slug_of(code, message) == seed["slug"]
    assert derive.pattern_of(message) == seed["messagePattern"]


def test_the_seeds_window_and_permalink_are_reproduced_from_a_file_with_their_lines(seed: dict[str, object]) -> None:
    start, end, line, excerpt = (
        seed[name] for name in ("sourceCodeStart", "sourceCodeEnd", "lineNumber", "sourceCode")
    )
    assert isinstance(start, int)
    assert isinstance(line, int)
    file = "\n".join([*["// filler"] * (start - 1), str(excerpt), *["// filler"] * 50])
    window = derive.source_window(file, line)
    assert (window.code, window.start, window.end) == (excerpt, start, end)
    url = derive.permalink(str(seed["repo"]), str(seed["analyzedSha"]), str(seed["filePath"]), window.start, window.end)
    assert url == seed["githubUrl"]


def test_a_code_stands_for_the_message_in_id_and_slug() -> None:
    assert derive.record_id("o/n", "E1", "a", "f") == derive.record_id("o/n", "E1", "b", "f")
    assert derive.slug_of("ERR_BAD_URL", "whatever") == "err-bad-url"


@pytest.mark.parametrize(
    ("message", "slug"),
    [
        ("Shape {} is not {}", "shape-is-not"),
        ("{}", "error"),
        ("ü", "error"),
        ("a" * 70, "a" * 60),
        ("The provided tensor can't be broadcasted to the target shape.",
         "the-provided-tensor-can-t-be-broadcasted-to-the-target-shape"),
        ("The provided tensors can't be broadcasted to the target shape.",
         "the-provided-tensors-can-t-be-broadcasted-to-the-target"),
    ],
)  # fmt: skip
def test_slugs_are_cut_on_a_word_at_sixty_characters(message: str, slug: str) -> None:
    assert derive.slug_of(None, message) == slug


def test_colliding_slugs_get_the_file_stem_and_then_six_characters_of_the_id() -> None:
    records = [
        ("no-rule", "a/conv.rs", "1111111111111111"),
        ("no-rule", "a/pool.rs", "2222222222222222"),
        ("no-rule", "b/pool.rs", "3333333333333333"),
    ]
    slugs = derive.resolve_slug_collisions(records)
    assert slugs == ["no-rule", "no-rule-pool", "no-rule-pool-333333"]
    for (_, path, identity), slug in zip(records, slugs, strict=True):
        assert slug in derive.slug_choices(None, "no rule", path, identity)


def test_slugs_of_other_records_are_respected() -> None:
    assert derive.resolve_slug_collisions([("x", "m.rs", "a" * 16)], taken=["x"]) == ["x-m"]


def test_one_id_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="occurs twice"):
        derive.resolve_slug_collisions([("x", "m.rs", "a" * 16), ("y", "m.rs", "a" * 16)])


@pytest.mark.parametrize(
    ("message", "pattern"),
    [
        ("dim {} (of {d:?}) is out.", r"dim (.+?) \(of (.+?)\) is out\."),
        ("Set {{x}} is {}", r"Set \{x\} is (.+?)"),
        ("{}", r"\{\}"),
        ("{}: {}!!", r"\{\}: \{\}!!"),
        ("got %s of %d things", "got (.+?) of (.+?) things"),
        ("x" * 600 + "{}", "x" * 600 + r"\{\}"),
    ],
)
def test_placeholders_become_holes_unless_nothing_else_is_left(message: str, pattern: str) -> None:
    assert derive.pattern_of(message) == pattern


@given(st.text(max_size=200))
def test_every_pattern_compiles_in_a_linear_time_engine(message: str) -> None:
    pattern = derive.pattern_of(message)
    re.compile(pattern)
    if message.isascii():
        re2.compile(pattern)


@given(st.text(alphabet="ab{} .%s()", max_size=60))
def test_a_pattern_without_doubled_braces_matches_its_own_message(message: str) -> None:
    if "{{" not in message and "}}" not in message:
        assert re.search(derive.pattern_of(message), message, re.DOTALL)


@given(st.text(max_size=300))
def test_every_slug_is_kebab_and_short(message: str) -> None:
    slug = derive.slug_of(None, message)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= derive.SLUG_LENGTH


@pytest.mark.parametrize(("line", "span"), [(1, (1, 19)), (10, (1, 28)), (30, (12, 41)), (41, (23, 41))])
def test_the_window_stops_at_the_ends_of_the_file(line: int, span: tuple[int, int]) -> None:
    window = derive.source_window("x\n" * 40, line)
    assert (window.start, window.end) == span
    assert window.code.count("\n") == window.end - window.start


def test_a_line_outside_the_file_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        derive.source_window("one\n", 3)


def test_a_permalink_of_one_line_or_none() -> None:
    sha = "0" * 40
    assert derive.permalink("o/n", sha, "a b.rs") == f"https://github.com/o/n/blob/{sha}/a%20b.rs"
    assert derive.permalink("o/n", sha, "a.rs", 3, 3).endswith("a.rs#L3")
    assert derive.permalink("o/n", sha, "a.rs", 3, 4).endswith("a.rs#L3-L4")
