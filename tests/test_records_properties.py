"""Whatever stands in a file: loading never raises, names the file, and judges what it loads."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import re2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.records.derive import pattern_of, slug_choices, slug_of
from bot.records.lint.report import for_people, for_programs, printable, rule_reasons, sarif
from bot.records.load import load_catalogue, sites
from bot.records.model import Level, Trust
from bot.records.raw import canonical_sha256
from tests.records.samples import OWN, erratum, raw, write

FIELDS = sorted(raw())
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner))
ALMOST_RECORDS = st.builds(
    lambda changes, without: {key: value for key, value in (raw() | changes).items() if key not in without},
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4),
    st.sets(st.sampled_from(FIELDS), max_size=2),
)
DOCUMENTS = VALUES | ALMOST_RECORDS | st.lists(ALMOST_RECORDS | VALUES, max_size=4) | st.builds(
    lambda record: {"record": record, "datasetVersion": "x"}, ALMOST_RECORDS | VALUES
)  # fmt: skip


def written(name: str, data: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(data)
        return load_catalogue(Path(folder))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS)
def test_any_json_is_loaded_or_named(document: Any) -> None:
    catalogue = written("some.json", json.dumps(document).encode())
    items = document if isinstance(document, list) else [document]
    assert len(catalogue.entries) <= len(items)
    if not catalogue.entries and items:
        assert catalogue.problems
    for finding in (*catalogue.problems, *(finding for entry in catalogue.entries for finding in entry.findings)):
        assert finding.path == "some.json"
        assert finding.rule in rule_reasons()
        assert finding.message
    for entry in catalogue.entries:
        failed = any(finding.level is Level.ERROR for finding in entry.findings)
        assert entry.trust is (Trust.QUARANTINED if failed else Trust.LINTED)
    assert len(sites(catalogue)) == len(catalogue.entries)


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.json", "a.json.gz", "a.toml"]))
def test_any_bytes_are_loaded_or_named(data: bytes, name: str) -> None:
    catalogue = written(name, data)
    assert catalogue.entries == ()
    assert catalogue.problems or data.strip() == b"[]"
    assert {finding.path for finding in catalogue.problems} <= {name}


@settings(deadline=None)
@given(st.sampled_from([OWN, erratum("0123456789abcdef")]), st.data())
def test_a_damaged_toml_file_is_loaded_or_named(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    to = data.draw(st.integers(at, min(len(text), at + 30)))
    damaged = text[:at] + data.draw(st.text(max_size=10)) + text[to:]
    catalogue = written("a.toml", damaged.encode("utf-8", "replace"))
    assert bool(catalogue.entries) != bool(catalogue.problems)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS)
def test_reports_of_anything_can_be_printed_and_encoded(document: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root / "some.json", document)
        catalogue = load_catalogue(root)
        findings = [*catalogue.problems, *(finding for entry in catalogue.entries for finding in entry.findings)]
        text = for_people(findings, catalogue=catalogue)
        assert text == printable(text)
        assert text.splitlines()[-1].startswith(f"{len(catalogue.entries)} record")
        assert json.loads(msgspec.json.encode(for_programs(findings, records=1)))["findings"] is not None
        log = json.loads(msgspec.json.encode(sarif(findings, root=root, prefix="records")))
        assert len(log["runs"][0]["results"]) == len(findings)


@given(st.text(min_size=1, max_size=300))
def test_a_message_always_has_a_slug_the_schema_accepts_and_a_pattern_that_matches_it(message: str) -> None:
    slug = slug_of(None, message)
    assert slug in slug_choices(None, message, "a.rs", "0" * 16)
    for choice in slug_choices(None, message, "crates/burn-x/src/ops/module.rs", "0123456789abcdef"):
        assert len(choice) <= 120
        assert choice == choice.strip("-")
        assert "--" not in choice
        assert choice.replace("-", "").isalnum()
        assert choice == choice.lower()
    assert re2.search(pattern_of(message), message)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=6))
def test_a_raw_half_has_one_hash_whatever_the_order_of_its_fields(data: dict[str, Any]) -> None:
    backwards = dict(reversed(data.items()))
    assert canonical_sha256(data) == canonical_sha256(backwards)
    assert canonical_sha256(data) == canonical_sha256(json.loads(json.dumps(data)))
