"""The TOML files that people write: a record of our own, or an erratum beside a raw record."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import msgspec

from bot.records.convert import Fault, convert, convert_field
from bot.records.derive import pattern_of, record_id, slug_choices, slug_of
from bot.records.files import BOM, RecordFile
from bot.records.model import (
    AUTHORED_FIELDS,
    LIST_FIELDS,
    NULLABLE_FIELDS,
    Extension,
    Finding,
    Level,
    Record,
    Review,
)
from bot.records.permalink import parse_permalink
from bot.records.raw import describe_record, fault_findings

_KEYS = ("id", "record", "erratum", "extension", "review")
_COMPUTED = frozenset({"id", "slug", "messagePattern", "analyzedSha"})
_ID = re.compile(r"[0-9a-f]{16}")

Table = TypeVar("Table", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnRecord:
    record: Record
    """With everything computed that was left out."""
    slug_given: bool
    """Or fixed by the file's name: not to be changed when another record wants it too."""
    extension: Extension
    review: Review | None
    file: RecordFile


@dataclass(frozen=True, kw_only=True, slots=True)
class Erratum:
    id: str
    changes: dict[str, Any]
    """By schema name; None clears a nullable field."""
    extension: Extension
    review: Review | None
    file: RecordFile
    findings: tuple[Finding, ...] = ()
    """Errors: an erratum that has one is not applied, and its record is not trusted."""


