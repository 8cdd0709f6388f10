"""What a printed path tells: crate, version, file inside the crate; and how well it agrees with a record's site.

Line numbers drift between releases and are never compared. Registry mirrors, git checkouts, Windows separators and
redacted heads (`[...]/ndarray-0.15.6/src/lib.rs`) all leave the part that counts, the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.matching.verdict import Location

MAX_PATH = 500
PATH = re.compile(r"""[^\s'"`<>(){},;|]{1,400}\.rs:\d{1,7}(?::\d{1,6})?""")
_VERSIONED = re.compile(
    r"([A-Za-z][A-Za-z0-9_-]{0,60})-(\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[0-9A-Za-z.]{1,40})?)(?:\+[0-9A-Za-z.]{1,40})?"
)
_POSITION = re.compile(r"\.rs(?::\s{0,8}(\d{1,7})(?::\s{0,8}(\d{1,6}))?)?:?\s*\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """A path taken apart. `file` is relative to the crate's folder."""

    crate: str | None
    version: str | None
    file: str

    @property
    def name(self) -> str:
        return self.file.rsplit("/", 1)[-1]


def place(path: str) -> Place:
    """Take a path apart."""
    parts = [p for p in path[-MAX_PATH:].replace("\\", "/").split("/") if p not in ("", ".")]
    parts = [p for i, p in enumerate(parts) if not (p == ".." or (i + 1 < len(parts) and parts[i + 1] == ".."))]
    for index in range(len(parts) - 2, -1, -1):
        if (versioned := _VERSIONED.fullmatch(parts[index])) is not None:
            return Place(_crate(versioned[1]), versioned[2], "/".join(parts[index + 1 :]))
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] == "crates":
            return Place(_crate(parts[index + 1]), None, "/".join(parts[index + 2 :]))
    for root in ("src", "tests", "benches", "examples"):
        if root in parts[1:-1]:
            index = len(parts) - 2 - parts[:-1][::-1].index(root)
            if index > 0 and re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", parts[index - 1]):
                return Place(_crate(parts[index - 1]), None, "/".join(parts[index:]))
    return Place(None, None, "/".join(parts[-4:]))


def _crate(name: str) -> str:
    return name.replace("_", "-").lower()


def location(printed: str, functions: tuple[str, ...] = ()) -> Location:
    """A printed `path:line:col` (possibly wrapped over lines) as a value."""
    text = re.sub(r"\s*\n\s*", "", printed).strip().rstrip(":")
    line: int | None = None
    if (position := _POSITION.search(text)) is not None:
        line = int(position[1]) if position[1] else None
        text = text[: position.start() + 3]
    found = place(text)
    return Location(path=text[-MAX_PATH:], line=line, crate=found.crate, version=found.version, functions=functions)


def agreement(site_path: str, printed: Location) -> float:
    """How well crate and file agree: 1 both, 0.8 crate and file name, less for a moved file, 0 for another place.

    A file that moved between burn's own crates still says something; an equal name elsewhere hardly does.
    """
    site = place(site_path)
    here = place(printed.path)
    same_name = site.name == here.name
    if site.crate is not None and here.crate is not None:
        if site.crate == here.crate:
            if site.file == here.file:
                return 1.0
            return 0.8 if same_name else 0.3
        if not same_name or here.name in _COMMON_NAMES:
            return 0.0
        return 0.4 if site.crate.startswith("burn") and here.crate.startswith("burn") else 0.1
    if not same_name:
        return 0.0
    if here.crate is None and site_path.endswith("/" + here.file) and "/" in here.file:
        return 0.8
    return 0.5 if here.name not in _COMMON_NAMES else 0.2


def is_kin(site_path: str, printed: Location) -> bool:
    """Whether both lie in crates of one project. Burn and CubeCL are one: what one raises the other unwraps."""
    families = {_family(place(site_path).crate), _family(place(printed.path).crate)}
    return len(families) == 1 and None not in families


def _family(crate: str | None) -> str | None:
    first = crate.split("-", 1)[0] if crate else None
    return "burn" if first == "cubecl" else first


_COMMON_NAMES = frozenset(("base.rs", "lib.rs", "mod.rs", "main.rs", "tensor.rs", "module.rs", "utils.rs", "error.rs"))
STD_CRATES = frozenset(("core", "std", "alloc", "library", "rust", "panic-unwind"))


def is_std(printed: Location) -> bool:
    """Whether the path lies in Rust's own library."""
    path = printed.path.replace("\\", "/")
    return path.startswith(("library/", "/rustc/")) or "/rustlib/src/" in path


def same_function(function: str, printed: Location, depth: int = 4) -> bool:
    """Whether the site's function is among the innermost frames."""
    return function in printed.functions[:depth]
