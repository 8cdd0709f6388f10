"""Which releases of a repository print a text: every tag's error sites, each distinct file read once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor

import msgspec

from bot.records.harvest import is_test_path
from bot.records.rust.checkout import GitObjects
from bot.records.rust.literal import canonical
from bot.records.rust.sites import sites_of

_TAG = re.compile(r"v(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-(pre|alpha|beta|rc)\.?(\d{1,6}))?")
_BATCH = 100


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """First and last release that print a text, e.g. `0.14.0`; pre-releases count only where no release does."""

    since: str
    until: str


class Releases:
    """For each release the texts that its sources hold outside tests, by canonical form."""

    def __init__(self, texts: dict[str, frozenset[str]]) -> None:
        self._texts = dict(sorted(texts.items(), key=lambda item: _order(item[0])))

    def range_of(self, message: str) -> Range | None:
        """`None` when no release prints it."""
        wanted = canonical(message)
        printing = [version for version, texts in self._texts.items() if wanted in texts]
        final = [version for version in printing if "-" not in version] or printing
        return Range(since=final[0], until=final[-1]) if final else None

    @property
    def versions(self) -> tuple[str, ...]:
        """Oldest first."""
        return tuple(self._texts)


def release_files(git: GitObjects) -> dict[str, dict[str, str]]:
    """For each version (`1.2.3`, `1.2.3-pre.4`) that is tagged with a `v`: blob ids of its sources by path."""
    return {
        tag.removeprefix("v"): {
            path: blob for path, blob in git.blobs(tag).items() if path.endswith(".rs") and not is_test_path(path)
        }
        for tag in git.tags()
        if _TAG.fullmatch(tag)
    }


def distinct_files(files: dict[str, dict[str, str]]) -> list[str]:
    """The blobs of all versions, each once."""
    return sorted({blob for listed in files.values() for blob in listed.values()})


def read_releases(
    git: GitObjects,
    files: dict[str, dict[str, str]],
    *,
    processes: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Releases:
    """Read the sources of all versions. `progress` is called with the number of distinct files done."""
    texts: dict[str, frozenset[str]] = {}
    blobs = distinct_files(files)
    for blob, found in zip(blobs, _texts_of(git, blobs, processes), strict=True):
        texts[blob] = found
        if progress:
            progress(1)
    return Releases(
        {
            version: frozenset[str]().union(*(texts[blob] for blob in listed.values()))
            for version, listed in files.items()
        }
    )


def _texts_of(git: GitObjects, blobs: list[str], processes: int) -> Iterable[frozenset[str]]:
    sources = (git.read_blob(blob) or "" for blob in blobs)
    if processes < 2:
        yield from map(_texts, sources)
        return
    with ProcessPoolExecutor(max_workers=processes) as pool:
        yield from pool.map(_texts, sources, chunksize=_BATCH)


def _texts(source: str) -> frozenset[str]:
    return frozenset(canonical(site.message) for site in sites_of(source).sites if not site.test)


def _order(version: str) -> tuple[int, int, int, int, str, int]:
    found = _TAG.fullmatch(f"v{version}")
    assert found is not None
    major, minor, patch, stage, number = found.groups()
    return int(major), int(minor), int(patch), stage is None, stage or "", int(number or 0)
