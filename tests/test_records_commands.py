"""`burn-triage records …` from a shell: what it prints, how it ends, and how it fails."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from bot.commands.records import records_group
from bot.records.skeleton import first_reason, place_of, without_home
from bot.records.where import default_root
from tests.records.samples import ADAPTIVE, BURN, DEFORM, OWN, REPO, SHA, erratum, load, raw, seed, write

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in an empty folder; what goes wrong must be a message, never a traceback."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def invoke(*arguments: str | Path, text: str | None = None) -> Result:
        result = runner.invoke(records_group, [str(argument) for argument in arguments], input=text)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    """Both seeds with the corrections they are shipped with, and a record of our own."""
    root = tmp_path / "records"
    for path in (ADAPTIVE, DEFORM):
        for suffix in (".json", ".toml"):
            write(root / REPO / f"{path.stem}{suffix}", path.with_suffix(suffix).read_text(encoding="utf-8"))
    write(root / REPO / "squeeze.toml", OWN)
    return root


# Where the catalogue lies


def test_the_catalogue_is_that_of_the_current_folder(run: Run, catalogue: Path) -> None:
    assert default_root() == Path("records")
    assert "squeeze" in run("list").stdout


def test_without_one_it_is_that_beside_the_source(run: Run) -> None:
    assert default_root() == BURN.parents[1]
    assert {ADAPTIVE.stem, DEFORM.stem} <= {row["slug"] for row in json.loads(run("list", "--json").stdout)}


def test_another_one_is_named(run: Run, tmp_path: Path, catalogue: Path) -> None:
    load(tmp_path / "other", raw=raw())
    assert [row["id"] for row in json.loads(run("list", "--json", "--records", "other").stdout)] == [raw()["id"]]


@pytest.mark.parametrize("command", [("list",), ("show", "x"), ("search", "x")])
def test_a_catalogue_without_records_is_an_error_that_says_why(run: Run, tmp_path: Path, command: tuple[str]) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty" / "a.json", "{")
    result = run(*command, "--records", "empty")
    assert result.exit_code == 1
    assert "no record could be loaded from empty" in result.stderr
    assert "a.json: not valid JSON" in result.stderr


# lint


def test_lint_passes_the_shipped_seeds(run: Run, catalogue: Path) -> None:
    result = run("lint", f"records/{REPO}/{ADAPTIVE.name}", "--records", catalogue)
    assert result.stdout.splitlines()[-1] == "1 record: 0 errors, 0 warnings, 0 notes"
    assert result.exit_code == 0


def test_lint_fails_on_the_misjoined_seed_alone(run: Run, tmp_path: Path) -> None:
    shutil.copy(DEFORM, tmp_path)
    result = run("lint", DEFORM.name)
    assert result.exit_code == 1
    assert "[prose-covers-message]" in result.stdout


def test_warnings_and_notes_do_not_fail_lint(run: Run, tmp_path: Path) -> None:
    load(tmp_path / "x", raw=raw(newField=1))
    result = run("lint", "x")
    assert "1 note" in result.stdout
    assert result.exit_code == 0


@pytest.mark.parametrize("path", ["nowhere", "x/notes.txt"])
def test_lint_of_nothing_is_an_error(run: Run, tmp_path: Path, path: str) -> None:
    write(tmp_path / "x" / "notes.txt", "hello")
    result = run("lint", path)
    assert result.exit_code == 1
    assert "[unreadable-file]" in result.stdout


def test_lint_as_json(run: Run, tmp_path: Path) -> None:
    load(tmp_path / "x", a=raw(lineNumber=300), b=seed())
    result = run("lint", "x", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["records"] == 2
    assert {"rule": "line-in-window", "level": "error", "path": "a.json", "field": "lineNumber"}.items() <= next(
        finding for finding in report["findings"] if finding["rule"] == "line-in-window"
    ).items()


def test_lint_as_sarif_names_files_from_the_current_folder(run: Run, tmp_path: Path) -> None:
    load(tmp_path / "deep" / "er", a=raw(lineNumber=300))
    for path in ("deep", "deep/er", "deep/er/a.json", tmp_path / "deep"):
        log = json.loads(run("lint", path, "--sarif").stdout)
        uris = {
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for result in log["runs"][0]["results"]
        }
        assert uris == {"deep/er/a.json"}


def test_lint_takes_one_form_at_a_time(run: Run, catalogue: Path) -> None:
    result = run("lint", "--json", "--sarif")
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


def test_lint_asks_the_matcher_about_the_examples(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "x" / "own.toml", OWN)
    assert run("lint", "x").exit_code == 0
    twin = OWN.replace("api/check.rs", "other/check.rs").replace("relatedIssues", "# relatedIssues")
    write(tmp_path / "x" / "twin.toml", twin)
    result = run("lint", "x")
    assert "[example-matches-itself]" in result.stdout
    assert result.exit_code == 1


def test_lint_of_a_part_checks_it_against_the_whole(run: Run, catalogue: Path) -> None:
    write(catalogue / "elsewhere" / "broken.json", "{")
    for path in (f"records/{REPO}/{DEFORM.stem}.toml", f"records/{REPO}/{DEFORM.name}"):
        result = run("lint", path)
        assert (result.exit_code, result.stdout.strip()) == (0, "1 record: 0 errors, 0 warnings, 0 notes")
    assert run("lint", f"records/{REPO}").stdout.startswith("3 records: 0 errors")
    assert run("lint", "records/elsewhere").exit_code == 1
    assert run("lint", "records").exit_code == 1

    write(catalogue / REPO / "twin.toml", OWN.replace("api/check.rs", "other/check.rs"))
    assert "is matched to" in run("lint", f"records/{REPO}/squeeze.toml").stdout
    assert "[example-matches-itself]" not in run("lint", f"records/{REPO}/{DEFORM.name}").stdout


def test_lint_watches_until_it_is_interrupted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(tmp_path / "x", a=raw(lineNumber=300))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            write(tmp_path / "x" / "a.json", raw())
        if len(slept) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    result = run("lint", "x", "--watch")
    summaries = [line for line in result.stdout.splitlines() if line.startswith("1 record")]
    assert [line.split(",")[0] for line in summaries] == ["1 record: 2 errors", "1 record: 0 errors"]


# list, show, search


def test_list_as_json_has_what_other_programs_need(run: Run, catalogue: Path) -> None:
    rows = {row["slug"]: row for row in json.loads(run("list", "--json").stdout)}
    row = rows[DEFORM.stem]
    assert row == {
        "id": seed(DEFORM)["id"],
        "slug": DEFORM.stem,
        "repo": REPO,
        "message": "Can't differentiate deform conv 2d backward.",
        "kind": "current",
        "reviewed": True,
        "trust": "reviewed",
        "lint": "ok",
        "secondary": False,
        "needsLocation": False,
        "file": f"{REPO}/{DEFORM.name}",
        "source": "crates/burn-autodiff/src/ops/module.rs",
    }


def test_list_tells_trust_and_lint(run: Run, tmp_path: Path) -> None:
    other = raw("Cannot unfold what was never folded: {}", function="unfold")
    load(tmp_path / "records", a=raw(lineNumber=300), b=other, c={"id": 5})
    rows = json.loads(run("list", "--json").stdout)
    assert [(row["trust"], row["reviewed"], row["lint"]) for row in rows] == [
        ("quarantined", False, "error"),
        ("linted", False, "ok"),
    ]
    result = run("list", "--trust", "linted")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["linted"]
    assert "records lint" in result.stderr


def test_show_prints_the_corrected_record_with_its_origin(run: Run, catalogue: Path) -> None:
    for name in (seed()["id"], ADAPTIVE.stem, "can-t-differentiate-ad", seed()["id"][:6]):
        result = run("show", name)
        assert result.exit_code == 0
        assert "no gradient rule" not in result.stdout
        assert seed()["githubUrl"] in result.stdout
        assert "reviewed    by burn-triage" in result.stdout
        assert "STALE" not in result.stdout


def test_show_says_when_a_review_is_stale(run: Run, tmp_path: Path) -> None:
    load(tmp_path / "records", raw=raw(), beside=erratum(raw()["id"], raw_sha256="0" * 64))
    assert "STALE" in run("show", raw()["id"]).stdout


def test_show_diff_is_field_by_field(run: Run, catalogue: Path) -> None:
    text = run("show", seed()["id"], "--diff").stdout
    assert "@@ documentation @@" in text
    assert f"- {seed()['documentation']}" in text.splitlines()
    assert "@@ errorMessage @@" not in text

    diff = json.loads(run("show", seed()["id"], "--diff", "--json").stdout)["diff"]
    changes = {change["field"]: change for change in diff}
    assert changes["solutions"]["raw"] == seed()["solutions"]
    assert changes["solutions"]["corrected"] != seed()["solutions"]
    assert "nothing is corrected" in run("show", "can-t-squeeze", "--diff").stdout


def test_show_as_json_has_everything(run: Run, catalogue: Path) -> None:
    shown = json.loads(run("show", seed()["id"], "--json").stdout)
    assert shown["raw"]["documentation"] == seed()["documentation"]
    assert shown["record"]["documentation"] != seed()["documentation"]
    assert shown["review"]["proofs"]
    assert shown["extension"]["function"] == "adaptive_avg_pool2d_backward"
    assert len(shown["rawSha256"]) == 64


def test_show_of_a_name_that_fits_none_or_several(run: Run, catalogue: Path) -> None:
    result = run("show", "can-t-differentiate-deform-conv-3d-backward")
    assert (result.exit_code, DEFORM.stem in result.stderr) == (1, True)
    result = run("show", "can-t-differentiate")
    assert result.exit_code == 1
    assert seed()["id"] in result.stderr
    assert seed(DEFORM)["id"] in result.stderr


def test_search_finds_by_message_function_and_prose(run: Run, catalogue: Path) -> None:
    assert DEFORM.stem in run("search", "deform").stdout.splitlines()[0]
    assert "squeeze" in run("search", "why", "does", "squeezing", "fail").stdout.splitlines()[0]
    rows = json.loads(run("search", "second order gradient", "--json").stdout)
    assert {row["slug"] for row in rows} == {ADAPTIVE.stem, DEFORM.stem}
    assert run("search", "zebra").exit_code == 1


def test_record_text_cannot_drive_the_terminal(run: Run, tmp_path: Path) -> None:
    load(tmp_path / "records", a=raw(documentation="\x1b[2J", commonSituations="\x1b]0;x\x07"))
    for command in (("list",), ("show", raw()["id"]), ("search", "fold")):
        assert "\x1b" not in run(*command).stdout


# new


PANIC = """\
thread 'main' panicked at /home/somebody/.cargo/registry/src/index-6f17/burn-vision-0.21.0/src/ops/base.rs:70:9:
Connected components need a mask of rank 2, got 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""


