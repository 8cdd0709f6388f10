"""What a record's new place changes in its TOML file: which values, which further site, and how people read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.records.derive import LINES_AROUND, permalink
from bot.records.harvest import FoundSite
from bot.records.model import Entry, ExtraSite, Kind
from bot.records.permalink import Permalink
from bot.records.refresh_match import Located, Sought, Status, is_telling
from bot.records.refresh_toml import Path, TomlFile
from bot.records.releases import Releases
from bot.records.rust.literal import SourceFile, canonical

_SITES: Path = ("extension", "sites")
_ANALYZED: Path = ("record", "analyzedSha")


@dataclass(frozen=True, kw_only=True)
class Target:
    """The commit that records are followed to."""

    repo: str
    commit: str
    locate: Callable[[Sought], Located]
    """Follows a further site."""
    file: Callable[[str], SourceFile | None]
    """Reads a source at the commit."""
    releases: Releases | None


class Edits(msgspec.Struct, kw_only=True):
    """Changes to one TOML file. Applying them to a file that already has them changes nothing."""

    values: dict[Path, str | int] = msgspec.field(default_factory=dict)
    site: dict[str, str | int] | None = None
    """One more table of `extension.sites`."""
    notes: tuple[str, ...] = ()

    def applied(self, file: TomlFile) -> tuple[TomlFile, tuple[str, ...]]:
        """The changed file and what changed, for people. Raises `EditError` where it cannot be done in place."""
        described: list[str] = []
        for path, value in self.values.items():
            current = _value_at(file.content, path)
            if current == value or (path == _ANALYZED and current is None):  # computed from the link when left out
                continue
            file = file.with_value(path, value)
            described.append(f"{_dotted(path)} = {value!r}")
        if self.site is not None:
            file = file.with_table(_SITES, self.site)
            described.append(f"{_dotted(_SITES)} += {self.site['filePath']}:{self.site['lineNumber']}")
        return file, tuple(described)


def edits_for(entry: Entry, located: Located, *, link: Permalink, target: Target) -> Edits:
    """What to write for a record that `located` was found for; `link` is its permalink."""
    edits = Edits()
    if entry.extension.kind is not Kind.HISTORICAL:
        _anchor(entry, located, edits, link, target)
    _ranges(entry, located, edits, target.releases)
    return edits


def _anchor(entry: Entry, located: Located, edits: Edits, link: Permalink, target: Target) -> None:
    found = located.found
    if found is None:
        if entry.extension.kind is Kind.CURRENT:
            edits.values["extension", "kind"] = Kind.HISTORICAL.value
    elif entry.own and located.status is not Status.REWORDED and found.path == entry.record.file_path:
        _in_place(entry, located.status, found, edits, link, target)
        _further_sites(entry, edits, target)
    elif located.status is not Status.SAME:
        _as_site(entry, found, edits, target)


def _in_place(entry: Entry, status: Status, found: FoundSite, edits: Edits, link: Permalink, target: Target) -> None:
    old_line = entry.record.line_number
    line = old_line if status is Status.SAME and old_line else found.site.line
    start, end = _window(link, old_line, line, found, target.file(found.path))
    edits.values["record", "githubUrl"] = permalink(link.repo, target.commit, found.path, start, end)
    edits.values["record", "lineNumber"] = line
    edits.values[_ANALYZED] = target.commit
    function = entry.extension.function
    if function and found.site.function not in {function, None} and not found.site.in_macro:
        edits.values["extension", "function"] = str(found.site.function)
        edits.notes += (f"the function was {function}: issues of older versions show that name",)


def _further_sites(entry: Entry, edits: Edits, target: Target) -> None:
    """Lines of further sites are at the record's commit, so they follow it; old wordings (`until`) stay."""
    for index, site in enumerate(entry.extension.sites):
        if site.file_path is None or site.line_number is None or site.until is not None:
            continue
        located = target.locate(
            Sought(message=site.error_message, path=site.file_path, line=site.line_number, function=site.function)
        )
        if located.found is None or located.status is Status.REWORDED:
            edits.notes += (f"extension.sites[{index}] no longer stands: {site.error_message[:60]!r}",)
        else:
            _update_site(index, site, located.found, edits, target, link=site.github_url is not None)


