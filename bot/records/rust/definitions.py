"""Which names a Rust file defines: functions, types, what belongs to a type, macros, modules, parameters.

Names only, no resolution of imports: enough to say that an API does *not* exist, never to prove that a call compiles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from bot.records.rust.scope import parser

ANY_TYPE = "*"
"""Owner of what an `impl<T> Trait for T` gives to every type."""

_GENERATED = re.compile(r"\b(?P<what>fn|struct|enum|trait|type|const|mod|macro_rules!)\s+(?P<name>[A-Za-z_]\w*)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_ENVIRONMENT = re.compile(r'"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"')
_DERIVE_MACRO = re.compile(r"\bproc_macro_derive\s*\(\s*([A-Za-z_]\w*)")
_DERIVE = re.compile(r"\bderive\s*\(([^()]*)\)")
_TYPES = {"struct_item", "enum_item", "union_item", "trait_item", "type_item"}


class Definitions(msgspec.Struct, kw_only=True):
    """The names of one file, or of many joined. Mutable while they are gathered."""

    functions: set[str] = msgspec.field(default_factory=set)
    """Functions and methods that callers outside the crate can name: public ones, those of traits and of macros."""
    private: set[str] = msgspec.field(default_factory=set)
    types: set[str] = msgspec.field(default_factory=set)
    members: dict[str, set[str]] = msgspec.field(default_factory=dict)
    """By type or trait: its methods, associated items, variants."""
    traits: dict[str, set[str]] = msgspec.field(default_factory=dict)
    """By type: the traits it implements, derives among them. By trait: its supertraits."""
    aliases: dict[str, set[str]] = msgspec.field(default_factory=dict)
    """`type A = B` and `use b::B as A`: what a name may stand for."""
    variants: set[str] = msgspec.field(default_factory=set)
    fields: set[str] = msgspec.field(default_factory=set)
    constants: set[str] = msgspec.field(default_factory=set)
    macros: set[str] = msgspec.field(default_factory=set)
    modules: set[str] = msgspec.field(default_factory=set)
    parameters: set[str] = msgspec.field(default_factory=set)
    """Names of functions' parameters and of type parameters: prose may speak of them."""
    environment: set[str] = msgspec.field(default_factory=set)
    """Environment variables, as far as their names stand in string literals."""

    def add(self, other: Definitions) -> None:
        for name in self.__struct_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, set):
                mine |= theirs
            else:
                for key, values in theirs.items():
                    mine.setdefault(key, set()).update(values)

    def members_of(self, name: str) -> set[str]:
        """All that may follow `name::`, traits and aliases followed; bounded, whatever circles there are."""
        found: set[str] = set()
        todo, seen = [name, ANY_TYPE], {name, ANY_TYPE}
        while todo:
            current = todo.pop()
            found |= self.members.get(current, set())
            for further in (*self.traits.get(current, ()), *self.aliases.get(current, ())):
                if further not in seen:
                    seen.add(further)
                    todo.append(further)
        return found


def joined(parts: Iterable[Definitions]) -> Definitions:
    whole = Definitions()
    for part in parts:
        whole.add(part)
    return whole


