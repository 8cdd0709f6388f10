"""Loading a catalogue: every form, every fault by file, record and field, and nothing takes anything else down."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.records import files
from bot.records.load import load_catalogue, read_catalogue
from bot.records.model import Finding, Kind, Level, Trust
from tests.records.samples import ADAPTIVE, DEFORM, OWN, erratum, load, only, raw, rules, seed, write


def problem(root: Path, rule: str) -> Finding:
    found = [finding for finding in load_catalogue(root).problems if finding.rule == rule]
    assert len(found) == 1, load_catalogue(root).problems
    return found[0]


# Forms


def test_a_wrapped_record_as_a_seed_is(tmp_path: Path) -> None:
    shutil.copy(ADAPTIVE, tmp_path)
    entry = only(load_catalogue(tmp_path))
    assert entry.record.error_message == "Can't differentiate adaptive avg pool2d backward."
    assert entry.path == tmp_path / ADAPTIVE.name
    assert not entry.own


def test_a_bare_record(tmp_path: Path) -> None:
    assert only(load(tmp_path, record=raw())).record.line_number == 104


def test_a_bare_array_as_in_a_dataset(tmp_path: Path) -> None:
    records = [raw(), raw("Cannot unfold what was never folded: {}", function="unfold")]
    catalogue = load(tmp_path, repos__tracel_ai__burn=records)
    assert [entry.id for entry in catalogue.entries] == [record["id"] for record in records]


def test_wrapped_records_inside_an_array(tmp_path: Path) -> None:
    assert only(load(tmp_path, wrapped=[{"record": raw(), "datasetVersion": "x"}])).id == raw()["id"]


def test_gzip(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "er" / "all.json.gz", [raw()])
    assert only(load_catalogue(tmp_path)).id == raw()["id"]


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(raw()).encode())
    assert only(load_catalogue(tmp_path)).id == raw()["id"]
    (tmp_path / "a.json").unlink()
    (tmp_path / "own.toml").write_bytes(b"\xef\xbb\xbf" + OWN.encode())
    assert only(load_catalogue(tmp_path)).path == tmp_path / "own.toml"


@pytest.mark.parametrize("depth", [".", "tracel-ai", "tracel-ai/burn", f"tracel-ai/burn/{ADAPTIVE.name}"])
def test_the_root_may_lie_at_any_depth_or_be_a_file(tmp_path: Path, depth: str) -> None:
    write(tmp_path / "tracel-ai" / "burn" / ADAPTIVE.name, seed())
    assert only(load_catalogue(tmp_path / depth)).id == seed()["id"]


def test_a_dataset_folder_holds_more_than_records(tmp_path: Path) -> None:
    for name in ("manifest.json", "repos.json", "index.json.gz", "search/summary.json", "info/timeouts.json"):
        write(tmp_path / name, {"schemaVersion": 2})
    catalogue = load(tmp_path, repos__tracel_ai__burn=[raw()])
    assert only(catalogue).id == raw()["id"]
    assert catalogue.problems == ()


def test_hidden_files_and_folders_are_not_records(tmp_path: Path) -> None:
    write(tmp_path / ".previous" / "old.json", [raw()])
    write(tmp_path / ".draft.json", "nonsense")
    write(tmp_path / "README.md", "nonsense")
    catalogue = load_catalogue(tmp_path)
    assert (catalogue.entries, catalogue.problems) == ((), ())


def test_records_of_several_repositories_lie_side_by_side(tmp_path: Path) -> None:
    other = raw(repo="tracel-ai/cubecl")
    catalogue = load(tmp_path, repos__a=[raw()], repos__b=[other])
    assert {entry.record.repo for entry in catalogue.entries} == {"tracel-ai/burn", "tracel-ai/cubecl"}


# The same every time


def test_the_order_is_that_of_the_names_and_the_hash_that_of_the_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    one, two = raw(), raw("Cannot unfold what was never folded: {}", function="unfold")
    load(first, b=one, a=two)
    load(second, a=two, b=one)
    catalogues = [load_catalogue(first), load_catalogue(second)]
    assert [[entry.id for entry in catalogue.entries] for catalogue in catalogues] == [[two["id"], one["id"]]] * 2
    assert catalogues[0].content_hash == catalogues[1].content_hash

    write(second / "b.json", one | {"severity": "info"})
    assert load_catalogue(second).content_hash != catalogues[0].content_hash


# Newer fields


def test_a_newer_field_is_kept_and_noted(tmp_path: Path) -> None:
    entry = only(load(tmp_path, record=raw(newField={"deep": [1]})))
    assert entry.unknown == {"newField": {"deep": [1]}}
    note = next(finding for finding in entry.findings if finding.rule == "unknown-field")
    assert (note.level, note.field) == (Level.NOTE, "newField")
    assert entry.trust is Trust.LINTED


def test_a_missing_nullable_field_is_taken_for_null(tmp_path: Path) -> None:
    record = raw()
    del record["backgroundTag"], record["contentChangedAt"]
    entry = only(load(tmp_path, record=record))
    assert entry.record.background_tag is None
    warnings = [finding for finding in entry.findings if finding.level is Level.WARNING]
    assert [(finding.rule, finding.field) for finding in warnings] == [("missing-field", "backgroundTag")]


# Faults


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"solutions": ["good", 7]}, "solutions[1]", "expected str, got int"),
        ({"solutions": None}, "solutions", "expected array, got null"),
        ({"errorMessage": ""}, "errorMessage", "length >= 1"),
        ({"id": "11E38209CB0C2402"}, "id", "matching regex"),
        ({"repo": "burn"}, "repo", "matching regex"),
        ({"errorType": "crash"}, "errorType", "invalid enum value 'crash'"),
        ({"severity": None}, "severity", "got null"),
        ({"httpStatus": 99}, "httpStatus", ">= 100"),
        ({"lineNumber": 0}, "lineNumber", ">= 1"),
        ({"lineNumber": "12"}, "lineNumber", "got str"),
        ({"schemaVersion": 3}, "schemaVersion", "<= 2"),
        ({"tags": {"a": 1}}, "tags", "got object"),
        ({"analyzedSha": "2c06be3"}, "analyzedSha", "matching regex"),
    ],
)
def test_a_bad_field_names_file_record_and_path(tmp_path: Path, change: dict[str, Any], field: str, words: str) -> None:
    write(tmp_path / "burn" / "broken.json", raw(**change))
    write(tmp_path / "sound.json", seed())
    catalogue = load_catalogue(tmp_path)
    assert only(catalogue).id == seed()["id"]
    (finding,) = catalogue.problems
    assert (finding.path, finding.field, finding.level) == ("burn/broken.json", field, Level.ERROR)
    assert finding.record == raw(**change)["id"]
    assert words in finding.message


def test_every_fault_of_a_record_is_named_at_once(tmp_path: Path) -> None:
    record = raw(severity="loud", tags=[1])
    del record["filePath"]
    problems = load(tmp_path, record=record).problems
    assert {(finding.field, finding.rule) for finding in problems} == {
        ("severity", "bad-field"),
        ("tags[0]", "bad-field"),
        ("filePath", "missing-field"),
    }


def test_a_bad_element_leaves_the_rest_of_its_array_alone(tmp_path: Path) -> None:
    nameless = raw(id=5, slug=None)
    catalogue = load(tmp_path, all=[7, raw(), None, nameless, seed()])
    assert [entry.id for entry in catalogue.entries] == [raw()["id"], seed()["id"]]
    assert {(finding.record, finding.rule) for finding in catalogue.problems} == {
        ("[0]", "not-a-record"),
        ("[2]", "not-a-record"),
        ("[3]", "bad-field"),
    }


@pytest.mark.parametrize(
    ("name", "data", "rule"),
    [
        ("a.json", b"{", "bad-json"),
        ("a.json", b"", "bad-json"),
        ("a.json", b"[" * 100_000, "bad-json"),
        ("a.json", b'{"id": "\xff"}', "bad-json"),
        ("a.json", b"7", "not-a-record"),
        ("a.json.gz", b"no gzip", "unreadable-file"),
        ("a.toml", b"x = ", "bad-toml"),
        ("a.toml", b'x = "\xff"', "bad-encoding"),
        ("a.toml", b"x = " + b"[" * 20_000, "bad-toml"),
        ("a.toml", b"x = 1", "not-a-record"),
        ("a.toml", b"id = 5", "not-a-record"),
    ],
)
def test_an_unreadable_file_is_named_and_the_rest_loads(tmp_path: Path, name: str, data: bytes, rule: str) -> None:
    (tmp_path / name).write_bytes(data)
    write(tmp_path / "sound.json", raw())
    assert only(load_catalogue(tmp_path)).id == raw()["id"]
    assert problem(tmp_path, rule).path == name


def test_a_truncated_gzip_is_named(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.json.gz", [raw()])
    whole.write_bytes(whole.read_bytes()[:-20])
    assert problem(tmp_path, "unreadable-file").message == "truncated gzip"


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_an_oversize_file_is_named(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_JSON", 1_000)
    write(tmp_path / name, [raw()])
    assert "larger than 1,000 bytes" in problem(tmp_path, "unreadable-file").message


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    assert problem(tmp_path, "unreadable-file").message == "not a regular file"


def test_a_dangling_link_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to(tmp_path / "gone")
    assert problem(tmp_path, "unreadable-file").message == "there is no such file"


@pytest.mark.parametrize("name", ["nowhere", "notes.txt"])
def test_a_root_that_is_no_catalogue_is_a_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    assert problem(tmp_path / name, "unreadable-file").path == name


def test_the_same_id_twice_keeps_the_first(tmp_path: Path) -> None:
    catalogue = load(tmp_path, a=raw(severity="info"), b=raw(severity="error"))
    assert only(catalogue).record.severity.value == "info"
    (finding,) = catalogue.problems
    assert (finding.rule, finding.path, finding.record) == ("duplicate-id", "b.json", raw()["id"])
    assert "a.json" in finding.message


# Errata


def test_an_erratum_replaces_and_clears_field_by_field(tmp_path: Path) -> None:
    body = """documentation = "Corrected."
