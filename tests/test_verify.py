"""`records verify`: what a record says is compared with a small repository, and each kind of failure is shown."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tomli_w
from click.testing import CliRunner, Result

from bot.commands.checkout import commands
from bot.records.load import read_catalogue
from bot.records.rust.checkout import GitObjects, WorkTree
from bot.records.verify import verify
from bot.records.verify_outcome import Check, Problem, Proven
from bot.records.verify_sources import Sources

LIB = """\
//! A tiny tensor crate.
pub mod grid;
pub use grid::Grid as Raster;

/// Adds.
pub fn add_grids(lhs: Grid, rhs: Grid, drop_last: bool) -> Grid {
    if lhs.rank() != rhs.rank() {
        panic!(
            "Grids of rank {} and {} cannot \\
             be added",
            lhs.rank(),
            rhs.rank()
        );
    }
    hidden_step(lhs)
}

fn hidden_step(grid: Grid) -> Grid {
    let cell = grid.cells.first().unwrap();
    grid.check().expect("The grid was checked");
    std::env::var("GRID_LOG").ok();
    grid
}

#[proc_macro_derive(Config, attributes(config))]
pub fn config_derive(input: TokenStream) -> TokenStream {
    input
}
"""

GRID = """\
#[derive(Config, Debug)]
pub struct GridConfig {
    pub width: usize,
}

pub struct Grid {
    pub cells: Vec<u8>,
}

pub enum Edge {
    Wrap,
    Clamp(u8),
}

pub trait Measure {
    fn area(&self) -> usize;
}

impl Measure for Grid {
    fn area(&self) -> usize {
        unimplemented!()
    }
}

impl Grid {
    pub fn rank(&self) -> usize {
        2
    }
    fn secret(&self) {}
}

macro_rules! grid_of {
    ($n:expr) => {
        Grid::filled($n).expect("room for the grid")
    };
}
"""

MANIFEST = """\
[workspace]
members = ["crates/*"]
[workspace.package]
version = "2.0.0-pre.1"
"""

CRATE = """\
[package]
name = "burn-grid"
[features]
fusion = []
[dependencies]
rayon = { version = "1", optional = true }
"""


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], capture_output=True, check=True, text=True)
    return done.stdout.strip()


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Repository:
    """Release 1.0.0 is the first commit; the second renames `add_grids` and adds `Grid::later`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write(root, {"Cargo.toml": MANIFEST, "crates/burn-grid/Cargo.toml": CRATE,
                     "crates/burn-grid/src/lib.rs": LIB, "crates/burn-grid/src/grid.rs": GRID})  # fmt: skip
        git(root, "init", "--quiet")
        self.first = self.commit("one")
        git(root, "tag", "v1.0.0")
        lib = root / "crates/burn-grid/src/lib.rs"
        lib.write_text(
            LIB.replace("add_grids", "sum_grids") + "impl Grid { pub fn later(&self) {} }\n", encoding="utf-8"
        )
        self.second = self.commit("two")

    def commit(self, message: str) -> str:
        git(self.root, "add", ".")
        git(self.root, "commit", "--quiet", "-m", message)
        return git(self.root, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("burn"))


@pytest.fixture(scope="module")
def sources(repository: Repository) -> Iterator[Sources]:
    with GitObjects(repository.root / ".git") as objects:
        yield Sources({"tracel-ai/burn": objects})


