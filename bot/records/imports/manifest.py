"""The manifest of an ErrLookup dataset: which files it has, how large, with which SHA-256. Untrusted."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from bot.records.convert import convert
from bot.records.files import LARGEST_JSON, Unreadable, gunzip

LARGEST_MANIFEST = 16 * 1024 * 1024
SITE_FOLDER = "/data/"
"""Where upstream publishes its dataset: paths in its manifest begin with it, the files lie beside the manifest."""

Size = Annotated[int, Meta(ge=0, le=LARGEST_JSON)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]

_RECORDS = re.compile(r"repos/(?P<owner>[A-Za-z0-9._-]+)/(?P<name>[A-Za-z0-9._-]+?)\.json(?:\.gz)?")


class ImportRefused(Exception):
    """Nothing was changed; the message says why, for people."""


class DatasetFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    path: str
    bytes: Size
    sha256: Digest
    encoding: str | None = None
    raw_bytes: Size | None = None
    raw_sha256: Digest | None = None


class Manifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    schema_version: int
    dataset_version: str
    files: dict[str, DatasetFile] | list[DatasetFile]


class RepositoryRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A row of `repos.json`."""

    repo: str
    error_count: int


def read_manifest(data: bytes) -> tuple[Manifest, dict[str, DatasetFile]]:
    """The manifest and its files by safe relative path. Raises `ImportRefused`."""
    try:
        content: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ImportRefused(f"the manifest is not valid JSON: {error}") from error
    if not isinstance(content, dict):
        raise ImportRefused("the manifest is not a JSON object")
    converted = convert(content, Manifest)
    manifest = converted.value
    if manifest is None:
        faults = "; ".join(f"{fault.field}: {fault.message}" for fault in converted.faults[:5])
        raise ImportRefused(f"the manifest is not one of an ErrLookup dataset: {faults}")
    if manifest.schema_version != 2:
        raise ImportRefused(f"the dataset has schema version {manifest.schema_version}; this version reads 2")
    listed = manifest.files.values() if isinstance(manifest.files, dict) else manifest.files
    files: dict[str, DatasetFile] = {}
    for file in listed:
        path = safe_path(file.path)
        if path in files:
            raise ImportRefused(f"the manifest lists {path} twice")
        if file.encoding not in (None, "identity", "gzip"):
            raise ImportRefused(f"{path}: unknown encoding {file.encoding[:40]!r}")
        files[path] = file
    return manifest, files


def safe_path(path: str) -> str:
    """`path` relative to the dataset. Raises `ImportRefused` for one that could lead anywhere else."""
    inside = path.removeprefix(SITE_FOLDER)
    parts = inside.split("/")
    plain = all(part not in ("", ".", "..") and part.isprintable() for part in parts)
    if not plain or len(inside) > 500 or re.search(r"[\\:?#%*]", inside):
        raise ImportRefused(f"the manifest names an unsafe path: {path[:120]!r}")
    return inside


def repository_of(path: str) -> str | None:
    """owner/name of a file with records, None for any other file of the dataset."""
    found = _RECORDS.fullmatch(path)
    return f"{found['owner']}/{found['name']}" if found else None


def unpacked(path: str, data: bytes, file: DatasetFile | None) -> bytes:
    """The file's plain bytes, after every figure in the manifest was compared. Raises `ImportRefused`."""
    if file is not None:
        _compare(path, data, file.bytes, file.sha256)
    packed = path.endswith(".gz") if file is None else file.encoding == "gzip"
    if not packed:
        return data
    limit = LARGEST_JSON if file is None or file.raw_bytes is None else file.raw_bytes
    try:
        plain = gunzip(data, limit)
    except Unreadable as error:
        raise ImportRefused(f"{path}: {error}") from error
    if file is not None:
        _compare(f"{path}, unpacked", plain, file.raw_bytes, file.raw_sha256)
    return plain


def _compare(path: str, data: bytes, size: int | None, digest: str | None) -> None:
    if size is not None and len(data) != size:
        raise ImportRefused(f"{path}: {len(data):,} bytes, the manifest says {size:,}")
    actual = hashlib.sha256(data).hexdigest()
    if digest is not None and actual != digest:
        raise ImportRefused(f"{path}: SHA-256 is {actual}, the manifest says {digest}")
