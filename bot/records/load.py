"""Loading a catalogue: every file below a root, raw records joined with their errata, each entry judged.

Nothing here raises for bad content. What could not be loaded is named in `Catalogue.problems`; the rest is loaded.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bot.records.derive import slug_choices
from bot.records.files import RecordFile, record_files
from bot.records.model import AUTHORED_FIELDS, Catalogue, Entry, Extension, Finding, Level
from bot.records.raw import RawRecord, raw_records
from bot.records.sites import sites
from bot.records.trust import judge_catalogue
from bot.records.written import Erratum, OwnRecord, apply_erratum, written

__all__ = ["load_catalogue", "read_catalogue", "sites"]


def load_catalogue(root: Path) -> Catalogue:
    """Everything below `root` (a folder at any depth, or one file), linted and judged. Never raises for bad content."""
    return judge_catalogue(read_catalogue(root))


def read_catalogue(root: Path) -> Catalogue:
    """The entries as read and corrected, with the loader's own findings, not yet linted."""
    found: list[RawRecord | OwnRecord] = []
    errata: list[Erratum] = []
    problems: list[Finding] = []
    digest = hashlib.sha256()
    for file in record_files(root):
        if isinstance(file, Finding):
            problems.append(file)
            continue
        digest.update(f"{file.name}\0{file.sha256}\n".encode("utf-8", "surrogateescape"))
        for item in _items(file):
            if isinstance(item, Finding):
                problems.append(item)
            elif isinstance(item, Erratum):
                errata.append(item)
            else:
                found.append(item)
    kept = _first_of_each_id(found, problems)
    beside = _by_raw_id(errata, kept, problems)
    entries = [
        _raw_entry(item, beside.get(item.record.id)) if isinstance(item, RawRecord) else own_entry(item)
        for item in kept
    ]
    fixed = {item.record.id for item in kept if isinstance(item, RawRecord) or item.slug_given}
    return Catalogue(
        root=root,
        entries=tuple(_with_unique_slugs(entries, fixed)),
        problems=tuple(problems),
        content_hash=digest.hexdigest(),
    )


def _items(file: RecordFile) -> Iterable[RawRecord | OwnRecord | Erratum | Finding]:
    if not file.is_toml:
        return raw_records(file)
    item = written(file)
    return item if isinstance(item, list) else [item]


def _first_of_each_id(items: list[RawRecord | OwnRecord], problems: list[Finding]) -> list[RawRecord | OwnRecord]:
    """One record for each id: ours before a raw one, else the first."""
    first: dict[str, RawRecord | OwnRecord] = {}
    for item in sorted(items, key=lambda item: isinstance(item, RawRecord)):
        known = first.setdefault(item.record.id, item)
        if known is item:
            continue
        message = f"stands in {known.file.name} already; left out here"
        if isinstance(item, RawRecord) and isinstance(known, OwnRecord):
            message = f"our own record in {known.file.name} stands for it"
            problems.append(_finding("duplicate-id", Level.NOTE, item.file, item.record.id, message))
        else:
            problems.append(_finding("duplicate-id", Level.ERROR, item.file, item.record.id, message))
    kept = {id(item) for item in first.values()}
    return [item for item in items if id(item) in kept]


def _by_raw_id(errata: list[Erratum], kept: list[RawRecord | OwnRecord], problems: list[Finding]) -> dict[str, Erratum]:
    by_id = {item.record.id: item for item in kept}
    chosen: dict[str, Erratum] = {}
    for erratum in errata:
        target = by_id.get(erratum.id)
        if isinstance(target, OwnRecord):
            message = f"{target.file.name} is a record of our own: correct it there"
        elif target is None:
            message = "there is no raw record with this id"
        elif erratum.id in chosen:
            message = f"{chosen[erratum.id].file.name} corrects this record already; left out here"
        else:
            chosen[erratum.id] = erratum
            continue
        problems += [
            _finding("erratum-target", Level.ERROR, erratum.file, erratum.id, message),
            *erratum.findings,
        ]
    return chosen


def _raw_entry(item: RawRecord, erratum: Erratum | None) -> Entry:
    applied = erratum if erratum and not erratum.findings else None
    return Entry(
        raw=item.record,
        record=apply_erratum(item.record, applied) if applied and applied.changes else item.record,
        extension=applied.extension if applied else Extension(),
        review=applied.review if applied else None,
        corrected=tuple(name for name in AUTHORED_FIELDS if applied and name in applied.changes),
        path=item.file.path,
        erratum=erratum.file.path if erratum else None,
        raw_sha256=item.sha256,
        file_sha256=item.file.sha256,
        unknown=item.unknown,
        findings=(*item.findings, *(erratum.findings if erratum else ())),
    )


def own_entry(item: OwnRecord) -> Entry:
    """A record of our own, not yet judged."""
    return Entry(
        raw=item.record,
        record=item.record,
        extension=item.extension,
        review=item.review,
        corrected=(),
        path=item.file.path,
        file_sha256=item.file.sha256,
    )


def _with_unique_slugs(entries: list[Entry], fixed: set[str]) -> list[Entry]:
    """Computed slugs give way to given ones, then to earlier ones: the first free form is taken."""
    taken: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.id in fixed:
            taken[entry.record.repo].add(entry.slug)
    unique: list[Entry] = []
    for entry in entries:
        if entry.id not in fixed:
            record = entry.record
            choices = slug_choices(record.error_code, record.error_message, record.file_path, record.id)
            slug = next((choice for choice in choices if choice not in taken[record.repo]), record.slug)
            taken[record.repo].add(slug)
            if slug != record.slug:
                renamed = msgspec.structs.replace(record, slug=slug)
                entry = msgspec.structs.replace(entry, raw=renamed, record=renamed)
        unique.append(entry)
    return unique


def _finding(rule: str, level: Level, file: RecordFile, record: str, message: str) -> Finding:
    return Finding(rule=rule, level=level, path=file.name, record=record, field=None, message=message)
