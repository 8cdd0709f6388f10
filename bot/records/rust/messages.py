"""Which literal among a call's arguments is the error's message, and what it says."""

from __future__ import annotations

import msgspec

from bot.records.rust.tokens import CLOSE, OPEN, Sort, Token, split_arguments

_TEXT_MACROS = frozenset({"format", "concat", "format_args", "anyhow", "eyre", "formatcp"})
_MADE_TEXT = frozenset({"to_string", "to_owned", "into", "as_str", "to_string_lossy", "clone"})
_PASSES_ON = frozenset({"from", "new", "other", "custom", "msg", "ok_or", "ok_or_else", "map_err", "new_spanned"})
"""Lower-case calls whose argument is the message; capitalised names are constructors and pass it on too."""
_BEFORE_VALUE = frozenset({"(", ",", ":", "|", "=>", "{", "&", "else", "return"})
_AFTER_VALUE = frozenset({")", ",", "}", "]", ""})


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A message with the character offsets of its literal in the source."""

    text: str
    start: int
    end: int
    bare: bool = False


def argument_message(argument: list[Token]) -> Message | None:
    """The text of an argument that is one: a literal, `concat!`, `format!`, `String::from`, `"…".to_string()`."""
    index = 0
    while index < len(argument) and argument[index].value == "&" and argument[index].sort is Sort.MARK:
        index += 1
    rest = argument[index:]
    if not rest:
        return None
    first = rest[0]
    if first.sort is Sort.STRING:
        plain = len(rest) == 1 or (rest[1].value == "." and len(rest) > 2 and rest[2].value in _MADE_TEXT)
        return Message(text=first.value, start=first.start, end=first.end) if plain else None
    if first.sort is Sort.NAME:
        path, opener = _callee(rest)
        if opener is None:
            return None
        inner = split_arguments(rest[opener:])
        if path[-1] == "concat!":
            return _joined(inner)
        if path[-1].endswith("!"):
            return argument_message(inner[0]) if path[-1][:-1] in _TEXT_MACROS and inner else None
        if path[-2:] == ["String", "from"] and inner:
            return argument_message(inner[0])
    return None


def constructor_messages(inside: list[Token]) -> list[Message]:
    """The messages among the arguments of an error's constructor: `Err(Kind::Shape(format!("…")))`, `"…".into()`.

    Names and keys handed to other calls are no messages; neither is a single word.
    """
    found: list[Message] = []
    carries = [True]
    """For each open bracket: whether a literal standing in it is a value of the error."""
    index = 1
    while index < len(inside) - 1:
        token = inside[index]
        before = inside[index - 1]
        if token.sort is Sort.MARK and token.value in OPEN:
            path = _path_before(inside, index)
            if path[-1:] and path[-1].endswith("!"):
                close = _closing(inside, index)
                if carries[-1] and path[-1][:-1] in _TEXT_MACROS:
                    start = index - 2 * len(path) if len(path) == 1 else index - 2
                    message = argument_message(inside[start : close + 1])
                    if message is not None:
                        found.append(message)
                index = close + 1
                continue
            carries.append(carries[-1] and _passes_on(token, before, path))
        elif token.sort is Sort.MARK and token.value in CLOSE:
            if len(carries) > 1:
                carries.pop()
        elif token.sort is Sort.STRING and carries[-1] and _is_value(inside, index):
            found.append(Message(text=token.value, start=token.start, end=token.end))
        index += 1
    return [message for message in found if len(message.text.split()) > 1]


def _callee(argument: list[Token]) -> tuple[list[str], int | None]:
    """The path an argument begins with and the index of the bracket it calls: `a::b!(…)` → `["a", "b!"], 5`."""
    path: list[str] = []
    for index, token in enumerate(argument):
        if token.sort is Sort.NAME:
            path.append(token.value)
        elif token.value == "!" and path:
            path[-1] += "!"
        elif token.value in OPEN and path:
            return path, index
        elif token.value != "::":
            break
    return path, None


def _path_before(inside: list[Token], bracket: int) -> list[str]:
    """The path that ends right before a bracket, e.g. `["Error", "Shape"]`, `["format!"]`, `[".map_err"]`."""
    path: list[str] = []
    index = bracket - 1
    suffix = ""
    if index >= 0 and inside[index].value == "!" and inside[index].sort is Sort.MARK:
        suffix = "!"
        index -= 1
    while index >= 0 and inside[index].sort is Sort.NAME:
        path.insert(0, inside[index].value + suffix)
        suffix = ""
        index -= 1
        if index >= 0 and inside[index].value == "::":
            index -= 1
            continue
        if index >= 0 and inside[index].value == ".":
            path[0] = "." + path[0]
        break
    return path


def _passes_on(bracket: Token, before: Token, path: list[str]) -> bool:
    if bracket.value == "[":
        return False
    if not path:
        return before.value in _BEFORE_VALUE or before.value in {"{", "=>"}
    name = path[-1].lstrip(".")
    if bracket.value == "{":
        return name[:1].isupper() or name == "else"
    if path[-1].startswith("."):
        return name in _PASSES_ON
    return name[:1].isupper() or name in _PASSES_ON


def _is_value(inside: list[Token], index: int) -> bool:
    before, after = inside[index - 1], inside[index + 1]
    if before.sort is Sort.STRING or before.value not in _BEFORE_VALUE:
        return False
    if after.value == ".":
        return index + 2 < len(inside) and inside[index + 2].value in _MADE_TEXT
    return after.sort is Sort.MARK and after.value in _AFTER_VALUE


def _closing(inside: list[Token], bracket: int) -> int:
    depth = 0
    for index in range(bracket, len(inside)):
        token = inside[index]
        if token.sort is Sort.MARK:
            if token.value in OPEN:
                depth += 1
            elif token.value in CLOSE:
                depth -= 1
                if depth == 0:
                    return index
    return len(inside) - 1


def _joined(parts: list[list[Token]]) -> Message | None:
    """`concat!`: literals one after the other, anything else (`env!`, `stringify!`) a hole."""
    tokens = [token for part in parts for token in part]
    if not any(token.sort is Sort.STRING for token in tokens):
        return None
    text = "".join(
        part[0].value if len(part) == 1 and part[0].sort in {Sort.STRING, Sort.OTHER} else "{}" for part in parts
    )
    return Message(text=text, start=tokens[0].start, end=tokens[-1].end)
