"""Rules for the half of a record that can be checked: its fields must agree with one another."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from bot.records.derive import record_id, slug_choices
from bot.records.lint.rule import Complaint, Rule, Subject, rule
from bot.records.model import Kind

LEAST_LITERAL = 12
LONGEST_WINDOW = 40
LINES_BEFORE, LINES_AFTER = 3, 12
"""Where the literal may stand, seen from the raising line: a macro's text often begins some lines below its name."""
BLAND = "error\nthread 'main' panicked at src/main.rs:10:5:\n0\nnote: run with `RUST_BACKTRACE=1`"
"""Lines of any issue: a pattern that matches there says nothing."""

PRINTED_BY = {
    "not implemented": "unimplemented",
    "not yet implemented": "todo",
    "internal error: entered unreachable code": "unreachable",
    "explicit panic": "panic",
}
"""What Rust prints for a macro that was given no text."""

_UTC = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z")
_WORD = re.compile(r"[A-Za-z0-9]+")
_TAG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@rule()
def id_derived(subject: Subject) -> Iterator[Complaint]:
    """The id is computed from repository, code or message, and file: a record with another id is not what it says."""
    record = subject.record
    expected = record_id(record.repo, record.error_code, record.error_message, record.file_path)
    if record.id != expected:
        yield "id", f"expected {expected} for this repository, message and file"


@rule()
def slug_derived(subject: Subject) -> Iterator[Complaint]:
    """The slug is computed from code or message, then the file's name, then the id: links must not mislead."""
    record = subject.record
    choices = slug_choices(record.error_code, record.error_message, record.file_path, record.id)
    if record.slug not in choices:
        yield "slug", f"expected {choices[0]}, or {choices[1]} where that is taken"


@rule()
def times_are_utc(subject: Subject) -> Iterator[Complaint]:
    """Times are ISO 8601 in UTC, so that they can be compared and shown."""
    record = subject.record
    times = {"analyzedAt": record.analyzed_at, "contentChangedAt": record.content_changed_at}
    if subject.entry.own and subject.entry.review is None:
        del times["analyzedAt"]
    for field, value in times.items():
        if value is not None and not _is_utc(value):
            yield field, f"expected a time like 2026-09-05T13:19:14Z, got {value[:40]!r}"


@rule()
def file_path_inside(subject: Subject) -> Iterator[Complaint]:
    """The file path is relative to the repository and stays inside it."""
    path = subject.record.file_path
    if not path or path.startswith("/") or "\\" in path or ".." in path.split("/"):
        yield "filePath", "expected a path relative to the repository, with / and without .."


@rule()
def permalink_pinned(subject: Subject) -> Iterator[Complaint]:
    """The link names a full commit id: a link to a branch shows other lines tomorrow."""
    if subject.link is None:
        yield "githubUrl", "expected https://github.com/<owner>/<name>/blob/<40 hex digits>/<path>#L<first>-L<last>"


@rule()
def permalink_agrees(subject: Subject) -> Iterator[Complaint]:
    """The link's repository, commit and path are those of the fields. What is raised elsewhere links there."""
    record, link = subject.record, subject.link
    if link is None:
        return
    kind = subject.entry.extension.kind
    if link.repo != record.repo and kind not in (Kind.SURFACED, Kind.HISTORICAL):
        yield "githubUrl", f"is of {link.repo}, the record of {record.repo}"
    if link.sha != record.analyzed_sha:
        yield "githubUrl", f"is at {link.sha[:12]}, analyzedSha is {record.analyzed_sha[:12]}"
    if link.path != record.file_path and kind is not Kind.SURFACED:
        yield "githubUrl", f"shows {link.path}, filePath is {record.file_path}"


@rule()
def permalink_shows_line(subject: Subject) -> Iterator[Complaint]:
    """The link's lines are the excerpt's window, or hold the raising line where there is no excerpt."""
    record, link = subject.record, subject.link
    if link is None:
        return
    window = (record.source_code_start, record.source_code_end)
    if record.source_code is not None and None not in window:
        if (link.start, link.end) != window:
            yield "githubUrl", f"shows lines {link.start}-{link.end}, the excerpt is {window[0]}-{window[1]}"
    elif record.line_number is not None:
        if link.start is None or link.end is None:
            yield "githubUrl", "names no lines though lineNumber is known"
        elif not link.start <= record.line_number <= link.end and subject.entry.extension.kind is not Kind.SURFACED:
            yield "githubUrl", f"shows lines {link.start}-{link.end}, lineNumber is {record.line_number}"


