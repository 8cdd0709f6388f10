"""Importing: everything is checked first, swapped at once, and no correction is ever lost."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import json
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.records.imports import source as source_module
from bot.records.imports.manifest import ImportRefused, safe_path
from bot.records.imports.plan import RepositoryChange, plan_import
from bot.records.imports.source import Source, open_source
from bot.records.imports.swap import carry_out
from bot.records.load import load_catalogue, read_catalogue
from bot.records.model import Trust
from tests.records.samples import OWN, REPO, erratum, raw, write

UNFOLD = raw("Cannot unfold what was never folded: {}", function="unfold")
RESTORE = raw("The checkpoint of epoch {} is truncated", function="restore")
OTHER = raw(repo="tracel-ai/cubecl")


def listed(data: bytes, path: str, plain: bytes | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    if plain is not None:
        row |= {"encoding": "gzip", "rawBytes": len(plain), "rawSha256": hashlib.sha256(plain).hexdigest()}
    return row


def dataset(
    folder: Path,
    repos: dict[str, list[Any]],
    *,
    packed: bool = False,
    change: Callable[[dict[str, Any]], None] | None = None,
) -> Path:
    """A dataset as upstream publishes it, its record files listed in the manifest."""
    files: dict[str, Any] = {}
    for repo, records in repos.items():
        plain = json.dumps(records).encode()
        data = gzip.compress(plain) if packed else plain
        path = f"repos/{repo}.json{'.gz' if packed else ''}"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        files[repo] = listed(data, f"/data/{path}", plain if packed else None)
    manifest = {"schemaVersion": 2, "datasetVersion": "2026-09-12", "counts": {"repos": len(repos)}, "files": files}
    if change:
        change(manifest)
    write(folder / "manifest.json", manifest)
    return folder


def take(source: str | Path, records: Path, *, wanted: tuple[str, ...] = ()) -> list[RepositoryChange]:
    catalogue = read_catalogue(records)
    known = {entry.record.repo for entry in catalogue.entries}
    plans = plan_import(open_source(str(source), wanted=wanted, known=known), catalogue, wanted=wanted)
    carry_out(plans)
    return [plan.change for plan in plans]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A catalogue with two raw records, one of them reviewed, and one of our own."""
    root = tmp_path / "records"
    here = root / REPO
    write(here / f"{raw()['slug']}.json", {"record": raw(), "datasetVersion": "x"})
    write(here / "unfold.json", UNFOLD)
    stated = next(entry.raw_sha256 for entry in read_catalogue(root).entries if entry.id == raw()["id"])
    body = f"documentation = '''{raw()['documentation']} Read twice.'''"
    write(here / f"{raw()['slug']}.toml", erratum(raw()["id"], body, raw_sha256=stated))
    write(here / "own.toml", OWN)
    return root


# What it does


@pytest.mark.parametrize("packed", [False, True])
def test_a_dataset_replaces_the_raw_records_and_nothing_else(tmp_path: Path, records: Path, packed: bool) -> None:
    before = {name: data for name, data in snapshot(records).items() if name.endswith(".toml")}
    source = dataset(tmp_path / "data", {REPO: [raw(), UNFOLD | {"severity": "info"}, RESTORE]}, packed=packed)
    (change,) = take(source, records)
    assert (change.added, change.changed, change.removed) == ([RESTORE["slug"]], [UNFOLD["slug"]], [])
    assert (change.unchanged, change.stale, change.orphaned, change.left_out) == (1, [], [], [])
    assert change.checked

    after = load_catalogue(records)
    assert after.problems == ()
    assert {entry.id for entry in after.entries if not entry.own} == {raw()["id"], UNFOLD["id"], RESTORE["id"]}
    assert after.by_id()[raw()["id"]].trust is Trust.REVIEWED
    assert {name: data for name, data in snapshot(records).items() if name.endswith(".toml")} == before
    assert sorted(path.name for path in (records / REPO).glob("*.json")) == ["upstream.json"]


def test_each_record_keeps_its_bytes(tmp_path: Path, records: Path) -> None:
    text = json.dumps(UNFOLD, indent=3)
    write(tmp_path / "one.json", f"[{text}]")
    take(tmp_path / "one.json", records)
    assert text in (records / REPO / "upstream.json").read_text(encoding="utf-8")


def test_the_set_before_is_kept(tmp_path: Path, records: Path) -> None:
    old = {name: data for name, data in snapshot(records).items() if name.endswith(".json")}
    take(dataset(tmp_path / "data", {REPO: [RESTORE]}), records)
    kept = records / REPO / ".previous"
    assert snapshot(kept) == old
    first = (records / REPO / "upstream.json").read_bytes()

    take(dataset(tmp_path / "next", {REPO: [UNFOLD]}), records)
    assert list(snapshot(kept).values()) == [first]


