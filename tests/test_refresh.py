"""`records refresh`: a catalogue follows its source to another commit, in place; a second run changes nothing."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.commands.checkout import harvest, refresh, verify
from bot.records.load import read_catalogue
from bot.records.refresh import Refresher
from bot.records.rust.checkout import GitObjects

OLD = """\
pub fn pool(kernel: usize) {
    assert!(kernel > 0, "The pooling kernel must not be empty");
    unimplemented!("Pooling of strided grids");
}

pub fn widen(kernel: usize) {
    panic!("The pooling kernel {kernel} is too wide");
}

pub fn fold() {
    unimplemented!()
}
"""

NEW = """\
// Two lines
// at the top.
pub fn pool_grid(kernel: usize) {
    assert!(kernel > 0, "The pooling kernel must not be empty");
}

pub fn widen(kernel: usize) {
    panic!("The pooling kernel {kernel} is wider than the grid");
}

pub fn fold() {
    unimplemented!()
}
"""

MOVED = """\
pub fn read() {
    file.expect("The grid file can be opened");
}
"""

RECORD = """\
# {slug}: kept as it is written.
[record]
repo = "o/grids"
errorMessage = {message}   # the text
errorType = "panic"
severity = "error"
filePath = "{path}"
lineNumber = {line} # the macro
githubUrl = "https://github.com/o/grids/blob/{sha}/{path}#L{start}-L{end}"
documentation = '''
[record] is no table here
'''
triggerScenarios = ""
commonSituations = ""
solutions = [ "One" , ]

[extension]
{extension}

