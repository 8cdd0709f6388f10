"""The one place where untrusted text, of issues and of records, is made harmless for GitHub's Markdown.

Whatever goes in, what comes out is a code span, a fence, or prose in which nothing is live: no mention, no reference
to an issue or commit, no link, image, HTML, heading, list, table, comment, marker or command, and no character that
hides or reorders others. A backslash does not help against mentions and references: GitHub looks for them in the
finished text. Words that could become one are therefore shown as code, where it does not look.

https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
https://github.github.com/gfm/
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

FENCE_LANGUAGES = frozenset({"rust", "toml", "console", "text"})
"""Others are refused: GitHub draws `mermaid`, `math`, `geojson` and `stl` instead of showing them."""

_LONGEST_RUN = 16
_ORDINARY = re.compile(r"[\t\n\x20-\x7e]*")
_LINE_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MOST_MARKS = 3
_COMMENT_OPENS = re.compile(r"<!(?=--)")
_TICKS = re.compile(r"`+")
_TOO_MANY_TICKS = re.compile(r"`{17,}")
_COMMAND = re.compile(r"[ \t]{0,3}/[A-Za-z]")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")

_LIVE = re.compile(
    r"""
      @                                                     # mentions, addresses, owner/name@sha
    | \#[0-9]                                               # issue references, with or without owner/name
    | (?<![0-9a-z])(?:gh|ghsa|cve)-[0-9a-z]                 # GH-1, advisories
    | (?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])               # commits
    | :// | www\. | (?:mailto|xmpp):                        # addresses that become links by themselves
    | \$                                                    # formulas
    | :[0-9a-z_+-]+:                                        # emoji
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MARKUP = re.compile(r"[\\`*_\[\]<>&~|]")
_AT_START = re.compile(r"[#+=:-]|[0-9]{1,9}(?=[.)])")
_OPENING = "([{\"'“‘"
_CLOSING = ")]}\"'”’.,;:!?…"


def clean(text: str) -> str:
    """The same text without characters that hide, reorder or control others; line breaks become `\\n`.

    Dropped: control and format characters (bidirectional and zero-width ones among them), private and unassigned
    ones, letters without a shape, and combining marks piled on one letter. An HTML comment opens no more.
    """
    text = _LINE_BREAKS.sub("\n", text)
    if not _ORDINARY.fullmatch(text):
        text = "".join(_visible(text))
    return _COMMENT_OPENS.sub("<! ", text)


def one_line(text: str, limit: int) -> str:
    """`text` cleaned, on one line, at most `limit` characters; cut at the end with `…`. Still to be escaped."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def code_span(text: str) -> str:
    """`text` on one line as code, whatever backticks it holds."""
    inner = _TOO_MANY_TICKS.sub("`" * _LONGEST_RUN, " ".join(clean(text).split()))
    if not inner:
        return "` `"
    ticks = "`" * (_longest_run(inner) + 1)
    # A blank keeps an outer backtick of the text apart from ours; CommonMark strips it again.
    blank = " " if inner[0] == "`" or inner[-1] == "`" else ""
    return f"{ticks}{blank}{inner}{blank}{ticks}"


def fence(text: str, lang: str) -> str:
    """`text` as a code block that nothing in it can end. A language that is not in `FENCE_LANGUAGES` becomes `text`.

    A line that other bots could take for a command is indented by four blanks: then it is none by anyone's rules.
    """
    lines = _TOO_MANY_TICKS.sub("`" * _LONGEST_RUN, clean(text)).rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        del lines[0]
    inner = "\n".join(f"    {line.lstrip()}" if _COMMAND.match(line) else line.rstrip() for line in lines)
    ticks = "`" * max(3, _longest_run(inner) + 1)
    return f"{ticks}{lang if lang in FENCE_LANGUAGES else 'text'}\n{inner}\n{ticks}"


def prose(text: str) -> str:
    """Record prose as paragraphs, separated by blank lines. Code spans stay, all other markup becomes plain text."""
    paragraphs = (prose_line(paragraph) for paragraph in _PARAGRAPHS.split(clean(text)))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def prose_line(text: str, *, start: bool = True) -> str:
    """Record prose on one line, for list items and sentences of ours. Code spans stay, the rest becomes plain text.

    `start` is False only for a piece that is put behind other words of its line.
    """
    pieces: list[str] = []
    after_code = False
    for token, is_code in _tokens(" ".join(clean(text).split())):
        at_start = start and not pieces
        live = is_code or _LIVE.search(token) is not None or (at_start and _COMMAND.match(token) is not None)
        for piece, as_code in [(token, True)] if is_code else _split_word(token, live=live):
            if as_code and after_code:
                # Two code spans that touch would merge their backticks.
                pieces.append(" ")
            pieces.append(code_span(piece) if as_code else _plain(piece, at_start=start and not pieces))
            after_code = as_code
    return "".join(pieces)


def shorten(text: str, limit: int) -> str:
    """The sentences of `text` that fit into `limit` characters, else its words with `…`. Never half a code span."""
    line = " ".join(clean(text).split())
    if len(line) <= limit:
        return line
    ends = [end.start() for end in re.finditer(r"(?<=[.!?]) (?=\S)", line[: limit + 1])]
    for end in reversed(ends):
        if end >= limit // 3 and line.count("`", 0, end) % 2 == 0:
            return line[:end]
    cut = line[: limit - 2]
    cut = cut[: cut.rindex(" ")] if " " in cut else cut
    if cut.count("`") % 2:
        cut = cut[: cut.rindex("`")]
    return cut.rstrip() + " …"


def _visible(text: str) -> Iterator[str]:
    marks = 0
    for char in text:
        category = unicodedata.category(char)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if char in "\n\t":
            yield char
        elif category in ("Zs", "Zl", "Zp"):
            yield " "
        elif not (
            category[0] == "C" or char in _INVISIBLE_LETTERS or marks > _MOST_MARKS or _is_variation_selector(char)
        ):
            yield char


def _is_variation_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\u180b" <= char <= "\u180f" or "\U000e0100" <= char <= "\U000e01ef"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _tokens(line: str) -> Iterator[tuple[str, bool]]:
    """Blanks, words and the inside of code spans (True), in order.

    A run of backticks opens a code span when a run of the same length follows, as in CommonMark.
    """
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(line)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    at = 0
    for start, end in runs:
        if start < at:
            continue
        same = by_length[end - start]
        following = bisect_right(same, start)
        if following == len(same):
            continue
        inside = line[end : same[following]]
        if not inside.strip("` "):
            continue
        yield from _words(line[at:start])
        yield inside, True
        at = same[following] + (end - start)
    yield from _words(line[at:])


def _words(text: str) -> Iterator[tuple[str, bool]]:
    for word in re.findall(r" |[^ ]+", text):
        yield word, False


def _split_word(word: str, *, live: bool) -> list[tuple[str, bool]]:
    """A live word as code, with the punctuation around it left outside."""
    if not live:
        return [(word, False)]
    tail = word.lstrip(_OPENING)
    core = tail.rstrip(_CLOSING)
    if not core:
        return [(word, True)]
    parts = [
        (word[: len(word) - len(tail)], False),
        (core, True),
        (tail[len(core) :], False),
    ]
    return [part for part in parts if part[0]]


def _plain(text: str, *, at_start: bool) -> str:
    if at_start and (found := _AT_START.match(text)):
        head = found.group()
        mark = f"{head}\\" if head.isdigit() else f"\\{head}"
        return mark + _MARKUP.sub(r"\\\g<0>", text[found.end() :])
    return _MARKUP.sub(r"\\\g<0>", text)
