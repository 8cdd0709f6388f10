"""Where records come from: a dataset in a folder or on the web, or a single file. Bytes in, nothing written."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import msgspec

from bot.records.files import LARGEST_JSON, MANIFEST, record_files
from bot.records.imports.manifest import (
    LARGEST_MANIFEST,
    ImportRefused,
    RepositoryRow,
    read_manifest,
    repository_of,
    unpacked,
)
from bot.records.model import Finding

TIMEOUT_SECONDS = 60

Fetch = Callable[[str, int], bytes]
"""The bytes at a path of the dataset, at most so many. Raises `ImportRefused`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceFile:
    """JSON with records, gzip undone, every known figure checked."""

    name: str
    data: bytes
    repo: str | None
    """owner/name that its path promises; None for a file that says it only inside."""
    checked: bool
    """A manifest vouched for its size and SHA-256."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    files: tuple[SourceFile, ...]
    version: str | None = None
    """datasetVersion of the manifest."""


def open_source(source: str, *, wanted: Iterable[str] = (), known: Iterable[str] = ()) -> Source:
    """Read and check everything that `source` offers.

    `wanted` narrows a dataset to these repositories; `known` are those to take when a dataset on the web does not
    list its files (upstream's own does not). Raises `ImportRefused`.
    """
    if urlsplit(source).scheme in ("http", "https"):
        manifest = source if source.endswith(".json") else urljoin(source.rstrip("/") + "/", MANIFEST)
        return _dataset(_downloader(manifest), set(wanted), set(known))
    path = Path(source)
    if path.name == MANIFEST:
        path = path.parent
    if (path / MANIFEST).is_file():
        return _dataset(_reader(path), set(wanted), None)
    return _plain(path)


def _plain(path: Path) -> Source:
    """A single file, or a folder of raw records without a manifest."""
    files: list[SourceFile] = []
    for file in record_files(path):
        if isinstance(file, Finding):
            raise ImportRefused(f"{file.path}: {file.message}")
        if not file.is_toml:
            files.append(SourceFile(name=file.name, data=file.data, repo=None, checked=False))
    if not files:
        raise ImportRefused(f"{path} holds no JSON file with records")
    return Source(files=tuple(files))


def _dataset(fetch: Fetch, wanted: set[str], known: set[str] | None) -> Source:
    manifest, listed = read_manifest(_within(MANIFEST, fetch, LARGEST_MANIFEST))
    local = known is None

    def read(path: str) -> bytes:
        file = listed.get(path)
        return unpacked(path, _within(path, fetch, file.bytes if file else LARGEST_JSON), file)

    records = {path: repo for path in listed if (repo := repository_of(path)) and (not wanted or repo in wanted)}
    if local:
        # What lies here anyway is checked as a whole: a damaged copy is refused, whatever part is wanted.
        for path in listed.keys() - records.keys():
            read(path)
    counts: dict[str, int] = {}
    if not any(repository_of(path) for path in listed):
        counts = _counts(read("repos.json"))
        chosen = wanted or (counts.keys() if local else known or set())
        records = {f"repos/{repo}.json": repo for repo in sorted(chosen) if repo in counts}
    missing = wanted - set(records.values())
    if missing:
        raise ImportRefused(f"the dataset has no records of {', '.join(sorted(missing))}")
    if not records:
        raise ImportRefused("the dataset lists no files with records; name the repositories with --repo")
    files = []
    for path, repo in sorted(records.items()):
        data = read(path)
        if repo in counts:
            _compare_count(path, data, counts[repo])
        files.append(SourceFile(name=path, data=data, repo=repo, checked=path in listed))
    return Source(files=tuple(files), version=manifest.dataset_version)


def _within(path: str, fetch: Fetch, limit: int) -> bytes:
    data = fetch(path, limit)
    if len(data) > limit:
        raise ImportRefused(f"{path}: more than {limit:,} bytes")
    return data


def _counts(data: bytes) -> dict[str, int]:
    try:
        rows = msgspec.json.decode(data, type=list[RepositoryRow])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ImportRefused(f"repos.json: {error}") from error
    return {row.repo: row.error_count for row in rows if repository_of(f"repos/{row.repo}.json")}


def _compare_count(path: str, data: bytes, count: int) -> None:
    """Upstream's manifest vouches for repos.json only, and that for the number of records in each file."""
    try:
        found = len(msgspec.json.decode(data, type=list[msgspec.Raw]))
    except (msgspec.DecodeError, RecursionError) as error:
        raise ImportRefused(f"{path}: {error}") from error
    if found != count:
        raise ImportRefused(f"{path}: {found} records, repos.json says {count}")


def _reader(folder: Path) -> Fetch:
    root = folder.resolve()

    def fetch(path: str, limit: int) -> bytes:
        file = folder / path
        if not file.resolve().is_relative_to(root):
            raise ImportRefused(f"{path} leads out of the dataset's folder")
        try:
            with file.open("rb") as stream:
                return stream.read(limit + 1)
        except OSError as error:
            raise ImportRefused(f"{path}: {error.strerror or error}") from error

    return fetch


def _downloader(manifest: str) -> Fetch:
    def fetch(path: str, limit: int) -> bytes:
        return _download(manifest if path == MANIFEST else urljoin(manifest, quote(path)), limit)

    return fetch


def _download(url: str, limit: int) -> bytes:
    """At most `limit` + 1 bytes: one more than allowed is enough to see that there are too many."""
    request = urllib.request.Request(url, headers={"User-Agent": "burn-triage", "Accept": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 (checked: http or https)
            if urlsplit(response.url)[:2] != urlsplit(url)[:2]:
                raise ImportRefused(f"{url}: leads to another host, {response.url[:200]}")
            data: bytes = response.read(limit + 1)
    except urllib.error.HTTPError as error:
        raise ImportRefused(f"{url}: the server answers {error.code}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise ImportRefused(f"{url}: {reason}") from error
    return data
