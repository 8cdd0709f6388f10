"""The guide names every rule that lint has, with its words, and nothing that it has not; its examples load."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bot.records.lint.report import rule_reasons
from bot.records.model import Extension
from tests.records.samples import load, only, raw, rules

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")


def test_every_rule_is_explained_in_its_own_words() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|(?: (?:error|warning|note) \|)? (.+) \|$", GUIDE, re.MULTILINE)
    explained = {name: text for name, text in rows if "-" in name}
    assert explained == rule_reasons()


def test_every_extension_field_is_explained() -> None:
    table = GUIDE.partition("The extension, all of it optional:")[2].partition("## A correction")[0]
    named = set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.splitlines() if "|" in line)))
    assert named == {spec.encode_name for spec in msgspec.structs.fields(Extension)}


def test_the_record_in_the_guide_is_one(tmp_path: Path) -> None:
    text = re.findall(r"```toml\n(\[record\].*?)```", GUIDE, re.DOTALL)[0]
    entry = only(load(tmp_path, own=text))
    assert entry.record.slug == "can-t-squeeze-dimension-because-its-size-is-not-1"
    assert rules(entry.findings) <= {"prose-covers-message"}


def test_the_erratum_in_the_guide_is_one(tmp_path: Path) -> None:
    text = re.findall(r"```toml\n(id = .*?)```", GUIDE, re.DOTALL)[0]
    entry = only(load(tmp_path, raw=raw(), beside=text.replace("11e38209cb0c2402", raw()["id"])))
    assert entry.corrected == ("documentation", "solutions", "validationCode", "typeGuard")
