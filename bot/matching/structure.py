"""The shape of an issue's text: lines, fences, code spans, Rust source. Read only where a candidate stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from bot.matching.vocabulary import words

MAX_MARKS = 1_500
"""Fence marks that are looked at."""
MAX_SIDE = 600
"""Characters of a line before and behind a place that are looked at."""
_FENCE = re.compile(r"(?:```|~~~)[`~]*")
_PRE = re.compile(r"<(/?)(?:pre|samp)\b[^<>\n]{0,200}>", re.IGNORECASE)
_INFO = re.compile(r"[A-Za-z0-9_+#.-]{1,20}(?:[, {][^\n`]{0,60})?[ \t]*\Z")
_SOURCE_LANGUAGES = words(
    "rust rs python py toml json yaml yml c cpp c++ cuda wgsl glsl metal js javascript ts typescript go java diff patch"
    " swift html xml cmake nix dockerfile make makefile zig"
)
_DATA_LANGUAGES = words("toml json yaml yml xml")
_CODE_LINE = re.compile(
    r"[ \t>]*(?:use [a-z_]+::|let (?:mut )?[a-z_]|(?:pub(?:\([a-z]+\))? )?(?:async )?fn [a-z_]|impl\b"
    r"|(?:pub )?struct [A-Z]|(?:pub )?enum [A-Z]|#!?\[|(?:pub )?mod [a-z_]|match [a-z]"
    r"|for [a-z_(]|if let |while |return\b|import [a-z]"
    r"|from [a-z.]+ import|def [a-z_]|class [A-Z]|//|\.[a-z_]+\(|\}[;,)]*[ \t]*$)"
)
_CODE_ENDS = (";", "{", "})", "),")
_BLANK = re.compile(r"\n[ \t>]*\n")


@dataclass(frozen=True, slots=True)
class Fence:
    start: int
    """First character of the content."""
    end: int
    language: str
    inline: bool
    """Opened and closed on one line: a code span with three ticks."""


def fences(text: str, start: int) -> list[Fence]:
    """Fenced blocks after `start`, and `<pre>` blocks, sorted. An unclosed fence reaches to the end."""
    found: list[Fence] = []
    opened: tuple[int, str, str] | None = None
    if "```" not in text and "~~~" not in text:
        return _tagged(text, start)
    for match in islice(_FENCE.finditer(text, start), MAX_MARKS):
        line_start = text.rfind("\n", 0, match.start()) + 1
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end
        before = text[line_start : match.start()].strip(" \t>*-+0123456789.)")
        after = text[match.end() : line_end].strip()
        if opened is None:
            if match[0][0] == "~" and before:
                continue
            closing = text.find(match[0], match.end(), line_end)
            if closing >= 0 and match[0][0] == "`":
                opened = (match.end(), "", "inline")
                continue
            language = after.split()[0].lower().strip("{}.,") if after and _INFO.fullmatch(after) else ""
            content = line_end + 1 if language or not after else match.end()
            opened = (min(content, len(text)), language, match[0][0])
        elif opened[2] == "inline":
            found.append(Fence(opened[0], match.start(), "", True))
            opened = None
        elif match[0][0] == opened[2]:
            if before and after:
                continue
            found.append(Fence(opened[0], max(opened[0], match.start()), opened[1], False))
            opened = None
    if opened is not None:
        found.append(Fence(opened[0], len(text), opened[1], False))
    tagged = _tagged(text, start)
    return sorted([*found, *tagged], key=lambda fence: fence.start) if tagged else found


def _tagged(text: str, start: int) -> list[Fence]:
    found: list[Fence] = []
    opened: int | None = None
    if "<pre" not in text and "<PRE" not in text and "<samp" not in text:
        return found
    for match in _PRE.finditer(text, start):
        if not match[1]:
            opened = match.end() if opened is None else opened
        elif opened is not None:
            found.append(Fence(opened, match.start(), "", False))
            opened = None
    if opened is not None:
        found.append(Fence(opened, len(text), "", False))
    return found


def is_source(text: str, fence: Fence) -> bool:
    """Whether a fence holds program text rather than output."""
    lines = [line for line in text[fence.start : min(fence.end, fence.start + 1_200)].split("\n") if line.strip()][:16]
    if fence.language in _SOURCE_LANGUAGES:
        return fence.language in _DATA_LANGUAGES or any(map(_is_code, lines))
    return len(lines) > 0 and sum(map(_is_code, lines)) >= 0.4 * len(lines)


def _is_code(line: str) -> bool:
    return line.rstrip().endswith(_CODE_ENDS) or _CODE_LINE.match(line) is not None


def line_at(text: str, position: int) -> tuple[int, int]:
    """Bounds of the line that holds `position`, of a very long one the part around it."""
    start = text.rfind("\n", max(0, position - MAX_SIDE), position) + 1
    end = text.find("\n", position, position + MAX_SIDE)
    return start or max(0, position - MAX_SIDE), min(len(text), position + MAX_SIDE) if end < 0 else end


def paragraph_at(text: str, position: int, low: int, high: int) -> tuple[int, int]:
    """Bounds of the lines around `position` up to blank lines, inside `low:high`."""
    start = low
    line = max(low, text.rfind("\n", low, position) + 1)
    while line > low:
        above = max(low, text.rfind("\n", low, line - 1) + 1)
        if not text[above : line - 1].strip(" \t>"):
            start = line
            break
        line = above
    blank = _BLANK.search(text, position, high)
    return start, blank.start() if blank else high


def code_span_at(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int] | None:
    """The backtick span of the paragraph `low:high` that holds `start:end`, without its ticks."""
    position = low
    while True:
        tick = text.find("`", position, high)
        if tick < 0 or tick > start:
            return None
        width = 1
        while tick + width < high and text[tick + width] == "`":
            width += 1
        closing = text.find("`" * width, tick + width, high)
        while closing >= 0 and text[closing + width : closing + width + 1] == "`":
            beyond = closing
            while beyond < high and text[beyond] == "`":
                beyond += 1
            closing = text.find("`" * width, beyond, high)
        if closing < 0:
            position = tick + width
            continue
        if tick + width <= start and closing >= end:
            return tick + width, closing
        position = closing + width


_SPAN = re.compile(r"(?<!`)`([^`\n]{16,400})`(?!`)")


def code_spans(text: str, start: int, limit: int) -> list[tuple[int, int]]:
    """The first one-line code spans after `start` that are long enough to hold a message."""
    found: list[tuple[int, int]] = []
    for match in _SPAN.finditer(text, start):
        if " " in match[1].strip():
            found.append(match.span(1))
        if len(found) >= limit:
            break
    return found


def quotation_at(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int] | None:
    """What stands between the quotation marks around `start:end`, inside `low:high`."""
    opening = start
    while (opening := text.rfind('"', low, opening)) >= 0:
        if opening == low or text[opening - 1] in " (\n:*_":
            break
    else:
        return None
    closing = end
    while (closing := text.find('"', closing, high)) >= 0:
        if closing + 1 >= high or text[closing + 1] in " .,;:)!?\n*_":
            return opening + 1, closing
        closing += 1
    return None


_MARK = re.compile(r"""["(\[{)\]}]""")


def nested(text: str) -> list[tuple[int, bool]]:
    """Positions from which on text stands in quotation marks or brackets, or does no more."""
    changes: list[tuple[int, bool]] = []
    depth, quoted = 0, False
    for match in _MARK.finditer(text):
        was = quoted or depth > 0
        if match[0] == '"':
            quoted = not quoted
        elif not quoted:
            depth = depth + 1 if match[0] in "([{" else max(0, depth - 1)
        if (quoted or depth > 0) != was:
            changes.append((match.end(), not was))
    return changes
