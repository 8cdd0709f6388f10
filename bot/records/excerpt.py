"""What an excerpt of Rust source tells: the function around a line. For records that come without it.

The excerpt begins and ends anywhere, so this reads braces, not grammar; with a checkout at hand, tree-sitter does
it properly (`records harvest`, `records verify`).
"""

from __future__ import annotations

import re

LONGEST = 20_000

# Every alternative closes optionally, so that none is tried twice: linear on any text.
_TOKEN = re.compile(
    r"""
      //[^\n]*
    | /\*(?:[^*]|\*(?!/))*(?:\*/)?
    | \br\#"(?:[^"]|"(?!\#))*(?:"\#)?
    | \br"[^"]*"?
    | "(?:[^"\\]|\\.)*"?
    | '(?:[^'\\\n]|\\.[^'\n]{0,8})'
    | (?P<mark>[{}()\[\];])
    """,
    re.VERBOSE | re.DOTALL,
)
_FUNCTION = re.compile(r"\bfn\s+(?:r#)?([A-Za-z_][A-Za-z0-9_]*)")
_RAISES = re.compile(r'"|![({\[]|\.(?:expect|unwrap)\w{0,20}\(')
_CLOSES = {"}": "{", ")": "(", "]": "["}


def enclosing_function(excerpt: str, index: int) -> str | None:
    """The innermost `fn` whose body holds line `index` (from 0) of the excerpt; None when its head lies above it."""
    lines = excerpt.split("\n")
    if not 0 <= index < len(lines):
        return None
    raises = _RAISES.search(lines[index])
    text = "\n".join([*lines[:index], lines[index][: raises.start() if raises else None]])
    if len(text) > LONGEST:
        return None
    opened: list[tuple[str, int, int]] = []
    begin = 0
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark is None:
            continue
        if mark in "{([":
            opened.append((mark, begin, token.start()))
            begin = token.end() if mark == "{" else begin
        elif mark == ";":
            # `;` ends a statement, unless it stands in an array type.
            begin = token.end() if not opened or opened[-1][0] == "{" else begin
        else:
            if opened and opened[-1][0] == _CLOSES[mark]:
                opened.pop()
            begin = token.end() if mark == "}" else begin
    for mark, start, end in reversed(opened):
        header = _FUNCTION.findall(text, start, end) if mark == "{" else []
        if header:
            return str(header[-1])
    return None
