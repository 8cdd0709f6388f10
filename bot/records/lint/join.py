"""Rules across the two halves: does this prose belong to this message? Upstream joins them by a model's word alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.records.lint.rule import Complaint, Rule, Subject, rule
from bot.records.lint.words import identifiers

PROSE_COVERS = 0.5
DOCUMENTATION_COVERS = 0.4

_SNAKE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_CAMEL = re.compile(r"\b(?:[A-Z][a-z0-9]+){2,}\b")
_CRATE = re.compile(r"(?:^|/)crates/([^/]+)/")


@rule()
def prose_covers_message(subject: Subject) -> Iterator[Complaint]:
    """The prose as a whole takes up at least half of the message's content words; what a reviewer wrote, some."""
    if subject.ours("documentation"):
        if not subject.identity & subject.prose_words:
            yield None, "the prose has no word in common with the message, its function or its file"
        return
    share = _cover(subject.message_words, subject.prose_words)
    if share < PROSE_COVERS:
        yield None, f"the prose covers {share:.0%} of the message's words, {PROSE_COVERS:.0%} are expected"


@rule()
def documentation_covers_message(subject: Subject) -> Iterator[Complaint]:
    """Documentation that no reviewer wrote takes up at least two fifths of the message's content words."""
    share = _cover(subject.message_words, subject.documentation_words)
    if share < DOCUMENTATION_COVERS and not subject.ours("documentation"):
        yield (
            "documentation",
            f"covers {share:.0%} of the message's words, {DOCUMENTATION_COVERS:.0%} are expected",
        )


@rule()
def function_named(subject: Subject) -> Iterator[Complaint]:
    """The function that raises it is named in the prose: sibling operations differ in nothing else."""
    if subject.record.source_code is None or subject.function is None or subject.ours("documentation"):
        return
    if subject.function not in identifiers(subject.prose):
        yield None, f"the prose does not name {subject.function}, the function around line {subject.record.line_number}"


@rule()
def identifiers_in_excerpt(subject: Subject) -> Iterator[Complaint]:
    """Functions and variables that the documentation names occur in the excerpt or the path."""
    yield from _strangers(subject, _SNAKE, subject.record.file_path)


@rule()
def types_in_excerpt(subject: Subject) -> Iterator[Complaint]:
    """Types that the documentation names occur in the excerpt."""
    yield from _strangers(subject, _CAMEL, "")


@rule()
def tags_name_crate(subject: Subject) -> Iterator[Complaint]:
    """A `burn-*` tag names the crate of the file: another crate's tag came with another record's prose."""
    crate = _CRATE.search(subject.record.file_path)
    if crate is None or subject.ours("tags"):
        return
    for index, tag in enumerate(subject.record.tags):
        if tag.startswith("burn-") and tag != crate[1]:
            yield f"tags[{index}]", f"is {tag}, the file belongs to {crate[1]}"


RULES: tuple[Rule, ...] = (
    prose_covers_message,
    documentation_covers_message,
    function_named,
    identifiers_in_excerpt,
    types_in_excerpt,
    tags_name_crate,
)


def _cover(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 1.0


def _strangers(subject: Subject, kind: re.Pattern[str], also: str) -> Iterator[Complaint]:
    if subject.record.source_code is None or subject.entry.own or "documentation" in subject.entry.corrected:
        return
    named = set(kind.findall(subject.record.documentation))
    strangers = named - identifiers(f"{subject.record.source_code}\n{also}") if named else named
    if strangers:
        yield "documentation", f"names {', '.join(sorted(strangers)[:4])}, which the excerpt does not show"