def test_new_turns_a_pasted_panic_into_a_record_that_loads(run: Run, catalogue: Path, tmp_path: Path) -> None:
    result = run("new", text=PANIC)
    assert result.exit_code == 0
    write(tmp_path / "drafts" / "new.toml", result.stdout)
    (row,) = json.loads(run("list", "--json", "--records", "drafts").stdout)
    assert row["message"] == "Connected components need a mask of rank 2, got 3"
    assert row["source"] == "crates/burn-vision/src/ops/base.rs"
    assert row["slug"] == "connected-components-need-a-mask-of-rank-2-got-3"
    assert 'apiVersion = "0.21.0"' in result.stdout
    assert "somebody" not in result.stdout
    assert "Still to do" in result.stderr
    assert "[text-present]" in result.stderr
    assert "[id-derived]" not in result.stderr


def test_new_names_what_already_explains_it(run: Run, catalogue: Path) -> None:
    header = "thread 'main' panicked at crates/burn-autodiff/src/ops/module.rs:915:9:"
    first = run("new", text=f"{header}\nCan't differentiate deform conv 2d backward.\n").stderr.splitlines()[1]
    assert DEFORM.stem in first
    assert "matches" in first


def test_new_takes_everything_by_option(run: Run, catalogue: Path, tmp_path: Path) -> None:
    write(tmp_path / "panic.txt", PANIC)
    arguments = (
        "--file",
        "panic.txt",
        "--message",
        'A "quoted" {} of rank {}',
        "--source",
        "crates/burn-x/src/a.rs:12",
    )
    result = run("new", *arguments, "--function", "quote", "--repo", "tracel-ai/cubecl", "--commit", SHA)
    write(tmp_path / "drafts" / "new.toml", result.stdout)
    shown = json.loads(run("show", "a-quoted-of-rank", "--json", "--records", "drafts").stdout)
    assert shown["record"]["errorMessage"] == 'A "quoted" {} of rank {}'
    assert shown["record"]["repo"] == "tracel-ai/cubecl"
    assert (shown["record"]["lineNumber"], shown["extension"]["function"]) == (12, "quote")
    assert f"tracel-ai/cubecl/blob/{SHA}/crates/burn-x/src/a.rs#L4-L20" in shown["record"]["githubUrl"]