class Written:
    """A record of our own that holds in every respect, and what a test changes about it."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        self.folder = folder
        self.sha = repository.first
        self.record: dict[str, Any] = {
            "repo": "tracel-ai/burn",
            "errorMessage": "Grids of rank {} and {} cannot be added",
            "errorType": "panic",
            "severity": "error",
            "filePath": "crates/burn-grid/src/lib.rs",
            "lineNumber": 8,
            "documentation": "`add_grids` takes two `Grid`s of one rank.",
            "triggerScenarios": "",
            "commonSituations": "",
            "solutions": ["Compare `rank()` first."],
            "exampleFix": "let sum = add_grids(a, b, true);",
        }
        self.extension: dict[str, Any] = {"function": "add_grids", "apiVersion": "1.0.0"}
        self.proofs: list[str] = ["crates/burn-grid/src/lib.rs:6-14"]
        self.lines = "L6-L14"
        self.path_in_link = "crates/burn-grid/src/lib.rs"

    def content(self) -> dict[str, Any]:
        url = f"https://github.com/tracel-ai/burn/blob/{self.sha}/{self.path_in_link}#{self.lines}"
        review = {
            "by": "t",
            "at": "2026-11-30",
            "commit": self.sha,
            "proofs": [{"claim": "It panics.", "lines": self.proofs}],
        }
        return {"record": {"githubUrl": url, **self.record}, "extension": self.extension, "review": review}

    def save(self) -> Path:
        file = self.folder / "grids-of-rank-and-cannot-be-added.toml"
        text = tomli_w.dumps(self.content()).replace('"2026-11-30"', "2026-11-30")
        file.write_text(text, encoding="utf-8")
        return file

    def verify(self, sources: Sources) -> Proven:
        self.save()
        catalogue = read_catalogue(self.folder)
        assert not catalogue.problems
        return verify(catalogue.entries, sources)

    def only_failure(self, sources: Sources) -> Problem:
        proven = self.verify(sources)
        assert len(proven.failures) == 1, proven.failures
        return proven.failures[0]


@pytest.fixture
def written(repository: Repository, tmp_path: Path) -> Written:
    return Written(repository, tmp_path)


def test_a_record_that_is_right_in_everything_is_proven(written: Written, sources: Sources) -> None:
    proven = written.verify(sources)
    assert (proven.failures, proven.unchecked) == ((), ())
    assert {check for check, count in proven.checked.items() if count} == {
        "literal", "permalink", "function", "proof", "code", "api",
    }  # fmt: skip


@pytest.mark.parametrize("line", [8, 9, 10])
def test_the_literal_may_stand_anywhere_from_its_macro_to_its_end(
    written: Written, sources: Sources, line: int
) -> None:
    written.record["lineNumber"] = line
    assert not written.verify(sources).failures


def test_a_literal_at_another_line_is_named_with_its_line(written: Written, sources: Sources) -> None:
    written.record["lineNumber"] = 14
    problem = written.only_failure(sources)
    assert (problem.check, problem.field) == (Check.LITERAL, "errorMessage")
    assert problem.message == "does not stand at crates/burn-grid/src/lib.rs:14, but at line 8"


@pytest.mark.parametrize(
    "message", ["Grids of rank {} or {} cannot be added", "Grids of rank 2 and {} cannot be added"]
)
def test_another_wording_does_not_stand_there(written: Written, sources: Sources, message: str) -> None:
    written.record["errorMessage"] = message
    problem = written.only_failure(sources)
    assert problem.check is Check.LITERAL
    assert "line 8 says: panic!(" in problem.message


def test_names_of_holes_and_blanks_do_not_matter(written: Written, sources: Sources) -> None:
    written.record["errorMessage"] = "Grids of rank {lhs:?} and {rhs}  cannot be\n added"
    assert not written.verify(sources).failures


def test_a_link_whose_lines_do_not_show_the_literal(written: Written, sources: Sources) -> None:
    written.lines = "L6-L9"
    problem = written.only_failure(sources)
    assert (problem.check, problem.message) == (Check.PERMALINK, "shows 6-9, not 8-10")


def test_a_link_beyond_the_end_of_its_file(written: Written, sources: Sources) -> None:
    written.lines = "L6-L400"
    assert written.only_failure(sources).message == "ends at line 400; the file has 28"


def test_a_link_to_a_file_that_is_not_there(written: Written, sources: Sources) -> None:
    written.path_in_link = "crates/burn-grid/src/gone.rs"
    problem = written.only_failure(sources)
    assert problem.check is Check.LITERAL
    assert "gone.rs is not a file of tracel-ai/burn" in problem.message


def test_another_enclosing_function(written: Written, sources: Sources) -> None:
    written.extension["function"] = "sum_grids"
    problem = written.only_failure(sources)
    assert problem.check is Check.FUNCTION
    assert problem.message == "is 'sum_grids'; line 8 is inside add_grids"


def test_a_stub_is_proven_by_the_macro_that_prints_it(written: Written, sources: Sources) -> None:
    written.record |= {"errorMessage": "not implemented", "lineNumber": 21, "filePath": "crates/burn-grid/src/grid.rs"}
    written.path_in_link, written.lines = "crates/burn-grid/src/grid.rs", "L19-L23"
    written.extension |= {"function": "area", "kind": "located"}
    assert not written.verify(sources).failures
    written.extension["function"] = "volume"
    assert written.only_failure(sources).check is Check.FUNCTION


def test_a_message_of_std_is_proven_by_the_call_that_prints_it(written: Written, sources: Sources) -> None:
    written.record |= {"errorMessage": "called `Option::unwrap()` on a `None` value", "lineNumber": 19}
    written.lines = "L18-L22"
    written.extension |= {"function": "hidden_step", "kind": "located"}
    assert not written.verify(sources).failures
    written.record["lineNumber"] = 20
    assert written.only_failure(sources).check is Check.LITERAL


def test_a_function_inside_a_macro_is_left_to_backtraces(written: Written, sources: Sources) -> None:
    written.record |= {
        "errorMessage": "room for the grid",
        "lineNumber": 34,
        "filePath": "crates/burn-grid/src/grid.rs",
    }
    written.path_in_link, written.lines = "crates/burn-grid/src/grid.rs", "L32-L36"
    proven = written.verify(sources)
    assert not proven.failures
    assert [problem.check for problem in proven.unchecked] == [Check.FUNCTION]


def test_a_text_that_another_project_raises_is_listed_as_unchecked(written: Written, sources: Sources) -> None:
    written.record |= {"errorMessage": "Validation Error of the driver", "lineNumber": 20}
    written.lines = "L18-L22"
    written.extension |= {"function": "hidden_step", "kind": "surfaced"}
    proven = written.verify(sources)
    assert not proven.failures
    assert [problem.field for problem in proven.unchecked] == ["errorMessage"]


def test_a_commit_that_nobody_has_is_unchecked_not_passed(written: Written, sources: Sources) -> None:
    written.sha = "f" * 40
    proven = written.verify(sources)
    assert not proven.failures
    assert {(problem.check, problem.field) for problem in proven.unchecked} == {
        (Check.LITERAL, "githubUrl"),
        (Check.PROOF, "review.proofs[0].lines[0]"),
    }


def test_a_repository_without_a_checkout_is_unchecked(written: Written) -> None:
    proven = written.verify(Sources({}))
    assert not proven.failures
    assert {problem.check for problem in proven.unchecked} == {Check.LITERAL, Check.PROOF, Check.API}


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("crates/burn-grid/src/lib.rs", "is not `path:line`"),
        ("crates/burn-grid/src/lib.rs:0", "is not `path:line`"),
        ("crates/burn-grid/src/lib.rs:9-400", "the file has 28 lines"),
        ("crates/burn-grid/src/lib.rs:9-8", "the file has 28 lines"),
        ("crates/burn-grid/src/lib.rs:4", "nothing but blanks"),
        ("crates/burn-grid/src/none.rs:4", "there is no such file"),
    ],
)
def test_a_proof_that_points_nowhere(written: Written, sources: Sources, place: str, message: str) -> None:
    written.proofs.append(place)
    problem = written.only_failure(sources)
    assert (problem.check, problem.sentence) == (Check.PROOF, "It panics.") or "is not `path" in problem.message
    assert message in problem.message


def test_a_proof_may_name_its_own_repository_and_commit(
    written: Written, sources: Sources, repository: Repository
) -> None:
    written.proofs = [f"tracel-ai/burn@{repository.second}:crates/burn-grid/src/lib.rs:29"]
    assert not written.verify(sources).failures
    written.proofs = [f"tracel-ai/burn@{repository.first}:crates/burn-grid/src/lib.rs:29"]
    assert written.only_failure(sources).check is Check.PROOF
    written.proofs = [f"gfx-rs/wgpu@{repository.first}:src/lib.rs:29"]
    assert [problem.check for problem in written.verify(sources).unchecked] == [Check.PROOF]


@pytest.mark.parametrize(
    ("site", "holds"),
    [
        ({"errorMessage": "The grid was checked", "filePath": "crates/burn-grid/src/lib.rs"}, True),
        ({"errorMessage": "The grid was checked", "filePath": "crates/burn-grid/src/lib.rs", "lineNumber": 20}, True),
        ({"errorMessage": "The grid was checked", "filePath": "crates/burn-grid/src/lib.rs", "lineNumber": 3}, False),
        ({"errorMessage": "The grid was not", "filePath": "crates/burn-grid/src/lib.rs"}, False),
        ({"errorMessage": "The grid was checked", "filePath": "crates/gone.rs", "until": "1.0.0"}, False),
        ({"errorMessage": "any text without a file"}, True),
    ],
)
def test_further_sites_stand_where_they_say(
    written: Written, sources: Sources, site: dict[str, Any], holds: bool
) -> None:
    written.extension["sites"] = [site]
    failures = written.verify(sources).failures
    assert [problem.check for problem in failures] == ([] if holds else [Check.SITES])


@pytest.mark.parametrize(
    "code",
    [
        "let x = ;",
        "// before\nlet a = 1;\n// after\nlet b = add_grids(a, ...);",
        "Then call it again, please.",
        "```rust\nlet x = (;\n```",
    ],
)
def test_example_code_that_does_not_parse(written: Written, sources: Sources, code: str) -> None:
    written.record["exampleFix"] = code
    assert written.only_failure(sources).check is Check.CODE


@pytest.mark.parametrize(
    "code",
    [
        "use burn_grid::{grid::Edge, Raster};\n\nfn mine(grid: Raster) -> usize { grid.area() + grid.rank() }\n",
        "// before\nlet a = add_grids(x, y, true);\n// after\nlet a = add_grids(x.clone(), y, true);",
        "// before\nlet config = GridConfig::new(3)\n// after\nlet config = GridConfig::new(3).with_width(4)",
        "#[derive(Debug)]\nstruct My<T> { cells: Vec<T> }\nimpl<T> My<T> { fn go(&self) { self.cells.len(); } }",
        "match edge { Edge::Wrap => 1, Edge::Clamp(by) => by, _ => 3 }",
        "assert_eq!(grid.rank(), Grid { cells: vec![1] }.rank());",
        '[dependencies]\nburn-grid = { version = "1", features = ["fusion", "rayon"] }',
        '// Cargo.toml\n// before\nburn-grid = "1"\n// after\nburn-grid = { version = "1", features = ["fusion"] }',
        "RUST_BACKTRACE=1 cargo run --features fusion\ncargo clean -p burn-grid",
        "```sh\ncargo test --features burn-grid/fusion\n```",
        "let shape: Shape = it; use std::fmt::Shape;",
        "fn generic<M: Measure>(m: M) -> usize { M::area(&m); <M as Measure>::area(&m) }",
    ],
)
def test_code_whose_names_all_exist(written: Written, sources: Sources, code: str) -> None:
    written.record["exampleFix"] = code
    assert written.verify(sources).failures == ()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("let x = sum_grids(a, b);", "burn 1.0.0 has no function sum_grids()"),
        ("grid.later();", "burn 1.0.0 has no method .later()"),
        ("grid.secret();", ".secret() is not public in burn 1.0.0"),
        ("let n = grid.height;", "burn 1.0.0 has no field .height"),
        ("let g: Sheet = it;", "burn 1.0.0 has no type Sheet"),
        ("Grid::filled(3);", "Grid has no 'filled' in burn 1.0.0"),
        ("Edge::Mirror;", "Edge has no 'Mirror' in burn 1.0.0"),
        ("use burn_grid::sheet::Grid;", "burn 1.0.0 has no module or type 'sheet' (in burn_grid::sheet::Grid)"),
        ("use burn_grid::Sheet;", "burn 1.0.0 has no 'Sheet' (in burn_grid::Sheet)"),
        ("use burn_grid::hidden_step;", "burn_grid::hidden_step is not public in burn 1.0.0"),
        ("sheet_of!(3);", "burn 1.0.0 has no macro sheet_of!"),
        ('println!("{}", grid.height());', "burn 1.0.0 has no method .height()"),
        ("#[derive(Sheet)]\nstruct Mine;", "burn 1.0.0 has no derive macro Sheet"),
        ("Grid { rows: 3 };", "burn 1.0.0 has no field .rows"),
        ("add_grids(a, b, Late);", "burn 1.0.0 has no type Late"),
        ("use burn_grid::grid::Wall;", "burn 1.0.0 has no 'Wall' (in burn_grid::grid::Wall)"),
        ("cargo run --features warp", "no crate of burn 1.0.0 has a feature 'warp'"),
        ('[dependencies]\nburn-sheet = "1"', "burn 1.0.0 has no crate 'burn-sheet'"),
    ],
)
def test_code_with_a_name_that_does_not_exist(written: Written, sources: Sources, code: str, message: str) -> None:
    written.record["exampleFix"] = code
    problem = written.only_failure(sources)
    assert (problem.check, problem.field, problem.message) == (Check.API, "exampleFix", message)
    assert problem.sentence
    assert problem.sentence in code


@pytest.mark.parametrize(
    "span",
    [
        "Grid", "Raster", "add_grids", "rank()", ".rank()", "grid.rank()", "Grid::rank", "Edge::Wrap",
        "GridConfig::with_width", "burn-grid", "burn_grid::grid::Edge", "fusion", "drop_last", "GRID_LOG", "grid_of!",
        "RUST_BACKTRACE=1", "x", "sum", "Option<Grid>", "&mut Grid", "[batch, 3]", "-1", "2 * n", "f32", "1usize",
        "Grids of rank", "not implemented: rank", "lib.rs", "src/grid.rs", "Cargo.toml", "torch.nn.functional.relu(x)",
        "cargo run --features fusion", "add_grids(…)", "default-features = false", "features = [\"fusion\"]",
        "#[derive(Config)]", "hidden_step", "cell", "Result<(), String>", "let a = add_grids(b, c, true);",
        "Vec::with_capacity", "std::mem::nothing_here",
    ],
)  # fmt: skip
def test_prose_spans_that_hold(written: Written, sources: Sources, span: str) -> None:
    written.record["documentation"] = f"About `{span}` there is this to say."
    written.extension["examples"] = []
    assert written.verify(sources).failures == ()


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ("Sheet", "nothing in burn 1.0.0 is named 'Sheet'"),
        ("sum_grids", "nothing in burn 1.0.0 is named 'sum_grids'"),
        ("sum_grids()", "burn 1.0.0 has no function sum_grids()"),
        (".later()", "burn 1.0.0 has no method .later()"),
        ("Grid::later", "Grid has no 'later' in burn 1.0.0"),
        ("Option<Sheet>", "burn 1.0.0 has no type Sheet"),
        ("G::volume(…)", "burn 1.0.0 has no 'volume' (in G::volume)"),
        ("Grid::fold(&[…])", "Grid has no 'fold' in burn 1.0.0"),
        ("burn-sheet", "burn 1.0.0 has no crate, feature or cargo key 'burn-sheet'"),
        ("SHEET_LOG", "no constant or environment variable of burn 1.0.0 is named 'SHEET_LOG'"),
        ("sheet.rs", "burn 1.0.0 has no file 'sheet.rs'"),
        ("cargo run --features warp", "no crate of burn 1.0.0 has a feature 'warp'"),
        ('features = ["warp"]', "no crate of burn 1.0.0 has a feature 'warp'"),
    ],
)
def test_prose_spans_that_do_not_are_named_with_their_sentence(
    written: Written, sources: Sources, span: str, message: str
) -> None:
    written.record["solutions"] = ["Compare `rank()` first. Then have a look at\n`" + span + "`, which helps. Or not."]
    problem = written.only_failure(sources)
    assert (problem.check, problem.field, problem.message) == (Check.API, "solutions[0]", message)
    assert problem.sentence == f"Then have a look at `{span}`, which helps."


def test_the_stated_version_decides(written: Written, sources: Sources) -> None:
    written.record["exampleFix"] = "grid.later();"
    assert written.only_failure(sources).message == "burn 1.0.0 has no method .later()"
    written.extension["apiVersion"] = "2.0.0-pre.1"
    written.record["documentation"] = "`sum_grids` it is."
    assert not written.verify(sources).failures
    written.extension["apiVersion"] = "9.9.9"
    assert written.only_failure(sources).message == "burn 9.9.9 is no release of this checkout"


def test_advice_may_speak_a_version_that_its_sentence_names(written: Written, sources: Sources) -> None:
    written.record["solutions"] = ["Call `sum_grids` instead."]
    assert written.only_failure(sources).message == "nothing in burn 1.0.0 is named 'sum_grids'"
    written.record["solutions"] = ["From 2.0.0-pre.1 on, call `sum_grids` instead."]
    assert not written.verify(sources).failures
    written.extension["apiVersion"] = "2.0.0-pre.1"
    written.record |= {"documentation": "", "exampleFix": "", "solutions": ["Up to 1.0, call `add_grids` instead."]}
    assert not written.verify(sources).failures
    written.record["solutions"] = ["Up to 1.1, call `add_grids` instead."]
    assert written.only_failure(sources).field == "solutions[0]"


@pytest.mark.parametrize("field", ["documentation", "triggerScenarios", "commonSituations"])
def test_what_tells_how_things_are_may_speak_the_version_of_its_source(
    written: Written, sources: Sources, field: str
) -> None:
    written.extension["apiVersion"] = "2.0.0-pre.1"
    written.record |= {"documentation": "", "exampleFix": "", field: "`add_grids` looks at both ranks."}
    assert not written.verify(sources).failures


def test_so_may_the_code_before_a_fix_and_all_of_a_historical_record(written: Written, sources: Sources) -> None:
    written.extension["apiVersion"] = "2.0.0-pre.1"
    written.record |= {"documentation": "", "exampleFix": "// before\nadd_grids(a, b);\n// after\nsum_grids(a, b);"}
    assert not written.verify(sources).failures
    written.record["exampleFix"] = "// before\nadd_grids(a, b)\n// after\nsum_grids(a, b)"  # parses in parts only
    assert not written.verify(sources).failures
    written.record["exampleFix"] = "// before\nsum_grids(a, b);\n// after\nadd_grids(a, b);"
    assert written.only_failure(sources).sentence == "add_grids(a, b);"
    written.record |= {"exampleFix": "", "solutions": ["Use `sum_grids`, which `add_grids` became."]}
    assert written.only_failure(sources).field == "solutions[0]"
    written.extension |= {"kind": "historical", "until": "1.0.0"}
    assert not written.verify(sources).failures


def test_names_of_another_project_are_for_prose_only(
    written: Written, repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("driver")
    write(other, {"src/lib.rs": "pub struct Adapter;\nimpl Adapter { pub fn probe_limits(&self) {} }\n"})
    written.record |= {"solutions": ["Ask `Adapter::probe_limits`."], "exampleFix": ""}
    with GitObjects(repository.root / ".git") as objects:
        sources = Sources({"tracel-ai/burn": objects, "gfx-rs/wgpu": WorkTree(other)})
        assert not written.verify(sources).failures
        written.record["exampleFix"] = "adapter.probe_limits();"
        assert written.only_failure(sources).message == "burn 1.0.0 has no method .probe_limits()"


def test_an_upstream_record_is_compared_with_its_excerpt(
    repository: Repository, sources: Sources, tmp_path: Path
) -> None:
    from bot.commands.checkout import harvest

    out = tmp_path / "all.json"
    arguments = ["--checkout", str(repository.root / ".git"), "--sha", repository.first, "--out", str(out)]
    assert CliRunner().invoke(harvest, arguments).exit_code == 0
    proven = verify(read_catalogue(tmp_path).entries, sources)
    assert not proven.failures
    assert proven.checked["literal"] == proven.checked["excerpt"] == 4

    records = json.loads(out.read_text(encoding="utf-8"))
    records[0]["sourceCode"] = records[0]["sourceCode"].replace("usize", "u8", 1)
    records[1]["githubUrl"] = "https://github.com/tracel-ai/burn/blob/main/crates/burn-grid/src/lib.rs#L1"
    out.write_text(json.dumps(records), encoding="utf-8")
    first, second = verify(read_catalogue(tmp_path).entries, sources).failures
    assert (first.check, first.field) == (Check.EXCERPT, "sourceCode")
    assert (second.check, second.message) == (Check.PERMALINK, "is no permalink pinned to a commit")


def run(*arguments: str | Path) -> Result:
    [command] = [known for known in commands if known.name == "verify"]
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_the_command_says_what_fails_and_exits_with_1(written: Written, repository: Repository) -> None:
    written.record["exampleFix"] = "grid.later();"
    written.save()
    result = run("--checkout", repository.root, "--records", written.folder)
    assert result.exit_code == 1
    assert "grids-of-rank-and-cannot-be-added (grids-of-rank-and-cannot-be-added.toml): does not hold" in result.stdout
    assert "  api: exampleFix: burn 1.0.0 has no method .later()\n    in: grid.later();" in result.stdout


def test_the_command_is_content_with_a_proven_catalogue(written: Written, repository: Repository) -> None:
    written.save()
    result = run("--checkout", f"tracel-ai/burn={repository.root / '.git'}", "--records", written.folder, "--json")
    assert result.exit_code == 0
    proven = json.loads(result.stdout)
    assert proven["problems"] == []
    assert msgspec.convert({key: proven[key] for key in Proven.__struct_fields__}, Proven).failures == ()


def test_a_record_that_cannot_be_loaded_fails_too(written: Written, repository: Repository) -> None:
    written.save()
    (written.folder / "broken.toml").write_text("[record", encoding="utf-8")
    result = run("--checkout", repository.root, "--records", written.folder)
    assert result.exit_code == 1
    assert "not loaded: broken.toml" in result.stdout


@pytest.mark.parametrize(
    ("checkouts", "message"),
    [
        (["{here}"], "has no git history"),
        (["{here}/none"], "is no folder"),
        (["{repo}", "tracel-ai/burn={repo}"], "two checkouts of tracel-ai/burn"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_checkout(
    written: Written, repository: Repository, checkouts: list[str], message: str
) -> None:
    written.save()
    options = [
        option
        for checkout in checkouts
        for option in ("--checkout", checkout.format(here=written.folder, repo=repository.root))
    ]
    result = run(*options, "--records", written.folder)
    assert result.exit_code != 0
    assert message in result.stderr
