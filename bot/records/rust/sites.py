"""The error sites of one Rust file: which macro or call raises, with what text, inside which function."""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from bot.records.rust.brackets import Scope
from bot.records.rust.messages import Message, argument_message, constructor_messages
from bot.records.rust.scope import surroundings
from bot.records.rust.tokens import Token, bracketed, split_arguments

PRINTED_ALONE = {
    "panic": "explicit panic",
    "unimplemented": "not implemented",
    "todo": "not yet implemented",
    "unreachable": "internal error: entered unreachable code",
}
"""What a macro without a text of its own prints: https://doc.rust-lang.org/std/index.html#macros"""

_MESSAGE_ARGUMENT = {
    "panic": 0, "unimplemented": 0, "todo": 0, "unreachable": 0, "compile_error": 0,
    "bail": 0, "anyhow": 0, "eyre": 0, "ensure": 1,
    "assert": 1, "assert_eq": 2, "assert_ne": 2,
    "debug_assert": 1, "debug_assert_eq": 2, "debug_assert_ne": 2,
}  # fmt: skip
_CANDIDATE = re.compile(
    r"""
    \b(?P<macro>panic|unimplemented|todo|unreachable|compile_error|bail|anyhow|eyre|ensure
        |(?:debug_)?assert(?:_eq|_ne)?)\s*!\s*(?=[(\[{])
  | \b(?P<write>writeln|write)\s*!\s*(?=[(\[{])
  | \.\s*(?P<expect>expect|expect_err)\s*(?=\()
  | \.\s*(?P<wrap>ok_or_else|ok_or|map_err|write_str)\s*(?=\()
  | \b(?P<err>Err)\s*(?=\()
  | \b(?P<error>\w{0,60}Error)(?P<path>(?:::\w+){1,3})\s*(?=[({])
  | \#\s*\[\s*(?P<attribute>error)\s*(?=\()
    """,
    re.VERBOSE,
)
_ERROR_TYPE = re.compile(r"Err(?:or)?$|Error|Exception$|Failure$")


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """One place that raises an error. Lines are 1-based."""

    kind: str
    """The macro's or method's name; `err` for error values, `thiserror`, `display`, `tensor_check`."""
    line: int
    """Where the macro, method or constructor stands: what a panic header names."""
    last_line: int
    """Where its literal ends."""
    message: str
    """What the literal says, holes kept as written."""
    function: str | None
    owner: str | None
    """The error's type for `err`, `thiserror` and `display`; else the type of the impl."""
    bare: bool = False
    """The macro has no text of its own; `message` is what std prints."""
    test: bool = False
    in_macro: bool = False
    """Among a macro's tokens: the function it ends up in may be another."""


class FileSites(msgspec.Struct, frozen=True, kw_only=True):
    sites: tuple[Site, ...]
    test_modules: tuple[str, ...] = ()
    """Modules in files of their own that only tests compile."""
    parsed: bool = True
    """Whether the grammar took the whole file; else brackets were counted. A file without a candidate is not parsed."""


def sites_of(source: str) -> FileSites:
    """All error sites of a file in the order of their lines, those of tests marked. Never raises."""
    if "test" not in source and not _CANDIDATE.search(source):
        return FileSites(sites=())
    around, parsed = surroundings(source)
    starts = [0, *(found.end() for found in re.finditer("\n", source))]
    sites: list[Site] = []
    taken: set[int] = set()
    """Offsets of literals that have their site: a constructor inside `Err(…)` is not a second one."""
    # `map_err` and its kin come last: where they build an error, the constructor's line says more.
    for found in sorted(_CANDIDATE.finditer(source), key=lambda found: found["wrap"] is not None):
        name = found.lastgroup
        assert name is not None
        place = found.start(name) if name != "path" else found.start("error")
        scope = around.at(place)
        if scope is None:
            continue
        for kind, owner, message in _read(source, found, scope):
            if message.start in taken:
                continue
            taken.add(message.start)
            sites.append(
                Site(
                    kind=kind,
                    line=bisect_right(starts, place),
                    last_line=bisect_right(starts, max(place, message.end - 1)),
                    message=message.text,
                    function=scope.function,
                    owner=owner or scope.owner,
                    bare=message.bare,
                    test=scope.test,
                    in_macro=scope.in_macro,
                )
            )
    sites.sort(key=lambda site: site.line)
    return FileSites(sites=tuple(sites), test_modules=around.test_modules(), parsed=parsed)


def _read(source: str, found: re.Match[str], scope: Scope) -> list[tuple[str, str | None, Message]]:
    inside = bracketed(source, found.end())
    if macro := found["macro"]:
        return [(macro, None, message) for message in _macro(macro, inside, found.start("macro"))]
    if found["write"]:
        return _displayed(scope, split_arguments(inside)[1:2])
    if found["wrap"] == "write_str":
        return _displayed(scope, split_arguments(inside)[:1])
    if found["expect"]:
        return [("expect", None, message) for message in _first(split_arguments(inside)[:1])]
    if found["attribute"]:
        return [("thiserror", None, message) for message in _first(split_arguments(inside)[:1])]
    if found["error"]:
        # `new` builds a type's error; another last segment is a variant of it.
        kind = "tensor_check" if found["error"] == "TensorError" else "err"
        return [(kind, found["error"] if kind == "err" else None, message) for message in constructor_messages(inside)]
    return [("err", None, message) for message in constructor_messages(inside)]


def _macro(name: str, inside: list[Token], start: int) -> list[Message]:
    arguments = split_arguments(inside)
    if not arguments and name in PRINTED_ALONE:
        return [Message(text=PRINTED_ALONE[name], start=start, end=inside[-1].end, bare=True)]
    index = _MESSAGE_ARGUMENT[name]
    return _first(arguments[index : index + 1])


def _first(arguments: list[list[Token]]) -> list[Message]:
    messages = [argument_message(argument) for argument in arguments]
    return [message for message in messages if message is not None and message.text.strip()]


def _displayed(scope: Scope, arguments: list[list[Token]]) -> list[tuple[str, str | None, Message]]:
    if scope.trait != "Display" or scope.owner is None or not _ERROR_TYPE.search(scope.owner):
        return []
    return [("display", None, message) for message in _first(arguments)]
