"""Is it printed, or only talked about? Judges the place in the issue where a template was found.

What a program printed stands under a panic header, on a line of its own (in a fence, a quote, or bare), in a code
span or in quotation marks. Rust source, backtrace frames, compiler diagnostics, log lines below error level, the
issue form's own text and sentences about a message are not prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.matching import speech, structure
from bot.matching.verdict import Source

_FRAME = re.compile(r"[ \t>|]*(?:\d{1,4}:[ \t]+(?:0x[0-9a-fA-F]+ - )?[A-Za-z_<]|at [^\n]*[:(]\d|#\d+ )")
_LOW_LEVEL = re.compile(r"\b(?:INFO|DEBUG|TRACE)\b")
_MACRO = re.compile(
    r"(?:\b[a-z_]{2,30}!\s*[(\[{]\s*(?:[^\n\"]{0,160},\s*)?|\bexpect(?:_err)?\(\s*|expected\s*=\s*|\.(?:context|with_context)\([^\n\"]{0,40}"
    r"|#\[error\(\s*)[rfb]?#?[\"'`]\s*$|=>\s*write!|^[ \t>]*(?://|\#|\*|--)[^\n]*$"
)
_GREP = re.compile(r"\.rs:\d{1,7}(?::\d{1,6})?[:-]\s{0,40}\"$")
"""A line that a search in the source prints."""
_DIAGNOSTIC = re.compile(r"error\[E\d{4}\]|^\s*-->|^\s*\d*\s*\|\s|^\s*= (?:note|help):|^\s*(?:warning|help):")
_DOTS = re.compile(r"[^\n.\u2026\u00b7]{0,60}(?:\.\.\.|\u2026|\u00b7\u00b7)")
_ERROR_WORD = re.compile(r"\b(?:error|fatal)\b", re.IGNORECASE)
_HERALD = re.compile(r"(?:\bthread\s{1,4}\S{0,40}\s{0,4})?\b(?:error|fatal|panic|panicked(?: at)?)\b", re.IGNORECASE)
_WRAPPER = re.compile(
    r"not (?:yet )?implemented:|internal error: entered unreachable code:|assertion (?:`[^`]{1,20}` )?failed:",
    re.IGNORECASE,
)
_FORM_LINES = (
    "a clear and concise description of what the bug is",
    "a clear and concise description of what you expected to happen",
    "if applicable, add screenshots to help explain your problem",
    "add any other context about the problem here",
    "steps to reproduce the behavior",
    "go to '...'",
    "please complete the following information",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """The circumstances of a match. `quality` 0 to 1: how sure it is that the text was printed."""

    source: Source
    quality: float
    printed: bool = True
    """Taken from output, so that it must begin and end where a clause does; else a part of a sentence."""
    open_end: bool = False
    """Dots follow: the writer cut it off."""
    open_start: bool = False
    """Dots stand before."""
    alone: bool = False
    """Nothing else stands on the line, in the span or in the title."""


def in_panic(text: str, message: int, start: int, end: int) -> Setting:
    """The setting of `text[start:end]` inside a panic's message, which begins at `message`."""
    before = text[message:start]
    head = text[message : start + 1].lstrip(" \t\n>*`")
    if head.startswith("=== Tensor"):
        source = Source.REPORT
    elif "Caused by" in before:
        source = Source.CAUSED_BY
    else:
        source = Source.ASSERTION if head.startswith("assertion") else Source.PANIC
    dots = before.rstrip().endswith(("...", "\u2026"))
    return Setting(source, 1.0, open_end=cut_off(text, end), open_start=dots)


def in_fence(text: str, start: int, end: int, low: int, title_end: int) -> Setting | str:
    """The setting of `text[start:end]` inside a fence of output that begins at `low`, or why it is no print."""
    line_start, line_end = structure.line_at(text, start)
    line_start = max(line_start, low)
    lead = text[line_start:start]
    refused = _no_print(lead, text[line_start:line_end])
    if refused:
        return refused
    if not _leads_in(lead):
        return "it stands in the middle of a sentence"
    wished = speech.wished(text, low, title_end)
    if wished:
        return f'it should be printed, or others print it ("{wished}")'
    if lead.strip().startswith("Caused by") or text[max(0, line_start - 40) : line_start].rstrip().endswith(
        "Caused by:"
    ):
        source = Source.CAUSED_BY
    else:
        source = Source.ERROR if _ERROR_WORD.search(lead) else Source.CODE
    return Setting(source, 0.95, open_end=cut_off(text, end), alone=_bare(lead) and _bare_trail(text[end:line_end]))


def cut_off(text: str, end: int) -> bool:
    """Whether the writer cut the text off: dots follow soon, or end the line."""
    _, line_end = structure.line_at(text, end)
    rest = text[end : min(line_end, end + 400)].strip(" '\"`*")
    return _DOTS.match(rest) is not None or rest.endswith(("...", "\u2026"))


def _bare(side: str) -> bool:
    """Whether what stands beside a message on its line says nothing: an error word, signs, values."""
    return not re.search(r"[A-Za-z]{2,}", _HERALD.sub("", _WRAPPER.sub("", side)))


def _bare_trail(trail: str) -> bool:
    """The same for what follows, where the printed error of an `expect` may stand."""
    return _bare(trail) or trail.lstrip(" .")[:1] in (":", "(", "{", "[")


def dead_line(line: str) -> bool:
    """Whether nothing on a line can be a printed message, wherever on it."""
    return (
        _FRAME.match(line) is not None
        or _LOW_LEVEL.search(line[:160]) is not None
        or _DIAGNOSTIC.search(line) is not None
    )