exampleFix = ""
tags = []
clear = ["validationCode", "preventionTips"]"""
    entry = only(load(tmp_path, raw=seed(), beside=erratum(seed()["id"], body)))
    assert entry.raw.documentation == seed()["documentation"]
    assert entry.record.documentation == "Corrected."
    assert (entry.record.example_fix, entry.record.validation_code) == (None, None)
    assert (entry.record.tags, entry.record.prevention_tips) == ([], [])
    assert entry.record.solutions == seed()["solutions"]
    assert entry.corrected == ("documentation", "exampleFix", "validationCode", "preventionTips", "tags")
    assert entry.erratum == tmp_path / "beside.toml"
    assert entry.path == tmp_path / "raw.json"


def test_an_erratum_finds_its_record_in_an_array_elsewhere(tmp_path: Path) -> None:
    catalogue = load(tmp_path, x__all=[raw(), seed()], y__fix=erratum(seed()["id"]))
    assert catalogue.by_id()[seed()["id"]].record.documentation == "Corrected."
    assert catalogue.by_id()[raw()["id"]].record.documentation == raw()["documentation"]


def test_an_erratum_may_only_extend(tmp_path: Path) -> None:
    entry = only(load(tmp_path, raw=raw(), beside=f'id = "{raw()["id"]}"\n[extension]\nkind = "historical"\n'))
    assert entry.extension.kind is Kind.HISTORICAL
    assert (entry.corrected, entry.review) == ((), None)


@pytest.mark.parametrize(
    ("body", "rule", "field"),
    [
        ('filePath = "elsewhere.rs"', "erratum-field", "filePath"),
        ("lineNumber = 3", "erratum-field", "lineNumber"),
        ('id = "1111111111111111"', "erratum-field", "id"),
        ('documentaton = "typo"', "unknown-field", "documentaton"),
        ("solutions = [1]", "bad-field", "solutions[0]"),
        ('severity = "loud"', "bad-field", "severity"),
        ('clear = ["severity"]', "bad-field", "clear[0]"),
        ('clear = ["filePath"]', "erratum-field", "filePath"),
        ('clear = "tags"', "bad-field", "clear"),
        ('tags = ["a"]\nclear = ["tags"]', "bad-field", "clear[0]"),
    ],
)
def test_an_erratum_with_a_fault_is_not_applied_and_its_record_not_trusted(
    tmp_path: Path, body: str, rule: str, field: str
) -> None:
    text = erratum(raw()["id"], f'documentation = "Corrected."\n{body}' if "documentation" not in body else body)
    entry = only(load(tmp_path, raw=raw(), beside=text))
    assert entry.record == entry.raw
    finding = next(finding for finding in entry.findings if finding.rule == rule)
    assert (finding.path, finding.field, finding.record) == ("beside.toml", field, raw()["id"])
    assert entry.trust is Trust.QUARANTINED


def test_an_erratum_without_its_record_is_named(tmp_path: Path) -> None:
    load(tmp_path, beside=erratum("0123456789abcdef"))
    finding = problem(tmp_path, "erratum-target")
    assert (finding.path, finding.record) == ("beside.toml", "0123456789abcdef")


def test_two_errata_for_one_record_keep_the_first(tmp_path: Path) -> None:
    identity = raw()["id"]
    catalogue = load(tmp_path, raw=raw(), a=erratum(identity), b=erratum(identity, 'documentation = "Second."'))
    assert only(catalogue).record.documentation == "Corrected."
    assert problem(tmp_path, "erratum-target").path == "b.toml"


def test_an_erratum_for_a_record_of_our_own_is_refused(tmp_path: Path) -> None:
    identity = only(load(tmp_path, own=OWN)).id
    load(tmp_path, beside=erratum(identity))
    assert "record of our own" in problem(tmp_path, "erratum-target").message


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[extension]\nkind = 'modern'", "extension.kind"),
        ("[extension]\nsecondry = true", "extension.secondry"),
        ("[extension]\nsites = [{filePath = 'a'}]", "extension.sites[0]"),
        ("[review]\nby = 'me'", "review.at"),
        ("review = 5", "review"),
        ("[other]", "other"),
    ],
)
def test_a_fault_in_extension_or_review_is_named(tmp_path: Path, text: str, field: str) -> None:
    entry = only(load(tmp_path, raw=raw(), beside=f'id = "{raw()["id"]}"\n{text}\n'))
    assert field in {finding.field for finding in entry.findings if finding.level is Level.ERROR}
    assert entry.trust is Trust.QUARANTINED


# Records of our own


def test_what_is_left_out_of_our_own_record_is_computed(tmp_path: Path) -> None:
    entry = only(load(tmp_path, squeeze=OWN))
    record = entry.record
    assert entry.own
    assert record.slug == "can-t-squeeze-dimension-because-its-size-is-not-1"
    assert record.message_pattern == r"Can't squeeze dimension (.+?) because its size is not 1"
    blob = "\x01".join((record.repo, record.error_message, record.file_path))
    assert record.id == hashlib.sha256(blob.encode()).hexdigest()[:16]
    assert record.analyzed_sha == "2c06be351006851d42fdb6df16b976f4a82d9747"
    assert (record.analyzed_at, record.schema_version) == ("2026-11-30T00:00:00Z", 2)
    assert (record.source_code, record.error_code, record.prevention_tips) == (None, None, [])
    assert entry.trust is Trust.REVIEWED


@pytest.mark.parametrize("path", [ADAPTIVE, DEFORM])
def test_a_seed_written_as_our_own_gets_the_seeds_id_slug_and_pattern(tmp_path: Path, path: Path) -> None:
    record = seed(path)
    text = "[record]\n" + "".join(
        f"{key} = {json.dumps(record[key])}\n"
        for key in ("repo", "errorMessage", "errorType", "severity", "filePath", "lineNumber", "githubUrl")
    )
    text += 'documentation = "a"\ntriggerScenarios = "b"\ncommonSituations = "c"\n'
    entry = only(load(tmp_path, whatever=text))
    assert (entry.id, entry.slug, entry.record.message_pattern, entry.record.analyzed_sha) == tuple(
        record[key] for key in ("id", "slug", "messagePattern", "analyzedSha")
    )


def test_what_is_given_is_kept_and_checked(tmp_path: Path) -> None:
    entry = only(load(tmp_path, own=OWN.replace("[record]", '[record]\nid = "0123456789abcdef"\nslug = "mine"')))
    assert (entry.id, entry.slug) == ("0123456789abcdef", "mine")
    assert {"id-derived", "slug-derived"} <= rules(entry.findings)


def test_our_records_with_one_slug_give_way_in_order(tmp_path: Path) -> None:
    second = OWN.replace("tensor/api/check.rs", "other/check.rs")
    third = OWN.replace("tensor/api/check.rs", "third/check.rs")
    slugs = [entry.slug for entry in load(tmp_path, a=OWN, b=second, c=third).entries]
    plain = "can-t-squeeze-dimension-because-its-size-is-not-1"
    assert slugs[:2] == [plain, f"{plain}-check"]
    assert slugs[2].startswith(f"{plain}-check-")
    assert len(set(slugs)) == 3


def test_a_files_name_fixes_the_slug_whatever_comes_before_it(tmp_path: Path) -> None:
    plain = "can-t-squeeze-dimension-because-its-size-is-not-1"
    write(tmp_path / f"{plain}.toml", OWN)
    catalogue = load(tmp_path, a=OWN.replace("tensor/api/check.rs", "other/check.rs"))
    assert {entry.path.stem: entry.slug for entry in catalogue.entries} == {plain: plain, "a": f"{plain}-check"}


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ('severity = "error"\n', "", "severity"),
        ('severity = "error"', 'severity = "bad"', "severity"),
        ('repo = "tracel-ai/burn"\n', "", "repo"),
        ("blob/2c06be351006851d42fdb6df16b976f4a82d9747", "blob/main", "githubUrl"),
        ("[record]", "[record]\nsolution = 1", "solution"),
        ("[extension]", "[extension]\nfn = 1", "extension.fn"),
        ("at = 2026-11-30", 'at = "yesterday"', "review.at"),
        ("[record]", 'id = "0123456789abcdef"\n[record]', "record"),
        ("[record]", "[erratum]\n[record]", "record"),
        ("[record]", "[stray]\n[record]", "stray"),
    ],
)
def test_a_fault_in_our_own_record_is_named(tmp_path: Path, before: str, after: str, field: str) -> None:
    assert before in OWN
    catalogue = load(tmp_path, own=OWN.replace(before, after, 1), sound=raw())
    assert only(catalogue).id == raw()["id"]
    assert [finding.field for finding in catalogue.problems] == [field]
    assert catalogue.problems[0].path == "own.toml"


# Large


def test_a_large_array_loads_in_one_pass(tmp_path: Path) -> None:
    records = [raw(f"Cannot fold the tensor {number} along dimension {{}} twice.") for number in range(3_000)]
    write(tmp_path / "all.json", records)
    catalogue = read_catalogue(tmp_path)
    assert len(catalogue.entries) == 3_000
    assert catalogue.problems == ()


def test_a_record_of_our_own_stands_for_upstreams_of_the_same_id(tmp_path: Path) -> None:
    own = only(load(tmp_path / "own", own=OWN)).raw
    theirs = raw(own.error_message, path=own.file_path, function="squeeze")
    assert theirs["id"] == own.id
    write(tmp_path / "both" / "a.json", [theirs, raw()])
    catalogue = load(tmp_path / "both", z=OWN)
    assert [entry.own for entry in catalogue.entries] == [False, True]
    assert catalogue.by_id()[own.id].trust is Trust.REVIEWED
    (finding,) = catalogue.problems
    assert (finding.rule, finding.level, finding.path) == ("duplicate-id", Level.NOTE, "a.json")


def test_a_name_that_is_not_utf8_can_be_reported(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.json")).write_bytes(b"{")
    (tmp_path / os.fsdecode(b"th\xe9.json")).write_text(json.dumps(raw(lineNumber=300)), encoding="utf-8")
    catalogue = load_catalogue(tmp_path)
    assert problem(tmp_path, "bad-json").path == "caf\N{REPLACEMENT CHARACTER}.json"
    assert only(catalogue).findings[0].path == "th\N{REPLACEMENT CHARACTER}.json"


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Permissions do not bind a superuser, so the refusal is simulated where the operating system would raise it.
    (tmp_path / "locked").mkdir()
    listed = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    write(tmp_path / "sound.json", raw())
    finding = problem(tmp_path, "unreadable-file")
    assert (finding.path, finding.message) == ("locked", "Permission denied")
    assert only(load_catalogue(tmp_path)).id == raw()["id"]


def test_a_root_whose_name_is_too_long_is_a_problem(tmp_path: Path) -> None:
    assert "name too long" in problem(tmp_path / ("x" * 300), "unreadable-file").message
