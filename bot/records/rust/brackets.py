"""What surrounds a place, told by counting brackets: for files that the grammar refuses and for macros' tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

import msgspec

from bot.records.rust.tokens import CLOSE, OPEN, Sort, Token, tokens

TEST_ATTRIBUTE = re.compile(
    r"#!?\s*\[\s*(?:[\w:]{0,80}\btest\b\s*(?:\]|\()|cfg\s*\(\s*(?:all\s*\(\s*)?test\b|bench\s*\])"
)
"""`#[test]`, `#[tokio::test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`, `#[bench]`, and the same for a whole file."""


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    function: str | None = None
    """Name of the innermost function, as the last segment of a backtrace frame."""
    owner: str | None = None
    """The type of the impl, or the enum or struct, that the place belongs to."""
    trait: str | None = None
    """The trait that the impl implements, last path segment."""
    test: bool = False
    in_macro: bool = False
    """Inside `macro_rules!` or a macro's arguments, where the grammar sees only tokens."""


class _Block(msgspec.Struct):
    start: int
    end: int
    scope: Scope


class _Frame(msgspec.Struct):
    """An open bracket: what it surrounds, and the tokens since its last item or statement ended."""

    close: str
    scope: Scope
    head: list[Token]
    block: _Block | None = None


class BracketSurroundings:
    """Follows items and brackets token by token; knows nothing of expressions, so it also takes broken files."""

    def __init__(self, source: str) -> None:
        self._code: set[int] = set()
        self._blocks: list[_Block] = []
        self._test_modules: list[str] = []
        self._test_file = any(found.group().startswith("#!") for found in TEST_ATTRIBUTE.finditer(source[:4000]))
        self._scan(source)
        self._blocks.sort(key=lambda block: block.start)
        self._starts = [block.start for block in self._blocks]

    def at(self, offset: int) -> Scope | None:
        if offset not in self._code:
            return None
        for index in range(bisect_right(self._starts, offset) - 1, -1, -1):
            if offset < self._blocks[index].end:
                return self._blocks[index].scope
        return Scope(test=self._test_file)

    def test_modules(self) -> tuple[str, ...]:
        return tuple(self._test_modules)

    def _scan(self, source: str) -> None:
        frames = [_Frame("", Scope(test=self._test_file), [])]
        for token in tokens(source):
            self._code.add(token.start)
            frame = frames[-1]
            mark = token.value if token.sort is Sort.MARK else ""
            if mark in OPEN:
                frames.append(self._opened(source, frame, token))
                frame.head.append(token)
            elif mark in CLOSE:
                while len(frames) > 1 and frames[-1].close != mark and any(f.close == mark for f in frames):
                    self._closed(frames.pop(), token.start)
                if len(frames) > 1 and frames[-1].close == mark:
                    self._closed(frames.pop(), token.end)
                if mark == "}":
                    frames[-1].head.clear()
            elif mark == ";":
                if len(frames) == 1 and (name := _name_after(frame.head, "mod")) and _has_test(source, frame.head):
                    self._test_modules.append(name)
                frame.head.clear()
            else:
                frame.head.append(token)
        for frame in frames:
            self._closed(frame, len(source))

    def _opened(self, source: str, outer: _Frame, bracket: Token) -> _Frame:
        frame = _Frame(OPEN[bracket.value], outer.scope, [])
        if bracket.value == "{":
            frame.scope = _entered(source, outer)
            if frame.scope is not outer.scope:
                # An attribute and a signature are inside their item.
                start = outer.head[0].start if outer.head else bracket.start
                frame.block = _Block(start, len(source), frame.scope)
                self._blocks.append(frame.block)
        return frame

    @staticmethod
    def _closed(frame: _Frame, end: int) -> None:
        if frame.block is not None:
            frame.block.end = end


def _entered(source: str, outer: _Frame) -> Scope:
    head, scope = outer.head, outer.scope
    test = scope.test or _has_test(source, head)
    if name := _name_after(head, "fn"):
        return msgspec.structs.replace(scope, function=name, test=test)
    if any(token.value == "impl" and token.sort is Sort.NAME for token in head):
        return msgspec.structs.replace(
            scope, owner=_impl_part(head, last=True), trait=_impl_part(head, last=False), test=test
        )
    for word in ("enum", "struct", "trait"):
        if name := _name_after(head, word):
            return msgspec.structs.replace(scope, owner=name, test=test)
    if _name_after(head, "mod"):
        return msgspec.structs.replace(scope, test=test)
    return scope


def _name_after(head: list[Token], word: str) -> str | None:
    for token, following in pairwise(head):
        if token.sort is Sort.NAME and token.value == word and following.sort is Sort.NAME:
            return following.value
    return None


def _impl_part(head: list[Token], *, last: bool) -> str | None:
    """The type (`last`) or the trait of an impl's head: the last name outside angle brackets of its half."""
    halves: list[list[str]] = [[]]
    depth = 0
    begun = False
    for token in head:
        if not begun:
            begun = token.sort is Sort.NAME and token.value == "impl"
        elif token.value in {"<", ">"}:
            depth += 1 if token.value == "<" else -1
        elif depth == 0 and token.value == "for":
            halves.append([])
        elif depth == 0 and token.value == "where":
            break
        elif depth == 0 and token.sort is Sort.NAME:
            halves[-1].append(token.value)
    if not last:
        return halves[0][-1] if len(halves) > 1 and halves[0] else None
    return halves[-1][-1] if halves[-1] else None


def _has_test(source: str, head: list[Token]) -> bool:
    return bool(head) and TEST_ATTRIBUTE.search(source, head[0].start, head[-1].end) is not None
