"""How reporters write: each habit that makes a message hard to find, recognised from the issue's text alone.

The detectors are for counting, not for matching: they may err, and every pattern is linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.evaluation.cases import Case

_NEW = re.compile(r"panicked at [^\n'\"]{1,400}:\d+:\d+:?[ *`]*\n")
_ONE_LINE = re.compile(r"panicked at [^\n'\"]{1,400}\.rs:\d+:\d+:[ \t]+\S")
_OLD = re.compile(r"panicked at ['\"`]")
_THREAD_ID = re.compile(r"thread '[^'\n]{0,80}' \(\d+\) panicked")
_ANSI = re.compile(r"(?:\x1b|\u241b|\^\[|\\x1b|\\u001b)\[[0-9;]{0,20}m")
_STAMP = re.compile(
    r"^[ >\[]{0,4}\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^[ >\[]{0,4}\d\d:\d\d:\d\d|\b(?:ERROR|WARN|INFO) [\w:]{2,80}",
    re.MULTILINE,
)
_WASM = re.compile(r"\.js:\d+ panicked at|wasm-function\[|wasm-bindgen|__wbg_")
_INLINE = re.compile(r"(?<!`)`[^`\n]{16,400}`(?!`)")
_QUOTE = re.compile(r"^[ ]{0,3}>", re.MULTILINE)
_FORM = re.compile(r"^\**(?:### ?)?(?:Describe the bug|To Reproduce|Expected behavior|Desktop \(please)", re.MULTILINE)
_FRAMES = re.compile(r"stack backtrace:|^[ \t]{0,8}\d{1,3}: (?:0x[0-9a-f]+ - )?[\w<]", re.MULTILINE)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27|nbsp);")
_WRAPPED = re.compile(r"\\n|\\\"")
_WINDOWS = re.compile(r"[A-Za-z]:\\{1,2}\w|\\{1,2}src\\{1,2}")
_REDACTED = re.compile(r"\[\.\.\.\]/|\.\.\./|…/|<path>|REDACTED|\[redacted\]", re.IGNORECASE)


def _panics(text: str) -> int:
    return text.count("panicked at")


def _foreign_prose(text: str) -> bool:
    """A tenth of the letters are beyond Latin."""
    letters = [character for character in text if character.isalpha()]
    return sum(1 for letter in letters if ord(letter) > 0x24F) * 10 > len(letters)


def _title_only(case: Case) -> bool:
    """A piece of a printed message is in the title, and nowhere in the body."""
    title, body = _squashed(case.title), _squashed(case.body or "")
    heads = [_squashed(printed.message)[:24] for printed in case.printed]
    return any(head and head in title and head not in body for head in heads)


def _squashed(text: str) -> str:
    return " ".join(text.lower().split())


_OF_TEXT: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("new panic format", _NEW.search),
    ("panic on one line", _ONE_LINE.search),
    ("old panic format", _OLD.search),
    ("thread id", _THREAD_ID.search),
    ("ANSI colours", _ANSI.search),
    ("log prefix", _STAMP.search),
    ("carriage returns inside lines", lambda text: "\r" in text.replace("\r\n", "\n")),
    ("browser console", _WASM.search),
    ("inline code", _INLINE.search),
    ("block quote", _QUOTE.search),
    ("no fence", lambda text: "```" not in text and "~~~" not in text),
    ("no panic header", lambda text: _panics(text) == 0),
    ("several panics", lambda text: _panics(text) > 1),
    ("tensor operation report", lambda text: "=== Tensor Operation Error ===" in text),
    ("caused by", lambda text: "Caused by" in text),
    ("assertion", lambda text: "assertion" in text and "left" in text),
    ("backtrace", _FRAMES.search),
    ("issue form", _FORM.search),
    ("details block", lambda text: "<details" in text or "<pre" in text),
    ("entities", _ENTITY.search),
    ("escapes of Debug strings", _WRAPPED.search),
    ("Windows path", _WINDOWS.search),
    ("redacted path", _REDACTED.search),
    ("other language", _foreign_prose),
)


def habits(case: Case) -> tuple[str, ...]:
    """The habits of an issue, its kind, and whose message it prints; in a fixed order."""
    text = case.text
    found = [name for name, shows in _OF_TEXT if shows(text)]
    if _title_only(case):
        found.append("title only")
    owners = sorted({printed.owner for printed in case.printed if printed.owner})
    found += [f"printed by {owner}" for owner in owners]
    return (*found, f"kind: {case.kind or 'unknown'}")
