"""A record's code and the names in its prose: does the code parse, does every name exist in the stated version?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from bot.records.model import Entry, Kind
from bot.records.rust.apis import Api
from bot.records.rust.literal import SourceFile
from bot.records.rust.manifests import CargoUse, command_use, manifest_use
from bot.records.rust.prose import PROSE_FIELDS, Code, code_blocks, spans
from bot.records.rust.references import Unparsable, snippet_of
from bot.records.verify_outcome import Check, Found
from bot.records.verify_sources import API_REPO, Sources

_SECTION = re.compile(r"^[ \t]*(?://|#)[ \t]*(before|after|or)\b.*$", re.IGNORECASE | re.MULTILINE)
_SLASHES = re.compile(r"^([ \t]*)//", re.MULTILINE)
_RUST = frozenset({"rust", "rs"})
_SHELL = frozenset({"sh", "bash", "shell", "console", "zsh"})
_NOT_CODE = frozenset({"text", "txt", "plain", "output", "log", "python", "py", "json", "yaml", "diff"})
_SHELL_LINE = re.compile(
    r"(?:\$ ?)?(?:[A-Z][A-Z0-9_]*=\S+(?: |$)|(?:cargo|export|pip3?|python3?|rustup|set|unset|nvidia-smi|nvcc)\b)"
)
_VERSION = re.compile(r"\b\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:-pre\.\d{1,3})?\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_VARIABLE = re.compile(r"(?<![\w.])[a-z_]\w*\b(?!\s{0,4}(?:[(<!]|::))")
_LINES_AROUND = 60


class _Versions:
    """The APIs in which a record's names may exist.

    Advice speaks the stated version. What tells how things are, and the code before a fix, may also speak the version
    that the record's source is from; any sentence may speak a version that it names itself.
    """

    def __init__(self, entry: Entry, sources: Sources) -> None:
        self._entry = entry
        self._sources = sources
        self._here = entry.record.analyzed_sha if entry.record.repo == API_REPO else None

    @property
    def stated(self) -> Api | None:
        return self._sources.api(self._entry.extension.api_version, self._here)

    def others(self, sentence: str, *, telling: bool) -> Iterator[Api]:
        """Further versions, each read only when it is asked for."""
        extension, review = self._entry.extension, self._entry.review
        versions = _VERSION.findall(sentence)
        if telling or extension.kind is Kind.HISTORICAL:
            versions += [version for version in (extension.until, extension.since) if version]
            for sha in (self._here, review.commit if review else None):
                if sha and self._sources.has_commit(API_REPO, sha) and (api := self._sources.api(None, sha)):
                    yield api
        for version in versions:
            if api := self._sources.api(version, None):
                yield api


def code_claims(entry: Entry, sources: Sources, source: SourceFile | None) -> Iterator[Found]:
    """Claims of a record's code fields, fences and backtick spans; `source` is the file that raises its error."""
    blocks = list(code_blocks(entry))
    wanted = list(spans(entry))
    if not blocks and not wanted:
        return
    versions = _Versions(entry, sources)
    if versions.stated is None:
        version = entry.extension.api_version
        reason = f"burn {version} is no release of this checkout" if version else f"no checkout of {API_REPO} was given"
        yield Found(Check.API, "extension.apiVersion", reason, checked=bool(version) and sources.has(API_REPO))
    defined: set[str] = set()
    for block in blocks:
        yield from _block_claims(block, versions, defined)
    if versions.stated is None:
        return
    around = _source_near(source, entry.record.line_number)
    names, variables = frozenset(_WORD.findall(around)), frozenset(_VARIABLE.findall(around))
    for span in wanted:
        nearby = names if span.field in PROSE_FIELDS else variables
        complaints = list(versions.stated.missing_in_span(span.text, defined, nearby))
        others = versions.others(span.sentence, telling=span.field in PROSE_FIELDS) if complaints else ()
        foreign = sources.foreign() if complaints else ()
        if any(not list(other.missing_in_span(span.text, defined, nearby)) for other in chain(others, foreign)):
            complaints = []
        yield from (Found(Check.API, span.field, complaint, span.sentence) for complaint in complaints)
        if not complaints:
            yield Found(Check.API, span.field)