def definitions_of(source: str) -> Definitions:
    """The names that a file defines. Never raises; where the grammar fails, every name that looks defined counts."""
    root = parser().parse(source.encode("utf-8", "surrogatepass")).root_node
    reader = _Reader()
    reader.items(root.children, owner=None, public=False)
    if root.has_error:
        reader.generated(source)
    reader.found.macros.update(_DERIVE_MACRO.findall(source))
    reader.found.environment.update(_ENVIRONMENT.findall(source))
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found = Definitions(members=defaultdict(set), traits=defaultdict(set), aliases=defaultdict(set))

    def items(self, nodes: Iterable[tree_sitter.Node], *, owner: str | None, public: bool) -> None:
        """`public` says that the surrounding trait or macro makes its items public."""
        derives: set[str] = set()
        test = False
        for node in nodes:
            kind = node.type
            if kind == "attribute_item":
                text = _text(node)
                derives.update(_derived(text))
                test = test or ("test" in text and "cfg" in text and "not(" not in text)
                continue
            if kind in {"line_comment", "block_comment"}:
                continue
            if not test:
                self._item(node, kind, owner, public or _is_public(node), derives)
            derives, test = set(), False

    def generated(self, text: str) -> None:
        """Whatever looks defined among a macro's tokens: nobody knows which of it a call makes."""
        into = {"fn": self.found.functions, "const": self.found.constants, "mod": self.found.modules,
                "macro_rules!": self.found.macros}  # fmt: skip
        for found in _GENERATED.finditer(text):
            into.get(found["what"], self.found.types).add(found["name"])

    def _item(self, node: tree_sitter.Node, kind: str, owner: str | None, public: bool, derives: set[str]) -> None:
        found = self.found
        name = _field(node, "name")
        if kind in {"function_item", "function_signature_item"} and name:
            (found.functions if public else found.private).add(name)
            if owner:
                found.members[owner].add(name)
            self._parameters(node)
        elif kind in _TYPES and name:
            found.types.add(name)
            self._type(node, kind, name, derives)
        elif kind == "impl_item":
            self._impl(node)
        elif kind in {"const_item", "static_item", "associated_type"} and name:
            (found.types if kind == "associated_type" else found.constants).add(name)
            if owner:
                found.members[owner].add(name)
        elif kind == "mod_item" and name:
            found.modules.add(name)
            self._body(node, owner=None, public=False)
        elif kind == "macro_definition" and name:
            found.macros.add(name)
            self.generated(_text(node).partition("{")[2])
        elif kind == "use_declaration":
            self._renames(node)
        elif kind == "foreign_mod_item":
            self._body(node, owner=None, public=False)
        elif kind in {"macro_invocation", "expression_statement"}:
            self.generated(_text(node))

    def _type(self, node: tree_sitter.Node, kind: str, name: str, derives: set[str]) -> None:
        found = self.found
        found.traits[name] |= derives
        self._type_parameters(node)
        if kind == "trait_item":
            bounds = node.child_by_field_name("bounds")
            if bounds is not None:
                found.traits[name].update(part for part in map(_last_name, bounds.named_children) if part)
            self._body(node, owner=name, public=True)
        elif kind == "type_item":
            target = _last_name(node.child_by_field_name("type"))
            if target:
                found.aliases[name].add(target)
        elif kind == "enum_item":
            for variant in _children(node, "enum_variant"):
                if label := _field(variant, "name"):
                    found.variants.add(label)
                    found.members[name].add(label)
                    self._fields(variant)
        else:
            fields = self._fields(node)
            if "Config" in derives:  # burn-derive writes a builder: `new`, `with_…`, and the trait's `load` and `save`
                made = {"new", *(f"with_{field}" for field in fields)}
                found.functions |= made
                found.members[name] |= made
        if derives & {"Module", "Record"}:
            found.types.update({f"{name}Record", f"{name}RecordItem"})
            found.members[f"{name}Record"].update(("into_item", "from_item"))

    def _impl(self, node: tree_sitter.Node) -> None:
        target, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        owner, trait_name = _last_name(target), _last_name(trait)
        if owner and owner in self._type_parameters(node):
            owner = ANY_TYPE
        if owner and trait_name:
            self.found.traits[owner].add(trait_name)
        self._body(node, owner=owner, public=trait is not None)

    def _body(self, node: tree_sitter.Node, *, owner: str | None, public: bool) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self.items(body.children, owner=owner, public=public)

    def _fields(self, node: tree_sitter.Node) -> set[str]:
        body = node.child_by_field_name("body")
        names = (
            {name for field in _children(body, "field_declaration") if (name := _field(field, "name"))}
            if body
            else set()
        )
        self.found.fields |= names
        return names

    def _parameters(self, node: tree_sitter.Node) -> None:
        self._type_parameters(node)
        parameters = node.child_by_field_name("parameters")
        for parameter in _children(parameters, "parameter") if parameters else ():
            pattern = parameter.child_by_field_name("pattern")
            if pattern is not None:
                self.found.parameters.update(_NAME.findall(_text(pattern)))

    def _type_parameters(self, node: tree_sitter.Node) -> set[str]:
        parameters = node.child_by_field_name("type_parameters")
        names = {name for part in parameters.named_children if (name := _field(part, "name"))} if parameters else set()
        self.found.parameters |= names
        return names

    def _renames(self, node: tree_sitter.Node) -> None:
        todo = [node]
        while todo:
            current = todo.pop()
            if current.type == "use_as_clause":
                alias, target = _field(current, "alias"), _last_name(current.child_by_field_name("path"))
                if alias and target and alias != "_":
                    self.found.aliases[alias].add(target)
            elif "use" in current.type or current.type == "scoped_use_list":
                todo.extend(current.named_children)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _field(node: tree_sitter.Node, name: str) -> str | None:
    child = node.child_by_field_name(name)
    return None if child is None else _text(child).removeprefix("r#")


def _children(node: tree_sitter.Node, kind: str) -> Iterator[tree_sitter.Node]:
    """Children of a kind, those of the body included."""
    body = node.child_by_field_name("body")
    return (child for child in (body or node).children if child.type == kind)


def _is_public(node: tree_sitter.Node) -> bool:
    first = node.children[0] if node.children else None
    return first is not None and first.type == "visibility_modifier" and first.child_count == 1


def _derived(attribute: str) -> Iterator[str]:
    for found in _DERIVE.finditer(attribute):
        yield from (name.split("::")[-1].strip() for name in found[1].split(","))


def _last_name(node: tree_sitter.Node | None) -> str | None:
    """The name of a type or path without its generics: `a::B<C>` → `B`, `&mut B` → `B`, `dyn A` → `A`."""
    for _ in range(20):
        if node is None:
            return None
        if node.type in {"type_identifier", "identifier", "primitive_type"}:
            return _text(node).removeprefix("r#")
        following = (
            node.child_by_field_name("name") or node.child_by_field_name("type") or node.child_by_field_name("trait")
        )
        if following is None and node.type in {"dynamic_type", "abstract_type", "higher_ranked_trait_bound"}:
            following = node.named_children[-1] if node.named_children else None
        if following is None or node.type in {"array_type", "tuple_type", "function_type"}:
            return None
        node = following
    return None