def test_new_writes_a_file_once(run: Run, catalogue: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert run("new", "--out", "out", text=PANIC).exit_code == 0
    (written,) = (tmp_path / "out").iterdir()
    before = written.read_bytes()
    result = run("new", "--out", "out", text=PANIC)
    assert (result.exit_code, written.read_bytes()) == (1, before)
    assert "exists already" in result.stderr
    assert run("new", "--out", "nowhere/x.toml", text=PANIC).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "text", "reason"),
    [
        ((), "", "no message"),
        ((), "   \n", "no message"),
        ((), "it just crashes", "--source"),
        (("--message", "x"), "", "--source"),
        (("--message", "x", "--source", "a.rs", "--commit", "main"), "", "40 hex digits"),
        (("--message", "x", "--source", "a.rs", "--repo", "nobody/nothing"), "", "--commit"),
        (("--file", "nowhere.txt"), "", "No such file"),
    ],
)
def test_new_says_what_is_missing(run: Run, catalogue: Path, arguments: tuple[str], text: str, reason: str) -> None:
    result = run("new", *arguments, text=text)
    assert result.exit_code == 2
    assert reason in result.stderr


@pytest.mark.parametrize(
    "example", ["a '''quoted''' block", "bell \x07 and \x7f", "\r\nwindows\r\n", "ends in quote '"]
)
def test_new_keeps_any_printed_text(run: Run, catalogue: Path, tmp_path: Path, example: str) -> None:
    result = run("new", "--message", "Some message of enough words", "--source", "crates/a/src/b.rs:3", "--file", write(
        tmp_path / "panic.txt", example
    ))  # fmt: skip
    write(tmp_path / "drafts" / "new.toml", result.stdout)
    shown = json.loads(run("show", "some-message-of-enough-words", "--json", "--records", "drafts").stdout)
    assert shown["extension"]["examples"][0].strip("\n") == example.replace("\r\n", "\n").strip("\n")


