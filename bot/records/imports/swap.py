"""Putting imported records in the place of the raw ones, repository by repository, all or nothing for each.

A repository's raw records end up in one file, `<owner>/<name>/upstream.json`: replacing one file is atomic, replacing
many is not. The set before it is kept in `.previous`. TOML files (errata, records of our own) are never touched.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bot.records.files import RecordFile, Unreadable, read_file
from bot.records.imports.manifest import ImportRefused
from bot.records.imports.source import Source, SourceFile
from bot.records.model import Catalogue, Entry, Finding
from bot.records.raw import BOM, RawRecord, raw_records

UPSTREAM = "upstream.json"
PREVIOUS = ".previous"


class RepositoryChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What importing does to one repository. Records are named by their slugs."""

    repo: str
    added: list[str]
    changed: list[str]
    removed: list[str]
    unchanged: int
    stale: list[str]
    """Reviewed until now; somebody has to look at them again, because the review is of another raw half."""
    orphaned: list[str]
    """Errata whose record is gone, by file. They are kept."""
    left_out: list[str]
    """What was no valid record, with the reason."""
    checked: bool
    """A manifest vouched for the bytes."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    change: RepositoryChange
    folder: Path
    content: bytes
    superseded: tuple[Path, ...]
    """Raw files that `content` replaces."""
    root: Path
    """Of the catalogue."""


def plan_import(source: Source, catalogue: Catalogue, *, wanted: Iterable[str] = ()) -> list[Plan]:
    """What would change, repository by repository. Raises `ImportRefused` when there is nothing sound to import.

    An array is a repository's whole set; records that come singly are added to what is there.
    """
    only = set(wanted)
    grouped: dict[str, dict[str, tuple[RawRecord, bytes]]] = defaultdict(dict)
    left_out: dict[str, list[str]] = defaultdict(list)
    checked: dict[str, bool] = {}
    whole: set[str] = set()
    for file in source.files:
        for item in _elements(file):
            if isinstance(item, str):
                left_out[file.repo or ""].append(item)
                continue
            record, _ = item
            repo = record.record.repo
            if file.repo not in (None, repo):
                raise ImportRefused(f"{file.name} holds a record of {repo}")
            if only and repo not in only:
                continue
            if record.record.id in grouped[repo]:
                left_out[repo].append(f"{file.name}: {record.record.id} occurs twice")
                continue
            grouped[repo][record.record.id] = item
            checked[repo] = checked.get(repo, True) and file.checked
            if _is_array(file.data):
                whole.add(repo)
    if not any(grouped.values()):
        reasons = "".join(f"\n  {reason}" for reasons in left_out.values() for reason in reasons[:5])
        raise ImportRefused(f"no valid record to import{reasons}")
    stray = left_out.pop("", [])
    return [
        _plan(
            repo,
            items if repo in whole else _present(repo, catalogue) | items,
            catalogue,
            left_out=[*left_out[repo], *stray],
            checked=checked[repo],
        )
        for repo, items in sorted(grouped.items())
        if items
    ]


def carry_out(plans: Iterable[Plan]) -> None:
    """Swap in what was planned. Every new set is on disk before the first one is swapped.

    Raises `ImportRefused` when a set cannot be written: what was swapped until then is in place, the rest as before.
    """
    staged = [(plan, plan.folder / f".{UPSTREAM}.{os.getpid()}") for plan in plans]
    try:
        for plan, file in staged:
            _stage(plan, file)
        for plan, file in staged:
            _swap(plan, file)
    except OSError as error:
        raise ImportRefused(f"cannot write {error.filename or 'the records'}: {error.strerror or error}") from error
    finally:
        for _, file in staged:
            file.unlink(missing_ok=True)


def _elements(file: SourceFile) -> Iterable[tuple[RawRecord, bytes] | str]:
    """Each record with its own bytes as delivered, or why it is none."""
    try:
        parts = [bytes(part) for part in msgspec.json.decode(file.data.removeprefix(BOM), type=list[msgspec.Raw])]
    except (msgspec.DecodeError, RecursionError):
        parts = [file.data]
    for index, part in enumerate(parts):
        place = f"{file.name}[{index}]" if len(parts) > 1 else file.name
        alone = RecordFile(path=Path(file.name), name=place, data=part, sha256="")
        record: RawRecord | None = None
        faults: list[Finding] = []
        for item in raw_records(alone):
            if isinstance(item, Finding):
                faults.append(item)
            else:
                record = item
        if record is not None and not _is_plain(record.record.repo):
            yield f"{place}: {record.record.repo!r} cannot be the name of a folder"
        elif record is not None:
            yield record, part
        for fault in faults:
            yield ": ".join(text for text in (place, fault.record, fault.field, fault.message) if text)


def _is_array(data: bytes) -> bool:
    return data.removeprefix(BOM).lstrip().startswith(b"[")


def _is_plain(repo: str) -> bool:
    return all(part.strip(".") for part in repo.split("/"))


def _plan(
    repo: str,
    items: dict[str, tuple[RawRecord, bytes]],
    catalogue: Catalogue,
    *,
    left_out: list[str],
    checked: bool,
) -> Plan:
    before = {entry.id: entry for entry in catalogue.entries if entry.record.repo == repo and not entry.own}
    after = {identity: record for identity, (record, _) in items.items()}
    changed = [identity for identity in after.keys() & before.keys() if not _same(before[identity], after[identity])]
    folder = catalogue.root if _is_folder_of(catalogue.root, repo) else catalogue.root / repo
    return Plan(
        change=RepositoryChange(
            repo=repo,
            added=sorted(after[identity].record.slug for identity in after.keys() - before.keys()),
            changed=sorted(after[identity].record.slug for identity in changed),
            removed=sorted(before[identity].slug for identity in before.keys() - after.keys()),
            unchanged=len(after.keys() & before.keys()) - len(changed),
            stale=sorted(
                before[identity].slug for identity, record in after.items() if _outdated(before.get(identity), record)
            ),
            orphaned=sorted(
                str(entry.erratum) for identity, entry in before.items() if entry.erratum and identity not in after
            ),
            left_out=left_out,
            checked=checked,
        ),
        folder=folder,
        root=catalogue.root,
        content=b"[\n" + b",\n".join(data.strip() for _, data in items.values()) + b"\n]\n",
        superseded=_superseded(repo, catalogue),
    )


def _present(repo: str, catalogue: Catalogue) -> dict[str, tuple[RawRecord, bytes]]:
    """The raw records as they are now, with their bytes."""
    present: dict[str, tuple[RawRecord, bytes]] = {}
    for path in _superseded(repo, catalogue):
        try:
            file = read_file(path, path.name)
        except Unreadable as error:
            raise ImportRefused(f"{path}: {error}") from error
        source = SourceFile(name=file.name, data=file.data, repo=repo, checked=False)
        for item in _elements(source):
            if not isinstance(item, str):
                present.setdefault(item[0].record.id, item)
    return present


def _is_folder_of(root: Path, repo: str) -> bool:
    return "/".join(root.resolve().parts[-2:]) == repo


def _superseded(repo: str, catalogue: Catalogue) -> tuple[Path, ...]:
    """The raw files of this repository. Raises `ImportRefused` for one that another repository shares."""
    repos: dict[Path, set[str]] = defaultdict(set)
    for entry in catalogue.entries:
        if not entry.own:
            repos[entry.path].add(entry.record.repo)
    files = [path for path, held in repos.items() if repo in held]
    for path in files:
        if len(repos[path]) > 1:
            raise ImportRefused(f"{path} holds records of {len(repos[path])} repositories: split it first")
    return tuple(sorted(files))


def _same(entry: Entry, record: RawRecord) -> bool:
    return entry.raw_sha256 == record.sha256


def _outdated(entry: Entry | None, record: RawRecord) -> bool:
    """Whether a review that counts now will not fit what comes."""
    if entry is None or entry.review is None or entry.review_is_stale:
        return False
    return entry.review.raw_sha256 != record.sha256


def _stage(plan: Plan, file: Path) -> None:
    plan.folder.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        stream.write(plan.content)
        stream.flush()
        os.fsync(stream.fileno())


def _swap(plan: Plan, staged: Path) -> None:
    target = plan.folder / UPSTREAM
    old = [path for path in dict.fromkeys((target, *plan.superseded)) if path.is_file()]
    if old == [target] and target.read_bytes() == plan.content:
        return
    if old:
        _keep(plan, old)
    staged.replace(target)
    # From here on the new set counts; what it replaces only has to go.
    for path in old:
        if path != target:
            path.unlink(missing_ok=True)


def _keep(plan: Plan, files: list[Path]) -> None:
    """Copies of the set that is about to be replaced, in place of the copies before."""
    keeping, previous = plan.folder / f"{PREVIOUS}.{os.getpid()}", plan.folder / PREVIOUS
    shutil.rmtree(keeping, ignore_errors=True)
    for file in files:
        copy = keeping / file.relative_to(plan.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)
    shutil.rmtree(previous, ignore_errors=True)
    keeping.replace(previous)
