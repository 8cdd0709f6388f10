"""Rules between records: nothing twice, no prose at the wrong message, no pattern too wide, examples tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.records.lint.examples import lint_examples
from bot.records.load import load_catalogue
from bot.records.model import Catalogue, Finding, Level, Trust
from tests.records.samples import DEFORM, OWN, erratum, load, only, raw, seed, write

OTHERS = [
    raw("Cannot unfold what was never folded: {}", function="unfold", path="crates/burn-tensor/src/unfold.rs"),
    raw("The checkpoint of epoch {} is truncated", function="restore", path="crates/burn-train/src/checkpoint.rs"),
    raw("Quantized weights need a calibration table", function="calibrate", path="crates/burn-cubecl/src/quant.rs"),
    raw("Gradient for parameter {} is missing", function="collect", path="crates/burn-optim/src/collect.rs"),
]
PROSE = ("documentation", "triggerScenarios", "commonSituations", "solutions")


def found(catalogue: Catalogue, rule: str) -> dict[str, Finding]:
    """Findings of one rule by the slug of their record."""
    return {entry.slug: finding for entry in catalogue.entries for finding in entry.findings if finding.rule == rule}


def with_prose_of(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return record | {field: other[field] for field in PROSE}


def test_distinct_records_have_nothing_to_say_to_each_other(tmp_path: Path) -> None:
    assert [entry.findings for entry in load(tmp_path, all=[raw(), *OTHERS]).entries] == [()] * 5


def test_one_slug_for_two_records_of_a_repository(tmp_path: Path) -> None:
    same = raw(path="crates/burn-tensor/src/other.rs", documentation=f"Another place. {raw()['documentation']}")
    catalogue = load(tmp_path, all=[raw(), same])
    assert [entry.trust for entry in catalogue.entries] == [Trust.LINTED, Trust.QUARANTINED]
    assert [finding.rule for finding in catalogue.entries[1].findings if finding.level is Level.ERROR] == [
        "slug-unique"
    ]


def test_one_slug_in_two_repositories_is_no_fault(tmp_path: Path) -> None:
    catalogue = load(tmp_path, all=[raw(), raw(repo="tracel-ai/cubecl")])
    assert [entry.findings for entry in catalogue.entries] == [(), ()]


# Prose that stands twice


def test_the_same_documentation_at_two_messages_is_refused_at_both(tmp_path: Path) -> None:
    copied = OTHERS[0] | {"documentation": raw()["documentation"]}
    findings = found(load(tmp_path, all=[raw(), copied]), "prose-unique")
    assert set(findings) == {raw()["slug"], copied["slug"]}
    assert raw()["slug"] in findings[copied["slug"]].message


def test_a_family_may_share_its_documentation(tmp_path: Path) -> None:
    records = [raw(), OTHERS[0] | {"documentation": raw()["documentation"]}]
    beside = {
        f"e{at}": f'id = "{record["id"]}"\n[extension]\nfamily = "folding"\n' for at, record in enumerate(records)
    }
    assert found(load(tmp_path, all=records, **beside), "prose-unique") == {}


def test_one_message_at_two_places_may_share_its_documentation(tmp_path: Path) -> None:
    twin = raw(path="crates/burn-tensor/src/other.rs", slug=f"{raw()['slug']}-other")
    assert found(load(tmp_path, all=[raw(), twin]), "prose-unique") == {}


def test_what_was_reviewed_does_not_yield_to_an_unread_copy(tmp_path: Path) -> None:
    write(tmp_path / "raw.json", raw())
    stated = only(load_catalogue(tmp_path)).raw_sha256
    body = f"documentation = '''{raw()['documentation']}'''"
    copy = OTHERS[0] | {"documentation": raw()["documentation"]}
    catalogue = load(tmp_path, beside=erratum(raw()["id"], body, raw_sha256=stated), copy=copy)
    assert catalogue.by_id()[raw()["id"]].trust is Trust.REVIEWED
    assert catalogue.by_id()[copy["id"]].trust is Trust.QUARANTINED


def test_nearly_the_same_documentation_is_a_warning(tmp_path: Path) -> None:
    long = " ".join(f"step {number} of the long explanation says this and that about it" for number in range(12))
    first = raw(documentation=f"{raw()['documentation']} {long}")
    second = OTHERS[0] | {"documentation": f"{raw()['documentation']} {long} And one more word, unfold, never folded."}
    findings = found(load(tmp_path, all=[first, second, *OTHERS[1:]]), "prose-distinct")
    assert set(findings) == {second["slug"]}
    assert findings[second["slug"]].level is Level.WARNING


# Prose at the wrong message


def test_swapped_prose_is_reported_at_both(tmp_path: Path) -> None:
    one, two, *rest = OTHERS
    catalogue = load(tmp_path, all=[with_prose_of(one, two), with_prose_of(two, one), *rest])
    findings = found(catalogue, "prose-fits-own-message")
    assert set(findings) == {one["slug"], two["slug"]}
    assert all("swapped" in finding.message for finding in findings.values())
    assert two["slug"] in findings[one["slug"]].message


def test_prose_that_belongs_to_another_record_is_reported_where_it_stands(tmp_path: Path) -> None:
    one, two, *rest = OTHERS
    taken = with_prose_of(one, two) | {"documentation": f"Truly. {two['documentation']}"}
    findings = found(load(tmp_path, all=[taken, two, *rest]), "prose-fits-own-message")
    assert set(findings) == {one["slug"]}
    assert f"look at {two['slug']}" in findings[one["slug"]].message


def test_prose_that_is_not_written_yet_belongs_to_nobody(tmp_path: Path) -> None:
    one, two, *rest = OTHERS
    empty = {"documentation": "", "triggerScenarios": "", "commonSituations": "", "solutions": [], "preventionTips": []}
    catalogue = load(tmp_path, all=[one | empty | {"tags": ["burn-cubecl"]}, two, *rest])
    assert found(catalogue, "prose-fits-own-message") == {}
    assert set(found(catalogue, "text-present")) == {one["slug"]}


def test_prose_that_mentions_another_message_is_no_swap(tmp_path: Path) -> None:
    one, two, *rest = OTHERS
    mentions = one | {"commonSituations": f"Often met together with: {two['errorMessage']} in {'restore'}."}
    assert found(load(tmp_path, all=[mentions, two, *rest]), "prose-fits-own-message") == {}


# Patterns


def test_a_pattern_within_a_longer_message_is_noted(tmp_path: Path) -> None:
    longer = raw("Cannot fold the tensor along dimension {} twice. Or thrice.", function="thrice", path="a/b.rs")
    findings = found(load(tmp_path, all=[raw(), longer, *OTHERS]), "pattern-subsumes")
    assert set(findings) == {raw()["slug"]}
    assert findings[raw()["slug"]].level is Level.NOTE


def test_a_pattern_within_many_messages_needs_its_location(tmp_path: Path) -> None:
    broad = raw("operation {} is not implemented", function="stub", path="crates/burn-x/src/a.rs")
    many = [
        raw(
            f"operation {{}} is not implemented for {kind} tensors",
            function=f"stub_{kind}",
            path=f"crates/burn-x/src/{kind}.rs",
        )
        for kind in ["bool", "int", "float", "quantized", "sparse", "complex", "ragged", "jagged", "packed"]
    ]
    findings = found(load(tmp_path / "a", all=[broad, *many]), "pattern-not-overbroad")
    assert set(findings) == {broad["slug"]}
    beside = f'id = "{broad["id"]}"\n[extension]\nneedsLocation = true\n'
    assert found(load(tmp_path / "b", all=[broad, *many], beside=beside), "pattern-not-overbroad") == {}


def test_a_hostile_pattern_costs_no_time_against_the_others(tmp_path: Path) -> None:
    hostile = raw(
        "dim {} out of bounds for {} dimensions", function="bounds", messagePattern="(a+)+$|dim (.*)*(.*)* out"
    )
    longer = [
        raw(
            f"dim {{}} out of bounds for {{}} dimensions {'a' * 200} {number}",
            function=f"f{number}",
            path=f"a/{number}.rs",
        )
        for number in range(20)
    ]
    assert load(tmp_path, all=[hostile, *longer]).entries


# Examples


@pytest.mark.parametrize(
    ("matched", "words"),
    [
        ([], "is matched to no record"),
        (["other"], "is matched to the-other instead"),
        (["own", "other"], "is matched to the-other as well"),
        (["other", "own"], "is matched to the-other as well"),
        (["own"], None),
        (["own", "own"], None),
    ],
)
def test_an_example_is_matched_to_its_record_and_no_other(
    tmp_path: Path, matched: list[str], words: str | None
) -> None:
    other = OWN.replace("api/check.rs", "other/check.rs").replace("[record]", '[record]\nslug = "the-other"')
    catalogue = load(tmp_path, a=OWN, b=other.partition("examples")[0])
    own, second = catalogue.entries
    judged: list[str] = []

    def judge(text: str) -> Sequence[tuple[str, str]]:
        judged.append(text)
        return [{"own": (own.id, own.slug), "other": (second.id, second.slug)}[name] for name in matched]

    findings = list(lint_examples(catalogue.entries, catalogue.root, judge))
    assert judged == own.extension.examples
    assert [finding.message for finding in findings] == ([] if words is None else [words])
    for finding in findings:
        assert (finding.field, finding.path, finding.record) == ("extension.examples[0]", "a.toml", own.id)


# What a person vouched for does not yield to what nobody has read


def reviewed(root: Path, record: dict[str, Any]) -> None:
    """Writes the record with an erratum that only repeats its documentation, and a review that fits."""
    write(root / "reviewed.json", record)
    stated = only(load_catalogue(root / "reviewed.json")).raw_sha256
    body = f"documentation = '''{record['documentation']}'''"
    write(root / "reviewed.toml", erratum(record["id"], body, raw_sha256=stated))


def test_unread_prose_that_fits_better_does_not_make_a_reviewed_record_a_misfit(tmp_path: Path) -> None:
    one, two, *rest = OTHERS
    terse = one | {"documentation": "Flat tensors stay flat; unfold.", "triggerScenarios": "x", "solutions": ["y"]}
    thief = with_prose_of(two, one)
    load(tmp_path, all=[terse, thief, *rest])
    assert "prose-fits-own-message" in {
        finding.rule for finding in load_catalogue(tmp_path).by_id()[one["id"]].findings
    }
    write(tmp_path / "all.json", [thief, *rest])
    reviewed(tmp_path, terse)
    catalogue = load_catalogue(tmp_path)
    assert catalogue.by_id()[one["id"]].trust is Trust.REVIEWED
    assert catalogue.by_id()[two["id"]].trust is Trust.QUARANTINED


def test_an_unread_record_with_a_reviewed_ones_slug_is_the_one_refused(tmp_path: Path) -> None:
    first = raw(path="crates/burn-tensor/src/another.rs", documentation=f"Elsewhere. {raw()['documentation']}")
    write(tmp_path / "a.json", first)
    reviewed(tmp_path, raw())
    catalogue = load_catalogue(tmp_path)
    assert catalogue.by_id()[raw()["id"]].trust is Trust.REVIEWED
    assert catalogue.by_id()[first["id"]].trust is Trust.QUARANTINED


def test_many_records_with_one_documentation_are_compared_by_kind(tmp_path: Path) -> None:
    same = "One text for all of them: fold_twice."
    many = [raw(path=f"crates/burn-tensor/src/f{number}.rs", documentation=same) for number in range(1_500)]
    for number, record in enumerate(many):
        record["slug"] = f"{record['slug']}-f{number}"
    assert found(load(tmp_path, all=many), "prose-unique") == {}
    assert len(found(load(tmp_path, all=[*many, OTHERS[0] | {"documentation": same}]), "prose-unique")) == 1_501


def test_a_review_of_misjoined_raw_prose_does_not_pass_it(tmp_path: Path) -> None:
    write(tmp_path / "seed.json", seed(DEFORM))
    stated = only(load_catalogue(tmp_path)).raw_sha256
    for at, body in enumerate(("", 'tags = ["rust"]', "solutions = ['Use another backend.']")):
        write(tmp_path / "beside.toml", erratum(seed(DEFORM)["id"], body, raw_sha256=stated))
        entry = only(load_catalogue(tmp_path))
        assert not entry.review_is_stale, at
        assert entry.trust is Trust.QUARANTINED