@pytest.mark.parametrize(
    ("printed", "path", "version"),
    [
        ("/x/registry/src/index-1/burn-tensor-0.21.0/src/a/b.rs", "crates/burn-tensor/src/a/b.rs", "0.21.0"),
        (r"C:\x\registry\src\index-1\burn-core-0.22.0-pre.2\src\lib.rs", "crates/burn-core/src/lib.rs", "0.22.0-pre.2"),
        ("/x/git/checkouts/burn-178c/acbe6c9/crates/burn-fusion/src/s.rs", "crates/burn-fusion/src/s.rs", None),
        ("crates/burn-train/src/a.rs", "crates/burn-train/src/a.rs", None),
        ("src/main.rs", "src/main.rs", None),
    ],
)
def test_a_printed_path_tells_the_one_in_the_repository(printed: str, path: str, version: str | None) -> None:
    place = place_of(printed)
    assert (place.path, place.version) == (path, version)


def test_a_report_says_its_first_reason() -> None:
    report = (
        "=== Tensor Operation Error ===\n  Operation: 'Add'\n  Reason:\n    1. Shapes\n differ.\n    2. Also this.\n"
    )
    assert first_reason(report) == "Shapes differ."
    assert first_reason("Reason: 1. none") == "Reason: 1. none"


def test_a_home_folder_is_not_published() -> None:
    text = "at 'C:\\Users\\me\\.cargo\\registry\\src\\i\\burn-nn-0.21.0\\src\\a.rs' and /home/me/burn/crates/x/src/a.rs"
    assert without_home(text) == "at '…/burn-nn-0.21.0\\src\\a.rs' and …/crates/x/src/a.rs"


# import


def test_import_says_what_changed(run: Run, catalogue: Path, tmp_path: Path) -> None:
    write(tmp_path / "new.json", [seed() | {"severity": "info"}, raw(), raw(severity="loud")])
    before = {path: path.read_bytes() for path in catalogue.rglob("*") if path.is_file()}
    dry = run("import", "new.json", "--dry-run")
    assert "1 added, 1 changed, 1 removed, 0 unchanged" in dry.stdout
    assert {path: path.read_bytes() for path in catalogue.rglob("*") if path.is_file()} == before

    result = run("import", "new.json")
    assert result.exit_code == 0
    assert f"review no longer fits the raw record, look again at {ADAPTIVE.stem}" in result.stdout
    assert f"erratum without its record, kept: records/{REPO}/{DEFORM.stem}.toml" in result.stdout
    assert "left out: new.json[2]" in result.stdout
    assert "no manifest vouches" in result.stdout

    again = json.loads(run("import", "new.json", "--json").stdout)
    assert again[0]["unchanged"] == 2


@pytest.mark.parametrize("source", ["nowhere", "http://127.0.0.1:9/manifest.json", "notes.txt"])
def test_import_of_nothing_is_an_error(run: Run, catalogue: Path, tmp_path: Path, source: str) -> None:
    write(tmp_path / "notes.txt", "hello")
    result = run("import", source)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")


def test_import_into_a_file_is_an_error(run: Run, catalogue: Path) -> None:
    result = run("import", ADAPTIVE, "--records", catalogue / REPO / ADAPTIVE.name)
    assert (result.exit_code, "needs the catalogue's folder" in result.stderr) == (1, True)


# The group


def test_every_command_is_there_and_explains_itself(run: Run) -> None:
    context = click.Context(records_group)
    names = records_group.list_commands(context)
    assert {"lint", "list", "show", "search", "new", "import", "harvest", "verify"} <= set(names)
    for name in names:
        command = records_group.get_command(context, name)
        assert command is not None
        assert command.help
    assert run("nonsense").exit_code == 2
    assert run("--help").exit_code == 0