def _no_print(lead: str, line: str) -> str | None:
    if _GREP.search(lead):
        return "it stands in program text"
    if _FRAME.match(line):
        return "it stands in a backtrace frame"
    if _LOW_LEVEL.search(lead):
        return "it stands in a log line below error level"
    if _MACRO.search(lead) or _MACRO.match(line.strip()[:2]):
        return "it stands in program text"
    if _DIAGNOSTIC.search(line):
        return "it stands in a compiler diagnostic"
    if any(form in line.lower() for form in _FORM_LINES):
        return "it is the issue form's own text"
    return None


def _leads_in(lead: str) -> bool:
    """Whether what precedes on the line is a log prefix, an error word, an opening quote … and not a sentence."""
    bare = lead.strip(" \t>*_|`")
    if not re.search(r"[A-Za-z]", bare):
        return True
    return bare[-1] in ":=\"'([{]>|" and len(lead) <= 400


def in_prose(text: str, start: int, end: int, low: int, span: tuple[int, int] | None, request: bool) -> Setting | str:
    """The setting of `text[start:end]` in a paragraph after `low`, or why it is no print.

    `span`: the code span that holds it, if any. `request`: the issue asks for something.
    """
    line_start, line_end = structure.line_at(text, start)
    lead = text[max(low, line_start) : start]
    refused = _no_print(lead, text[line_start:line_end])
    if refused:
        return refused
    outer = span or _quotation(text, start, end) or (start, end)
    before, after = speech.sentence_before(text, outer[0], low), text[outer[1] : outer[1] + speech.REACH]
    own_line = _starts_line(text[max(low, line_start) : outer[0]])
    talk = speech.talk(before, after) or (speech.wished(text, max(low, line_start), low) if own_line else None)
    if talk:
        return f'it is talked about, not printed ("{talk}")'
    if request:
        return "a feature request mentions it"
    return _quoted(text, start, end, span, outer, own_line, speech.reported(before, after))


def _quoted(
    text: str,
    start: int,
    end: int,
    span: tuple[int, int] | None,
    outer: tuple[int, int],
    own_line: bool,
    reported: bool,
) -> Setting | str:
    """The setting of what nobody talks about. `outer`: the code span or quotation, `own_line`: it begins a line."""
    dots = cut_off(text, end)
    trail = text[outer[1] : structure.line_at(text, max(outer[1], end - 1))[1]]
    whole_line = own_line and _bare_trail(trail)
    if not reported and not whole_line:
        return "a sentence speaks of it, which does not say that it was printed"
    if span is not None:
        if not _leads_in(text[span[0] : start].split("\n")[-1]):
            return "it is only a part of a code span"
        alone = _bare(_outside(text, span, start, end))
        return Setting(Source.CODE, 0.95 if alone else 0.9, open_end=dots, alone=alone)
    if whole_line:
        return Setting(Source.PROSE, 0.93, open_end=dots, alone=True)
    if outer != (start, end):
        return Setting(Source.PROSE, 0.92, open_end=dots)
    lead = text[max(0, start - speech.REACH) : start].rstrip(" \t\n*_")
    if lead.endswith(":") and len(re.findall(r"[A-Za-z]{2,}", trail)) <= 6:
        source = Source.ERROR if _ERROR_WORD.search(lead[-12:]) else Source.PROSE
        return Setting(source, 0.9, open_end=dots, alone=_bare_trail(trail))
    return Setting(Source.PROSE, 0.86, printed=False)


def _quotation(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The quotation marks around a match, the second on the line or two."""
    opening = start - 1
    while opening >= max(0, start - 3) and text[opening] in " *_":
        opening -= 1
    mark = text[opening : opening + 1] if opening >= 0 else ""
    closing = text.find(mark, end, end + 400) if mark in ("'", '"') and mark else -1
    return None if closing < 0 or "\n\n" in text[end:closing] else (opening, closing + 1)


def _outside(text: str, span: tuple[int, int], start: int, end: int) -> str:
    rest = text[end : span[1]]
    # What follows a colon or an opening bracket is the printed error that belongs to the message.
    if rest.lstrip(" .!").startswith((":", "(", "{", "[", '"')) or "\n" in rest[:3]:
        rest = ""
    return text[span[0] : start] + rest


def _starts_line(lead: str) -> bool:
    return len(lead.strip(" \t>*_-+•#|`'\"0123456789.)([]")) == 0


def in_title(title: str, start: int, end: int) -> Setting | str:
    """The setting of a match inside the title."""
    lead, trail = title[:start], title[end:]
    dots = cut_off(title, end)
    if _bare(lead) and _bare_trail(trail):
        return Setting(Source.TITLE, 0.95, printed=False, open_end=dots, alone=True)
    if speech.is_request(title):
        return "the title asks for something"
    outer = structure.code_span_at(title, start, end, 0, len(title)) or _quotation(title, start, end)
    talk = speech.talk(title[: outer[0]], title[outer[1] :]) if outer else speech.talk(lead, trail)
    if talk:
        return f'the title talks about it ("{talk}")'
    if outer:
        return Setting(Source.TITLE, 0.92, open_end=dots)
    inside = len(re.findall(r"[A-Za-z]{2,}", title[start:end]))
    outside = len(re.findall(r"[A-Za-z]{2,}", lead)) + len(re.findall(r"[A-Za-z]{2,}", trail))
    clause = lead.rstrip()[-1:] in (":", "-", "(", ",", "\u2013", "\u2014", "]", '"', "'", "|")
    if _bare(lead) or (clause and (outside <= 2 * inside + 2 or not trail.strip())):
        return Setting(Source.TITLE, 0.92, printed=False, open_end=dots)
    if speech.reported(lead, trail) or inside >= outside:
        return Setting(Source.TITLE, 0.88, printed=False)
    return "the title speaks of it"