def test_importing_the_same_again_changes_nothing(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw(), RESTORE]})
    take(source, records)
    before = snapshot(records)
    (change,) = take(source, records)
    assert (change.added, change.changed, change.removed, change.unchanged) == ([], [], [], 2)
    assert snapshot(records) == before


def test_a_changed_raw_half_makes_its_review_stale_and_keeps_the_erratum(tmp_path: Path, records: Path) -> None:
    (change,) = take(dataset(tmp_path / "data", {REPO: [raw(severity="info"), UNFOLD]}), records)
    assert change.stale == [raw()["slug"]]
    entry = load_catalogue(records).by_id()[raw()["id"]]
    assert entry.trust is Trust.LINTED
    assert entry.record.documentation.endswith("Read twice.")


def test_an_erratum_whose_record_goes_is_kept_and_named(tmp_path: Path, records: Path) -> None:
    (change,) = take(dataset(tmp_path / "data", {REPO: [UNFOLD]}), records)
    beside = records / REPO / f"{raw()['slug']}.toml"
    assert change.removed == [raw()["slug"]]
    assert change.orphaned == [str(beside)]
    assert beside.is_file()


def test_a_single_record_is_added_to_what_is_there(tmp_path: Path, records: Path) -> None:
    write(tmp_path / "one.json", {"record": RESTORE, "datasetVersion": "x"})
    (change,) = take(tmp_path / "one.json", records)
    assert (change.added, change.removed, change.unchanged) == ([RESTORE["slug"]], [], 2)
    assert not change.checked
    after = load_catalogue(records)
    assert after.problems == ()
    assert after.by_id()[raw()["id"]].trust is Trust.REVIEWED


def test_a_catalogue_of_one_repositorys_folder_is_imported_in_place(tmp_path: Path, records: Path) -> None:
    take(dataset(tmp_path / "data", {REPO: [RESTORE]}), records / REPO)
    assert (records / REPO / "upstream.json").is_file()
    assert not (records / REPO / REPO).exists()


def test_an_empty_catalogue_is_filled(tmp_path: Path) -> None:
    changes = take(dataset(tmp_path / "data", {REPO: [raw()], "tracel-ai/cubecl": [OTHER]}), tmp_path / "new")
    assert [change.repo for change in changes] == [REPO, "tracel-ai/cubecl"]
    assert len(load_catalogue(tmp_path / "new").entries) == 2


def test_only_the_wanted_repositories_are_taken(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw()], "tracel-ai/cubecl": [OTHER]})
    changes = take(source, records, wanted=("tracel-ai/cubecl",))
    assert [change.repo for change in changes] == ["tracel-ai/cubecl"]
    assert {entry.record.repo for entry in load_catalogue(records).entries} == {REPO, "tracel-ai/cubecl"}


def test_broken_records_are_left_out_and_named(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw(), RESTORE | {"severity": "loud"}, 7, [RESTORE], raw()]})
    (change,) = take(source, records)
    assert [record.id for record in load_catalogue(records).entries if not record.own] == [raw()["id"]]
    assert len(change.left_out) == 4
    assert any("severity" in reason and RESTORE["id"] in reason for reason in change.left_out)


def test_upstreams_own_manifest_lists_only_repos_json(tmp_path: Path, records: Path) -> None:
    def only_repos(manifest: dict[str, Any]) -> None:
        rows = json.dumps([{"repo": REPO, "errorCount": 2, "stars": 1}]).encode()
        (tmp_path / "data" / "repos.json").write_bytes(rows)
        manifest["files"] = {"repos": listed(rows, "/data/repos.json")}

    source = dataset(tmp_path / "data", {REPO: [raw(), RESTORE]}, change=only_repos)
    (change,) = take(source, records)
    assert change.added == [RESTORE["slug"]]
    assert not change.checked

    write(source / "repos" / f"{REPO}.json", [raw()])
    with pytest.raises(ImportRefused, match=r"1 records, repos\.json says 2"):
        open_source(str(source))


def test_records_that_ours_stand_for_are_neither_added_nor_changed(tmp_path: Path, records: Path) -> None:
    own = next(entry for entry in read_catalogue(records).entries if entry.own)
    theirs = raw(own.record.error_message, path=own.record.file_path, function="squeeze")
    source = dataset(tmp_path / "data", {REPO: [raw(), UNFOLD, theirs]})
    for _ in range(2):
        (change,) = take(source, records)
        assert (change.added, change.changed, change.removed) == ([], [], [])
        assert change.ours == [theirs["slug"]]
    assert load_catalogue(records).by_id()[own.id].own


