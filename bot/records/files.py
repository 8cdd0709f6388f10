"""Finding and reading the files of a catalogue: sorted, size-capped, gzip undone, every failure a finding."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.records.model import Finding, Level

LARGEST_JSON = 512 * 1024 * 1024
"""Bytes, after gzip is undone. All of upstream's catalogue is about as large; one repository has a few MB."""
LARGEST_TOML = 1024 * 1024
BOM = b"\xef\xbb\xbf"
"""Some editors on Windows begin a UTF-8 file with it."""
SUFFIXES = (".json", ".json.gz", ".toml")
MANIFEST = "manifest.json"
_DATASET_NAMES = frozenset({MANIFEST, "repos.json", "index.json", "index.json.gz"})
_DATASET_FOLDERS = frozenset({"search", "info"})


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordFile:
    path: Path
    name: str
    """Relative to the catalogue's root, with `/`."""
    data: bytes
    """Gzip undone."""
    sha256: str
    """Of the bytes on disk."""

    @property
    def is_toml(self) -> bool:
        return self.name.endswith(".toml")


class Unreadable(Exception):
    """A file that cannot be read; the message says why, for people."""


def record_files(root: Path) -> Iterator[RecordFile | Finding]:
    """Every record file below `root` (a folder or a single file), in the order of their names.

    Folders and files that begin with a dot are skipped, and so is what an ErrLookup dataset holds besides records:
    a folder with a `manifest.json` is taken for one. What cannot be read comes as a finding in its place.
    """
    try:
        named = _below(root) if root.is_dir() else [(root, file_name(root, root))]
        missing = not root.exists()
    except OSError as error:
        yield _finding(file_name(root, root), error.strerror or str(error))
        return
    for path, name in named:
        if isinstance(name, Finding):
            yield name
        elif missing:
            yield _finding(name, "there is no such file or folder")
        elif not name.endswith(SUFFIXES):
            yield _finding(name, "not a record file: expected .json, .json.gz or .toml")
        else:
            try:
                yield read_file(path, name)
            except Unreadable as error:
                yield _finding(name, str(error))


def file_name(path: Path, root: Path) -> str:
    """How findings call a file: relative to the catalogue's root, or the bare name of a single file."""
    inside = path.relative_to(root) if path != root and path.is_relative_to(root) else Path(path.name or path)
    # A name that is not UTF-8 must not keep a report from being written.
    return inside.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_file(path: Path, name: str) -> RecordFile:
    """Raises `Unreadable` for a missing, special, oversize or damaged file."""
    limit = LARGEST_TOML if name.endswith(".toml") else LARGEST_JSON
    try:
        if not path.is_file():
            raise Unreadable("not a regular file" if path.exists() else "there is no such file")
        with path.open("rb") as stream:
            stored = stream.read(limit + 1)
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from error
    if len(stored) > limit:
        raise Unreadable(f"larger than {limit:,} bytes")
    data = gunzip(stored, limit) if name.endswith(".gz") else stored
    return RecordFile(path=path, name=name, data=data, sha256=hashlib.sha256(stored).hexdigest())


def gunzip(data: bytes, limit: int) -> bytes:
    """The one gzip member in `data`, at most `limit` bytes unpacked. Raises `Unreadable`."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        plain = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise Unreadable("not valid gzip") from error
    if len(plain) > limit:
        raise Unreadable(f"larger than {limit:,} bytes once unpacked")
    if not unpacker.eof:
        raise Unreadable("truncated gzip")
    return plain


def _below(root: Path) -> list[tuple[Path, str | Finding]]:
    found: dict[str, tuple[Path, str | Finding]] = {}

    def unreadable(error: OSError) -> None:
        folder = Path(error.filename)
        name = file_name(folder, root)
        found[f"{name}/"] = folder, _finding(name, error.strerror or str(error))

    for folder, folders, names in os.walk(root, onerror=unreadable):
        dataset = MANIFEST in names
        folders[:] = [name for name in folders if not name.startswith(".")]
        if dataset:
            folders[:] = [name for name in folders if name not in _DATASET_FOLDERS]
        for name in names:
            if name.startswith(".") or not name.endswith(SUFFIXES) or (dataset and name in _DATASET_NAMES):
                continue
            path = Path(folder) / name
            found[path.relative_to(root).as_posix()] = path, file_name(path, root)
    return [found[name] for name in sorted(found)]


def _finding(name: str, message: str) -> Finding:
    return Finding(rule="unreadable-file", level=Level.ERROR, path=name, record=None, field=None, message=message)
