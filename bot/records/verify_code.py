"""A record's code and the names in its prose: does the code parse, does every name exist in the stated version?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.records.model import Entry
from bot.records.rust.apis import Api
from bot.records.rust.literal import SourceFile
from bot.records.rust.manifests import CargoUse, command_use, manifest_use
from bot.records.rust.prose import Code, code_blocks, spans
from bot.records.rust.references import Unparsable, snippet_of
from bot.records.verify_outcome import Check, Found
from bot.records.verify_sources import API_REPO, Sources

_SECTION = re.compile(r"^[ \t]*(?://|#)[ \t]*(?:before|after|or)\b.*$", re.IGNORECASE | re.MULTILINE)
_SLASHES = re.compile(r"^([ \t]*)//", re.MULTILINE)
_RUST = frozenset({"rust", "rs"})
_SHELL = frozenset({"sh", "bash", "shell", "console", "zsh"})
_NOT_CODE = frozenset({"text", "txt", "plain", "output", "log", "python", "py", "json", "yaml", "diff"})
_SHELL_LINE = re.compile(
    r"(?:\$ ?)?(?:[A-Z][A-Z0-9_]*=\S+(?: |$)|(?:cargo|export|pip3?|python3?|rustup|set|unset|nvidia-smi|nvcc)\b)"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_LINES_AROUND = 60


def code_claims(entry: Entry, sources: Sources, source: SourceFile | None) -> Iterator[Found]:
    blocks = list(code_blocks(entry))
    wanted = list(spans(entry))
    if not blocks and not wanted:
        return
    version = entry.extension.api_version
    api = sources.api(version, entry.record.analyzed_sha if entry.record.repo == API_REPO else None)
    if api is None:
        reason = f"burn {version} is no release of this checkout" if version else f"no checkout of {API_REPO} was given"
        yield Found(Check.API, "extension.apiVersion", reason, checked=bool(version) and sources.has(API_REPO))
    defined: set[str] = set()
    for block in blocks:
        yield from _block_claims(block, api, defined)
    if api is None:
        return
    nearby = _names_near(source, entry.record.line_number)
    for span in wanted:
        complaints = list(api.missing_in_span(span.text, defined, nearby))
        yield from (Found(Check.API, span.field, complaint, span.sentence) for complaint in complaints)
        if not complaints:
            yield Found(Check.API, span.field)


def _block_claims(block: Code, api: Api | None, defined: set[str]) -> Iterator[Found]:
    """Claims of one piece of code; what it defines goes into `defined`, for the prose that speaks of it."""
    if block.language in _NOT_CODE:
        return
    parts = [block.text]
    if not _parses(block):
        parts = [part for part in _SECTION.split(block.text) if part.strip()] or parts
    for part in parts:
        yield from _part_claims(part, block, api, defined)


def _parses(block: Code) -> bool:
    if _cargo_use(block.text, block.language) is not None:
        return True
    try:
        snippet_of(block.text)
    except Unparsable:
        return False
    return True


def _part_claims(part: str, block: Code, api: Api | None, defined: set[str]) -> Iterator[Found]:
    use = _cargo_use(part, block.language)
    if use is not None:
        yield Found(Check.CODE, block.field)
        yield from _api_found(
            block, part, [(1, complaint) for complaint in api.missing_in_manifest(use)] if api else []
        )
        return
    try:
        snippet = snippet_of(part)
    except Unparsable as fault:
        lines = part.split("\n")
        yield Found(Check.CODE, block.field, str(fault), lines[min(fault.line, len(lines)) - 1].strip()[:200])
        return
    yield Found(Check.CODE, block.field)
    yield from _api_found(block, part, list(api.missing_in_code(part, defined)) if api else [])
    defined |= snippet.locals


def _cargo_use(part: str, language: str) -> CargoUse | None:
    """What a manifest or a shell command asks for; `None` for Rust, and for a fence that is neither."""
    if language in _RUST:
        return None
    if language in _SHELL or _is_shell(part):
        return command_use(part)
    use = manifest_use(_SLASHES.sub(r"\1#", part))
    return use if use and (use.crates or use.features or language == "toml") else None


def _api_found(block: Code, part: str, missing: list[tuple[int, str]]) -> Iterator[Found]:
    lines = part.split("\n")
    for line, complaint in missing:
        yield Found(Check.API, block.field, complaint, lines[min(line, len(lines)) - 1].strip()[:200])
    if not missing:
        yield Found(Check.API, block.field)


def _is_shell(part: str) -> bool:
    lines = [line.strip() for line in part.splitlines() if line.strip() and not line.strip().startswith(("#", "//"))]
    return bool(lines) and all(_SHELL_LINE.match(line) for line in lines)


def _names_near(source: SourceFile | None, line: int | None) -> set[str]:
    """Identifiers around the raising line: prose may name what stands there, also where it is no API."""
    if source is None or line is None:
        return set()
    lines = source.lines[max(0, line - 1 - _LINES_AROUND) : line + _LINES_AROUND]
    return set(_WORD.findall("\n".join(lines)))
