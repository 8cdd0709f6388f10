"""Rust's lexical grammar as far as error sites need it: comments, literals, brackets, and what a literal says.

https://doc.rust-lang.org/reference/tokens.html
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator

import msgspec

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<line>//[^\n]*)
  | (?P<block>/\*)
  | (?P<raw>(?:b|c)?r(?P<hashes>\#{0,255})")
  | (?P<string>(?:b|c)?"(?:[^"\\]|\\.)*")
  | (?P<char>b?'(?:\\[^\n]{1,12}?|[^\\'\n])')
  | (?P<lifetime>'\w+)
  | (?P<name>(?:r\#)?[^\W\d]\w*)
  | (?P<number>\d\w*(?:\.\d\w*)?)
  | (?P<mark>::|=>|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_ESCAPE = re.compile(
    r"\\(?:x(?P<byte>[0-7][0-9A-Fa-f])|u\{(?P<code>[0-9A-Fa-f_]{1,12})\}|(?P<end>\n\s*)|(?P<plain>.))", re.DOTALL
)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\", "'": "'", '"': '"'}

OPEN = {"(": ")", "[": "]", "{": "}"}
CLOSE = frozenset(OPEN.values())


class Sort(enum.Enum):
    STRING = "string"
    NAME = "name"
    OTHER = "other"
    MARK = "mark"


class Token(msgspec.Struct, frozen=True, gc=False):
    """A piece of source text with its character offsets. `value` is what a string literal says, else the text."""

    sort: Sort
    start: int
    end: int
    value: str


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens from `start` on, comments and blanks left out. Never raises: an unclosed literal runs to the end."""
    at = start
    end = len(text) if end is None else end
    while at < end:
        found = _TOKEN.match(text, at, end)
        assert found is not None, "every character is at least a mark"
        sort = found.lastgroup
        stop = found.end()
        if sort == "hashes" or sort == "raw":
            close = '"' + found["hashes"]
            body = found.end("raw")
            stop = text.find(close, body, end)
            value = text[body:] if stop < 0 else text[body:stop]
            stop = end if stop < 0 else stop + len(close)
            yield Token(Sort.STRING, at, stop, value.replace("\r\n", "\n"))
        elif sort == "block":
            stop = _after_block_comment(text, found.end(), end)
        elif sort == "string":
            yield Token(Sort.STRING, at, stop, unescape(found.group()[found.group().index('"') + 1 : -1]))
        elif sort == "name":
            yield Token(Sort.NAME, at, stop, found.group().removeprefix("r#"))
        elif sort == "mark":
            yield Token(Sort.MARK, at, stop, found.group())
        elif sort not in {"space", "line"}:
            yield Token(Sort.OTHER, at, stop, found.group())
        at = stop


def bracketed(text: str, start: int) -> list[Token]:
    """The tokens of the bracket that opens at `start`, both brackets included; as far as the text goes if unclosed."""
    depth = 0
    inside: list[Token] = []
    for token in tokens(text, start):
        inside.append(token)
        if token.sort is Sort.MARK:
            if token.value in OPEN:
                depth += 1
            elif token.value in CLOSE:
                depth -= 1
                if depth <= 0:
                    break
    return inside


def split_arguments(inside: list[Token]) -> list[list[Token]]:
    """The arguments between the outer brackets of `inside`, split at their own commas; closures' bars count too."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in inside[1:-1]:
        if token.sort is Sort.MARK:
            if token.value in OPEN:
                depth += 1
            elif token.value in CLOSE:
                depth -= 1
            elif token.value == "," and depth == 0:
                arguments.append([])
                continue
        arguments[-1].append(token)
    if not arguments[-1]:
        arguments.pop()
    return arguments


def unescape(body: str) -> str:
    """What the inside of a string literal says: escapes replaced, a backslash at a line's end joins the lines."""
    if "\\" not in body:
        return body.replace("\r\n", "\n")
    return _ESCAPE.sub(_said, body.replace("\r\n", "\n"))


def _said(found: re.Match[str]) -> str:
    if found["end"]:
        return ""
    if found["byte"]:
        return chr(int(found["byte"], 16))
    if found["code"]:
        code = int(found["code"].replace("_", "") or "0", 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\N{REPLACEMENT CHARACTER}"
    return _PLAIN.get(found["plain"], found["plain"])


def _after_block_comment(text: str, at: int, end: int) -> int:
    depth = 1
    while depth:
        edge = _BLOCK_EDGE.search(text, at, end)
        if edge is None:
            return end
        depth += 1 if edge.group() == "/*" else -1
        at = edge.end()
    return at
