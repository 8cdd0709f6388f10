"""The names that a piece of Rust code uses and does not define itself: what must exist for it to make sense."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable

import msgspec
import tree_sitter

from bot.records.rust.scope import parser

LONGEST_CODE = 20_000
_DEEPEST_MACRO = 4
_CAMEL = re.compile(r"[A-Z]\w*[a-z]\w*")
_WRAPPERS = (
    ("", ""),
    ("fn __example() {\n", "\n}"),
    ("fn __example() {\n", "\n;}"),
    ("fn __example() { let _ =\n", "\n; }"),
    ("type __Example =\n", "\n;"),
    ("impl __Example {\n", "\n}"),
    ("trait __Example {\n", "\n;}"),
    ("struct __Example {\n", "\n}"),
)
"""What may stand around a snippet to make it a file: items, statements, one expression, a type, methods, fields."""


class Use(enum.StrEnum):
    METHOD = "method"
    FIELD = "field"
    FUNCTION = "function"
    TYPE = "type"
    MACRO = "macro"
    DERIVE = "derive"
    PATH = "path"


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    use: Use
    path: tuple[str, ...]
    """The name; for paths all segments, generics left out."""
    line: int
    """Of the snippet, 1-based."""
    local: bool = False
    """The snippet itself defines the name, or what its first segment names."""

    @property
    def name(self) -> str:
        return self.path[-1]

    def __str__(self) -> str:
        text = "::".join(self.path)
        return {Use.METHOD: f".{text}()", Use.FIELD: f".{text}", Use.FUNCTION: f"{text}()", Use.MACRO: f"{text}!"}.get(
            self.use, text
        )


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    references: tuple[Reference, ...]
    locals: frozenset[str]


class Unparsable(Exception):
    """The text is no Rust in any of the usual surroundings. `line` is where the first error stands."""

    def __init__(self, line: int) -> None:
        super().__init__(f"is not Rust that parses (line {line})")
        self.line = line


def snippet_of(code: str) -> Snippet:
    """What `code` uses and defines. Raises `Unparsable`; text longer than 20,000 characters is never parsed."""
    if len(code) > LONGEST_CODE:
        raise Unparsable(1)
    worst = 1
    for before, after in _WRAPPERS:
        root = parser().parse(f"{before}{code}{after}".encode("utf-8", "surrogatepass")).root_node
        if not root.has_error and not (before == "" and _only_expressions(root)):
            reader = _Reader(before.count("\n"))
            try:
                reader.read(root, 0)
            except RecursionError as error:  # imports nested a thousand deep
                raise Unparsable(1) from error
            return Snippet(references=reader.resolved(), locals=frozenset(reader.defined - {"__example", "__Example"}))
        if before.startswith("fn") and worst == 1:
            worst = max(1, min(_error_line(root) - before.count("\n"), code.count("\n") + 1))
    raise Unparsable(worst)


class _Reader:
    def __init__(self, lines_before: int) -> None:
        self.defined: set[str] = set()
        self._found: dict[tuple[Use, tuple[str, ...]], int] = {}
        self._before = lines_before

    def resolved(self) -> tuple[Reference, ...]:
        return tuple(
            Reference(use=use, path=path, line=line, local=path[0] in self.defined)
            for (use, path), line in self._found.items()
        )

    def read(self, root: tree_sitter.Node, depth: int) -> None:
        todo = [root]
        while todo:
            node = todo.pop()
            if node.type.startswith("use_") or node.type == "scoped_use_list":
                self._imports(node, ())
                continue
            self._node(node, depth)
            if node.type in {"scoped_identifier", "scoped_type_identifier"}:
                todo.extend(_generic_parts(node))
            elif node.type != "token_tree":
                todo.extend(reversed(node.children))

    def _node(self, node: tree_sitter.Node, depth: int) -> None:
        kind = node.type
        if kind == "field_expression":
            field = node.child_by_field_name("field")
            if field is not None and field.type == "field_identifier":
                called = _is_callee(node)
                self._use(Use.METHOD if called else Use.FIELD, (_text(field),), field)
        elif kind == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and function.type == "generic_function":
                function = function.child_by_field_name("function")
            if function is not None and function.type == "identifier":
                self._use(Use.FUNCTION, (_text(function),), function)
        elif kind in {"scoped_identifier", "scoped_type_identifier"}:
            path = _path(node)
            if path:
                self._use(Use.PATH, path, node)
        elif kind == "type_identifier":
            parent = node.parent
            if parent is not None and _defines(parent, node):
                self.defined.add(_text(node))
            else:
                self._use(Use.TYPE, (_text(node),), node)
        elif kind in {"identifier", "field_identifier", "shorthand_field_identifier"}:
            self._identifier(node)
        elif kind == "macro_invocation":
            self._macro(node, depth)
        elif kind == "attribute_item":
            self._attribute(node)

    def _identifier(self, node: tree_sitter.Node) -> None:
        parent = node.parent
        if parent is None:
            return
        if parent.type == "tuple_struct_pattern" and parent.child_by_field_name("type") == node:
            self._use(Use.FUNCTION, (_text(node),), node)
        elif _defines(parent, node) or parent.type.endswith("_pattern") or parent.type == "closure_parameters":
            if not (parent.type == "field_pattern" and node.type == "field_identifier"):
                self.defined.add(_text(node))
        elif parent.child_by_field_name("pattern") == node:
            self.defined.add(_text(node))
        elif parent.type == "field_initializer" and node.type == "field_identifier":
            self._use(Use.FIELD, (_text(node),), node)
        elif node.type == "identifier" and _CAMEL.fullmatch(_text(node)) and not _is_named(parent, node):
            self._use(Use.TYPE, (_text(node),), node)  # a unit struct or a variant as a value

    def _macro(self, node: tree_sitter.Node, depth: int) -> None:
        macro = node.child_by_field_name("macro")
        if macro is not None and macro.type == "identifier":
            self._use(Use.MACRO, (_text(macro),), macro)
        arguments = next((child for child in node.children if child.type == "token_tree"), None)
        if arguments is None or depth >= _DEEPEST_MACRO:
            return
        line = self._before
        code = f"fn __example() {{ __example({_text(arguments)[1:-1]}) }}"
        root = parser().parse(code.encode("utf-8", "surrogatepass")).root_node
        if not root.has_error:
            self._before = line - node.start_point[0]
            self.read(root, depth + 1)
            self._before = line
            self._found.pop((Use.FUNCTION, ("__example",)), None)

    def _attribute(self, node: tree_sitter.Node) -> None:
        text = _text(node)
        if "derive" in text:
            for name in text.partition("(")[2].rpartition(")")[0].split(","):
                path = tuple(part.strip() for part in name.split("::") if part.strip())
                if path:
                    self._use(Use.DERIVE, path[-1:], node)

    def _imports(self, node: tree_sitter.Node, before: tuple[str, ...]) -> None:
        """`use a::{b, c::D as E}` uses `a::b` and `a::c::D`, and defines `b` and `E`."""
        kind = node.type
        if kind == "use_declaration":
            argument = node.child_by_field_name("argument")
            if argument is not None:
                self._imports(argument, before)
        elif kind == "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if path is not None and alias is not None:
                self._imported(path, (*before, *(_path(path) or ())), _text(alias))
        elif kind == "scoped_use_list":
            path, listed = node.child_by_field_name("path"), node.child_by_field_name("list")
            inside = (*before, *(_path(path) or ())) if path is not None else before
            for child in listed.named_children if listed is not None else ():
                self._imports(child, inside)
        elif kind == "use_list":
            for child in node.named_children:
                self._imports(child, before)
        elif kind == "use_wildcard":
            inner = node.named_children[0] if node.named_children else None
            if inner is not None:
                self._imported(inner, (*before, *(_path(inner) or ())), None)
        else:
            path_of = before if kind == "self" else (*before, *(_path(node) or ()))
            self._imported(node, path_of, None)

    def _imported(self, node: tree_sitter.Node, path: tuple[str, ...], alias: str | None) -> None:
        if path:
            self._use(Use.PATH if len(path) > 1 else Use.TYPE, path, node)
        if alias and alias != "_":
            self.defined.add(alias)

    def _use(self, use: Use, path: tuple[str, ...], node: tree_sitter.Node) -> None:
        line = max(1, node.start_point[0] + 1 - self._before)
        self._found.setdefault((use, tuple(part.removeprefix("r#") for part in path)), line)


def _defines(parent: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    """Whether the parent is an item, a parameter or a binding whose name the node is."""
    if parent.type == "type_binding":
        return True
    named = parent.type.endswith(("_item", "_parameter", "_declaration", "_definition")) or parent.type in {
        "enum_variant",
        "associated_type",
        "const_parameter",
    }
    return named and parent.child_by_field_name("name") == node


def _is_named(parent: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    """Whether the node is the callee of a call or the name of a macro, which are read on their own."""
    return any(parent.child_by_field_name(field) == node for field in ("function", "macro"))


def _is_callee(node: tree_sitter.Node) -> bool:
    parent = node.parent
    if parent is not None and parent.type == "generic_function":
        node, parent = parent, parent.parent
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _path(node: tree_sitter.Node) -> tuple[str, ...] | None:
    """`a::B::<C>::d` → `("a", "B", "d")`. `None` for `<T as Trait>::f`, whose owner is no name."""
    segments: list[str] = []
    current: tree_sitter.Node | None = node
    while current is not None:
        if current.type in {"scoped_identifier", "scoped_type_identifier"}:
            name = current.child_by_field_name("name")
            segments.append(_text(name) if name is not None else "")
            current = current.child_by_field_name("path")
        elif current.type in {"generic_type", "generic_type_with_turbofish"}:
            current = current.child_by_field_name("type")
        elif current.type == "bracketed_type":
            return None
        else:
            segments.append(_text(current))
            break
    return tuple(reversed(segments))


def _generic_parts(node: tree_sitter.Node) -> Iterable[tree_sitter.Node]:
    """The generic arguments inside a path, which are types of their own."""
    todo = [node]
    while todo:
        current = todo.pop()
        for child in current.children:
            if child.type in {"type_arguments", "bracketed_type"}:
                yield child
            elif child.type in {
                "scoped_identifier",
                "scoped_type_identifier",
                "generic_type",
                "generic_type_with_turbofish",
            }:
                todo.append(child)


def _only_expressions(root: tree_sitter.Node) -> bool:
    """A file of bare expressions parses too, but statements read better inside a function."""
    return any(child.type.endswith(("_expression", "expression_statement")) for child in root.named_children)


def _error_line(root: tree_sitter.Node) -> int:
    node = root
    while True:
        child = next((child for child in node.children if child.has_error or child.is_missing), None)
        if child is None:
            return node.start_point[0] + 1
        node = child


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