def _block_claims(block: Code, versions: _Versions, defined: set[str]) -> Iterator[Found]:
    """Claims of one piece of code; what it defines goes into `defined`, for the prose that speaks of it."""
    if block.language in _NOT_CODE:
        return
    parts = [(block.text, "")]
    if not _parses(block):
        parts = [(text, label) for label, text in _sections(block.text) if text.strip()]
    for part, label in parts:
        yield from _part_claims(part, label, block, versions, defined)


def _parses(block: Code) -> bool:
    if _cargo_use(block.text, block.language) is not None:
        return True
    try:
        snippet_of(block.text)
    except Unparsable:
        return False
    return True


def _sections(text: str) -> list[tuple[str, str]]:
    """`// before …` and `// after …` with what follows each; what stands above the first has no label."""
    pieces = _SECTION.split(text)
    return [("", pieces[0]), *zip(map(str.lower, pieces[1::2]), pieces[2::2], strict=True)]


def _part_claims(part: str, label: str, block: Code, versions: _Versions, defined: set[str]) -> Iterator[Found]:
    use = _cargo_use(part, block.language)
    if use is not None:
        yield Found(Check.CODE, block.field)
        yield from _missing(
            part, label, block, versions, lambda api: [(1, text) for text in api.missing_in_manifest(use)]
        )
        return
    try:
        snippet = snippet_of(part)
    except Unparsable as fault:
        lines = part.split("\n")
        yield Found(Check.CODE, block.field, str(fault), lines[min(fault.line, len(lines)) - 1].strip()[:200])
        return
    yield Found(Check.CODE, block.field)
    known = frozenset(defined)
    yield from _missing(part, label, block, versions, lambda api: list(api.missing_in_code(part, known)))
    defined |= snippet.locals


def _missing(
    part: str,
    label: str,
    block: Code,
    versions: _Versions,
    missing_in: Callable[[Api], list[tuple[int, str]]],
) -> Iterator[Found]:
    """What the stated version lacks; lines before a fix have further chances."""
    if versions.stated is None:
        return
    missing = missing_in(versions.stated)
    before = _lines_before(part, label)
    if any(line in before for line, _ in missing):
        for other in versions.others("", telling=True):
            lacking = {line for line, _ in missing_in(other)}
            missing = [pair for pair in missing if pair[0] not in before or pair[0] in lacking]
    lines = part.split("\n")
    for line, complaint in missing:
        yield Found(Check.API, block.field, complaint, lines[min(line, len(lines)) - 1].strip()[:200])
    if not missing:
        yield Found(Check.API, block.field)


def _lines_before(part: str, label: str) -> set[int]:
    """Line numbers (1-based) under a `before` heading."""
    before: set[int] = set()
    for number, line in enumerate(part.split("\n"), start=1):
        heading = _SECTION.match(line)
        label = heading[1].lower() if heading else label
        if label == "before":
            before.add(number)
    return before


def _cargo_use(part: str, language: str) -> CargoUse | None:
    """What a manifest or a shell command asks for; `None` for Rust, and for a fence that is neither."""
    if language in _RUST:
        return None
    if language in _SHELL or _is_shell(part):
        return command_use(part)
    use = manifest_use(_SLASHES.sub(r"\1#", part))
    return use if use and (use.crates or use.features or language == "toml") else None


def _is_shell(part: str) -> bool:
    lines = [line.strip() for line in part.splitlines() if line.strip() and not line.strip().startswith(("#", "//"))]
    return bool(lines) and all(_SHELL_LINE.match(line) for line in lines)


def _source_near(source: SourceFile | None, line: int | None) -> str:
    """The code around the raising line: what tells how things are may name all that stands there, also where it is
    no API; advice may name its variables.
    """
    if source is None or line is None:
        return ""
    return "\n".join(source.lines[max(0, line - 1 - _LINES_AROUND) : line + _LINES_AROUND])
