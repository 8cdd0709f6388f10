"""Changes to a person's TOML file that leave everything else as it is written: comments, order, quotes, blanks.

Only the values that change are replaced in the text. Each edit is checked by reading the result back: it must say
exactly what the old content with the change says, else nothing is written.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t]+|#[^\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?")


class EditError(Exception):
    """The file cannot be changed without rewriting what a person wrote. Shown to the user."""


class TomlFile:
    """A TOML text with the places of its values. Immutable: each change gives a new one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.content: dict[str, Any] = tomllib.loads(text)
        scanner = _Scanner(text)
        try:
            scanner.document()
        except (IndexError, AttributeError) as error:
            raise EditError("is written in a way that cannot be edited in place") from error
        self._values = scanner.values
        self._ends = scanner.ends

    def with_value(self, path: Path, value: str | int) -> TomlFile:
        """The same file with `value` at `path`, e.g. `("record", "lineNumber")`: replaced, or added to its table."""
        if path in self._values:
            start, end = self._values[path]
            text = self.text[:start] + _written(value) + self.text[end:]
        else:
            text = self._with_line(path, f"{path[-1]} = {_written(value)}")
        return self._checked(text, _changed(self.content, path, value))

    def with_table(self, array: Path, table: Mapping[str, str | int]) -> TomlFile:
        """The same file with one more table in the array at `array`, e.g. `("extension", "sites")`."""
        count = len(_at(self.content, array) or [])
        if (array in self._values) or not count:
            inline = "{ " + ", ".join(f"{key} = {_written(value)}" for key, value in table.items()) + " }"
            if array in self._values:
                text = self._with_element(array, inline)
            elif array[:-1] in self._ends:
                text = self._with_block(array, table, after=self._last_end(array[:-1]))
            else:
                text = self._with_block(array, table, after=len(self.text))
        else:
            text = self._with_block(array, table, after=self._last_end((*array, count - 1)))
        return self._checked(text, _changed(self.content, (*array, count), dict(table)))

    def _with_line(self, path: Path, line: str) -> str:
        table = path[:-1]
        if table in self._values:
            start, end = self._values[table]
            inside = self.text[start:end].rstrip()
            before = inside[:-1].rstrip()
            comma = "" if before.endswith(("{", ",")) else ","
            return self.text[:start] + f"{before}{comma} {line} }}" + self.text[end:]
        if table not in self._ends:
            header = ".".join(str(part) for part in table)
            return self.text.rstrip("\n") + f"\n\n[{header}]\n{line}\n"
        at = self._line_end(self._ends[table])
        return self.text[:at] + f"\n{line}" + self.text[at:]

    def _with_element(self, array: Path, inline: str) -> str:
        start, end = self._values[array]
        body = self.text[start : end - 1].rstrip()
        comma = "" if body.endswith(("[", ",")) else ","
        if "\n" not in self.text[start:end]:
            return self.text[:start] + f"{body}{comma} {inline}]".replace("[ {", "[{") + self.text[end:]
        # A comment after the last element would swallow a comma that follows it.
        elements = [span for path, span in self._values.items() if path[:-1] == array]
        last = max((span[1] for span in elements), default=start + 1)
        rest = self.text[last : end - 1]
        comma = "" if not elements or rest.lstrip().startswith(",") else ","
        return self.text[:last] + comma + rest.rstrip() + f"\n  {inline},\n]" + self.text[end:]

    def _with_block(self, array: Path, table: Mapping[str, str | int], *, after: int) -> str:
        at = self._line_end(after)
        lines = [f"[[{'.'.join(str(part) for part in array)}]]"]
        lines += [f"{key} = {_written(value)}" for key, value in table.items()]
        rest = self.text[at:].lstrip("\n")
        parts = [self.text[:at].rstrip("\n"), "\n".join(lines), *([rest.rstrip("\n")] if rest else [])]
        return "\n\n".join(parts) + "\n"

    def _line_end(self, at: int) -> int:
        """A comment behind a value stays with it."""
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _last_end(self, table: Path) -> int:
        """Where the last statement of a table or of one below it ends."""
        return max(end for path, end in self._ends.items() if path[: len(table)] == table)

    def _checked(self, text: str, wanted: dict[str, Any]) -> TomlFile:
        try:
            changed = TomlFile(text)
        except tomllib.TOMLDecodeError as error:
            raise EditError(f"cannot be edited in place: {error}") from error
        if changed.content != wanted:
            raise EditError("cannot be edited in place without changing something else")
        return changed


class _Scanner:
    """Finds where values begin and end. The text is known to be valid TOML: https://toml.io/en/v1.0.0"""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.values: dict[Path, tuple[int, int]] = {}
        self.ends: dict[Path, int] = {(): 0}
        self._counts: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        while True:
            self._skip(_BLANK_LINES)
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "[":
                table = self._header()
            else:
                path = self._key(table)
                self._skip(_BLANK)
                self.at += 1  # the equals sign
                self._skip(_BLANK)
                self._value(path)
            self.ends[table] = self.at

    def _header(self) -> Path:
        double = self.text.startswith("[[", self.at)
        self.at += 2 if double else 1
        path = self._key(())
        self._skip(_BLANK)
        self.at += 2 if double else 1
        # A table below an array of tables belongs to its last element.
        full: Path = ()
        for index, part in enumerate(path):
            full = (*full, part)
            if full in self._counts and (index < len(path) - 1):
                full = (*full, self._counts[full] - 1)
        if double:
            self._counts[full] = self._counts.get(full, 0) + 1
            full = (*full, self._counts[full] - 1)
        return full

    def _key(self, before: Path) -> Path:
        path = before
        while True:
            self._skip(_BLANK)
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            path = (*path, tomllib.loads(f"v = {found.group()}")["v"] if quoted else found.group())
            self._skip(_BLANK)
            if self.text[self.at] != ".":
                return path
            self.at += 1

    def _value(self, path: Path) -> None:
        start = self.at
        opening = self.text[start]
        if opening == "[":
            self._elements(path)
        elif opening == "{":
            self._inline(path)
        else:
            found = _STRING.match(self.text, start) or _PLAIN.match(self.text, start)
            assert found is not None
            self.at = found.end()
        self.values[path] = (start, self.at)

    def _elements(self, path: Path) -> None:
        self.at += 1
        index = 0
        self._skip(_BLANK_LINES)
        while self.text[self.at] != "]":
            self._value((*path, index))
            index += 1
            self._comma()
        self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        self._skip(_BLANK_LINES)
        while self.text[self.at] != "}":
            key = self._key(path)
            self.at += 1  # the equals sign
            self._skip(_BLANK)
            self._value(key)
            self._comma()
        self.at += 1

    def _comma(self) -> None:
        self._skip(_BLANK_LINES)
        if self.text[self.at] == ",":
            self.at += 1
            self._skip(_BLANK_LINES)

    def _skip(self, what: re.Pattern[str]) -> None:
        found = what.match(self.text, self.at)
        assert found is not None
        self.at = found.end()


def _written(value: str | int) -> str:
    """A value in TOML: a basic string is JSON's, but for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _at(content: Any, path: Path) -> Any:
    for part in path:
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            return None
    return content


def _changed(content: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(content)
    place: Any = changed
    for part, following in pairwise(path):
        if isinstance(place, dict):
            place = place.setdefault(part, [] if isinstance(following, int) else {})
        else:
            place = place[part]
    if isinstance(place, list) and path[-1] == len(place):
        place.append(value)
    else:
        place[path[-1]] = value
    return changed