# What it refuses


def touched(field: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        manifest["files"][REPO][field] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (touched("sha256", "0" * 64), "SHA-256 is"),
        (touched("bytes", 17), "more than 17 bytes"),
        (touched("bytes", 10**6), "the manifest says 1,000,000"),
        (touched("rawSha256", "0" * 64), "unpacked: SHA-256 is"),
        (touched("rawBytes", 3), "larger than 3 bytes"),
        (touched("rawBytes", 10**6), "unpacked: "),
        (touched("encoding", "zstd"), "unknown encoding"),
        (touched("sha256", "x"), "sha256"),
        (touched("bytes", -1), "bytes"),
        (touched("bytes", 10**12), "bytes"),
        (touched("path", "../../etc/passwd"), "unsafe path"),
        (touched("path", "/etc/passwd"), "unsafe path"),
        (touched("path", "repos/tracel-ai/gone.json"), "No such file"),
        (lambda manifest: manifest.update(schemaVersion=3), "schema version 3"),
        (lambda manifest: manifest.pop("files"), "files: is missing"),
        (lambda manifest: manifest.update(files={}), "repos.json"),
        (lambda manifest: manifest.update(files=list(manifest["files"].values()) * 2), "twice"),
    ],
)
def test_a_dataset_with_a_fault_is_refused_and_nothing_changes(
    tmp_path: Path, records: Path, change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    before = snapshot(records)
    source = dataset(tmp_path / "data", {REPO: [raw(), RESTORE]}, packed=True, change=change)
    with pytest.raises(ImportRefused, match=reason):
        take(source, records)
    assert snapshot(records) == before


def test_a_flipped_bit_is_refused(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw()]})
    file = source / "repos" / f"{REPO}.json"
    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(data)
    with pytest.raises(ImportRefused, match="SHA-256"):
        take(source, records)


def test_a_damaged_neighbour_is_refused_whatever_is_wanted(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw()], "tracel-ai/cubecl": [OTHER]})
    (source / "repos/tracel-ai/cubecl.json").write_bytes(b"[]")
    with pytest.raises(ImportRefused, match="cubecl"):
        take(source, records, wanted=(REPO,))


def test_a_record_of_another_repository_than_its_file_is_refused(tmp_path: Path, records: Path) -> None:
    with pytest.raises(ImportRefused, match="holds a record of tracel-ai/cubecl"):
        take(dataset(tmp_path / "data", {REPO: [raw(), OTHER]}), records)


def test_a_link_out_of_the_dataset_is_refused(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw()]})
    file = source / "repos" / f"{REPO}.json"
    (tmp_path / "outside.json").write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(tmp_path / "outside.json")
    with pytest.raises(ImportRefused, match="leads out"):
        take(source, records)


@pytest.mark.parametrize("repo", ["../x", "x/..", "./x"])
def test_a_repository_that_would_leave_the_catalogue_is_left_out(tmp_path: Path, records: Path, repo: str) -> None:
    write(tmp_path / "all.json", [raw(repo=repo), RESTORE])
    (change,) = take(tmp_path / "all.json", records)
    assert change.repo == REPO
    assert "cannot be the name of a folder" in change.left_out[0]


@pytest.mark.parametrize("content", ["[]", "[7]", "{", '{"record": 5}'])
def test_a_file_without_a_single_record_is_refused(tmp_path: Path, records: Path, content: str) -> None:
    before = snapshot(records)
    write(tmp_path / "none.json", content)
    with pytest.raises(ImportRefused, match="no valid record"):
        take(tmp_path / "none.json", records)
    assert snapshot(records) == before


@pytest.mark.parametrize("name", ["nowhere", "nowhere/manifest.json", "empty", "notes.txt"])
def test_a_source_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(ImportRefused):
        open_source(str(tmp_path / name))


def test_a_wanted_repository_that_is_not_there_is_refused(tmp_path: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw()]})
    with pytest.raises(ImportRefused, match="no records of someone/else"):
        open_source(str(source), wanted=("someone/else",))


