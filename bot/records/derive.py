"""What upstream computes from a message and its place: id, slug, pattern, window, permalink. One definition for all.

The rules are ErrLookup's (https://github.com/standardbeagle/err-lookup); both seed records are reproduced by them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import quote

import msgspec

SLUG_LENGTH = 60
LINES_AROUND = 18
LONGEST_WINDOW = 40
LONGEST_PATTERN = 500
LEAST_LITERAL = 6
HOLE = "(.+?)"

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_META = re.compile(r"[.*+?^${}()|\[\]\\]")
# Doubled braces come first: in Rust's format strings they print one brace and are no hole.
_PLACEHOLDER = re.compile(
    r"(?P<brace>\{\{|\}\})|\$\{[^{}]{0,200}\}|\{[^{}]{0,200}\}|%\([^()]{0,200}\)[sdifge]|%[sdifjv]"
)


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The excerpt around a raising line; `start` and `end` are 1-based and inclusive."""

    code: str
    start: int
    end: int


def record_id(repo: str, code: str | None, message: str, path: str) -> str:
    """The record's 16 hexadecimal digits: two sites of one file with the same text share them."""
    key = message if code is None else code
    return hashlib.sha256(f"{repo}\x01{key}\x01{path}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def slug_of(code: str | None, message: str) -> str:
    """The kebab form of the code, else of the message, cut on a word at 60 characters; `error` when nothing is left."""
    return _cut(_kebab(code or message), SLUG_LENGTH) or "error"


def slug_choices(code: str | None, message: str, path: str, identity: str) -> tuple[str, ...]:
    """Every slug this record may rightly carry, plainest first: as `resolve_slug_collisions` gives them.

    The last two are those of upstream's own pipeline, which cuts at 50 characters inside a word and
    goes from the bare slug straight to the id's first six characters.
    """
    plain = slug_of(code, message)
    with_stem = f"{plain}-{_stem(path)}" if _stem(path) else plain
    hard_cut = _kebab((code or message)[:50]) or "error"
    choices = (plain, with_stem, f"{with_stem}-{identity[:6]}", hard_cut, f"{hard_cut}-{identity[:6]}")
    return tuple(dict.fromkeys(choices))


def resolve_slug_collisions(records: Iterable[tuple[str, str, str]], *, taken: Iterable[str] = ()) -> list[str]:
    """One unique slug for each `(slug, path, id)`, in order: the first keeps its own, a later one gets
    the file's stem, and when that is taken too also the first six characters of its id.

    `taken` holds slugs that other records of the repository already own. Raises `ValueError` for the same id twice.
    """
    used = set(taken)
    seen: set[str] = set()
    slugs: list[str] = []
    for slug, path, identity in records:
        if identity in seen:
            raise ValueError(f"record id {identity} occurs twice")
        seen.add(identity)
        chosen = slug
        if chosen in used and _stem(path):
            chosen = f"{slug}-{_stem(path)}"
        if chosen in used:
            chosen = f"{chosen}-{identity[:6]}"
        used.add(chosen)
        slugs.append(chosen)
    return slugs


def pattern_of(message: str) -> str:
    """The unanchored regular expression of a message: literals escaped, each placeholder a `(.+?)`.

    A message that is nearly nothing but placeholders, or very long, keeps them as literals:
    its pattern would otherwise match anything, or cost too much.
    """
    parts: list[str] = []
    literal = 0
    at = 0
    for found in _PLACEHOLDER.finditer(message):
        parts.append(_escape(message[at : found.start()]))
        literal += len(message[at : found.start()].strip())
        parts.append(_escape(found["brace"][0]) if found["brace"] else HOLE)
        at = found.end()
    parts.append(_escape(message[at:]))
    literal += len(message[at:].strip())
    pattern = "".join(parts)
    return pattern if literal >= LEAST_LITERAL and len(pattern) <= LONGEST_PATTERN else _escape(message)


def source_window(source: str, line: int) -> Window:
    """The lines around `line` (1-based): eighteen on either side as far as the file goes, forty at most.

    Lines end at `\\n` alone and a last empty one counts, as upstream splits them.
    Raises `ValueError` when the file has no such line.
    """
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        raise ValueError(f"line {line} is outside the file's {len(lines)} lines")
    start = max(1, line - LINES_AROUND)
    end = min(len(lines), line + LINES_AROUND, start + LONGEST_WINDOW - 1)
    return Window(code="\n".join(lines[start - 1 : end]), start=start, end=end)


def permalink(repo: str, sha: str, path: str, start: int | None = None, end: int | None = None) -> str:
    """The link to a file at a commit, with its lines.

    https://docs.github.com/en/repositories/working-with-files/using-files/getting-permanent-links-to-files
    """
    base = f"https://github.com/{repo}/blob/{sha}/{quote(path, safe='/-._~+@()[]')}"
    if start is None:
        return base
    return f"{base}#L{start}" if end is None or end == start else f"{base}#L{start}-L{end}"


def _kebab(text: str) -> str:
    return _NOT_SLUG.sub("-", text.lower()).strip("-")


def _cut(kebab: str, length: int) -> str:
    if len(kebab) <= length:
        return kebab
    head, at_word, _ = kebab[: length + 1].rpartition("-")
    return head.strip("-") if at_word else kebab[:length]


def _stem(path: str) -> str:
    return _cut(_kebab(PurePosixPath(path).stem), 40)


def _escape(text: str) -> str:
    return _META.sub(lambda found: "\\" + found.group(), text)
