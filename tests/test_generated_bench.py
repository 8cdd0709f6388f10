"""The bench counts rightly: what is right, wrong, ambiguous; thresholds; tables; a child that builds and loads."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bench import adversarial, baselines, child, quality, world
from bench.table import Table
from bench.timing import Times, exponent
from bot.matching.matcher import Matcher
from bot.records.model import Site
from tests.issue_generator import catalogue
from tests.issue_generator.corruption import Corruption
from tests.issue_generator.issues import Generated
from tests.issue_generator.keys import Split, key
from tests.issue_generator.negatives import Negative

MESSAGE = "The layer norm epsilon must be positive, got {}"


def site(record: str, message: str = MESSAGE, path: str = "crates/burn-nn/src/norm.rs") -> Site:
    return Site(record=record, slug=record, repo=catalogue.REPOSITORY, message=message, file_path=path)


def issue(body: str, *, message: str | None = MESSAGE, answerable: bool = True) -> Generated:
    return Generated(
        id="one",
        title="It stops",
        body=body,
        kind=Corruption.INTACT if message else Negative.SIBLING,
        form=None,
        key=key(message) if message else None,
        message=MESSAGE.replace("{}", "-1") if message else "",
        record="right" if message else None,
        located=True,
        answerable=answerable,
    )


def printed_at(path: str) -> str:
    return f"```\nthread 'main' panicked at {path}:1:2:\n{MESSAGE.replace('{}', '-1')}\n```"


PRINT = printed_at("crates/burn-nn/src/norm.rs")
ELSEWHERE = printed_at("src/main.rs")


@pytest.mark.parametrize(
    ("records", "one", "outcome"),
    [
        ([site("right")], issue(PRINT), quality.RIGHT),
        ([site("general")], issue(PRINT, message="epsilon of another text"), quality.GENERAL),
        ([site("wrong")], issue(PRINT, message=None), quality.FALSE),
        ([site("right")], issue("Nothing is printed."), quality.MISSED),
        ([site("right")], issue("Nothing is printed.", answerable=False), quality.UNANSWERABLE),
        ([site("right")], issue("Nothing is printed.", message=None), quality.SILENT),
        ([site("right"), site("twin", path="crates/burn-optim/src/adam.rs")], issue(ELSEWHERE), quality.AMBIGUOUS),
    ],
)
def test_an_answer_counts_as_what_it_is(records: list[Site], one: Generated, outcome: str) -> None:
    verdict = Matcher.build(records).judge(one.title, one.body)
    assert quality.Owners(records).outcome(one, verdict) == outcome


def test_a_wrong_answer_is_counted_and_kept() -> None:
    other = "The layer norm epsilon must be positive, got {}"
    wrong = msgspec.structs.replace(site("wrong"), message=other)
    printed = Generated(
        **{
            **{name: getattr(issue(PRINT), name) for name in Generated.__slots__},
            "key": key("quite another text"),
            "message": "quite another text",
        }
    )
    found = quality.of_matcher([wrong], [printed])
    assert found.count(quality.WRONG) == 1
    assert (found.precision.hits, found.precision.of) == (0, 1)
    assert (found.recall().hits, found.recall().of) == (0, 1)
    assert [failure.said for failure in found.failures] == [other]


@pytest.mark.parametrize("name", list(baselines.METHODS))
def test_the_other_methods_find_what_is_printed_word_for_word(name: str) -> None:
    sites = catalogue.sites(120)
    literal = [at for at, one in enumerate(sites) if baselines.literal(one.message) == one.message]
    method = baselines.METHODS[name](sites)
    found = [method.best(f"It stops\n\n{sites[at].message}\n\nWhat now?")[0] for at in literal]
    assert len(literal) >= 10
    right = [sites[one].message == sites[at].message for one, at in zip(found, literal, strict=True)]
    assert sum(right) >= 0.9 * len(right)


def test_the_threshold_of_another_method_is_chosen_on_the_development_half() -> None:
    sites = catalogue.sites(80)
    dev = quality.mixed_issues(sites, 54, split=Split.DEV)
    found = baselines.tuned(baselines.PerLine(sites), sites, dev, dev)
    assert 50 <= found.threshold <= 100
    assert (found.quality.recall().value or 0) > 0.5


def test_the_exponent_is_that_of_the_growth() -> None:
    assert exponent((1_000, 2.0), (100_000, 2.0)) == 0
    assert exponent((1_000, 2.0), (100_000, 200.0)) == pytest.approx(1)
    assert exponent((1_000, 2.0), (100_000, 20.0)) == pytest.approx(0.5)
    times = Times(all=tuple(float(n) for n in range(100)))
    assert (times.p50, times.p99) == (50.0, 99.0)


def test_bodies_and_issues_are_as_long_as_github_allows() -> None:
    sites = catalogue.sites(200)
    bodies = adversarial.bodies(sites)
    assert all(0 < len(body) <= 65_536 for body in bodies.values())
    assert sum(1 for body in bodies.values() if len(body) > 60_000) > 30
    for _, body in world.long_issues(sites, 3):
        assert 60_000 < len(body) <= 65_536


def test_a_table_is_markdown_and_data() -> None:
    table = Table("Times", ("what", "ms"), note="Once.")
    table.add("short", 1.23456)
    assert table.markdown().splitlines()[2:6] == ["| what  | ms   |", "|-------|------|", "| short | 1.23 |", ""]
    assert table.data()["rows"] == [{"what": "short", "ms": "1.23"}]


def test_a_child_builds_saves_and_loads(tmp_path: Path) -> None:
    index, one = tmp_path / "index", tmp_path / "issue.json"
    one.write_bytes(msgspec.json.encode({"title": "x", "body": PRINT}))
    built = child.build(50, index, None)
    assert built.saved == index.stat().st_size
    loaded = child.load(index, one)
    assert loaded.peak >= loaded.before > 10_000_000