[review]
by = "t"
at = 2026-11-30
commit = "{sha}"
proofs = []
"""


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], capture_output=True, check=True, text=True)
    return done.stdout.strip()


class Grids:
    """A repository with the releases 1.0.0 and 1.1.0, and a further commit, which rewords and moves things."""

    def __init__(self, root: Path) -> None:
        self.root = root
        git(root, "init", "--quiet")
        self.write("core/src/pool.rs", OLD.replace("must not be empty", "must not be nothing"))
        self.commit("first", "v1.0.0")
        self.write("core/src/pool.rs", OLD)
        self.write("core/src/file.rs", MOVED)
        self.old = self.commit("second", "v1.1.0")
        self.write("core/src/pool.rs", NEW)
        self.write("store/src/io/file.rs", "\n" + MOVED)
        (root / "core/src/file.rs").unlink()
        self.new = self.commit("third")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, message: str, *tags: str) -> str:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "-m", message)
        for tag in (*tags, *(f"{tag}-book" for tag in tags)):
            git(self.root, "tag", tag)
        return git(self.root, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def grids(tmp_path_factory: pytest.TempPathFactory) -> Grids:
    return Grids(tmp_path_factory.mktemp("grids"))


class Shelf:
    """A catalogue that a test fills."""

    def __init__(self, grids: Grids, folder: Path) -> None:
        self.grids = grids
        self.folder = folder

    def put(
        self, slug: str, message: str, line: int, *, path: str = "core/src/pool.rs", extension: str = "", **more: int
    ) -> Path:
        file = self.folder / f"{slug}.toml"
        facts = {"start": max(1, line - 1), "end": line + 1, "sha": self.grids.old, **more}
        text = RECORD.format(slug=slug, message=json.dumps(message), line=line, path=path, extension=extension, **facts)
        file.write_text(text, encoding="utf-8")
        return file

    def refresh(self, *options: str) -> Result:
        arguments = [
            "--checkout",
            str(self.grids.root),
            "--records",
            str(self.folder),
            "--repo",
            "o/grids",
            "--jobs",
            "1",
        ]
        result = CliRunner().invoke(refresh, [*arguments, *options])
        assert result.exit_code == 0, result.output
        return result

    def changes(self, *options: str) -> dict[str, Any]:
        return {change["record"]: change for change in json.loads(self.refresh("--json", *options).stdout)["changes"]}

    def content(self, slug: str) -> dict[str, Any]:
        assert not read_catalogue(self.folder).problems
        return tomllib.loads((self.folder / f"{slug}.toml").read_text(encoding="utf-8"))


@pytest.fixture
def shelf(grids: Grids, tmp_path: Path) -> Shelf:
    return Shelf(grids, tmp_path)


KERNEL = ("the-pooling-kernel-must-not-be-empty", "The pooling kernel must not be empty", 2)
WIDE = ("the-pooling-kernel-kernel-is-too-wide", "The pooling kernel {kernel} is too wide", 7)
STRIDED = ("pooling-of-strided-grids", "Pooling of strided grids", 3)
OPENED = ("the-grid-file-can-be-opened", "The grid file can be opened", 2)


def test_a_moved_line_changes_line_and_link_and_nothing_else(shelf: Shelf) -> None:
    file = shelf.put(*KERNEL, extension='since = "1.1.0" # checked')
    before = file.read_text(encoding="utf-8")
    [change] = shelf.changes().values()
    assert (change["status"], change["old"]["line"], change["new"]["line"]) == ("moved", 2, 4)
    after = before.replace("lineNumber = 2 # the macro", "lineNumber = 4 # the macro")
    after = after.replace(f"{shelf.grids.old}/core/src/pool.rs#L1-L3", f"{shelf.grids.new}/core/src/pool.rs#L3-L5")
    assert file.read_text(encoding="utf-8") == after


def test_a_function_that_was_renamed_is_followed_and_said(shelf: Shelf) -> None:
    shelf.put(*KERNEL, extension='function = "pool"')
    [change] = shelf.changes().values()
    assert shelf.content(KERNEL[0])["extension"]["function"] == "pool_grid"
    assert change["notes"] == ["the function was pool: issues of older versions show that name"]


def test_a_new_wording_becomes_a_site_with_its_link_and_the_old_one_ends(shelf: Shelf) -> None:
    shelf.put(*WIDE)
    result = shelf.refresh()
    content = shelf.content(WIDE[0])
    assert content["record"]["lineNumber"] == 7
    assert shelf.grids.old in content["record"]["githubUrl"]
    assert content["extension"] == {
        "since": "1.0.0",
        "until": "1.1.0",
        "sites": [
            {
                "errorMessage": "The pooling kernel {kernel} is wider than the grid",
                "filePath": "core/src/pool.rs",
                "lineNumber": 8,
                "githubUrl": f"https://github.com/o/grids/blob/{shelf.grids.new}/core/src/pool.rs#L1-L13",
                "function": "widen",
            }
        ],
    }
    assert "1 records at" in result.stdout
    assert "0 same, 0 moved, 1 reworded, 0 gone" in result.stdout
    assert "          - The pooling kernel {kernel} is too wide\n" in result.stdout
    assert "          + The pooling kernel {kernel} is wider than the grid" in result.stdout


def test_a_text_that_is_gone_becomes_historical(shelf: Shelf) -> None:
    shelf.put(*STRIDED, extension='kind = "current"\nsince = "1.0.0"')
    [change] = shelf.changes().values()
    assert (change["status"], change["new"]) == ("gone", None)
    assert shelf.content(STRIDED[0])["extension"] == {"kind": "historical", "since": "1.0.0", "until": "1.1.0"}


def test_a_text_in_another_file_keeps_its_record_and_gains_a_site(shelf: Shelf) -> None:
    shelf.put(*OPENED, path="core/src/file.rs")
    before = read_catalogue(shelf.folder).entries[0].id
    shelf.refresh()
    content = shelf.content(OPENED[0])
    assert read_catalogue(shelf.folder).entries[0].id == before
    assert content["record"]["filePath"] == "core/src/file.rs"
    [site] = content["extension"]["sites"]
    assert (site["filePath"], site["lineNumber"], site["function"]) == ("store/src/io/file.rs", 3, "read")
    assert "since" not in site
    assert "until" not in content["extension"]


def test_a_stub_is_followed_by_file_and_function_and_gets_no_range(shelf: Shelf) -> None:
    shelf.put("not-implemented", "not implemented", 11, extension='kind = "located"\nfunction = "fold"')
    assert shelf.changes()["not-implemented"]["status"] == "moved"
    content = shelf.content("not-implemented")
    assert content["record"]["lineNumber"] == 12
    assert content["extension"] == {"kind": "located", "function": "fold"}


def test_further_sites_follow_the_record(shelf: Shelf) -> None:
    site = 'errorMessage = "not implemented", filePath = "core/src/pool.rs", function = "fold", lineNumber = 11'
    shelf.put(*KERNEL, extension=f"sites = [{{ {site} }}]")
    shelf.refresh()
    [site] = shelf.content(KERNEL[0])["extension"]["sites"]
    assert site["lineNumber"] == 12


def test_a_range_that_somebody_wrote_stands_and_the_difference_is_said(shelf: Shelf) -> None:
    shelf.put(*WIDE, extension='since = "0.9.0"\nuntil = "1.0.0"')
    [change] = shelf.changes().values()
    extension = shelf.content(WIDE[0])["extension"]
    assert (extension["since"], extension["until"]) == ("0.9.0", "1.0.0")
    assert change["notes"] == [
        "since is 0.9.0; the first release that holds the text is 1.0.0",
        "until is 1.0.0; the last release that holds the text is 1.1.0",
    ]


@pytest.mark.parametrize("options", [(), ("--no-ranges",)])
def test_a_second_run_changes_nothing(shelf: Shelf, options: tuple[str, ...]) -> None:
    for record in (KERNEL, WIDE, STRIDED):
        shelf.put(*record, extension=f'function = "{"widen" if record is WIDE else "pool"}"')
    shelf.put(*OPENED, path="core/src/file.rs")
    shelf.refresh(*options)
    once = {path.name: path.read_bytes() for path in shelf.folder.iterdir()}
    result = shelf.refresh(*options)
    assert {path.name: path.read_bytes() for path in shelf.folder.iterdir()} == once
    assert "0 files changed" in result.stdout


def test_a_dry_run_says_the_same_and_writes_nothing(shelf: Shelf) -> None:
    file = shelf.put(*WIDE)
    before = file.read_bytes()
    said = shelf.refresh("--dry-run").stdout
    assert file.read_bytes() == before
    assert "1 files would be changed" in said
    assert said.replace("would be changed", "changed") == shelf.refresh().stdout


def test_back_to_the_old_commit_brings_the_old_line_back(shelf: Shelf) -> None:
    file = shelf.put(*KERNEL, extension='since = "1.1.0"\nfunction = "pool"')
    before = file.read_text(encoding="utf-8")
    shelf.refresh()
    assert file.read_text(encoding="utf-8") != before
    shelf.refresh("--sha", "v1.1.0")
    assert file.read_text(encoding="utf-8") == before


def test_a_refreshed_catalogue_is_proven_by_verify(shelf: Shelf) -> None:
    shelf.put(*KERNEL, extension='function = "pool"')
    shelf.put(*WIDE)
    shelf.put(*STRIDED)
    shelf.put(*OPENED, path="core/src/file.rs")
    shelf.refresh()
    arguments = ["--checkout", f"o/grids={shelf.grids.root}", "--records", str(shelf.folder)]
    result = CliRunner().invoke(verify, arguments)
    assert result.exit_code == 0, result.output
    assert "sites              2       0          0" in result.stdout


def raw_records(shelf: Shelf) -> list[dict[str, Any]]:
    out = shelf.folder / "grids.json"
    arguments = ["--checkout", str(shelf.grids.root / ".git"), "--repo", "o/grids", "--out", str(out)]
    assert CliRunner().invoke(harvest, [*arguments, "--sha", shelf.grids.old]).exit_code == 0
    records = json.loads(out.read_text(encoding="utf-8"))
    assert isinstance(records, list)
    return records


def test_a_raw_record_is_re_anchored_beside_it_and_itself_untouched(shelf: Shelf) -> None:
    [record] = [one for one in raw_records(shelf) if one["errorMessage"] == KERNEL[1]]
    raw = (shelf.folder / "grids.json").read_bytes()
    erratum = shelf.folder / "kernel.toml"
    erratum.write_text(f'id = "{record["id"]}" # this one\n\n[erratum]\nseverity = "warning"\n', encoding="utf-8")
    change = shelf.changes()[KERNEL[0]]
    assert change["status"] == "moved"
    assert (shelf.folder / "grids.json").read_bytes() == raw
    content = tomllib.loads(erratum.read_text(encoding="utf-8"))
    assert content["erratum"] == {"severity": "warning"}
    [site] = content["extension"]["sites"]
    assert (site["lineNumber"], site["githubUrl"].partition("#")[0]) == (
        4, f"https://github.com/o/grids/blob/{shelf.grids.new}/core/src/pool.rs",
    )  # fmt: skip
    assert not read_catalogue(shelf.folder).problems
    once = erratum.read_bytes()
    shelf.refresh()
    assert erratum.read_bytes() == once


def test_raw_records_without_a_file_beside_them_are_only_reported(shelf: Shelf) -> None:
    raw_records(shelf)
    result = shelf.refresh()
    assert "5 records at" in result.stdout
    assert "0 files changed" in result.stdout
    assert "a raw record without a TOML file: not written" in result.stdout
    assert [path.name for path in shelf.folder.iterdir()] == ["grids.json"]


def test_records_that_cannot_be_followed_are_named(shelf: Shelf) -> None:
    shelf.put("index-out-of-bounds", "index out of bounds: the len is {} but the index is {}", 2)
    elsewhere = shelf.put(*WIDE)
    elsewhere.write_text(elsewhere.read_text(encoding="utf-8").replace("o/grids", "o/other"), encoding="utf-8")
    said = shelf.refresh().stdout
    assert "0 records at" in said
    assert ": its text does not stand in the source of its own commit: nothing to follow" in said
    assert "the-pooling-kernel-kernel-is-too-wide: its source is not o/grids" in said


def test_a_historical_record_keeps_its_place(shelf: Shelf) -> None:
    file = shelf.put(*STRIDED, extension='kind = "historical"\nsince = "1.0.0"\nuntil = "1.1.0"')
    before = file.read_bytes()
    assert shelf.changes()[STRIDED[0]]["edits"] == []
    assert file.read_bytes() == before


def test_a_file_that_cannot_be_edited_in_place_is_left_and_named(shelf: Shelf) -> None:
    file = shelf.put(*STRIDED)
    text = (
        file.read_text(encoding="utf-8")
        .replace("[extension]\n\n", "")
        .replace("# poo", "extension.burnBug = true\n# poo")
    )
    file.write_text(text, encoding="utf-8")
    [change] = shelf.changes().values()
    assert change["edits"] == []
    assert "cannot be edited in place" in change["notes"][-1]
    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_vanished_meanwhile_stops_nobody(shelf: Shelf) -> None:
    shelf.put(*KERNEL)
    shelf.put(*WIDE)
    catalogue = read_catalogue(shelf.folder)
    (shelf.folder / f"{KERNEL[0]}.toml").unlink()
    with GitObjects(shelf.grids.root / ".git") as objects:
        refreshed = Refresher(objects, repo="o/grids", commit=shelf.grids.new).refresh(catalogue)
    wide, kernel = refreshed.changes
    assert (kernel.edits, "cannot be read" in kernel.notes[-1]) == ((), True)
    assert wide.edits


@pytest.mark.parametrize(("options", "message"), [(["--sha", "nowhere"], "git knows no commit nowhere")])
def test_the_command_says_what_is_wrong(shelf: Shelf, options: list[str], message: str) -> None:
    arguments = ["--checkout", str(shelf.grids.root), "--records", str(shelf.folder)]
    result = CliRunner().invoke(refresh, [*arguments, *options])
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_checkout_without_history_is_refused(shelf: Shelf) -> None:
    result = CliRunner().invoke(refresh, ["--checkout", str(shelf.folder), "--records", str(shelf.folder)])
    assert result.exit_code == 1
    assert "has no git history" in result.stderr
