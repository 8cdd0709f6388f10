"""Is it printed, or only talked about? Judges the place in the issue where a template was found.

What a program printed stands under a panic header, on a line of its own (in a fence, a quote, or bare), in a code
span or in quotation marks. Rust source, backtrace frames, compiler diagnostics, log lines below error level, the
issue form's own text and sentences about a message are not prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.matching import structure
from bot.matching.verdict import Source

_FRAME = re.compile(r"[ \t>|]*(?:\d{1,4}:[ \t]+(?:0x[0-9a-fA-F]+ - )?[A-Za-z_<]|at [^\n]*[:(]\d|#\d+ )")
_LOW_LEVEL = re.compile(r"\b(?:INFO|DEBUG|TRACE)\b")
_MACRO = re.compile(
    r"(?:\b[a-z_]{2,30}!\s*[(\[{]\s*(?:[^\n\"]{0,160},\s*)?|\bexpect(?:_err)?\(\s*|expected\s*=\s*|\.(?:context|with_context)\([^\n\"]{0,40}"
    r"|#\[error\(\s*)[rfb]?#?[\"'`]\s*$|=>\s*write!|^[ \t>]*(?://|\#|\*|--)[^\n]*$"
)
_DIAGNOSTIC = re.compile(r"error\[E\d{4}\]|^\s*-->|^\s*\d*\s*\|\s|^\s*= (?:note|help):|^\s*(?:warning|help):")
_ERROR_LEAD = re.compile(
    r"(?:\b(?:error|errors|fatal|exception|panic|panics|panicked|fail|fails|failed|crash|crashes|crashed|message|says|saying|said"
    r"|prints|printed|get|gets|got|getting|see|seeing|shows|throws|raises|reports|with|cause|reason|output|value|err|this)\b"
    r"[^A-Za-z0-9\n]{0,12}|[:=>(\[\"'`]\s*)$",
    re.IGNORECASE,
)
_DOTS = re.compile(r"[^\n.\u2026\u00b7]{0,60}(?:\.\.\.|\u2026|\u00b7\u00b7)")
_ERROR_WORD = re.compile(r"\b(?:error|fatal)\b", re.IGNORECASE)
_HERALD = re.compile(r"\b(?:error|fatal|panic|panicked)\b", re.IGNORECASE)
_WRAPPER = re.compile(
    r"not (?:yet )?implemented:|internal error: entered unreachable code:|assertion (?:`[^`]{1,20}` )?failed:",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:(?:error|panic\w*|fatal|exception|message|caused by|output|says)\W{0,8}|:\s*\W{0,3})$", re.IGNORECASE
)
_TALK = re.compile(
    r"\b(?:(?:should|could|would|must|might|ought to|needs? to|want(?:s|ed)? (?:it )?to)"
    r"(?: (?:rather|instead|just|simply|also|then))?"
    r" (?:say|print|read|be|show|report|panic|fail|return|throw|raise|emit|give|get|tell)"
    r"|instead of|rather than|suggest\w*|propos\w+|renam\w+|reword\w*|rephras\w+"
    r"|no longer|used to|was fixed|is fixed|already fixed|resolved|grep\w*|search(?:ed|ing)? for"
    r"|documentation|docs? (?:say|mention|describe)\w*|documented"
    r"|add(?:ing)? an? (?:check|error|panic|message|assert)|unlike|imagine|suppose|hypothetical\w*"
    r"|(?:the )?(?:wording|phrase|text|string|literal)(?: of| in)?"
    r"|what does|meaning of|(?:means?|mentions?|mentioning|about|called|named)\s*$)",
    re.IGNORECASE,
)
_REQUEST_TITLE = re.compile(
    r"^\W*(?:feature|proposal|propose|rfc|tracking|tracker|add|adding|support|implement|allow|improve|better|rename"
    r"|reword|document|docs?|documentation|discussion|idea|suggestion|enhancement"
    r"|consider|make|expose|provide|should|can we|could we|please add)\b"
    r"|feature request|\bproposal\b",
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


def is_request(title: str) -> bool:
    """Whether the title asks for something rather than reports something."""
    return _REQUEST_TITLE.search(title) is not None


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


def in_fence(text: str, start: int, end: int, low: int) -> Setting | str:
    """The setting of `text[start:end]` inside a fence of output that begins at `low`, or why it is no print."""
    line_start, line_end = structure.line_at(text, start)
    line_start = max(line_start, low)
    lead = text[line_start:start]
    refused = _no_print(lead, text[line_start:line_end])
    if refused:
        return refused
    if not _leads_in(lead):
        return "it stands in the middle of a sentence"
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
    """The setting of `text[start:end]` in a paragraph that begins at `low`, or why it is no print.

    `span`: the code span that holds it, if any. `request`: the issue asks for something.
    """
    line_start, line_end = structure.line_at(text, start)
    lead = text[max(low, line_start) : start]
    refused = _no_print(lead, text[line_start:line_end])
    if refused:
        return refused
    sentence = _sentence_before(text, span[0] if span else start, low)
    talk = _TALK.search(sentence)
    if talk:
        return f'it is talked about, not printed ("{talk[0].strip()}")'
    if request:
        return "a feature request mentions it"
    dots = cut_off(text, end)
    if span is not None:
        if not _leads_in(text[span[0] : start].split("\n")[-1]):
            return "it is only a part of a code span"
        alone = _bare(_outside(text, span, start, end))
        said = _ERROR_LEAD.search(sentence.rstrip("`")) is not None or _starts_line(
            text[max(low, line_start) : span[0]]
        )
        return Setting(Source.CODE, 0.95 if alone else 0.9, open_end=dots, alone=alone and said)
    _, end_line = structure.line_at(text, max(start, end - 1))
    trail = text[end:end_line]
    if _starts_line(lead) and len(re.findall(r"[A-Za-z]{2,}", trail)) <= 12:
        return Setting(Source.PROSE, 0.93, open_end=dots, alone=_bare_trail(trail))
    if _quoted(text, start, end):
        return Setting(Source.PROSE, 0.92, open_end=dots)
    if _ANNOUNCED.search(sentence) and len(re.findall(r"[A-Za-z]{2,}", trail)) <= 6:
        source = Source.ERROR if _ERROR_WORD.match(lead.lstrip(" \t>*-")) else Source.PROSE
        said = sentence.rstrip()[-1:] == ":" and _HERALD.search(sentence[-40:]) is not None
        printed = not sentence.rstrip()[-1:].isalnum()
        return Setting(source, 0.9, printed=printed, open_end=dots, alone=said and _bare_trail(trail))
    return Setting(Source.PROSE, 0.86 if _ERROR_LEAD.search(sentence) else 0.8, printed=False)


def _outside(text: str, span: tuple[int, int], start: int, end: int) -> str:
    rest = text[end : span[1]]
    # What follows a colon or an opening bracket is the printed error that belongs to the message.
    if rest.lstrip(" .!").startswith((":", "(", "{", "[", '"')) or "\n" in rest[:3]:
        rest = ""
    return text[span[0] : start] + rest


def _starts_line(lead: str) -> bool:
    return len(lead.strip(" \t>*_-+•#|`'\"0123456789.)([]")) == 0


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether a quotation mark stands before, and its partner later on the line or two."""
    before = text[max(0, start - 3) : start].rstrip(" *_")
    return before[-1:] in ('"', "'") and before[-1] in text[end : end + 400].split("\n\n", 1)[0]