def _as_site(entry: Entry, found: FoundSite, edits: Edits, target: Target) -> None:
    """The new place or wording as a further site; one that already says it is brought up to date."""
    wanted = canonical(found.site.message)
    for index, known in enumerate(entry.extension.sites):
        if canonical(known.error_message) == wanted and (known.github_url or known.file_path == found.path):
            _update_site(index, known, found, edits, target, link=True)
            return
    site: dict[str, str | int] = {
        "errorMessage": found.site.message,
        "filePath": found.path,
        "lineNumber": found.site.line,
        "githubUrl": _site_link(found, target),
    }
    if found.site.function and not found.site.in_macro:
        site["function"] = found.site.function
    span = target.releases.range_of(found.site.message) if target.releases else None
    if span and wanted != canonical(entry.record.error_message):
        site["since"] = span.since
    edits.site = site


def _update_site(index: int, site: ExtraSite, found: FoundSite, edits: Edits, target: Target, *, link: bool) -> None:
    if site.line_number is None or not found.site.line <= site.line_number <= found.site.last_line:
        edits.values[*_SITES, index, "lineNumber"] = found.site.line
    if site.file_path != found.path:
        edits.values[*_SITES, index, "filePath"] = found.path
    if site.function and found.site.function not in {site.function, None} and not found.site.in_macro:
        edits.values[*_SITES, index, "function"] = str(found.site.function)
    if link:
        edits.values[*_SITES, index, "githubUrl"] = _site_link(found, target)


def _ranges(entry: Entry, located: Located, edits: Edits, releases: Releases | None) -> None:
    """Writes `since` and `until` where nobody has; where somebody has otherwise, only says so."""
    message = entry.record.error_message
    span = releases.range_of(message) if releases and is_telling(message) else None
    if span is None:
        return
    extension = entry.extension
    if extension.since is None:
        edits.values["extension", "since"] = span.since
    elif extension.since != span.since:
        edits.notes += (f"since is {extension.since}; the first release that holds the text is {span.since}",)
    if located.status in {Status.REWORDED, Status.GONE}:
        if extension.until is None:
            edits.values["extension", "until"] = span.until
        elif extension.until != span.until:
            edits.notes += (f"until is {extension.until}; the last release that holds the text is {span.until}",)
    elif extension.until is not None:
        edits.notes += (f"until is {extension.until}, but the text still stands",)


def _window(
    link: Permalink, old_line: int | None, line: int, found: FoundSite, file: SourceFile | None
) -> tuple[int, int]:
    """The link's lines, moved along with the raising line; widened where the literal would fall out."""
    count = file.line_count if file else line + LINES_AROUND
    if link.start is None or link.end is None or old_line is None:
        return max(1, line - LINES_AROUND), min(count, line + LINES_AROUND)
    shift = line - old_line
    start = max(1, min(link.start + shift, line))
    end = min(count, max(link.end + shift, found.site.last_line))
    return start, end


def _site_link(found: FoundSite, target: Target) -> str:
    file = target.file(found.path)
    last = file.line_count if file else found.site.last_line
    start, end = max(1, found.site.line - LINES_AROUND), min(last, found.site.last_line + LINES_AROUND)
    return permalink(target.repo, target.commit, found.path, start, end)


def _value_at(content: Mapping[str, Any], path: Path) -> Any:
    place: Any = content
    for part in path:
        if isinstance(place, dict):
            place = place.get(str(part))
        elif isinstance(place, list) and isinstance(part, int) and part < len(place):
            place = place[part]
        else:
            return None
    return place


def _dotted(path: Path) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
