"""Raw records from JSON: wrapped, bare, or an array of them. One bad element never takes the others down."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.records.convert import Fault, convert
from bot.records.files import BOM, RecordFile
from bot.records.model import NULLABLE_FIELDS, Finding, Level, Record

_ARRAY = re.compile(rb"\s*\[")


@dataclass(frozen=True, kw_only=True, slots=True)
class RawRecord:
    record: Record
    unknown: dict[str, Any]
    """Newer fields, as they came."""
    sha256: str
    """Of the record's canonical JSON: the same whatever file it travels in."""
    file: RecordFile
    findings: tuple[Finding, ...]
    """Notes and warnings; a record with a fault is not one of these."""


def raw_records(file: RecordFile) -> Iterator[RawRecord | Finding]:
    """The records of one JSON file in their order, a finding in the place of each that is none."""
    try:
        for label, part in json_elements(file.data):
            yield from raw_record(msgspec.json.decode(part), file, label=label)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        yield _file_finding(file, "bad-json", f"not valid JSON: {error}")


def json_elements(data: bytes) -> Iterator[tuple[str | None, bytes | msgspec.Raw]]:
    """The elements of an array as they stand, each with its place `[n]`; anything else is one element without a place.

    Raises `msgspec.DecodeError` before the first element when the text of an array is not JSON: half an array is none.
    """
    text = data.removeprefix(BOM)
    if not _ARRAY.match(text):
        yield None, text
        return
    for index, part in enumerate(msgspec.json.decode(text, type=list[msgspec.Raw])):
        yield f"[{index}]", part


def canonical_sha256(data: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(data, order="sorted")).hexdigest()


def describe_record(data: Any, otherwise: str | None = None) -> str | None:
    """What to call a record that may be broken: its id, else its slug, else its place."""
    if isinstance(data, dict):
        for key in ("id", "slug"):
            if isinstance(data.get(key), str) and data[key]:
                return str(data[key])[:120]
    return otherwise


def fault_findings(faults: tuple[Fault, ...], path: str, record: str | None) -> list[Finding]:
    return [
        Finding(rule=fault.rule, level=Level.ERROR, path=path, record=record, field=fault.field, message=fault.message)
        for fault in faults
    ]


def raw_record(item: Any, file: RecordFile, *, label: str | None) -> Iterator[RawRecord | Finding]:
    """One decoded element as a record, or everything that is wrong with it; `label` is its place in an array."""
    if isinstance(item, dict) and "record" in item and "errorMessage" not in item:
        item = item["record"]
    if not isinstance(item, dict):
        yield _file_finding(file, "not-a-record", f"expected a record (an object), got {_kind(item)}", label)
        return
    name = describe_record(item, label)
    absent = [key for key in NULLABLE_FIELDS if key not in item and key != "contentChangedAt"]
    converted = convert(item | dict.fromkeys(absent) if absent else item, Record)
    if converted.value is None:
        yield from fault_findings(converted.faults, file.name, name)
        return
    record = converted.value
    findings = [
        Finding(
            rule="missing-field", level=Level.WARNING, path=file.name, record=record.id, field=key,
            message="is missing; taken for null",
        )
        for key in absent
    ]  # fmt: skip
    findings += [
        Finding(
            rule="unknown-field", level=Level.NOTE, path=file.name, record=record.id, field=key,
            message="is not a field of schema version 2; kept",
        )
        for key in converted.unknown
    ]  # fmt: skip
    yield RawRecord(
        record=record,
        unknown=converted.unknown,
        sha256=canonical_sha256(item),
        file=file,
        findings=tuple(findings),
    )


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _file_finding(file: RecordFile, rule: str, message: str, record: str | None = None) -> Finding:
    return Finding(rule=rule, level=Level.ERROR, path=file.name, record=record, field=None, message=message)