def _sentence_before(text: str, start: int, low: int) -> str:
    piece = text[max(low, start - 160) : start]
    for stop in (". ", "! ", "? ", ".\n", "\n\n", "\n- ", "\n* "):
        if (at := piece.rfind(stop)) >= 0:
            piece = piece[at + len(stop) :]
    return piece


def in_title(title: str, start: int, end: int) -> Setting | str:
    """The setting of a match inside the title."""
    lead, trail = title[:start], title[end:]
    dots = cut_off(title, end)
    if _bare(lead) and _bare_trail(trail):
        return Setting(Source.TITLE, 0.95, printed=False, open_end=dots, alone=True)
    if _REQUEST_TITLE.search(title):
        return "the title asks for something"
    if structure.code_span_at(title, start, end, 0, len(title)) is not None or _quoted(title, start, end):
        return Setting(Source.TITLE, 0.92, open_end=dots)
    if _TALK.search(lead):
        return "the title talks about it"
    inside = len(re.findall(r"[A-Za-z]{2,}", title[start:end]))
    outside = len(re.findall(r"[A-Za-z]{2,}", lead)) + len(re.findall(r"[A-Za-z]{2,}", trail))
    clause = lead.rstrip()[-1:] in (":", "-", "(", ",", "\u2013", "\u2014", "]", '"', "'", "|")
    if _bare(lead) or (clause and (outside <= 2 * inside + 2 or not trail.strip())):
        return Setting(Source.TITLE, 0.92, printed=False, open_end=dots)
    if _ERROR_LEAD.search(lead) or inside >= outside:
        return Setting(Source.TITLE, 0.88, printed=False)
    return Setting(Source.TITLE, 0.78, printed=False)
