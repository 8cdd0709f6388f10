"""`records harvest`: a checkout becomes skeleton records, and both seeds come out as upstream made them."""

from __future__ import annotations

import builtins
import datetime as dt
import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from bot.commands import checkout as commands
from bot.records.harvest import Harvest, crate_of, harvest, is_test_path, wire
from bot.records.model import AUTHORED_FIELDS, Record
from bot.records.rust.checkout import CheckoutError, GitObjects, WorkTree, open_checkout

SHA = "0123456789abcdef0123456789abcdef01234567"
NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
SEEDS = Path(__file__).parent.parent / "records/tracel-ai/burn"

SHAPES = """\
pub fn add(a: usize, b: usize) {
    assert!(a == b, "shapes differ: {a} and {b}");
    if a > 6 {
        unimplemented!()
    }
    panic!("shapes differ: {a} and {b}");
}

#[cfg(test)]
mod tests {
    fn check() { panic!("only in tests"); }
}
"""


def put(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".rs").write_text(text, encoding="utf-8")
    return root


def read(root: Path, **options: Any) -> Harvest:
    return harvest(open_checkout(root), repo="o/n", sha=SHA, now=NOW, **options)


def run(*arguments: str | Path) -> Result:
    command, *rest = (str(argument) for argument in arguments)
    [chosen] = [known for known in commands.commands if known.name == command]
    return CliRunner().invoke(chosen, rest)


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], capture_output=True, check=True, text=True)
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["can-t-differentiate-adaptive-avg-pool2d-backward",
                                  "can-t-differentiate-deform-conv-2d-backward"])  # fmt: skip
def test_a_seed_is_reproduced_byte_for_byte_in_its_mechanical_fields(tmp_path: Path, name: str) -> None:
    seed = json.loads((SEEDS / f"{name}.json").read_text(encoding="utf-8"))["record"]
    path = tmp_path / seed["filePath"]
    path.parent.mkdir(parents=True)
    lines = ["", *["// line"] * (seed["sourceCodeStart"] - 2), seed["sourceCode"], *["// line"] * 60]
    path.write_text("\n".join(lines), encoding="utf-8")

    found = harvest(open_checkout(tmp_path), repo=seed["repo"], sha=seed["analyzedSha"], now=NOW)

    [record] = [wire(record) for record in found.records if record.id == seed["id"]]
    mechanical = [key for key in seed if key not in AUTHORED_FIELDS and key not in {"analyzedAt", "contentChangedAt"}]
    assert {key: record[key] for key in mechanical} == {key: seed[key] for key in mechanical}
    assert list(record) == list(seed)
    assert found.sites[0].site.function == name.removeprefix("can-t-differentiate-").replace("-", "_").replace(
        "conv_2d", "conv2d"
    )


def test_the_authored_half_is_empty_and_the_whole_is_schema_2(tmp_path: Path) -> None:
    found = read(put(tmp_path, crates__core__src__shape=SHAPES))
    record = wire(found.records[0])
    msgspec.convert(record, Record)
    authored = {key: record[key] for key in AUTHORED_FIELDS}
    assert authored.pop("severity") == "error"
    assert all(value in ("", [], None) for value in authored.values())
    assert record["analyzedAt"] == record["contentChangedAt"] == "2026-11-30T12:00:00.000Z"


def test_a_text_that_a_file_raises_twice_is_one_record_and_two_sites(tmp_path: Path) -> None:
    found = read(put(tmp_path, src__shape=SHAPES))
    assert [(one.site.line, one.site.kind) for one in found.sites] == [
        (2, "assert"),
        (4, "unimplemented"),
        (6, "panic"),
    ]
    assert [(record.line_number, record.error_message) for record in found.records] == [
        (2, "shapes differ: {a} and {b}"),
        (4, "not implemented"),
    ]


def test_the_same_text_in_another_file_has_its_own_id_and_slug(tmp_path: Path) -> None:
    found = read(put(tmp_path, a__src__shape=SHAPES, b__src__rank=SHAPES))
    assert [record.slug for record in found.records] == [
        "shapes-differ-a-and-b", "not-implemented", "shapes-differ-a-and-b-rank", "not-implemented-rank",
    ]  # fmt: skip
    assert len({record.id for record in found.records}) == 4


def test_tests_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    panics = 'fn f() { panic!("never shipped"); }\n'
    put(tmp_path, src__shape=SHAPES, tests__it=panics, src__ops__checks=panics, src__ops__checks__deep=panics)
    put(tmp_path, src__ops__mod='#[cfg(test)]\nmod checks;\nfn f() { panic!("real one"); }\n', benches__b=panics)
    assert {one.path for one in read(tmp_path).sites} == {"src/shape.rs", "src/ops/mod.rs"}
    everything = read(tmp_path, tests=True)
    assert sum(one.test for one in everything.sites) == 5
    assert len(everything.sites) == len(read(tmp_path).sites) + 5


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("crates/burn-core/src/tensor.rs", False),
        ("crates/burn-core/tests/derive.rs", True),
        ("crates/burn-backend-tests/src/lib.rs", True),
        ("crates/burn-core/src/tests/mod.rs", True),
        ("crates/burn-core/src/test_utils.rs", True),
        ("crates/burn-core/benches/x.rs", True),
        ("crates/burn-core/src/latest/x.rs", False),
        ("crates/burn-core/src/contest.rs", False),
    ],
)
def test_test_files_are_known_by_their_path(path: str, test: bool) -> None:
    assert is_test_path(path) is test


