"""The folded part of the comment: everything that is good to have and not needed first."""

from __future__ import annotations

from collections.abc import Iterator

from bot.records.model import Entry
from bot.render.escape import fence, prose, prose_line, shorten
from bot.render.links import issue_link
from bot.render.versions import version_points

MOST_STEPS = 4
_MOST_POINTS = 8
_LONGEST_PROSE = 3_000
_LONGEST_POINT = 500
_LONGEST_CODE = 4_000


def details(entry: Entry, *, subject: str, version: str | None, project: str, shown: int, cause: int) -> str:
    """The `<details>` block, its summary naming what is inside; empty when there is nothing to fold.

    `subject` is the issue it is written for, which is not related to itself. `shown` steps and points of the report
    stand above it already, and `cause` characters of the cause.
    """
    sections = list(_sections(entry, subject=subject, version=version, project=project, shown=shown, cause=cause))
    if not sections:
        return ""
    names = ", ".join([sections[0][0], *(name[0].lower() + name[1:] for name, _ in sections[1:])])
    inside = "\n\n".join(f"**{name}**\n\n{text}" for name, text in sections)
    return f"<details><summary>{names}</summary>\n\n{inside}\n\n</details>"


def bullets(texts: list[str]) -> str:
    """Lines that are already escaped, as a list."""
    return "\n".join(f"- {text}" for text in texts)


def _sections(
    entry: Entry, *, subject: str, version: str | None, project: str, shown: int, cause: int
) -> Iterator[tuple[str, str]]:
    record, extension = entry.record, entry.extension
    if shorten(record.documentation, cause) != shorten(record.documentation, _LONGEST_PROSE):
        yield "In full", prose(record.documentation[:_LONGEST_PROSE])
    when = [prose(text[:_LONGEST_PROSE]) for text in (record.trigger_scenarios, record.common_situations)]
    if any(when):
        yield "When it happens", "\n\n".join(text for text in when if text)
    if points := version_points(extension, version, project):
        yield "Versions", bullets(points)
    if record.example_fix and record.example_fix.strip():
        yield "Example fix", fence(_first_lines(record.example_fix), "rust")
    if record.validation_code and record.validation_code.strip():
        yield "Check beforehand", fence(_first_lines(record.validation_code), "rust")
    if more := _points(record.solutions[shown:]):
        yield "More to try", bullets(more)
    if tips := _points(record.prevention_tips):
        yield "Prevention", bullets(tips)
    report = extension.report[shown:] if extension.burn_bug else extension.report
    if report := _points(report):
        yield "What maintainers ask for", bullets(report)
    related = [issue for issue in extension.related_issues if issue.lower() != subject.lower()]
    if related:
        yield "Related", bullets([issue_link(issue) for issue in related[:_MOST_POINTS]])


def _points(texts: list[str]) -> list[str]:
    lines = (prose_line(shorten(text, _LONGEST_POINT)) for text in texts[:_MOST_POINTS])
    return [line for line in lines if line]


def _first_lines(code: str) -> str:
    return code if len(code) <= _LONGEST_CODE else code[:_LONGEST_CODE].rpartition("\n")[0] + "\n// …"