def written(file: RecordFile) -> OwnRecord | Erratum | list[Finding]:
    """What a TOML file says, or everything that is wrong with it. Never raises."""
    try:
        content = tomllib.loads(file.data.removeprefix(BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        return [_finding(file, "bad-encoding", f"not UTF-8: byte {error.start} cannot be decoded")]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return [_finding(file, "bad-toml", f"not valid TOML: {error}")]
    faults = [
        Fault(field=key, message=f"is not known here; known are {', '.join(_KEYS)}", rule="unknown-field")
        for key in content
        if key not in _KEYS
    ]
    faults += [
        Fault(field=key, message=f"expected a table, got {content[key]!r:.60}")
        for key in _KEYS[1:]
        if not isinstance(content.get(key, {}), dict)
    ]
    if "record" in content and ("erratum" in content or "id" in content):
        faults.append(Fault(field="record", message="is of our own and needs no `id` and no [erratum]"))
    if "record" not in content and not (isinstance(content.get("id"), str) and _ID.fullmatch(content["id"])):
        return [_finding(file, "not-a-record", "expected a [record], or the `id` (16 hex digits) of a raw record")]
    if "record" not in content:
        return _erratum(content, file, faults)
    return fault_findings(tuple(faults), file.name, None) if faults else _own(content, file)


def apply_erratum(raw: Record, erratum: Erratum) -> Record:
    """The record as corrected. Every change was checked against the schema when the erratum was read."""
    return msgspec.convert(msgspec.to_builtins(raw) | erratum.changes, Record)


def _own(content: dict[str, Any], file: RecordFile) -> OwnRecord | list[Finding]:
    extension, review, faults = _extras(content)
    given: dict[str, Any] = content["record"]
    converted = convert(_completed(given, review), Record)
    record = converted.value
    # What is computed is missing only because its source is: that one is named.
    faults += [fault for fault in converted.faults if fault.field not in _COMPUTED or fault.rule != "missing-field"]
    faults += [_unknown(key, "a record") for key in converted.unknown]
    if isinstance(given.get("githubUrl"), str) and parse_permalink(given["githubUrl"]) is None:
        faults.append(Fault(field="githubUrl", message="expected a GitHub blob link pinned to a full commit id"))
    if faults or record is None:
        return fault_findings(tuple(faults), file.name, describe_record(given))
    stem = file.path.name.removesuffix(".toml")
    by_name = stem in slug_choices(record.error_code, record.error_message, record.file_path, record.id)
    if "slug" not in given and by_name:
        record = msgspec.structs.replace(record, slug=stem)
    return OwnRecord(
        record=record, slug_given="slug" in given or by_name, extension=extension, review=review, file=file
    )


def _completed(given: dict[str, Any], review: Review | None) -> dict[str, Any]:
    """What was left out, computed; what cannot be computed stays out."""
    full: dict[str, Any] = dict.fromkeys(NULLABLE_FIELDS)
    full |= {key: [] for key in LIST_FIELDS}
    full["schemaVersion"] = 2
    full["analyzedAt"] = f"{review.at.isoformat()}T00:00:00Z" if review else ""
    message, path, repo = given.get("errorMessage"), given.get("filePath"), given.get("repo")
    code, url = given.get("errorCode"), given.get("githubUrl")
    link = parse_permalink(url) if isinstance(url, str) else None
    if link:
        full["analyzedSha"] = link.sha
    if isinstance(message, str) and (code is None or isinstance(code, str)):
        full["messagePattern"] = pattern_of(message)
        full["slug"] = slug_of(code, message)
        if isinstance(path, str) and isinstance(repo, str):
            full["id"] = record_id(repo, code, message, path)
    return full | given


def _erratum(content: dict[str, Any], file: RecordFile, faults: list[Fault]) -> Erratum:
    extension, review, more = _extras(content)
    table = content.get("erratum")
    changes, wrong = _changes(table if isinstance(table, dict) else {})
    return Erratum(
        id=content["id"],
        changes=changes,
        extension=extension,
        review=review,
        file=file,
        findings=tuple(fault_findings((*faults, *more, *wrong), file.name, content["id"])),
    )


def _changes(table: dict[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    changes: dict[str, Any] = {}
    faults: list[Fault] = []
    for key, value in table.items():
        if key == "clear":
            continue
        if key not in AUTHORED_FIELDS:
            faults.append(_not_authored(key))
            continue
        # TOML has no null: an empty string says it for a field that may be null.
        changes[key] = None if value == "" and key in NULLABLE_FIELDS else value
        fault = convert_field(changes[key], Record, key)
        if fault:
            faults.append(fault)
    cleared = table.get("clear", [])
    if not isinstance(cleared, list) or not all(isinstance(key, str) for key in cleared):
        return changes, [*faults, Fault(field="clear", message="expected a list of field names")]
    for index, key in enumerate(cleared):
        if key in table:
            faults.append(Fault(field=f"clear[{index}]", message=f"{key} is both replaced and cleared"))
        elif key in LIST_FIELDS:
            changes[key] = []
        elif key in AUTHORED_FIELDS and key in NULLABLE_FIELDS:
            changes[key] = None
        elif key in AUTHORED_FIELDS:
            faults.append(Fault(field=f"clear[{index}]", message=f"{key} cannot be null; replace it"))
        else:
            faults.append(_not_authored(key))
    return changes, faults


def _not_authored(key: str) -> Fault:
    names = {spec.encode_name for spec in msgspec.structs.fields(Record)}
    if key not in names:
        return _unknown(key, "a record")
    return Fault(
        field=key, message="belongs to the mechanical half, which an erratum never touches", rule="erratum-field"
    )


def _unknown(key: str, of: str) -> Fault:
    return Fault(field=key, message=f"is not a field of {of}", rule="unknown-field")


def _extras(content: dict[str, Any]) -> tuple[Extension, Review | None, list[Fault]]:
    extension, wrong = _table(content, "extension", Extension)
    review, more = _table(content, "review", Review)
    return extension or Extension(), review, [*wrong, *more]


def _table(content: dict[str, Any], key: str, into: type[Table]) -> tuple[Table | None, list[Fault]]:
    table = content.get(key)
    if not isinstance(table, dict):
        return None, []
    converted = convert(table, into)
    faults = [*converted.faults, *(_unknown(name, f"[{key}]") for name in converted.unknown)]
    return converted.value, [replace(fault, field=f"{key}.{fault.field}") for fault in faults]


def _finding(file: RecordFile, rule: str, message: str) -> Finding:
    return Finding(rule=rule, level=Level.ERROR, path=file.name, record=None, field=None, message=message)