def test_a_raw_file_that_several_repositories_share_is_not_replaced_in_part(tmp_path: Path) -> None:
    write(tmp_path / "records" / "mixed.json", [raw(), OTHER])
    before = snapshot(tmp_path / "records")
    with pytest.raises(ImportRefused, match="split it first"):
        take(dataset(tmp_path / "data", {REPO: [raw()]}), tmp_path / "records")
    assert snapshot(tmp_path / "records") == before


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "a//b",
        "./a",
        "a/./b",
        "a/../b",
        "..",
        "a\\b",
        "C:/a",
        "http://x/a",
        "a\0b",
        "a?b",
        "a%2e%2e",
        "/data/../a",
    ],
)
def test_unsafe_paths(path: str) -> None:
    with pytest.raises(ImportRefused, match="unsafe path"):
        safe_path(path)


def test_safe_paths() -> None:
    assert safe_path("/data/repos/a/b.json") == "repos/a/b.json"
    assert safe_path("repos/a/b.c_d-e.json.gz") == "repos/a/b.c_d-e.json.gz"


# When it is interrupted


def test_a_full_disk_leaves_the_old_set(tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(records)

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(ImportRefused, match="No space left"):
        take(dataset(tmp_path / "data", {REPO: [RESTORE]}), records)
    assert snapshot(records) == before


def test_every_set_is_on_disk_before_the_first_is_swapped(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(records)
    synced = os.fsync
    calls: list[int] = []

    def second_fails(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", second_fails)
    with pytest.raises(ImportRefused):
        take(dataset(tmp_path / "data", {REPO: [RESTORE], "tracel-ai/cubecl": [OTHER]}), records)
    assert snapshot(records) == before


def test_a_kill_between_swap_and_clean_up_is_mended_by_the_next_import(tmp_path: Path, records: Path) -> None:
    source = dataset(tmp_path / "data", {REPO: [raw(), RESTORE]})
    left = (records / REPO / "unfold.json").read_bytes()
    take(source, records)
    (records / REPO / "unfold.json").write_bytes(left)
    take(source, records)
    after = load_catalogue(records)
    assert after.problems == ()
    assert {entry.id for entry in after.entries if not entry.own} == {raw()["id"], RESTORE["id"]}


# Over the web


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal."""

    def do_GET(self) -> None:
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/data/manifest.json")  # type: ignore[attr-defined]
            self.end_headers()
            return
        super().do_GET()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "site").mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site"))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["/data/manifest.json", "/data", "/data/"])
def test_a_dataset_on_the_web(tmp_path: Path, records: Path, site: str, path: str) -> None:
    dataset(tmp_path / "site" / "data", {REPO: [raw(), RESTORE]}, packed=True)
    (change,) = take(site + path, records)
    assert change.added == [RESTORE["slug"]]
    assert change.checked


def test_upstreams_site_is_asked_only_for_repositories_the_catalogue_holds(
    tmp_path: Path, records: Path, site: str
) -> None:
    def only_repos(manifest: dict[str, Any]) -> None:
        rows = json.dumps([{"repo": repo, "errorCount": 1} for repo in (REPO, "someone/else")]).encode()
        (tmp_path / "site" / "data" / "repos.json").write_bytes(rows)
        manifest["files"] = {"repos": listed(rows, "/data/repos.json")}

    dataset(tmp_path / "site" / "data", {REPO: [RESTORE]}, change=only_repos)
    assert [change.repo for change in take(f"{site}/data/manifest.json", records)] == [REPO]
    with pytest.raises(ImportRefused, match="--repo"):
        open_source(f"{site}/data/manifest.json")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/nothing/manifest.json", "404"),
        ("/moved/manifest.json", "another host"),
        ("/data/broken.json", "not valid JSON"),
    ],
)
def test_a_site_without_a_dataset_is_refused(tmp_path: Path, site: str, path: str, reason: str) -> None:
    dataset(tmp_path / "site" / "data", {REPO: [raw()]})
    write(tmp_path / "site" / "data" / "broken.json", "{")
    with pytest.raises(ImportRefused, match=reason):
        open_source(site + path)


def test_a_site_that_is_not_there_is_refused() -> None:
    with pytest.raises(ImportRefused, match="refused"):
        open_source("http://127.0.0.1:9/manifest.json")


def test_a_response_without_end_is_cut(tmp_path: Path, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "LARGEST_MANIFEST", 1_000)
    write(tmp_path / "site" / "manifest.json", "[" + " " * 5_000)
    with pytest.raises(ImportRefused, match="more than 1,000 bytes"):
        open_source(f"{site}/manifest.json")


def test_a_source_says_which_dataset_it_is(tmp_path: Path) -> None:
    opened = open_source(str(dataset(tmp_path / "data", {REPO: [raw()]})))
    assert isinstance(opened, Source)
    assert opened.version == "2026-09-12"
    assert [file.repo for file in opened.files] == [REPO]
