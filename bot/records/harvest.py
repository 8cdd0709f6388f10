"""`records harvest`: every error site of a Rust checkout as a skeleton record, its authored half empty."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import PurePosixPath
from typing import Any

import msgspec

from bot.records.derive import pattern_of, permalink, record_id, resolve_slug_collisions, slug_of, source_window
from bot.records.model import ErrorType, Record, Severity
from bot.records.rust.checkout import Checkout
from bot.records.rust.sites import FileSites, Site, sites_of

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|benches|fuzz|[\w-]{1,80}[-_]tests?)/|(?:^|/)(?:tests?|[\w-]{1,80}_tests?|test_[\w-]{1,80})\.rs$"
)
_ERRORS = frozenset({"err", "thiserror", "display", "bail", "anyhow", "eyre", "ensure"})
_BATCH = 40

WIRE_ORDER = (
    "id", "repo", "slug", "errorCode", "errorMessage", "messagePattern", "errorType", "errorClass", "httpStatus",
    "severity", "filePath", "lineNumber", "sourceCode", "sourceCodeStart", "sourceCodeEnd", "githubUrl",
    "documentation", "triggerScenarios", "commonSituations", "solutions", "exampleFix", "handlingStrategy",
    "validationCode", "typeGuard", "tryCatchPattern", "preventionTips", "tags", "backgroundTag", "analyzedSha",
    "analyzedAt", "contentChangedAt", "schemaVersion",
)  # fmt: skip
"""The order of fields in upstream's files."""


class FoundSite(msgspec.Struct, frozen=True, kw_only=True):
    """An error site with the file it stands in."""

    path: str
    site: Site
    test: bool

    @property
    def crate(self) -> str | None:
        return crate_of(self.path)


class Harvest(msgspec.Struct, frozen=True, kw_only=True):
    sites: tuple[FoundSite, ...]
    """All sites that were asked for, by path and line."""
    records: tuple[Record, ...]
    """One for each text of a file: its first site. Schema 2's id has no room for more."""
    files: int
    """Files looked at."""
    fallback: tuple[str, ...]
    """Files that the grammar could not take as a whole."""
    unreadable: tuple[str, ...]