@rule()
def window_whole(subject: Subject) -> Iterator[Complaint]:
    """Excerpt, first and last line come together, at most forty lines, as many as the excerpt has."""
    record = subject.record
    given = [record.source_code is not None, record.source_code_start is not None, record.source_code_end is not None]
    if not any(given):
        return
    if record.source_code is None or record.source_code_start is None or record.source_code_end is None:
        yield "sourceCode", "sourceCode, sourceCodeStart and sourceCodeEnd are given together or not at all"
        return
    stated = record.source_code_end - record.source_code_start + 1
    lines = len(subject.excerpt_lines)
    if lines != stated:
        yield "sourceCode", f"has {lines} lines, sourceCodeStart and sourceCodeEnd say {stated}"
    if lines > LONGEST_WINDOW:
        yield "sourceCode", f"has {lines} lines, more than {LONGEST_WINDOW}"


@rule()
def line_in_window(subject: Subject) -> Iterator[Complaint]:
    """The raising line lies inside the excerpt."""
    record = subject.record
    if record.line_number is None or record.source_code_start is None or record.source_code_end is None:
        return
    if not record.source_code_start <= record.line_number <= record.source_code_end:
        yield "lineNumber", f"is outside {record.source_code_start}-{record.source_code_end}"


@rule()
def literal_in_excerpt(subject: Subject) -> Iterator[Complaint]:
    """The message's own words stand in the excerpt at the raising line or shortly below it."""
    record = subject.record
    if record.source_code is None or record.source_code_start is None or record.line_number is None:
        return
    wanted = set(_WORD.findall(subject.literal))
    index = record.line_number - record.source_code_start
    nearby = subject.excerpt_lines[max(0, index - LINES_BEFORE) : max(0, index + LINES_AFTER + 1)]
    # `\n` and `\"` are written out in source and would glue a letter to the next word.
    present = set(_WORD.findall(re.sub(r"\\[ntr]", " ", "\n".join(nearby))))
    missing = wanted - present
    if PRINTED_BY.get(record.error_message) in present:
        return
    if len(missing) > len(wanted) // 5:
        yield "sourceCode", f"does not show the message near line {record.line_number}: {_some(missing)} missing"


@rule()
def pattern_compiles(subject: Subject) -> Iterator[Complaint]:
    """The pattern is untrusted: it must compile in a linear-time engine, with bounded memory."""
    if not subject.pattern_is_literal and subject.pattern is None:
        yield "messagePattern", "does not compile in RE2"


@rule()
def pattern_matches(subject: Subject) -> Iterator[Complaint]:
    """The pattern matches the message that it was made from."""
    if subject.pattern_is_literal:
        return
    if subject.pattern is not None and not subject.pattern.search(subject.record.error_message):
        yield "messagePattern", "does not match errorMessage"


@rule()
def pattern_specific(subject: Subject) -> Iterator[Complaint]:
    """At least twelve literal characters, or the record matches only with its location: else it speaks everywhere."""
    if subject.located:
        return
    literal = len("".join(subject.literal.split()))
    if literal < LEAST_LITERAL:
        yield "errorMessage", f"has {literal} literal characters, {LEAST_LITERAL} are needed without needsLocation"
    if subject.pattern_is_literal:
        bland = subject.record.error_message in BLAND
    else:
        bland = subject.pattern is not None and subject.pattern.search(BLAND) is not None
    if bland:
        yield "messagePattern", "matches lines that stand in any issue"


@rule()
def tags_are_kebab(subject: Subject) -> Iterator[Complaint]:
    """Tags are lower-case kebab words: they are looked up in the label table."""
    tags = [(f"tags[{index}]", tag) for index, tag in enumerate(subject.record.tags)]
    if subject.record.background_tag is not None:
        tags.append(("backgroundTag", subject.record.background_tag))
    for field, tag in tags:
        if not _TAG.fullmatch(tag) or len(tag) > 60:
            yield field, f"expected a lower-case kebab word, got {tag[:60]!r}"


RULES: tuple[Rule, ...] = (
    id_derived,
    slug_derived,
    times_are_utc,
    file_path_inside,
    permalink_pinned,
    permalink_agrees,
    permalink_shows_line,
    window_whole,
    line_in_window,
    literal_in_excerpt,
    pattern_compiles,
    pattern_matches,
    pattern_specific,
    tags_are_kebab,
)


def _is_utc(value: str) -> bool:
    if not _UTC.fullmatch(value):
        return False
    try:
        dt.datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _some(words: set[str]) -> str:
    shown = sorted(words)[:4]
    return ", ".join(shown) + (" …" if len(words) > len(shown) else "")
