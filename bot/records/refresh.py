"""`records refresh`: follows every record to another commit and says what changed in the people's own TOML files.

Raw records are never touched: where they stand now is written beside them, as one more of `extension.sites`.
A record keeps its identity: a new file or wording is a further site, only a new line is changed in place.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import msgspec

from bot.records.harvest import harvest
from bot.records.model import Catalogue, Entry
from bot.records.permalink import Permalink, parse_permalink
from bot.records.refresh_edits import Edits, Target, edits_for
from bot.records.refresh_match import Located, SiteIndex, Sought, Status
from bot.records.refresh_toml import EditError, TomlFile
from bot.records.releases import Releases
from bot.records.rust.checkout import GitObjects
from bot.records.rust.literal import SourceFile, canonical
from bot.records.sites import function_of


class Place(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    line: int | None
    function: str | None
    message: str


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Where one record was, where it is, and what that changes in its file."""

    record: str
    """Slug."""
    id: str
    file: str
    status: Status
    old: Place
    new: Place | None
    likeness: float
    edits: tuple[str, ...]
    """What is written, for people; empty when nothing is."""
    notes: tuple[str, ...]


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    record: str
    reason: str


class Refreshed(msgspec.Struct, frozen=True, kw_only=True):
    commit: str
    changes: tuple[Change, ...]
    skipped: tuple[Skipped, ...]
    texts: dict[Path, str]
    """New contents of the TOML files that change."""


class Refresher:
    """One target commit; sites of the commits that records name are read when first needed."""

    def __init__(self, git: GitObjects, *, repo: str, commit: str, processes: int = 1) -> None:
        self._git = git
        self._repo = repo
        self._commit = commit
        self._processes = processes
        self._indexes: dict[str, SiteIndex] = {}

    def refresh(
        self,
        catalogue: Catalogue,
        releases: Releases | None = None,
        *,
        progress: Callable[[int], object] | None = None,
    ) -> Refreshed:
        """Follow all records of the repository. Raises `CheckoutError` when the commit cannot be read."""
        changes: list[Change] = []
        skipped: list[Skipped] = []
        texts: dict[Path, str] = {}
        taken = frozenset(canonical(entry.record.error_message) for entry in catalogue.entries)
        for entry in catalogue.entries:
            followed = self._follow(entry, taken, releases, texts)
            if isinstance(followed, Change):
                changes.append(followed)
            else:
                skipped.append(Skipped(record=entry.slug, reason=followed))
            if progress:
                progress(1)
        return Refreshed(commit=self._commit, changes=tuple(changes), skipped=tuple(skipped), texts=texts)

    def _follow(
        self, entry: Entry, taken: frozenset[str], releases: Releases | None, texts: dict[Path, str]
    ) -> Change | str:
        """The change, or why the record is left alone."""
        record = entry.record
        link = parse_permalink(record.github_url)
        if link is None or link.repo != self._repo:
            return f"its source is not {self._repo}"
        before = self._before(entry, link)
        if before is not None and not before.has(record.file_path, record.error_message):
            return "its text does not stand in the source of its own commit: nothing to follow"
        sought = Sought(
            message=record.error_message,
            path=record.file_path,
            line=record.line_number,
            function=entry.extension.function
            or (before.function_of(record.file_path, record.error_message, record.line_number) if before else None)
            or function_of(record),
        )
        located = self._index(self._commit).locate(
            sought, before=before, taken=frozenset() if before else taken - {canonical(record.error_message)}
        )
        target = Target(
            repo=self._repo, commit=self._commit, locate=self._locate_site, file=self._file, releases=releases
        )
        edits = edits_for(entry, located, link=link, target=target)
        written, notes = self._written(entry, edits, texts)
        return Change(
            record=entry.slug,
            id=entry.id,
            file=(entry.erratum or entry.path).name,
            status=located.status,
            old=Place(path=sought.path, line=sought.line, function=sought.function, message=sought.message),
            new=_place(located),
            likeness=located.likeness,
            edits=written,
            notes=notes,
        )

    def _written(self, entry: Entry, edits: Edits, texts: dict[Path, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Applies the edits to the text of the record's TOML file; without one, or where that fails, a note says so."""
        path = entry.path if entry.own else entry.erratum
        if path is None:
            nothing = (
                () if not edits.values and edits.site is None else ("a raw record without a TOML file: not written",)
            )
            return (), (*edits.notes, *nothing)
        try:
            text = path.read_bytes().decode("utf-8")
        except OSError as error:  # changed by somebody since the catalogue was loaded
            return (), (*edits.notes, f"{path.name} cannot be read: {error.strerror}")
        try:
            changed, described = edits.applied(TomlFile(text))
        except EditError as error:
            return (), (*edits.notes, f"{path.name} {error}")
        if described:
            texts[path] = changed.text
        return described, edits.notes

    def _before(self, entry: Entry, link: Permalink) -> SiteIndex | None:
        """The sites of the commit that the record names; of its review's where that commit is not to be had."""
        for sha in (link.sha, entry.review.commit if entry.review else None):
            if sha and self._git.resolve(sha):
                return self._index(sha)
        return None

    def _index(self, revision: str) -> SiteIndex:
        if revision not in self._indexes:
            found = harvest(
                self._git,
                repo=self._repo,
                sha=revision,
                revision=revision,
                now=dt.datetime.now(dt.UTC),
                processes=self._processes,
            )
            self._indexes[revision] = SiteIndex(found.sites, self._git.paths(revision))
        return self._indexes[revision]

    def _locate_site(self, sought: Sought) -> Located:
        return self._index(self._commit).locate(sought)

    def _file(self, path: str) -> SourceFile | None:
        text = self._git.read(path, self._commit)
        return None if text is None else SourceFile(text)


def _place(located: Located) -> Place | None:
    if located.found is None:
        return None
    site = located.found.site
    return Place(path=located.found.path, line=site.line, function=site.function, message=site.message)