def harvest(
    checkout: Checkout,
    *,
    repo: str,
    sha: str,
    now: dt.datetime,
    revision: str | None = None,
    tests: bool = False,
    processes: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Harvest:
    """Read all of a checkout. `sha` goes into the records; `revision` says what to read (git directories only).

    `progress` is called with the number of files done since its last call.
    """
    paths = files_to_read(checkout, revision, tests=tests)
    sources, unreadable = _readable(checkout, paths, revision)
    scanned: dict[str, FileSites] = {}
    for batch in _scan(list(sources.items()), processes):
        scanned.update(batch)
        if progress:
            progress(len(batch))
    test_files = set(_test_files(scanned))
    found = tuple(
        FoundSite(path=path, site=site, test=in_test)
        for path in sorted(scanned)
        for site in scanned[path].sites
        if not (in_test := site.test or path in test_files or is_test_path(path)) or tests
    )
    return Harvest(
        sites=found,
        records=tuple(skeletons(found, sources, repo=repo, sha=sha, now=now)),
        files=len(paths),
        fallback=tuple(path for path in sorted(scanned) if not scanned[path].parsed),
        unreadable=tuple(unreadable),
    )


def files_to_read(checkout: Checkout, revision: str | None = None, *, tests: bool = False) -> list[str]:
    """Paths of the Rust sources, those of tests only when asked for."""
    return [path for path in checkout.paths(revision) if path.endswith(".rs") and (tests or not is_test_path(path))]


def skeletons(
    found: Iterable[FoundSite], sources: dict[str, str], *, repo: str, sha: str, now: dt.datetime
) -> Iterator[Record]:
    """The mechanical half of a record for each text of a file."""
    first: dict[str, FoundSite] = {}
    for one in found:
        first.setdefault(record_id(repo, None, one.site.message, one.path), one)
    slugs = resolve_slug_collisions(
        (slug_of(None, one.site.message), one.path, identity) for identity, one in first.items()
    )
    at = now.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    for (identity, one), slug in zip(first.items(), slugs, strict=True):
        window = source_window(sources[one.path], one.site.line)
        yield Record(
            id=identity,
            repo=repo,
            slug=slug,
            error_code=None,
            error_message=one.site.message,
            message_pattern=pattern_of(one.site.message),
            error_type=ErrorType.EXCEPTION if one.site.kind in _ERRORS else ErrorType.PANIC,
            error_class=one.site.owner if one.site.kind in _ERRORS else None,
            http_status=None,
            file_path=one.path,
            line_number=one.site.line,
            source_code=window.code,
            source_code_start=window.start,
            source_code_end=window.end,
            github_url=permalink(repo, sha, one.path, window.start, window.end),
            analyzed_sha=sha,
            analyzed_at=at,
            content_changed_at=at,
            schema_version=2,
            severity=Severity.ERROR,
            documentation="",
            trigger_scenarios="",
            common_situations="",
            solutions=[],
            example_fix=None,
            handling_strategy=None,
            validation_code=None,
            type_guard=None,
            try_catch_pattern=None,
            prevention_tips=[],
            tags=[],
            background_tag=None,
        )


def wire(record: Record) -> dict[str, Any]:
    """The record as upstream writes it: its names, its order."""
    fields: dict[str, Any] = msgspec.to_builtins(record)
    return {name: fields[name] for name in WIRE_ORDER}


def site_rows(found: Sequence[FoundSite]) -> Iterator[str]:
    """All sites as tab-separated lines: path, line, kind, function, message; blanks and backslashes escaped."""
    for one in found:
        message = one.site.message.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
        kind = f"{one.site.kind} (bare)" if one.site.bare else one.site.kind
        yield f"{one.path}\t{one.site.line}\t{kind}\t{one.site.function or ''}\t{message}"


def crate_of(path: str) -> str | None:
    """`crates/burn-tensor/src/…` → `burn-tensor`; `None` for a file outside a crate's `src`."""
    parts = PurePosixPath(path).parts
    return parts[parts.index("src") - 1] if "src" in parts[1:] else None


def is_test_path(path: str) -> bool:
    """Whether only tests or benchmarks compile the file, as its path tells."""
    return _TEST_PATH.search(path) is not None


def _readable(checkout: Checkout, paths: list[str], revision: str | None) -> tuple[dict[str, str], list[str]]:
    sources: dict[str, str] = {}
    unreadable: list[str] = []
    for path in paths:
        text = checkout.read(path, revision)
        if text is None:
            unreadable.append(path)
        else:
            sources[path] = text
    return sources, unreadable


def _scan(files: list[tuple[str, str]], processes: int) -> Iterator[list[tuple[str, FileSites]]]:
    batches = [files[at : at + _BATCH] for at in range(0, len(files), _BATCH)]
    if processes < 2 or len(batches) < 2:
        yield from map(_scan_batch, batches)
        return
    with ProcessPoolExecutor(max_workers=processes) as pool:
        yield from pool.map(_scan_batch, batches)


def _scan_batch(files: list[tuple[str, str]]) -> list[tuple[str, FileSites]]:
    return [(path, sites_of(source)) for path, source in files]


def _test_files(scanned: dict[str, FileSites]) -> Iterator[str]:
    """Files of modules that another file declares under `#[cfg(test)]`, and all below them."""
    for path, file in scanned.items():
        own = PurePosixPath(path)
        folder = own.parent if own.name in {"mod.rs", "lib.rs", "main.rs"} else own.with_suffix("")
        for name in file.test_modules:
            yield f"{folder / name}.rs"
            yield from (other for other in scanned if other.startswith(f"{folder / name}/"))
