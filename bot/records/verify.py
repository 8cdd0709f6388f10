"""`records verify`: proves a catalogue against source, at the commits and versions that its records name."""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import msgspec

from bot.records.model import Entry, Kind
from bot.records.permalink import Permalink, parse_permalink
from bot.records.rust.apis import Api
from bot.records.rust.literal import Standing, stands_at
from bot.records.rust.manifests import command_use, manifest_use
from bot.records.rust.prose import Code, code_blocks, spans
from bot.records.rust.references import Unparsable, snippet_of
from bot.records.rust.scope import function_at
from bot.records.verify_sources import API_REPO, Sources

_PROOF = re.compile(
    r"(?:(?P<repo>[\w.-]{1,80}/[\w.-]{1,80})@(?P<sha>[0-9a-f]{40}):)?"
    r"(?P<path>[^:\s]{1,300}):(?P<first>[1-9]\d{0,6})(?:-(?P<last>[1-9]\d{0,6}))?"
)
_SECTION = re.compile(r"^[ \t]*(?://|#)[ \t]*(?:before|after|or)\b.*$", re.IGNORECASE | re.MULTILINE)
_SHELL = frozenset({"sh", "bash", "shell", "console", "zsh"})
_NOT_CODE = frozenset({"text", "txt", "plain", "output", "log", "python", "py", "json", "yaml", "diff"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_LINES_AROUND = 60


class Check(enum.StrEnum):
    LITERAL = "literal"
    """the message stands at file and line"""
    PERMALINK = "permalink"
    """the link's lines show it"""
    EXCERPT = "excerpt"
    """the record's `sourceCode` is the source"""
    FUNCTION = "function"
    """the enclosing function is the stated one"""
    SITES = "sites"
    """a further site's message stands where it says"""
    PROOF = "proof"
    """a review's lines exist"""
    CODE = "code"
    """example code parses"""
    API = "api"
    """every name exists in the stated version"""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that does not hold (or, among `unchecked`, that could not be looked at)."""

    check: Check
    record: str
    """Slug."""
    id: str
    path: str
    """The record's file."""
    field: str
    message: str
    sentence: str | None = None
    """The sentence or source line that says it."""


class Proven(msgspec.Struct, frozen=True, kw_only=True):
    records: int
    checked: dict[str, int]
    """By check: how many single claims were looked at."""
    failures: tuple[Problem, ...]
    unchecked: tuple[Problem, ...]
    """Nothing to compare with: no checkout, no such commit, no such release."""


class _Found(msgspec.Struct, frozen=True):
    """The outcome of one claim: a complaint, none, or a reason why nobody can tell."""

    check: Check
    field: str
    complaint: str | None = None
    sentence: str | None = None
    checked: bool = True


def verify(entries: Iterable[Entry], sources: Sources, *, progress: Callable[[int], object] | None = None) -> Proven:
    """Look at every claim of every entry. Raises `CheckoutError` when a checkout cannot be read."""
    failures: list[Problem] = []
    unchecked: list[Problem] = []
    checked: Counter[str] = Counter()
    records = 0
    for entry in entries:
        records += 1
        for found in _claims(entry, sources):
            if found.checked:
                checked[found.check.value] += 1
            if found.complaint is not None:
                (failures if found.checked else unchecked).append(_problem(entry, found))
        if progress:
            progress(1)
    return Proven(
        records=records,
        checked={check.value: checked[check.value] for check in Check},
        failures=tuple(failures),
        unchecked=tuple(unchecked),
    )


def _claims(entry: Entry, sources: Sources) -> Iterator[_Found]:
    link = parse_permalink(entry.record.github_url)
    source: str | None = None
    if link is None:
        yield _Found(Check.PERMALINK, "githubUrl", "is no permalink pinned to a commit")
    else:
        sha, reason = _commit(entry, link, sources)
        if sha is None:
            yield _Found(Check.LITERAL, "githubUrl", reason, checked=False)
        else:
            source = sources.read(link.repo, sha, link.path)
            yield from _place_claims(entry, link, source, sha)
            yield from _site_claims(entry, link.repo, sha, sources)
    yield from _proof_claims(entry, sources)
    yield from _code_claims(entry, sources, source)


def _commit(entry: Entry, link: Permalink, sources: Sources) -> tuple[str | None, str]:
    """The commit to read at: the permalink's, else the review's, whose source the reviewer compared."""
    if not sources.has(link.repo):
        return None, f"no checkout of {link.repo} was given"
    for sha in (link.sha, entry.review.commit if entry.review else None):
        if sha and sources.has_commit(link.repo, sha):
            return sha, ""
    return None, f"commit {link.sha[:10]} is not in the checkout of {link.repo}"


def _place_claims(entry: Entry, link: Permalink, source: str | None, sha: str) -> Iterator[_Found]:
    record = entry.record
    if source is None:
        yield _Found(Check.LITERAL, "filePath", f"{link.path} is not a file of {link.repo} at {sha[:10]}")
        return
    lines = source.split("\n")
    if link.end is not None and link.end > len(source.splitlines()) + 1:
        yield _Found(Check.PERMALINK, "githubUrl", f"ends at line {link.end}; the file has {len(source.splitlines())}")
    if record.source_code is not None and record.source_code_start and record.source_code_end:
        window = "\n".join(lines[record.source_code_start - 1 : record.source_code_end])
        complaint = None if window == record.source_code else f"is not what {link.path} says at {sha[:10]}"
        yield _Found(Check.EXCERPT, "sourceCode", complaint)
    line = record.line_number
    if line is None:
        yield _Found(Check.LITERAL, "lineNumber", "names no line", checked=False)
        return
    standing = stands_at(source, record.error_message, line)
    if not standing.stands and entry.extension.kind is Kind.SURFACED and not standing.elsewhere:
        yield _Found(
            Check.LITERAL, "errorMessage", "another project raises the text; only its call is linked", checked=False
        )
    else:
        yield _Found(Check.LITERAL, "errorMessage", _standing_complaint(standing, link.path, line, lines))
    if link.start is not None and link.end is not None:
        shown = link.start <= line <= link.end and standing.last_line <= link.end
        needed = f"{line}-{standing.last_line}" if standing.last_line > line else str(line)
        yield _Found(Check.PERMALINK, "githubUrl", None if shown else f"shows {link.start}-{link.end}, not {needed}")
    yield from _function_claim(entry, source, line, standing)


def _standing_complaint(standing: Standing, path: str, line: int, lines: list[str]) -> str | None:
    if standing.stands:
        return None
    if standing.elsewhere:
        places = ", ".join(map(str, standing.elsewhere[:8]))
        return f"does not stand at {path}:{line}, but at line {places}"
    said = lines[line - 1].strip()[:100] if line <= len(lines) else "(no such line)"
    return f"does not stand in {path}; line {line} says: {said}"


def _function_claim(entry: Entry, source: str, line: int, standing: Standing) -> Iterator[_Found]:
    stated = entry.extension.function
    if stated is None:
        return
    actual = standing.function or function_at(source, line)
    if actual is None and standing.in_macro:
        yield _Found(Check.FUNCTION, "extension.function", "stands in a macro: only a backtrace tells", checked=False)
        return
    complaint = None if actual == stated else f"is {stated!r}; line {line} is inside {actual or 'no function'}"
    yield _Found(Check.FUNCTION, "extension.function", complaint)


def _site_claims(entry: Entry, repo: str, sha: str, sources: Sources) -> Iterator[_Found]:
    for index, site in enumerate(entry.extension.sites):
        if site.file_path is None:
            continue
        field = f"extension.sites[{index}]"
        revisions = [sha, *(f"v{version}" for version in (site.until, site.since) if version)]
        known = [revision for revision in revisions if sources.has_commit(repo, revision)]
        texts = [text for revision in known if (text := sources.read(repo, revision, site.file_path)) is not None]
        if not texts:
            where = " or ".join(name if name.startswith("v") else name[:10] for name in known)
            yield _Found(Check.SITES, field, f"{site.file_path} is not a file of {repo} at {where}")
            continue
        standings = [stands_at(text, site.error_message, site.line_number or 1) for text in texts]
        # Without a line, anywhere in the file will do.
        fits = any(one.stands or (site.line_number is None and one.elsewhere) for one in standings)
        complaint = f"{site.error_message[:80]!r} does not stand in {site.file_path}"
        if site.line_number is not None:
            complaint += f" at line {site.line_number}"
        yield _Found(Check.SITES, field, None if fits else complaint)


def _proof_claims(entry: Entry, sources: Sources) -> Iterator[_Found]:
    review = entry.review
    if review is None:
        return
    for number, proof in enumerate(review.proofs):
        for index, place in enumerate(proof.lines):
            field = f"review.proofs[{number}].lines[{index}]"
            found = _PROOF.fullmatch(place)
            if found is None:
                yield _Found(
                    Check.PROOF, field, f"{place!r} is not `path:line`, `path:first-last` or `owner/name@sha:path:line`"
                )
                continue
            repo, sha = found["repo"] or entry.record.repo, found["sha"] or review.commit
            if not sources.has(repo):
                yield _Found(Check.PROOF, field, f"no checkout of {repo} was given", checked=False)
            elif not sources.has_commit(repo, sha):
                yield _Found(Check.PROOF, field, f"commit {sha[:10]} is not in the checkout of {repo}", checked=False)
            else:
                text = sources.read(repo, sha, found["path"])
                complaint = _range_complaint(text, place, int(found["first"]), int(found["last"] or found["first"]))
                yield _Found(Check.PROOF, field, complaint, proof.claim)


def _range_complaint(text: str | None, place: str, first: int, last: int) -> str | None:
    if text is None:
        return f"{place}: there is no such file"
    lines = text.splitlines()
    if last < first or last > len(lines):
        return f"{place}: the file has {len(lines)} lines"
    if not any(line.strip() for line in lines[first - 1 : last]):
        return f"{place}: there is nothing but blanks"
    return None


def _code_claims(entry: Entry, sources: Sources, source: str | None) -> Iterator[_Found]:
    blocks = list(code_blocks(entry))
    wanted = list(spans(entry))
    if not blocks and not wanted:
        return
    version = entry.extension.api_version
    api = sources.api(version, entry.record.analyzed_sha if entry.record.repo == API_REPO else None)
    if api is None:
        reason = f"burn {version} is no release of this checkout" if version else f"no checkout of {API_REPO} was given"
        yield _Found(Check.API, "extension.apiVersion", reason, checked=bool(version) and sources.has(API_REPO))
    defined: set[str] = set()
    for block in blocks:
        yield from _block_claims(block, api, defined)
    if api is None:
        return
    nearby = defined | _names_near(source, entry.record.line_number)
    for span in wanted:
        complaints = list(api.missing_in_span(span.text, nearby))
        yield from (_Found(Check.API, span.field, complaint, span.sentence) for complaint in complaints)
        if not complaints:
            yield _Found(Check.API, span.field)


def _block_claims(block: Code, api: Api | None, defined: set[str]) -> Iterator[_Found]:
    """Claims of one piece of code; what it defines goes into `defined`, for the prose that speaks of it."""
    if block.language in _NOT_CODE:
        return
    parts = [block.text]
    try:
        snippet_of(block.text)
    except Unparsable:
        parts = [part for part in _SECTION.split(block.text) if part.strip()] or parts
    for part in parts:
        yield from _part_claims(part, block, api, defined)


def _part_claims(part: str, block: Code, api: Api | None, defined: set[str]) -> Iterator[_Found]:
    if block.language not in {"toml", *_SHELL}:
        try:
            snippet = snippet_of(part)
        except Unparsable as error:
            fault = error
        else:
            defined |= snippet.locals
            yield _Found(Check.CODE, block.field)
            yield from _api_found(block, part, list(api.missing_in_code(part)) if api else [])
            return
    else:
        fault = Unparsable(1)
    manifest = manifest_use(re.sub(r"(?m)^([ \t]*)//", r"\1#", part))
    use = manifest or (command_use(part) if block.language in _SHELL or _is_shell(part) else None)
    if use is None:
        lines = part.split("\n")
        yield _Found(Check.CODE, block.field, str(fault), lines[min(fault.line, len(lines)) - 1].strip()[:200])
        return
    yield _Found(Check.CODE, block.field)
    yield from _api_found(block, part, [(1, complaint) for complaint in api.missing_in_manifest(use)] if api else [])


def _api_found(block: Code, part: str, missing: list[tuple[int, str]]) -> Iterator[_Found]:
    lines = part.split("\n")
    for line, complaint in missing:
        yield _Found(Check.API, block.field, complaint, lines[min(line, len(lines)) - 1].strip()[:200])
    if not missing:
        yield _Found(Check.API, block.field)


def _is_shell(part: str) -> bool:
    lines = [line.strip() for line in part.splitlines() if line.strip() and not line.strip().startswith(("#", "//"))]
    return bool(lines) and all(
        re.match(
            r"(?:\$ ?)?(?:[A-Z][A-Z0-9_]*=\S+|(?:cargo|export|pip3?|python3?|rustup|set|unset|nvidia-smi|nvcc)\b)", line
        )
        for line in lines
    )


def _names_near(source: str | None, line: int | None) -> set[str]:
    """Identifiers around the raising line: prose may name what stands there, also where it is no API."""
    if source is None or line is None:
        return set()
    lines = source.split("\n")[max(0, line - 1 - _LINES_AROUND) : line + _LINES_AROUND]
    return set(_WORD.findall("\n".join(lines)))


def _problem(entry: Entry, found: _Found) -> Problem:
    return Problem(
        check=found.check,
        record=entry.slug,
        id=entry.id,
        path=entry.erratum.name if entry.erratum else entry.path.name,
        field=found.field,
        message=found.complaint or "",
        sentence=found.sentence,
    )
