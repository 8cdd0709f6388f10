"""From what the user typed to text that can be searched: capped, and freed of everything that is not words.

Two texts of the same length come out. `text` keeps paths, tags and fences, for the readers of structure; `words`
has escapes of Debug strings and tags blanked, for the readers of messages. Blanking keeps
the length, so one offset serves both. Every pattern here is linear: no nested or adjacent unbounded repeats.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bot.matching.offsets import OffsetMap

MAX_CHARS = 65_536
"""GitHub's own limit for a body; more can only come from elsewhere."""
MAX_TITLE = 512
_TAIL = 16_384

_CHARACTERS = {
    "'": "\u2018\u2019\u201b\u2032\uff07",
    '"': "\u201c\u201d\u201e\u2033\uff02\u00ab\u00bb",
    " ": "\u00a0\u2007\u202f\u3000\ufeff",
    "\n": "\u2028\u2029",
    ":": "\uff1a",
}
"""Plain character to those that stand for it in typeset or pasted text."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060]")
_ANSI = re.compile(r"(?:\x1b|\u241b|\^\[)\[[0-9;?]{0,24}[A-Za-z]")
_ANSI_SPELT = re.compile(r"\\(?:x1[bB]|u001[bB]|u\{1b\}|e|033)\[[0-9;?]{0,24}[A-Za-z]")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[a-zA-Z]{2,8}\d{0,2});")
_MARKDOWN_ESCAPE = re.compile(r"\\(?=[_*`<>\[\]#~])")
_TAG = re.compile(
    r"</?(?:[abipu]|(?i:blockquote|br|code|del|details|div|em|font|h[1-6]|hr|img|ins|kbd|li|ol|pre|samp|small|span|strong|"
    r"sub|summary|sup|table|tbody|td|th|thead|tr|tt|ul))(?:\s[^<>]{0,400})?/?>"
)
"""Short names in lower case only: `Autodiff<B>` is no bold face."""
_DEBUG_ESCAPE = re.compile(r"""\\[nrt"']""")


@dataclass(frozen=True, slots=True)
class Cleaned:
    text: str
    words: str
    """Same length as `text`."""
    title_end: int
    """Where the title ends in both."""
    offsets: OffsetMap


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@lru_cache(maxsize=256)
def _character(entity: str) -> str:
    plain = html.unescape(entity)
    return " " if plain == "\xa0" else plain


def _unescape(match: re.Match[str]) -> str:
    return _character(match[0])


def _blank_comments(text: str) -> str:
    """HTML comments (the issue form's hints) become blanks; an unclosed one stays, it is likely an arrow."""
    pieces: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        comment = text[start : end + 3]
        pieces += (text[done:start], "\n".join(" " * len(line) for line in comment.split("\n")))
        done = end + 3
    pieces.append(text[done:])
    return "".join(pieces)


def clean(title: str, body: str) -> Cleaned:
    """Clean title and body. Positions refer to `title + "\\n\\n" + body` as given."""
    original = f"{title}\n\n{body}"
    offsets = OffsetMap(len(original))
    text = original
    title_end = len(title)
    if title_end > MAX_TITLE:
        rest = len(original) - title_end
        text = offsets.cut(text, MAX_TITLE, rest, "")
        title_end = MAX_TITLE
    text = offsets.cut(text, title_end + 2 + MAX_CHARS - _TAIL, _TAIL, "\n\n")
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "\n" in text[:title_end]:
        text = text[:title_end].replace("\n", " ") + text[title_end:]
    unusual = _unusual(text)
    for plain, others in _CHARACTERS.items():
        for other in unusual.intersection(others):
            text = text.replace(other, plain)
    head = text[:title_end]
    invisible = any(_INVISIBLE.match(character) for character in unusual)
    text = _edit(offsets, text, invisible=invisible)
    # The title is edited by the same rules, so its new end follows from editing it alone.
    title_end = len(_edit(OffsetMap(len(head)), head, invisible=invisible))
    return Cleaned(text, _only_words(text), title_end, offsets)


def _unusual(text: str) -> frozenset[str]:
    """The characters of the text beyond ASCII."""
    if text.isascii():
        return frozenset()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return frozenset(map(chr, np.unique(codes[codes > 127]).tolist()))


def _edit(offsets: OffsetMap, text: str, *, invisible: bool) -> str:
    if invisible:
        text = offsets.substitute(_INVISIBLE, text, lambda _: "")
    if "\x1b" in text or "\u241b" in text or "^[" in text:
        text = _ANSI.sub(_blank, text)
    if "\\" in text:
        text = _ANSI_SPELT.sub(_blank, text)
    if "&" in text:
        text = offsets.substitute(_ENTITY, text, _unescape)
    if "\\" in text:
        text = offsets.substitute(_MARKDOWN_ESCAPE, text, lambda _: "")
    if "<!--" in text:
        text = _blank_comments(text)
    return text


def _only_words(text: str) -> str:
    words = text
    if "<" in words:
        words = _TAG.sub(_blank, words)
    if "\\" in words:
        words = _DEBUG_ESCAPE.sub("  ", words.replace("\\n", " \n"))
    return words
