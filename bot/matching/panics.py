"""Panic headers in every form Rust has printed them, and where their messages begin and end.

* since 1.73: `thread 'main' panicked at path:line:col:` and the message on the next line (wasm consoles and some
  loggers keep both on one line), https://blog.rust-lang.org/2023/10/05/Rust-1.73.0.html;
* before: `thread 'main' panicked at 'message', path:line:col`, the message possibly over several lines and the
  location possibly cut off;
* rustc: `proc-macro derive panicked` with `= help: message: …`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.matching import backtrace, locations
from bot.matching.verdict import Location

MAX_PANICS = 48
MAX_MESSAGE = 4_000
_HEADER = re.compile(r"panicked[ \t*]{1,8}at[ \t*`:]{0,16}(?:\n[ \t>]{0,400})?")
_PROC_MACRO = re.compile(r"proc-macro(?: derive)? panicked(?::[ \t]*|[^\n]*\n(?:[^\n]*\n){0,6}?[^\n]*help: message: )")
_PATH_END = re.compile(r"\.rs:\s{0,400}\d{1,7}(?::\s{0,400}\d{1,6})?(?::(?=\s|\*|\Z)|(?=[\s*`'\")\]]|\Z|:[^\d:]))")
_OLD_END = re.compile(
    r"""['"`],[ \t]{0,4}\n?[ \t]{0,80}([^\s'"`,]{1,400}(?:\n[ \t]{0,80}[^\s'"`,]{1,200})?\.rs:\d{1,7}(?::\d{1,6})?)"""
)
_STOP = re.compile(
    r"\n[ \t>]*(?:note: (?:run with|Some details|the )|stack backtrace:|Stack(?: trace)?:|Backtrace:|[─━]{8}|```|~~~"
    r"|=== PANIC|== PANIC|A fatal error happened|--- std(?:out|err)|thread caused non-unwinding|failures:|test result:"
    r"|error: (?:test failed|could not compile)|Aborted|zsh: abort|\d{1,4}:[ \t]+(?:0x[0-9a-f]+ - )?[A-Za-z_<]+"
    r"|#{1,6} |</?(?:pre|details|code)>|at [^\n]{0,300}\.(?:rs|js|wasm):\d"
    r"|[^\n]{0,200}?\bpanicked at\b|thread '[^'\n]{0,200}')"
)
_HEADING = re.compile(r"\n[ \t>]*\*\*[A-Z][^*\n]{2,80}\*\*[ \t]*\n")
_BLANK = re.compile(r"\n[ \t>]*\n")


@dataclass(frozen=True, slots=True)
class Panic:
    """One printed panic; positions in the cleaned text."""

    header: int
    start: int
    """Where the message begins."""
    end: int
    location: Location | None


def find(text: str) -> list[Panic]:
    """Printed panics in the order they stand, the first ones if there are too many."""
    found: list[Panic] = []
    covered = -1
    for match in _HEADER.finditer(text):
        if match.start() < covered:
            continue
        panic = _read(text, match.start(), match.end())
        if panic is not None:
            found.append(panic)
            covered = panic.end
        if len(found) >= MAX_PANICS:
            break
    if "proc-macro" in text:
        for match in _PROC_MACRO.finditer(text):
            end = message_end(text, match.end())
            found.append(Panic(match.start(), match.end(), end, None))
            if len(found) >= 2 * MAX_PANICS:
                break
        found.sort(key=lambda panic: panic.header)
    return found


def _read(text: str, header: int, after: int) -> Panic | None:
    if text[after : after + 1] in ("'", '"', "`") or text[after - 1] == "`":
        old = _read_old(text, header, after)
        if old is not None:
            return old
    window = text[after : after + 700]
    path = _PATH_END.search(window)
    if path is None or not _is_path(window[: path.start()]):
        return None
    start = after + path.end()
    start += len(window[path.end() : path.end() + 8]) - len(window[path.end() : path.end() + 8].lstrip("`*:"))
    end = message_end(text, start)
    frames = backtrace.functions(text, end, min(len(text), end + 12_000, _next_panic(text, end)))
    return Panic(header, start, end, locations.location(window[: path.end()], frames))


def _is_path(before: str) -> bool:
    """A path may be wrapped once; it holds no quotes and no sentence."""
    lines = before.strip().split("\n")
    return len(lines) <= 2 and len(before.split()) <= 6 and not any(c in before for c in "'\"")


def _read_old(text: str, header: int, after: int) -> Panic | None:
    start = after + 1
    if text[after - 1] == "`" and text[after : after + 1] not in ("'", '"'):
        start = after
    limit = min(len(text), start + MAX_MESSAGE)
    located = _OLD_END.search(text, start, limit)
    stop = _STOP.search(text, start, limit)
    if located is not None and (stop is None or located.start() < stop.start()):
        end = located.start()
        rest = located.end()
        frames = backtrace.functions(text, rest, min(len(text), rest + 12_000, _next_panic(text, rest)))
        return Panic(header, start, end, locations.location(located[1], frames))
    quote = text[start - 1]
    if quote not in "'\"":
        return None
    end = stop.start() if stop else limit
    closing = text.rfind(quote, start, end)
    newline = text.find("\n", start, end)
    if closing < 0:
        closing = newline if newline >= 0 else end
    # A path directly after the quote is the new form; a quote that never closes is a cut-off one.
    return Panic(header, start, max(start, closing), None) if closing > start else None


def message_end(text: str, start: int, high: int | None = None) -> int:
    """Where a message that begins at `start` ends: at a backtrace, a note, the next header, a blank line, `high`."""
    limit = min(len(text) if high is None else high, start + MAX_MESSAGE)
    stop = _STOP.search(text, start, limit)
    end = stop.start() if stop else limit
    begin = end - len(text[start:end].lstrip())
    heading = _HEADING.search(text, begin, end)
    end = heading.start() if heading else end
    for blank in _BLANK.finditer(text, start, end):
        if not text[start : blank.start()].strip():
            continue
        following = text[blank.end() : min(end, blank.end() + 80)]
        before = text[max(start, blank.start() - 60) : blank.start()].rstrip()
        if following.lstrip(" \t>").startswith(("Caused by", "Shader validation", "In ", "Hint:")) or before.endswith(
            ("Caused by:", "Validation Error", "[Compilation Error]")
        ):
            continue
        return blank.start()
    return end


def stops(text: str, newline: int) -> bool:
    """Whether the line after this line break belongs to no message: a note, a frame, a rule, a header."""
    return _STOP.match(text, newline) is not None


def _next_panic(text: str, start: int) -> int:
    found = text.find("panicked at", start)
    return found if found >= 0 else len(text)
