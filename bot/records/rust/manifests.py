"""What Cargo manifests declare: crates, features, dependencies. And the Cargo snippets that records show."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec

_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
_MANIFEST_LINE = re.compile(r"^[ \t]*(?:\[[\w.\-\"' ]{1,80}\]\s*$|[\w\-\".]{1,60}\s*=)", re.MULTILINE)


class Manifests(msgspec.Struct, kw_only=True):
    """The manifests of one repository, joined."""

    crates: set[str] = msgspec.field(default_factory=set)
    features: set[str] = msgspec.field(default_factory=set)
    """Of any crate; an optional dependency is one too."""
    dependencies: set[str] = msgspec.field(default_factory=set)
    programs: set[str] = msgspec.field(default_factory=set)
    """Names of binaries."""

    def add(self, text: str) -> None:
        """One more manifest; what is not TOML adds nothing."""
        try:
            content = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            return
        name = _table(content, "package").get("name")
        if isinstance(name, str):
            self.crates.add(name)
        self.features.update(_table(content, "features"))
        binaries = content.get("bin")
        for binary in binaries if isinstance(binaries, list) else ():
            if isinstance(binary, dict) and isinstance(binary.get("name"), str):
                self.programs.add(binary["name"])
        for table in _dependency_tables(content):
            for key, value in table.items():
                self.dependencies.add(key)
                if isinstance(value, dict) and value.get("optional") is True:
                    self.features.add(key)


class CargoUse(msgspec.Struct, frozen=True, kw_only=True):
    """What a shown Cargo snippet or command asks for."""

    crates: tuple[str, ...]
    features: tuple[str, ...]


def manifest_use(snippet: str) -> CargoUse | None:
    """The dependencies and features that a piece of `Cargo.toml` names; `None` when it is none."""
    if not _MANIFEST_LINE.search(snippet):
        return None
    try:
        content = tomllib.loads(snippet)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    tables = list(_dependency_tables(content))
    loose = {key: value for key, value in content.items() if isinstance(value, dict) and _is_dependency(value)}
    entries = [item for table in (*tables, loose) for item in table.items()]
    features = [value for _, entry in entries if isinstance(entry, dict) for value in _words(entry.get("features"))]
    return CargoUse(
        crates=tuple(entry["package"] if isinstance(entry, dict) and isinstance(entry.get("package"), str) else key
                     for key, entry in entries),
        features=(*features, *_words(content.get("features"))),
    )  # fmt: skip


def dependency_revision(manifest: str, name: str) -> str | None:
    """The tag or commit at which a manifest wants a dependency: its `rev`, its `tag`, or `v` and its version."""
    try:
        content = tomllib.loads(manifest)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    for table in _dependency_tables(content):
        entry = table.get(name)
        if isinstance(entry, str):
            entry = {"version": entry}
        if isinstance(entry, dict):
            for key in ("rev", "tag"):
                if isinstance(entry.get(key), str):
                    return str(entry[key])
            version = entry.get("version")
            return f"v{version.lstrip('=^~ ')}" if isinstance(version, str) else None
    return None


def command_use(command: str) -> CargoUse:
    """The packages and features that `cargo …` lines name."""
    crates: list[str] = []
    features: list[str] = []
    for line in command.splitlines():
        words = line.replace("=", " ").replace('"', " ").replace("'", " ").split()
        into: list[str] | None = None
        for word in words:
            if word in {"--features", "-F"}:
                into = features
            elif word in {"-p", "--package"}:
                into = crates
            elif word.startswith("-") or word in {"&&", "|", ";", "#", "//"}:
                into = None
            elif into is not None:
                into.extend(part.rpartition("/")[2] for part in word.split(",") if part)
                into = None if into is crates else into
    return CargoUse(crates=tuple(crates), features=tuple(features))


def _dependency_tables(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place in (content, _table(content, "workspace"), *_table(content, "target").values()):
        if isinstance(place, dict):
            yield from (_table(place, name) for name in _DEPENDENCIES)


def _table(content: dict[str, Any], name: str) -> dict[str, Any]:
    value = content.get(name)
    return value if isinstance(value, dict) else {}


def _is_dependency(value: dict[str, Any]) -> bool:
    return bool(value.keys() & {"version", "git", "path", "features", "default-features", "workspace"})


def _words(value: Any) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
