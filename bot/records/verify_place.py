"""Where a record says its error is raised, and where a review says its proofs stand: compared with the source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.records.model import Entry, Kind
from bot.records.permalink import Permalink, parse_permalink
from bot.records.rust.literal import SourceFile, Standing
from bot.records.verify_outcome import Check, Found
from bot.records.verify_sources import Sources

_PROOF = re.compile(
    r"(?:(?P<repo>[\w.-]{1,80}/[\w.-]{1,80})@(?P<sha>[0-9a-f]{40}):)?"
    r"(?P<path>[^:\s]{1,300}):(?P<first>[1-9]\d{0,6})(?:-(?P<last>[1-9]\d{0,6}))?"
)


def place_claims(entry: Entry, link: Permalink, source: SourceFile | None, sha: str) -> Iterator[Found]:
    record = entry.record
    if source is None:
        yield Found(Check.LITERAL, "filePath", f"{link.path} is not a file of {link.repo} at {sha[:10]}")
        return
    lines = source.lines
    # Upstream's window counts the empty line after the last newline.
    if link.end is not None and link.end > len(lines):
        yield Found(Check.PERMALINK, "githubUrl", f"ends at line {link.end}; the file has {source.line_count}")
    if record.source_code is not None and record.source_code_start and record.source_code_end:
        window = "\n".join(lines[record.source_code_start - 1 : record.source_code_end])
        complaint = None if window == record.source_code else f"is not what {link.path} says at {sha[:10]}"
        yield Found(Check.EXCERPT, "sourceCode", complaint)
    line = record.line_number
    if line is None:
        yield Found(Check.LITERAL, "lineNumber", "names no line", checked=False)
        return
    standing = source.stands_at(record.error_message, line)
    if not standing.stands and entry.extension.kind is Kind.SURFACED and not standing.elsewhere:
        yield Found(
            Check.LITERAL, "errorMessage", "another project raises the text; only its call is linked", checked=False
        )
    else:
        yield Found(Check.LITERAL, "errorMessage", _standing_complaint(standing, link.path, line, lines))
    if link.start is not None and link.end is not None:
        shown = link.start <= line <= link.end and standing.last_line <= link.end
        needed = f"{line}-{standing.last_line}" if standing.last_line > line else str(line)
        yield Found(Check.PERMALINK, "githubUrl", None if shown else f"shows {link.start}-{link.end}, not {needed}")
    yield from _function_claim(entry, source, line, standing)


def _standing_complaint(standing: Standing, path: str, line: int, lines: list[str]) -> str | None:
    if standing.stands:
        return None
    if standing.elsewhere:
        places = ", ".join(map(str, standing.elsewhere[:8]))
        return f"does not stand at {path}:{line}, but at line {places}"
    said = lines[line - 1].strip()[:100] if line <= len(lines) else "(no such line)"
    return f"does not stand in {path}; line {line} says: {said}"


def _function_claim(entry: Entry, source: SourceFile, line: int, standing: Standing) -> Iterator[Found]:
    stated = entry.extension.function
    if stated is None:
        return
    actual = standing.function or source.function_at(line)
    if actual is None and standing.in_macro:
        yield Found(Check.FUNCTION, "extension.function", "stands in a macro: only a backtrace tells", checked=False)
        return
    complaint = None if actual == stated else f"is {stated!r}; line {line} is inside {actual or 'no function'}"
    yield Found(Check.FUNCTION, "extension.function", complaint)


def site_claims(entry: Entry, repo: str, sha: str, sources: Sources) -> Iterator[Found]:
    for index, site in enumerate(entry.extension.sites):
        if site.file_path is None:
            continue
        field = f"extension.sites[{index}]"
        link = parse_permalink(site.github_url) if site.github_url else None
        revisions = [link.sha if link else sha, *(f"v{version}" for version in (site.until, site.since) if version)]
        known = [revision for revision in revisions if sources.has_commit(repo, revision)]
        files = [file for revision in known if (file := sources.file(repo, revision, site.file_path)) is not None]
        if not files:
            where = " or ".join(name if name.startswith("v") else name[:10] for name in known)
            yield Found(Check.SITES, field, f"{site.file_path} is not a file of {repo} at {where}")
            continue
        standings = [file.stands_at(site.error_message, site.line_number or 1) for file in files]
        # Without a line, anywhere in the file will do.
        fits = any(one.stands or (site.line_number is None and one.elsewhere) for one in standings)
        complaint = f"{site.error_message[:80]!r} does not stand in {site.file_path}"
        if site.line_number is not None:
            complaint += f" at line {site.line_number}"
        yield Found(Check.SITES, field, None if fits else complaint)


def proof_claims(entry: Entry, sources: Sources) -> Iterator[Found]:
    review = entry.review
    if review is None:
        return
    for number, proof in enumerate(review.proofs):
        for index, place in enumerate(proof.lines):
            field = f"review.proofs[{number}].lines[{index}]"
            found = _PROOF.fullmatch(place)
            if found is None:
                yield Found(
                    Check.PROOF, field, f"{place!r} is not `path:line`, `path:first-last` or `owner/name@sha:path:line`"
                )
                continue
            repo, sha = found["repo"] or entry.record.repo, found["sha"] or review.commit
            if not sources.has(repo):
                yield Found(Check.PROOF, field, f"no checkout of {repo} was given", checked=False)
            elif not sources.has_commit(repo, sha):
                yield Found(Check.PROOF, field, f"commit {sha[:10]} is not in the checkout of {repo}", checked=False)
            else:
                file = sources.file(repo, sha, found["path"])
                complaint = _range_complaint(file, place, int(found["first"]), int(found["last"] or found["first"]))
                yield Found(Check.PROOF, field, complaint, proof.claim)


def _range_complaint(file: SourceFile | None, place: str, first: int, last: int) -> str | None:
    if file is None:
        return f"{place}: there is no such file"
    if last < first or last > file.line_count:
        return f"{place}: the file has {file.line_count} lines"
    if not any(line.strip() for line in file.lines[first - 1 : last]):
        return f"{place}: there is nothing but blanks"
    return None
