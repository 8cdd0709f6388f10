"""Does a name exist? Judged by the definitions of one version, by what the text itself defines, by the allow-list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from bot.records.rust.checkout import Checkout
from bot.records.rust.definitions import Definitions, definitions_of
from bot.records.rust.known import Known
from bot.records.rust.manifests import CargoUse, Manifests, command_use, manifest_use
from bot.records.rust.references import Reference, Snippet, Unparsable, Use, snippet_of

_WORD = re.compile(r"[A-Za-z_]\w*")
_KEBAB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_ENVIRONMENT = re.compile(r"([A-Z][A-Z0-9_]{2,80})(?:=\S*)?")
_FILE = re.compile(r"[\w./{}*\-]{1,200}\.(?:rs|toml|md|py|json|yml)")
_COMMAND = re.compile(
    r"(?:\$ ?)?(?:[A-Z][A-Z0-9_]*=\S* )*"
    r"(?:cargo|pip3?|python3?|rustup|apt(?:-get)?|export|git|curl|nvidia-smi|vulkaninfo) "
)
_PYTHON = re.compile(r"\w=(?:True|False|None)\b")
_PROGRAM = re.compile(r"(?:^|/)src/bin/([\w-]{1,80})(?:\.rs|/main\.rs)$")
_ELIDED = re.compile(r"\(\s*(?:…|\.\.\.?)\s*\)|<\s*(?:…|\.\.\.?)\s*>|\[\s*(?:…|\.\.\.?)\s*\]")
_SIZE_SUFFIX = re.compile(r"[0-9][0-9_]*(?:usize|isize|[uif](?:8|16|32|64))?")


class Api(msgspec.Struct, kw_only=True):
    """The names of one version of a repository, joined with those of the repositories beside it."""

    version: str
    """As people know it: `burn 0.21.0`."""
    definitions: Definitions
    manifests: Manifests
    files: frozenset[str] = frozenset()
    known: Known

    def missing_in_code(self, code: str, more_locals: Iterable[str] = ()) -> Iterator[tuple[int, str]]:
        """Line (1-based) and complaint for every name that `code` uses and nobody defines. Raises `Unparsable`."""
        snippet = snippet_of(code)
        known = snippet.locals | set(more_locals) | self._imported(snippet)
        for reference in snippet.references:
            complaint = self._complaint(reference, known, public=True)
            if complaint:
                yield reference.line, complaint

    def missing_in_manifest(self, use: CargoUse) -> Iterator[str]:
        for name in use.features:
            if name not in self.manifests.features and name not in self.known.names and name != "default":
                yield f"no crate of {self.version} has a feature {name!r}"
        for name in use.crates:
            if not self._is_crate(name) and name not in self.manifests.dependencies and name not in self.known.names:
                yield f"{self.version} has no crate {name!r}"

    def missing_in_span(self, span: str, more_locals: Iterable[str] = (), nearby: Iterable[str] = ()) -> Iterator[str]:
        """Complaints about one backtick span of prose. What is no code (a printed message, a shape) has none.

        `more_locals` are names that the record's own code defines; `nearby` those of the source around the error,
        which prose may mention as words but nobody can call.
        """
        text = _ELIDED.sub(lambda found: found.group()[0] + found.group()[-1], span.strip())
        known = set(more_locals)
        if not any(character.isalpha() for character in text) or _SIZE_SUFFIX.fullmatch(text):
            return
        root, dot, _ = text.partition(".")
        if (dot and root in self.known.foreign) or _PYTHON.search(text):
            return
        if _COMMAND.match(text):
            yield from self.missing_in_manifest(command_use(text))
        elif _FILE.fullmatch(text):
            yield from self._missing_file(text)
        elif found := _ENVIRONMENT.fullmatch(text):
            yield from self._missing_constant(found[1], known | set(nearby))
        elif _KEBAB.fullmatch(text):
            if not self._is_anything(text, known):
                yield f"{self.version} has no crate, feature or cargo key {text!r}"
        elif _WORD.fullmatch(text):
            if not self._is_anything(text, known | set(nearby)):
                yield f"nothing in {self.version} is named {text!r}"
        elif (use := manifest_use(text)) is not None:
            yield from self.missing_in_manifest(use)
        else:
            yield from self._missing_in_expression(text, known)

    def _missing_in_expression(self, text: str, known: set[str]) -> Iterator[str]:
        if text.startswith("["):  # a shape, whose words are dimensions
            return
        code = f"it{text}" if text.startswith(".") and not text.startswith("..") else text
        try:
            snippet = snippet_of(code)
        except Unparsable:
            return
        if " " in text and not snippet.references:
            return
        for reference in snippet.references:
            # Prose may speak of a crate's own functions; code that people copy may not.
            complaint = self._complaint(reference, snippet.locals | known | self._imported(snippet), public=False)
            if complaint:
                yield complaint

    def _imported(self, snippet: Snippet) -> set[str]:
        """Names that come from crates outside the checkout."""
        return {
            reference.name
            for reference in snippet.references
            if reference.use is Use.PATH and reference.path[0] in self.known.crates
        }

    def _missing_file(self, text: str) -> Iterator[str]:
        if not self.files or any(mark in text for mark in "{}*") or text.endswith(("Cargo.toml", "config.toml")):
            return
        if text.endswith(".rs") and not any(path == text or path.endswith(f"/{text}") for path in self.files):
            yield f"{self.version} has no file {text!r}"

    def _missing_constant(self, name: str, known: set[str]) -> Iterator[str]:
        names = (self.definitions.environment, self.definitions.constants, self.definitions.types,
                 self.definitions.variants, self.definitions.parameters, self.known.names, known)  # fmt: skip
        if not any(name in group for group in names):
            yield f"no constant or environment variable of {self.version} is named {name!r}"

    def _complaint(self, reference: Reference, known: set[str] | frozenset[str], *, public: bool) -> str | None:
        if reference.local or reference.path[0] in known or reference.path[0] in {"Self", "self", "super", "crate"}:
            return None
        if reference.use is Use.PATH:
            return self._path_complaint(reference, public=public)
        if self._has(reference.use, reference.name, public=public):
            return None
        if public and reference.name in self.definitions.private and reference.use in {Use.METHOD, Use.FUNCTION}:
            return f"{reference} is not public in {self.version}"
        what = {Use.METHOD: "method", Use.FIELD: "field", Use.FUNCTION: "function", Use.MACRO: "macro",
                Use.DERIVE: "derive macro"}.get(reference.use, "type")  # fmt: skip
        return f"{self.version} has no {what} {reference}"

    def _has(self, use: Use, name: str, *, public: bool) -> bool:
        names = self.definitions
        if name in self.known.names:
            return True
        callable_ = name in names.functions or (not public and name in names.private)
        match use:
            case Use.METHOD:
                return callable_ or name in names.fields
            case Use.FIELD:
                # Prose writes a method without its parentheses.
                return name in names.fields or (callable_ and not public)
            case Use.FUNCTION:
                return callable_ or name in names.variants or name in names.types or name in names.aliases
            case Use.MACRO:
                return name in names.macros or name in names.functions
            case Use.DERIVE:
                return name in names.macros or name in names.types or name in names.aliases
            case _:
                return self._is_type(name) or (name in names.functions | names.modules) or self._is_crate(name)

    def _path_complaint(self, reference: Reference, *, public: bool) -> str | None:
        path = reference.path
        before, last = path[-2:]
        if path[0] in self.known.crates:
            return None
        for name in path[:-1]:
            if not (self._is_type(name) or self._is_module(name)):
                return f"{self.version} has no module or type {name!r} (in {reference})"
        if before[:1].isupper() and len(before) > 2:
            if before in self.definitions.types or before in self.definitions.aliases:
                return None if self._is_member(before, last) else f"{before} has no {last!r} in {self.version}"
            if before in self.known.names:
                return None
        # A module, a crate, or a type parameter, which may be any type.
        if not self._is_anything(last, set()):
            return f"{self.version} has no {last!r} (in {reference})"
        if public and last in self.definitions.private and not self._is_public(last):
            return f"{reference} is not public in {self.version}"
        return None

    def _is_public(self, name: str) -> bool:
        names = self.definitions
        groups = (names.functions, names.types, names.modules, names.constants, names.aliases, names.macros)
        return any(name in group for group in groups)

    def _is_member(self, owner: str, name: str) -> bool:
        if name in self.definitions.members_of(owner) or name in self.known.provided:
            return True
        # A trait from another crate may bring it; so may a type that the alias stands for.
        targets = {owner, *self.definitions.aliases.get(owner, ())}
        return not any(target in self.definitions.members or target in self.definitions.types for target in targets)

    def _is_type(self, name: str) -> bool:
        names = self.definitions
        return (
            name in names.types
            or name in names.aliases
            or name in names.variants
            or name in names.parameters
            or name in self.known.names
            or (len(name) <= 2 and name[:1].isupper())
        )

    def _is_module(self, name: str) -> bool:
        return name in self.definitions.modules or self._is_crate(name) or name in {"crate", "self", "super"}

    def _is_crate(self, name: str) -> bool:
        return name in self.manifests.crates or name.replace("_", "-") in self.manifests.crates

    def _is_anything(self, name: str, known: set[str]) -> bool:
        names = self.definitions
        groups = (known, self.known.names, self.known.crates, names.functions, names.private, names.types,
                  names.variants, names.fields, names.constants, names.macros, names.modules, names.parameters,
                  names.aliases, names.environment, self.manifests.programs, self.manifests.features,
                  self.manifests.dependencies)  # fmt: skip
        return len(name) <= 2 or any(name in group for group in groups) or self._is_crate(name)


def read_api(
    checkouts: Iterable[tuple[Checkout, str | None]],
    *,
    version: str,
    known: Known,
    counts: Callable[[str], bool],
) -> Api:
    """The API of several checkouts, each at its revision; `counts` says which source files are part of it."""
    definitions, manifests, files = Definitions(), Manifests(), set[str]()
    for checkout, revision in checkouts:
        for path in checkout.paths(revision):
            files.add(path)
            if program := _PROGRAM.search(path):
                manifests.programs.add(program[1])
            if path.endswith("Cargo.toml"):
                manifests.add(checkout.read(path, revision) or "")
            elif path.endswith(".rs") and counts(path):
                definitions.add(definitions_of(checkout.read(path, revision) or ""))
    return Api(version=version, definitions=definitions, manifests=manifests, files=frozenset(files), known=known)
