"""What an import would change, repository by repository, before anything is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bot.records.files import RecordFile, Unreadable, read_file
from bot.records.imports.manifest import ImportRefused
from bot.records.imports.source import Source, SourceFile
from bot.records.model import Catalogue, Entry, Finding
from bot.records.raw import RawRecord, json_elements, raw_record


class RepositoryChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What importing does to one repository. Records are named by their slugs."""

    repo: str
    added: list[str]
    changed: list[str]
    removed: list[str]
    unchanged: int
    ours: list[str]
    """Taken over, but a record of our own with the same id stands for them."""
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
    root: Path
    """Of the catalogue."""
    folder: Path
    """Of the repository."""
    content: bytes
    superseded: tuple[Path, ...]
    """Raw files that `content` replaces."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Delivered:
    record: RawRecord
    data: bytes
    """The record's own bytes."""
    single: bool
    """Not from an array: an addition, not a part of a whole set."""


def plan_import(source: Source, catalogue: Catalogue, *, wanted: Iterable[str] = ()) -> list[Plan]:
    """Raises `ImportRefused` when there is nothing sound to import.

    An array is a repository's whole set; records that come singly are added to what is there.
    """
    only = set(wanted)
    grouped: dict[str, dict[str, _Delivered]] = defaultdict(dict)
    checked: dict[str, bool] = {}
    left_out: list[str] = []
    for file in source.files:
        for item in _delivered(file):
            if isinstance(item, str):
                left_out.append(item)
                continue
            record = item.record.record
            if file.repo not in (None, record.repo):
                raise ImportRefused(f"{file.name} holds a record of {record.repo}")
            if only and record.repo not in only:
                continue
            if record.id in grouped[record.repo]:
                left_out.append(f"{file.name}: {record.id} occurs twice")
                continue
            grouped[record.repo][record.id] = item
            checked[record.repo] = checked.get(record.repo, True) and file.checked
    if not grouped:
        reasons = "".join(f"\n  {reason}" for reason in left_out[:10])
        raise ImportRefused(f"no valid record to import{reasons}")
    plans = []
    for number, (repo, items) in enumerate(sorted(grouped.items())):
        if all(item.single for item in items.values()):
            items = _present(repo, catalogue) | items
        # A broken record seldom says whose it is: the first repository's report names them all.
        plans.append(_plan(repo, items, catalogue, left_out=[] if number else left_out, checked=checked[repo]))
    return plans


def _delivered(file: SourceFile) -> Iterator[_Delivered | str]:
    """Each record with its own bytes, or why it is none."""
    try:
        parts = [(label, bytes(part)) for label, part in json_elements(file.data)]
        for label, part in parts:
            place = f"{file.name}{label or ''}"
            alone = RecordFile(path=Path(file.name), name=place, data=part, sha256="")
            for item in raw_record(msgspec.json.decode(part), alone, label=None):
                if isinstance(item, Finding):
                    yield ": ".join(text for text in (place, item.record, item.field, item.message) if text)
                elif not _is_plain(item.record.repo):
                    yield f"{place}: {item.record.repo!r} cannot be the name of a folder"
                else:
                    yield _Delivered(record=item, data=part, single=label is None)
    except (msgspec.DecodeError, RecursionError) as error:
        yield f"{file.name}: not valid JSON: {error}"


def _is_plain(repo: str) -> bool:
    return all(part.strip(".") for part in repo.split("/"))


def _plan(
    repo: str,
    items: dict[str, _Delivered],
    catalogue: Catalogue,
    *,
    left_out: list[str],
    checked: bool,
) -> Plan:
    before = {entry.id: entry for entry in catalogue.entries if entry.record.repo == repo and not entry.own}
    own = {entry.id for entry in catalogue.entries if entry.own}
    after = {identity: item.record for identity, item in items.items() if identity not in own}
    changed = [
        identity for identity in after.keys() & before.keys() if before[identity].raw_sha256 != after[identity].sha256
    ]
    return Plan(
        change=RepositoryChange(
            repo=repo,
            added=sorted(after[identity].record.slug for identity in after.keys() - before.keys()),
            changed=sorted(after[identity].record.slug for identity in changed),
            removed=sorted(before[identity].slug for identity in before.keys() - after.keys()),
            unchanged=len(after.keys() & before.keys()) - len(changed),
            ours=sorted(item.record.record.slug for identity, item in items.items() if identity in own),
            stale=sorted(
                record.record.slug for identity, record in after.items() if _outdated(before.get(identity), record)
            ),
            orphaned=sorted(
                str(entry.erratum) for identity, entry in before.items() if entry.erratum and identity not in after
            ),
            left_out=left_out,
            checked=checked,
        ),
        root=catalogue.root,
        folder=catalogue.root if _is_folder_of(catalogue.root, repo) else catalogue.root / repo,
        content=b"[\n" + b",\n".join(item.data.strip() for item in items.values()) + b"\n]\n",
        superseded=_superseded(repo, catalogue),
    )


def _present(repo: str, catalogue: Catalogue) -> dict[str, _Delivered]:
    """The raw records as they are now, with their bytes."""
    present: dict[str, _Delivered] = {}
    for path in _superseded(repo, catalogue):
        try:
            file = read_file(path, path.name)
        except Unreadable as error:
            raise ImportRefused(f"{path}: {error}") from error
        for item in _delivered(SourceFile(name=file.name, data=file.data, repo=repo, checked=False)):
            if not isinstance(item, str):
                present.setdefault(item.record.record.id, item)
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


def _outdated(entry: Entry | None, record: RawRecord) -> bool:
    """Whether a review that counts now will not fit what comes."""
    if entry is None or entry.review is None or entry.review_is_stale:
        return False
    return entry.review.raw_sha256 != record.sha256
