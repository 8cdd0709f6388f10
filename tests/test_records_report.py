"""What lint says, for people, for programs, and for code review."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from bot.records.lint.report import for_people, for_programs, in_order, printable, sarif
from bot.records.model import Catalogue, Finding, Level
from tests.records.samples import OWN, erratum, load, raw


@pytest.fixture
def faulty(tmp_path: Path) -> Catalogue:
    return load(
        tmp_path,
        b__raw=[raw(lineNumber=300), raw("Cannot unfold what was never folded: {}", function="unfold", newField=1), 7],
        a__own=OWN.replace("Squeeze the dimension", "Ask @someone about the dimension"),
        c__beside=erratum(raw()["id"], f"documentation = '''{raw()['documentation']} <b>Read.</b>'''"),
    )


def findings_of(catalogue: Catalogue) -> list[Finding]:
    return [*catalogue.problems, *(finding for entry in catalogue.entries for finding in entry.findings)]


def test_people_read_one_line_a_finding_grouped_by_file(faulty: Catalogue) -> None:
    lines = for_people(findings_of(faulty), catalogue=faulty).splitlines()
    root = faulty.root
    assert [line for line in lines if not line.startswith(" ")] == [
        str(root / "a/own.toml"),
        str(root / "b/raw.json"),
        str(root / "c/beside.toml"),
        "3 records: 5 errors, 1 warning, 1 note",
    ]
    own = lines[1]
    assert own.startswith("  error   can-t-squeeze-dimension-because-its-size-is-not-1 solutions[0]: @someone")
    assert own.endswith("[no-mentions]")


def test_a_clean_catalogue_says_so(tmp_path: Path) -> None:
    catalogue = load(tmp_path, raw=raw())
    assert for_people([], catalogue=catalogue) == "1 record: 0 errors, 0 warnings, 0 notes"


def test_a_single_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    load(tmp_path, raw=raw(lineNumber=300))
    catalogue = load(tmp_path / "raw.json")
    assert for_people(findings_of(catalogue), catalogue=catalogue).splitlines()[0] == str(tmp_path / "raw.json")


def test_the_worst_comes_first_within_a_record(faulty: Catalogue) -> None:
    levels = [finding.level for finding in in_order(findings_of(faulty)) if finding.path == "c/beside.toml"]
    assert levels == [Level.ERROR, Level.WARNING]


def test_record_text_cannot_drive_the_terminal(tmp_path: Path) -> None:
    catalogue = load(
        tmp_path, raw=raw(tags=["\x1b[2J\x07"]), other=raw("x\x1b]0;title\x07 {} is long enough", slug="?")
    )
    text = for_people(findings_of(catalogue), catalogue=catalogue)
    assert not any(ord(char) < 32 and char != "\n" for char in text)
    assert printable("a\tb\n\x1b[31m\u202e") == "a\tb\n\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}"


def test_programs_read_the_counts_and_every_finding(faulty: Catalogue) -> None:
    found = findings_of(faulty)
    report = json.loads(msgspec.json.encode(for_programs(found, records=3)))
    assert (report["records"], report["errors"], report["warnings"], report["notes"]) == (3, 5, 1, 1)
    assert len(report["findings"]) == len(found)
    assert {"rule", "level", "path", "record", "field", "message"} == set(report["findings"][0])


def test_code_review_reads_a_sarif_log(faulty: Catalogue) -> None:
    found = findings_of(faulty)
    log = json.loads(msgspec.json.encode(sarif(found, root=faulty.root, prefix="my records")))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({finding.rule for finding in found})
    assert all(rule["shortDescription"]["text"] != rule["id"] for rule in rules)
    assert len(run["results"]) == len(found)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].startswith("my%20records/")
        assert place["region"]["startLine"] >= 1
    prints = [result["partialFingerprints"]["finding/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


def test_a_sarif_result_points_at_the_line_of_its_field(faulty: Catalogue) -> None:
    log = sarif(findings_of(faulty), root=faulty.root, prefix="")
    lines = {
        result["ruleId"]: result["locations"][0]["physicalLocation"]["region"]["startLine"]
        for result in log["runs"][0]["results"]
    }
    text = (faulty.root / "a/own.toml").read_text(encoding="utf-8").splitlines()
    assert text[lines["no-mentions"] - 1].startswith("solutions")
    assert lines["no-html"] == 3
