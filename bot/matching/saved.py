"""The index in a file that several processes map at once: written atomically, checked when opened, never trusted.

Layout: magic, length of the header, header (JSON: format, key, checksum, arrays), then the arrays, each aligned for
its items. The key is the catalogue's content hash, so another catalogue is another index. Whatever is wrong with a
file (cut off, another format, another key, a flipped bit) makes it no index; the caller builds and saves anew.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
import typing
import zlib
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from bot.matching.corrections import Corrections
from bot.matching.hashtable import HashTable
from bot.matching.index import Index
from bot.matching.strings import Strings

FORMAT = 2
"""To be raised with every change of what `filing.build` puts into the arrays; a test holds it to that."""
_MAGIC = b"burn-triage index\n"
_ALIGN = 64
_MAX_HEADER = 1 << 20
_PARTS: tuple[type, ...] = (Index, HashTable, Strings, Corrections)

Array = npt.NDArray[typing.Any]


class _Entry(msgspec.Struct, frozen=True):
    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


class _Header(msgspec.Struct, frozen=True):
    format: int
    key: str
    checksum: int
    arrays: list[_Entry]


def save(index: Index, path: Path, key: str) -> None:
    """Write the index to `path` in one step: readers see the old file or the whole new one. Raises OSError."""
    arrays = {name: np.ascontiguousarray(array) for name, array in _flatten(index, "")}
    entries: list[_Entry] = []
    offset = 0
    for name, array in arrays.items():
        offset += -offset % _ALIGN
        entries.append(_Entry(name, array.dtype.str, array.shape, offset, array.nbytes))
        offset += array.nbytes
    blocks = bytearray(offset)
    for entry, array in zip(entries, arrays.values(), strict=True):
        blocks[entry.offset : entry.offset + entry.size] = array.tobytes()
    header = msgspec.json.encode(_Header(FORMAT, key, zlib.crc32(blocks), entries))
    start = len(_MAGIC) + 4 + len(header)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(_MAGIC + len(header).to_bytes(4, "little") + header + bytes(-start % _ALIGN))
            file.write(blocks)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(file.name).unlink()
            raise


def load(path: Path, key: str) -> Index | None:
    """The index saved under this key, its arrays mapped from the file; None if there is none or it is damaged."""
    try:
        content = np.memmap(path, np.uint8, "r")
        return _read(content, key)
    except (OSError, ValueError, KeyError, TypeError, msgspec.MsgspecError):
        return None


def _read(content: npt.NDArray[np.uint8], key: str) -> Index | None:
    start = len(_MAGIC) + 4
    head = content[:start].tobytes()
    length = int.from_bytes(head[len(_MAGIC) :], "little")
    if not head.startswith(_MAGIC) or length > _MAX_HEADER:
        return None
    header = msgspec.json.decode(content[start : start + length].tobytes(), type=_Header)
    start += length
    blocks = content[start + -start % _ALIGN :]
    if header.format != FORMAT or header.key != key or zlib.crc32(blocks.data) != header.checksum:
        return None
    arrays = {
        entry.name: blocks[entry.offset : entry.offset + entry.size].view(entry.dtype).reshape(entry.shape)
        for entry in header.arrays
    }
    return typing.cast(Index, _restore(Index, arrays, ""))


def _flatten(part: object, prefix: str) -> list[tuple[str, Array]]:
    """Every array of a dataclass of arrays and such dataclasses, under its dotted name."""
    arrays: list[tuple[str, Array]] = []
    for field in dataclasses.fields(typing.cast(typing.Any, part)):
        value = getattr(part, field.name)
        if isinstance(value, np.ndarray):
            arrays.append((prefix + field.name, value))
        else:
            arrays += _flatten(value, f"{prefix}{field.name}.")
    return arrays


def _restore(kind: type, arrays: dict[str, Array], prefix: str) -> object:
    hints = typing.get_type_hints(kind)
    values = {
        field.name: _restore(hints[field.name], arrays, f"{prefix}{field.name}.")
        if hints[field.name] in _PARTS
        else arrays[prefix + field.name]
        for field in dataclasses.fields(kind)
    }
    return kind(**values)
