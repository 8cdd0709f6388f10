"""A record speaks by itself only when lint passes and a person reviewed exactly this raw half."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from bot.records.model import Entry, Trust
from tests.records.samples import ADAPTIVE, BURN, DEFORM, OWN, erratum, load, only, raw, rules, seed


def reviewed(root: Path, record: dict[str, Any], stated: str | None) -> Entry:
    body = f"documentation = '''{raw()['documentation']} Read twice.'''"
    return only(load(root, raw=record, beside=erratum(record["id"], body, raw_sha256=stated)))


def canonical(record: dict[str, Any]) -> str:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_nobody_has_read_a_raw_record(tmp_path: Path) -> None:
    assert only(load(tmp_path, raw=raw())).trust is Trust.LINTED


def test_a_review_of_this_raw_half_counts(tmp_path: Path) -> None:
    entry = reviewed(tmp_path, raw(), canonical(raw()))
    assert entry.trust is Trust.REVIEWED
    assert entry.raw_sha256 == canonical(raw())


def test_the_same_raw_half_in_another_file_keeps_its_review(tmp_path: Path) -> None:
    other = raw("Cannot unfold what was never folded: {}", function="unfold")
    body = f"documentation = '''{raw()['documentation']} Read twice.'''"
    catalogue = load(tmp_path, upstream=[other, raw()], beside=erratum(raw()["id"], body, raw_sha256=canonical(raw())))
    assert catalogue.by_id()[raw()["id"]].trust is Trust.REVIEWED


def test_the_hash_of_the_reviewed_file_counts_too(tmp_path: Path) -> None:
    load(tmp_path, raw=raw())
    stated = hashlib.sha256((tmp_path / "raw.json").read_bytes()).hexdigest()
    assert reviewed(tmp_path, raw(), stated).trust is Trust.REVIEWED


@pytest.mark.parametrize("change", [{"severity": "info"}, {"lineNumber": 103}, {"newerField": 1}])
def test_a_review_of_another_raw_half_is_stale(tmp_path: Path, change: dict[str, Any]) -> None:
    entry = reviewed(tmp_path, raw(**change), canonical(raw()))
    assert entry.trust is Trust.LINTED
    finding = next(finding for finding in entry.findings if finding.rule == "review-fits")
    assert finding.path == "beside.toml"
    assert canonical(raw(**change)) in finding.message


def test_a_review_that_does_not_say_of_what_does_not_count(tmp_path: Path) -> None:
    entry = reviewed(tmp_path, raw(), None)
    assert entry.trust is Trust.LINTED
    assert "review-fits" in rules(entry.findings)


def test_a_review_does_not_outweigh_lint(tmp_path: Path) -> None:
    record = raw(lineNumber=300)
    entry = reviewed(tmp_path, record, canonical(record))
    assert entry.review is not None
    assert not entry.review_is_stale
    assert entry.trust is Trust.QUARANTINED


def test_a_review_without_proof_quarantines(tmp_path: Path) -> None:
    head, _, _ = OWN.partition("[[review.proofs]]")
    assert only(load(tmp_path, own=head + "proofs = []\n")).trust is Trust.QUARANTINED


def test_our_own_record_without_review_is_linted(tmp_path: Path) -> None:
    head, _, _ = OWN.partition("[review]")
    entry = only(load(tmp_path, own=head))
    assert entry.trust is Trust.LINTED
    assert "own-is-reviewed" in rules(entry.findings)


def test_a_warning_does_not_cost_trust(tmp_path: Path) -> None:
    record = raw()
    del record["backgroundTag"]
    entry = reviewed(tmp_path, record, canonical(record))
    assert "missing-field" in rules(entry.findings)
    assert entry.trust is Trust.REVIEWED


# The seeds


def test_the_deform_conv_seed_alone_is_quarantined_by_the_join_rules(tmp_path: Path) -> None:
    entry = only(load(tmp_path, seed=seed(DEFORM)))
    assert entry.trust is Trust.QUARANTINED
    assert rules(entry.findings) == {
        "prose-covers-message",
        "documentation-covers-message",
        "function-named",
        "identifiers-in-excerpt",
        "types-in-excerpt",
        "tags-name-crate",
    }


def test_the_adaptive_pool_seed_alone_passes_lint_and_is_not_trusted(tmp_path: Path) -> None:
    entry = only(load(tmp_path, seed=seed(ADAPTIVE)))
    assert (entry.trust, entry.findings) == (Trust.LINTED, ())


@pytest.mark.parametrize("path", [ADAPTIVE, DEFORM])
def test_with_its_erratum_a_seed_is_reviewed(tmp_path: Path, path: Path) -> None:
    beside = (BURN / f"{path.stem}.toml").read_text(encoding="utf-8")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    entry = only(load(tmp_path, beside=beside))
    assert entry.trust is Trust.REVIEWED
    assert "q_to_device" not in entry.record.documentation
