"""What surrounds a place in a Rust file: its function, its impl, and whether only tests compile it.

The syntax tree answers; where the grammar reports an error, or inside a macro's tokens, brackets are counted instead.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import pairwise
from typing import Protocol

import msgspec

from bot.records.rust.tokens import CLOSE, OPEN, Sort, Token, tokens

try:
    import tree_sitter
    import tree_sitter_rust
except ImportError as missing:  # the service runs without them
    raise ImportError(
        "reading Rust needs tree-sitter: pip install 'burn-triage[checkout]'", name=missing.name
    ) from missing

_TEST_ATTRIBUTE = re.compile(
    r"#!?\s*\[\s*(?:[\w:]{0,80}\btest\b\s*(?:\]|\()|cfg\s*\(\s*(?:all\s*\(\s*)?test\b|bench\s*\])"
)
_NOT_CODE = frozenset(
    {
        "line_comment",
        "block_comment",
        "doc_comment",
        "outer_doc_comment_marker",
        "inner_doc_comment_marker",
        "string_literal",
        "string_content",
        "escape_sequence",
        "raw_string_literal",
        "char_literal",
    }
)
_TYPE_NAME = re.compile(r"[A-Za-z_]\w*")


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


class Surroundings(Protocol):
    def at(self, offset: int) -> Scope | None:
        """The scope of the code at a character offset; `None` inside a comment or a literal."""

    def test_modules(self) -> tuple[str, ...]:
        """Names of modules in files of their own that only tests compile."""


def surroundings(source: str) -> tuple[Surroundings, bool]:
    """What answers for this file, and whether the grammar took all of it."""
    encoded = source.encode("utf-8", "surrogatepass")
    tree = parser().parse(encoded)
    if tree.root_node.has_error:
        return BracketSurroundings(source), False
    return TreeSurroundings(source, encoded, tree), True


def function_at(source: str, line: int) -> str | None:
    """The innermost function around the first code of a line (1-based); `None` outside functions."""
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        return None
    start = sum(len(text) + 1 for text in lines[: line - 1])
    around, _ = surroundings(source)
    for token in tokens(source, start, start + len(lines[line - 1])):
        scope = around.at(token.start)
        if scope is not None:
            return scope.function
    return None


@cache
def language() -> tree_sitter.Language:
    return tree_sitter.Language(tree_sitter_rust.language())


def parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(language())


class TreeSurroundings:
    def __init__(self, source: str, encoded: bytes, tree: tree_sitter.Tree) -> None:
        self._source = source
        self._encoded = encoded
        self._ascii = len(encoded) == len(source)
        self._root = tree.root_node
        self._test_file = any(
            self._is_test(child) for child in self._root.children if child.type == "inner_attribute_item"
        )

    def at(self, offset: int) -> Scope | None:
        place = offset if self._ascii else len(self._source[:offset].encode("utf-8", "surrogatepass"))
        node = self._root.descendant_for_byte_range(place, place + 1)
        if node is None or node.type in _NOT_CODE:
            return None
        function = owner = trait = None
        test = self._test_file
        tokens_of: tree_sitter.Node | None = None
        in_macro = False
        current: tree_sitter.Node | None = node
        while current is not None:
            kind = current.type
            if kind in _NOT_CODE:
                return None
            if kind == "token_tree":
                tokens_of = current
            elif kind == "macro_definition" or (kind == "macro_invocation" and tokens_of is not None):
                in_macro = True
                inner = BracketSurroundings(self._text(current)).at(offset - self._offset(current))
                if inner is not None:
                    function, owner, trait = function or inner.function, owner or inner.owner, trait or inner.trait
                    test = test or inner.test
            elif kind == "function_item":
                function = function or self._field(current, "name")
                test = test or self._attributed_test(current)
            elif kind == "impl_item":
                owner = owner or _last_name(self._field(current, "type"))
                trait = trait or _last_name(self._field(current, "trait"))
                test = test or self._attributed_test(current)
            elif kind in {"enum_item", "struct_item", "trait_item"}:
                owner = owner or self._field(current, "name")
            elif kind == "attribute_item":
                owner = owner or self._attributed_type(current)
            elif kind == "mod_item":
                test = test or self._attributed_test(current)
            current = current.parent
        return Scope(function=function, owner=owner, trait=trait, test=test, in_macro=in_macro)

    def test_modules(self) -> tuple[str, ...]:
        return tuple(
            name
            for child in self._root.children
            if child.type == "mod_item" and child.child_by_field_name("body") is None
            if self._attributed_test(child) and (name := self._field(child, "name"))
        )

    def _text(self, node: tree_sitter.Node) -> str:
        return self._encoded[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def _offset(self, node: tree_sitter.Node) -> int:
        start = node.start_byte
        return start if self._ascii else len(self._encoded[:start].decode("utf-8", "surrogatepass"))

    def _field(self, node: tree_sitter.Node, name: str) -> str | None:
        child = node.child_by_field_name(name)
        return None if child is None else self._text(child)

    def _is_test(self, attribute: tree_sitter.Node) -> bool:
        return _TEST_ATTRIBUTE.match(self._text(attribute)) is not None

    def _attributed_test(self, item: tree_sitter.Node) -> bool:
        before = item.prev_sibling
        while before is not None and before.type in {"attribute_item", "line_comment", "block_comment"}:
            if before.type == "attribute_item" and self._is_test(before):
                return True
            before = before.prev_sibling
        return False

    def _attributed_type(self, attribute: tree_sitter.Node) -> str | None:
        after = attribute.next_sibling
        while after is not None and after.type in {"attribute_item", "line_comment", "block_comment"}:
            after = after.next_sibling
        return self._field(after, "name") if after is not None and after.type in {"enum_item", "struct_item"} else None


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
        self._test_file = any(found.group().startswith("#!") for found in _TEST_ATTRIBUTE.finditer(source[:4000]))
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
    return bool(head) and _TEST_ATTRIBUTE.search(source, head[0].start, head[-1].end) is not None


def _last_name(path: str | None) -> str | None:
    """`fmt::Display` → `Display`, `Foo<Bar>` → `Foo`, `&mut a::B<C>` → `B`; arrays and tuples have none."""
    if path is None or path.startswith(("[", "(")):
        return None
    names = _TYPE_NAME.findall(path.partition("<")[0])
    return names[-1] if names else None