def test_the_crate_is_read_off_the_path() -> None:
    assert crate_of("crates/burn-core/src/nn/a.rs") == "burn-core"
    assert crate_of("src/lib.rs") is None


def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    for number in range(90):
        put(tmp_path, **{f"src__m{number}": SHAPES.replace("differ", f"differ at {number}")})
    steps: list[int] = []
    assert read(tmp_path, processes=2, progress=steps.append) == read(tmp_path)
    assert sum(steps) == 90


def test_files_that_cannot_be_read_or_parsed_are_named(tmp_path: Path) -> None:
    put(tmp_path, src__good=SHAPES, src__odd='fn broken( {{{ panic!("still found"); ')
    (tmp_path / "src/latin.rs").write_bytes(b'fn f() { panic!("\xe9"); }')
    found = read(tmp_path)
    assert found.fallback == ("src/odd.rs",)
    assert found.unreadable == ("src/latin.rs",)
    assert "still found" in {record.error_message for record in found.records}


def test_windows_line_ends_stay_in_the_window(tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_bytes(SHAPES.replace("\n", "\r\n").encode())
    [first, *_] = read(tmp_path).records
    assert first.source_code == SHAPES.replace("\n", "\r\n")


def test_a_git_directory_is_read_at_the_commit_asked_for(tmp_path: Path) -> None:
    put(tmp_path, src__shape=SHAPES)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    first = git(tmp_path, "rev-parse", "HEAD")
    put(tmp_path, src__shape=SHAPES.replace("differ", "are unlike"), src__more=SHAPES)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "two")

    source = open_checkout(tmp_path / ".git")
    assert isinstance(source, GitObjects)
    with source:
        assert source.paths(first) == ["src/shape.rs"]
        assert source.read("src/shape.rs", first) == SHAPES
        assert source.read("src/shape.rs") != SHAPES
        assert source.read("src/none.rs", first) is None
        assert source.read("src", first) is None
        assert source.resolve("nothing") is None
        assert source.resolve("--all") is None
        assert source.resolve(first[:10]) == first
        with pytest.raises(CheckoutError, match="no commit"):
            source.paths("nothing")

    result = run("harvest", "--checkout", tmp_path / ".git", "--sha", first[:12], "--repo", "o/n")
    assert result.exit_code == 0
    assert {record["analyzedSha"] for record in json.loads(result.stdout)} == {first}


def test_a_work_tree_gives_nothing_outside_itself(tmp_path: Path) -> None:
    (tmp_path / "secret.rs").write_text("x", encoding="utf-8")
    inside = put(tmp_path / "tree", src__shape=SHAPES)
    assert WorkTree(inside).read("../secret.rs") is None
    assert WorkTree(inside).read(str(tmp_path / "secret.rs")) is None


def test_the_command_writes_records_and_sites(tmp_path: Path) -> None:
    put(tmp_path / "tree", src__shape=SHAPES.replace("{b}", "{b}\\n\\t\\\\ok"))
    out, sites = tmp_path / "burn.json", tmp_path / "sites.tsv"
    result = run("harvest", "--checkout", tmp_path / "tree", "--sha", SHA, "--out", out, "--sites", sites)
    assert result.exit_code == 0
    assert "2 records for 3 sites in 1 files (0 read without the grammar)" in result.stderr
    assert len(json.loads(out.read_text(encoding="utf-8"))) == 2
    assert sites.read_text(encoding="utf-8").splitlines() == [
        "path\tline\tkind\tfunction\tmessage",
        "src/shape.rs\t2\tassert\tadd\tshapes differ: {a} and {b}\\n\\t\\\\ok",
        "src/shape.rs\t4\tunimplemented (bare)\tadd\tnot implemented",
        "src/shape.rs\t6\tpanic\tadd\tshapes differ: {a} and {b}\\n\\t\\\\ok",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give --sha"),
        (["--sha", "v0.21.0"], "give all 40 digits"),
        (["--sha", SHA], "holds no .rs file"),
    ],
)
def test_the_command_says_what_is_missing(tmp_path: Path, options: list[str], message: str) -> None:
    result = run("harvest", "--checkout", tmp_path, *options)
    assert result.exit_code == 1
    assert message in result.stderr


def test_an_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    put(tmp_path, src__shape=SHAPES)
    result = run("harvest", "--checkout", tmp_path, "--sha", SHA, "--out", tmp_path / "missing" / "x.json")
    assert result.exit_code == 1
    assert "cannot write" in result.stderr


def test_without_tree_sitter_the_command_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "bot.records.harvest":
            raise ImportError("no tree-sitter", name="tree_sitter")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    result = run("harvest", "--checkout", tmp_path, "--sha", SHA)
    assert result.exit_code == 1
    assert "pip install 'burn-triage[checkout]'" in result.stderr
