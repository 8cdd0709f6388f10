"""Judges Markdown as GitHub would show it: what is live in it, and what a reader sees before unfolding anything.

Parsed with markdown-it-py (CommonMark with GFM's tables and strikethrough). What GitHub makes of finished text, such as
mentions, references and bare addresses, is looked for in all text that is not code.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

LIVE_TEXT = {
    "mention or address": re.compile(r"@"),
    "issue reference": re.compile(r"#[0-9]|(?<![0-9a-z])gh-[0-9]", re.IGNORECASE),
    "commit": re.compile(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])", re.IGNORECASE),
    "bare link": re.compile(r"://|www\.|mailto:|xmpp:", re.IGNORECASE),
    "formula": re.compile(r"\$"),
}
COMMAND_LINE = re.compile(r"^[ \t]{0,3}/[A-Za-z]", re.MULTILINE)


def parse(markdown: str) -> list[Token]:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)


def leaves(tokens: list[Token]) -> Iterator[Token]:
    """Every token that is not a mere container of others."""
    for token in tokens:
        if token.type == "inline":
            yield from leaves(token.children or [])
        else:
            yield token


def texts(markdown: str) -> list[str]:
    """The text outside code, as shown."""
    return [token.content for token in leaves(parse(markdown)) if token.type == "text"]


def kinds(markdown: str) -> set[str]:
    return {token.type for token in leaves(parse(markdown))}


def shown(markdown: str) -> str:
    """All that is shown, code included."""
    return "".join(token.content for token in leaves(parse(markdown)) if token.type in ("text", "code_inline", "fence"))


def invisible(text: str) -> list[str]:
    """Characters that hide, reorder or control others."""
    return [f"U+{ord(char):04X}" for char in text if unicodedata.category(char)[0] == "C" and char not in "\n\t"]


def live(markdown: str) -> list[str]:
    """What GitHub would make of the text that is not code: mentions, references, links. Empty is harmless."""
    found = [
        f"{name}: {text!r}" for text in texts(markdown) for name, pattern in LIVE_TEXT.items() if pattern.search(text)
    ]
    found += [f"command: {line!r}" for line in COMMAND_LINE.findall(markdown)]
    found += [f"invisible: {char}" for char in invisible(markdown)]
    return found


def alerts(markdown: str) -> int:
    """Block quotes that GitHub shows as alerts; what stands in code is none."""
    tokens = parse(markdown)
    return sum(
        token.type == "blockquote_open" and tokens[at + 2].content.startswith("[!")
        for at, token in enumerate(tokens[:-2])
    )


def links(markdown: str) -> list[str]:
    return [str(token.attrs["href"]) for token in leaves(parse(markdown)) if token.type == "link_open"]


def html(markdown: str) -> list[str]:
    return [token.content.strip() for token in leaves(parse(markdown)) if token.type in ("html_inline", "html_block")]


def visible_lines(markdown: str, *, width: int = 120) -> int:
    """Rows that a reader sees with everything folded: paragraphs wrapped, blank rows left out."""
    rows = 0
    depth = 0
    for token in parse(markdown):
        if token.type == "html_block":
            depth += token.content.count("<details") - token.content.count("</details>")
            rows += token.content.count("<details")
        elif depth == 0 and token.type == "inline":
            rows += len(textwrap.wrap(shown_inline(token), width)) or 1
        elif depth == 0 and token.type == "fence":
            rows += token.content.count("\n") + 1
    return rows


def shown_inline(token: Token) -> str:
    return "".join(child.content for child in token.children or [] if child.type in ("text", "code_inline"))
