"""What surrounds a place in a Rust file: its function, its impl, and whether only tests compile it.

The syntax tree answers; where the grammar reports an error, or inside a macro's tokens, brackets are counted instead.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Protocol

from bot.records.rust.brackets import TEST_ATTRIBUTE, BracketSurroundings, Scope
from bot.records.rust.tokens import tokens

try:
    import tree_sitter
    import tree_sitter_rust
except ImportError as missing:  # the service runs without them
    raise ImportError(
        "reading Rust needs tree-sitter: pip install 'burn-triage[checkout]'", name=missing.name
    ) from missing

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
        return TEST_ATTRIBUTE.match(self._text(attribute)) is not None

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


def _last_name(path: str | None) -> str | None:
    """`fmt::Display` → `Display`, `Foo<Bar>` → `Foo`, `&mut a::B<C>` → `B`; arrays and tuples have none."""
    if path is None or path.startswith(("[", "(")):
        return None
    names = _TYPE_NAME.findall(path.partition("<")[0])
    return names[-1] if names else None
