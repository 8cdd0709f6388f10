"""Reads the Dockerfile and .dockerignore as far as this project uses them. Anything else is an error, never a guess.

https://docs.docker.com/reference/dockerfile/
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

METADATA = ("EXPOSE", "STOPSIGNAL", "VOLUME", "HEALTHCHECK", "ENTRYPOINT", "CMD")
STEPS = ("RUN", "COPY", "ENV", "WORKDIR", "USER")
# Their words may not hold variables: expanding them here would be one more thing to get wrong.
_PLAIN = ("COPY", "ENV", "WORKDIR", "USER", "FROM", "VOLUME")


class NotUnderstood(Exception):
    """The Dockerfile uses something that this reader does not know."""


@dataclass(frozen=True)
class Instruction:
    line: int
    name: str
    flags: dict[str, str]
    text: str
    """What follows the flags."""
    words: tuple[str, ...] | None
    """The exec form (a JSON list), or None for the shell form."""

    def command(self) -> list[str]:
        """As the engine would execute it."""
        return list(self.words) if self.words is not None else ["/bin/sh", "-c", self.text]

    def plain(self) -> list[str]:
        """The words of COPY, ENV, WORKDIR, USER, VOLUME, EXPOSE."""
        return list(self.words) if self.words is not None else shlex.split(self.text)


@dataclass
class Stage:
    base: str
    name: str | None
    instructions: list[Instruction] = field(default_factory=list)

    def last(self, name: str) -> Instruction | None:
        return next((each for each in reversed(self.instructions) if each.name == name), None)


def read_dockerfile(text: str) -> list[Stage]:
    """The stages in order; the last one is the image. Raises `NotUnderstood` with the line."""
    stages: list[Stage] = []
    for instruction in _instructions(text):
        if instruction.name == "FROM":
            stages.append(_stage(instruction))
        elif instruction.name not in (*METADATA, *STEPS):
            raise NotUnderstood(f"line {instruction.line}: {instruction.name}")
        elif not stages:
            raise NotUnderstood(f"line {instruction.line}: {instruction.name} before the first FROM")
        else:
            stages[-1].instructions.append(instruction)
    if not stages:
        raise NotUnderstood("no FROM")
    return stages


def _instructions(text: str) -> Iterator[Instruction]:
    pending, begin = "", 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        begin = begin or number
        if line.endswith("\\"):
            pending += line[:-1].rstrip() + " "
            continue
        yield _instruction(begin, pending + line)
        pending, begin = "", 0
    if pending:
        raise NotUnderstood(f"line {begin}: it ends in the middle of an instruction")


def _instruction(number: int, text: str) -> Instruction:
    name, _, rest = text.partition(" ")
    flags: dict[str, str] = {}
    while found := re.match(r"\s*--([a-z-]+)=(\S+)\s+", rest):
        flags[found[1]] = found[2]
        rest = rest[found.end() :]
    name, rest = name.upper(), rest.strip()
    if name in _PLAIN and "$" in rest:
        raise NotUnderstood(f"line {number}: a variable in {name}")
    if name == "HEALTHCHECK":
        keyword, _, rest = rest.partition(" ")
        if keyword != "CMD":
            raise NotUnderstood(f"line {number}: HEALTHCHECK {keyword}")
    return Instruction(number, name, flags, rest, _exec_form(number, rest))


def _exec_form(number: int, text: str) -> tuple[str, ...] | None:
    if not text.startswith("["):
        return None
    try:
        words = json.loads(text)
    except ValueError:
        raise NotUnderstood(f"line {number}: not a JSON list") from None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise NotUnderstood(f"line {number}: not a list of strings")
    return tuple(words)


def _stage(instruction: Instruction) -> Stage:
    match instruction.plain():
        case [base]:
            return Stage(base, None)
        case [base, as_, name] if as_.upper() == "AS":
            return Stage(base, name)
        case _:
            raise NotUnderstood(f"line {instruction.line}: FROM {instruction.text}")


class Ignore:
    """A .dockerignore: the last pattern that matches a path, or a folder above it, decides."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines()]
        self._patterns = [
            (line.startswith("!"), _pattern(line.lstrip("!"))) for line in lines if line and not line.startswith("#")
        ]

    def leaves_out(self, path: str) -> bool:
        """`path` is relative to the build's context, with forward slashes."""
        out = False
        for takes_back, pattern in self._patterns:
            if pattern.fullmatch(path):
                out = not takes_back
        return out


def _pattern(text: str) -> re.Pattern[str]:
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    tokens = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", text.strip("/"))
    return re.compile("".join(parts.get(token) or re.escape(token) for token in tokens) + "(?:/.*)?")


def context_files(root: Path, ignore: Ignore, source: str) -> Iterator[Path]:
    """The files at or below `source` (relative to `root`) that a build may see, as paths relative to `root`."""
    start = root / source
    for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
        relative = path.relative_to(root)
        if path.is_file() and not ignore.leaves_out(relative.as_posix()):
            yield relative
