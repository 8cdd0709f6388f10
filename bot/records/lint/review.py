"""Rules for what people write: the reviewed mark with its proofs, the extension, and records of our own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.records.derive import pattern_of
from bot.records.lint.rule import Complaint, Rule, Subject, compiled, rule
from bot.records.lint.words import without_holes
from bot.records.model import Kind, Level

_PROOF = re.compile(
    r"(?:[A-Za-z0-9._-]+/[A-Za-z0-9._-]+@[0-9a-f]{40}:)?(?P<path>[^\s:@\\]+):(?P<first>[1-9]\d{0,6})(?:-(?P<last>[1-9]\d{0,6}))?"
)
_VERSION = re.compile(r"(?P<core>\d{1,4}\.\d{1,4}\.\d{1,4})(?:-[0-9A-Za-z.-]{1,30})?")
_REFERENCE = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+#[1-9]\d{0,8}")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_CODE = re.compile(r"`[^`]*`?")
_MENTION = re.compile(r"(?<![\w/.])@[A-Za-z0-9][A-Za-z0-9-]*")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|<!--")


@rule()
def text_present(subject: Subject) -> Iterator[Complaint]:
    """Documentation, triggers and situations say something, and no item of a list is empty."""
    record = subject.record
    texts = {
        "documentation": record.documentation,
        "triggerScenarios": record.trigger_scenarios,
        "commonSituations": record.common_situations,
    }
    for name, items in (("solutions", record.solutions), ("preventionTips", record.prevention_tips)):
        texts |= {f"{name}[{index}]": item for index, item in enumerate(items)}
    for field, text in texts.items():
        if not text.strip():
            yield field, "is empty"


@rule()
def review_proves(subject: Subject) -> Iterator[Complaint]:
    """A reviewed mark names who reviewed and, for every claim, the source lines that prove it."""
    review = subject.entry.review
    if review is None:
        return
    if not review.by.strip():
        yield "review.by", "is empty"
    if not review.proofs:
        yield "review.proofs", "is empty: name the source lines that prove the prose"
    for index, proof in enumerate(review.proofs):
        if not proof.claim.strip():
            yield f"review.proofs[{index}].claim", "is empty"
        if not proof.lines:
            yield f"review.proofs[{index}].lines", "is empty"
        for at, lines in enumerate(proof.lines):
            fault = _bad_lines(lines)
            if fault:
                yield f"review.proofs[{index}].lines[{at}]", fault


@rule(Level.WARNING)
def review_fits(subject: Subject) -> Iterator[Complaint]:
    """The review is of exactly this raw half: after an import with other content it counts no more."""
    entry = subject.entry
    if entry.review_is_stale and entry.review:
        stated = "names no rawSha256" if entry.review.raw_sha256 is None else "is of another raw record"
        yield "review.rawSha256", f"the review {stated}; the one now loaded is {entry.raw_sha256}"


@rule()
def versions_valid(subject: Subject) -> Iterator[Complaint]:
    """Versions are three numbers, and what is said of them is in order."""
    extension = subject.entry.extension
    versions = [
        ("extension.apiVersion", extension.api_version),
        ("extension.since", extension.since),
        ("extension.until", extension.until),
        ("extension.fixedIn", extension.fixed_in),
    ]
    for index, site in enumerate(extension.sites):
        versions.append((f"extension.sites[{index}].since", site.since))
        versions.append((f"extension.sites[{index}].until", site.until))
    for field, version in versions:
        if version is not None and not _VERSION.fullmatch(version):
            yield field, f"expected a version like 0.21.0, got {version[:40]!r}"
    for field, since, until in (
        ("extension.until", extension.since, extension.until),
        *((f"extension.sites[{index}].until", site.since, site.until) for index, site in enumerate(extension.sites)),
    ):
        if since and until and _order(since) > _order(until):
            yield field, f"{until} is before {since}"


@rule()
def references_valid(subject: Subject) -> Iterator[Complaint]:
    """Issues and pull requests are named owner/name#number, repositories owner/name: they become links."""
    extension = subject.entry.extension
    references = [(f"extension.relatedIssues[{index}]", name) for index, name in enumerate(extension.related_issues)]
    if extension.fixed_by is not None:
        references.append(("extension.fixedBy", extension.fixed_by))
    for field, name in references:
        if not _REFERENCE.fullmatch(name):
            yield field, f"expected owner/name#number, got {name[:80]!r}"
    if extension.moved_to is not None and not _REPOSITORY.fullmatch(extension.moved_to):
        yield "extension.movedTo", f"expected owner/name, got {extension.moved_to[:80]!r}"


@rule()
def located_has_function(subject: Subject) -> Iterator[Complaint]:
    """A text that says nothing is told apart by file and function: a located record names its function."""
    if subject.entry.extension.kind is Kind.LOCATED and not subject.function:
        yield "extension.function", "is missing though the record is located"


@rule()
def own_has_no_excerpt(subject: Subject) -> Iterator[Complaint]:
    """Records of our own carry no source: GitHub renders the permalink, and burn's text stays in burn."""
    if subject.entry.own and subject.record.source_code is not None:
        yield "sourceCode", "stays out of our own records"


@rule()
def own_helps(subject: Subject) -> Iterator[Complaint]:
    """A record of our own says what to do, or what to report when the fault is burn's."""
    if subject.entry.own and not subject.record.solutions and not subject.entry.extension.report:
        yield "solutions", "is empty: name what to try, or extension.report"


@rule()
def own_shows_example(subject: Subject) -> Iterator[Complaint]:
    """A record of our own shows how the message looks when printed: the matcher is tested with it."""
    if subject.entry.own and not any(example.strip() for example in subject.entry.extension.examples):
        yield "extension.examples", "is empty: add the message as it is printed"


@rule()
def example_prints_message(subject: Subject) -> Iterator[Complaint]:
    """Every printed example shows the literal words of the record's message or of one of its further wordings."""
    messages = [subject.record.error_message, *(site.error_message for site in subject.entry.extension.sites)]
    for index, example in enumerate(subject.entry.extension.examples):
        if not any(_prints(example, message) for message in messages):
            yield f"extension.examples[{index}]", "does not print the message or one of the further wordings"


@rule(Level.WARNING)
def own_is_reviewed(subject: Subject) -> Iterator[Complaint]:
    """A record of our own without a review is never posted by itself."""
    if subject.entry.own and subject.entry.review is None:
        yield "review", "is missing: nobody vouches for the text yet"


@rule()
def no_mentions(subject: Subject) -> Iterator[Complaint]:
    """Our prose mentions nobody: a bare `@name` would notify a person on every issue."""
    yield from _in_our_prose(subject, _MENTION, "would notify a person; put it in backticks")


@rule()
def no_html(subject: Subject) -> Iterator[Complaint]:
    """Our prose is Markdown without HTML: types with angle brackets stand in backticks, or GitHub hides them."""
    yield from _in_our_prose(subject, _TAG, "would be taken for HTML; put it in backticks")


RULES: tuple[Rule, ...] = (
    text_present,
    review_proves,
    review_fits,
    versions_valid,
    references_valid,
    located_has_function,
    own_has_no_excerpt,
    own_helps,
    own_shows_example,
    example_prints_message,
    own_is_reviewed,
    no_mentions,
    no_html,
)


def _prints(example: str, message: str) -> bool:
    """Word by word, one in ten aside; a hole may also stand inside a word, as in `BatchNorm{}D`."""
    words, shown = set(_WORD.findall(without_holes(message))), set(_WORD.findall(example))
    if len(words - shown) <= len(words) // 10:
        return True
    pattern = compiled(pattern_of(" ".join(message.split())))
    return pattern is not None and pattern.search(" ".join(example.split())) is not None


def _bad_lines(lines: str) -> str | None:
    found = _PROOF.fullmatch(lines)
    if found is None:
        return f"expected path:line or path:first-last, got {lines[:80]!r}"
    if ".." in found["path"].split("/") or found["path"].startswith("/"):
        return "the path leaves the repository"
    if found["last"] and int(found["last"]) < int(found["first"]):
        return "ends before it begins"
    return None


def _order(version: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(version)
    return tuple(int(part) for part in found["core"].split(".")) if found else ()


def _in_our_prose(subject: Subject, pattern: re.Pattern[str], why: str) -> Iterator[Complaint]:
    """Prose that a person wrote; upstream's is made harmless where it is rendered."""
    entry, record = subject.entry, subject.record
    texts = {
        "documentation": [record.documentation],
        "triggerScenarios": [record.trigger_scenarios],
        "commonSituations": [record.common_situations],
        "solutions": record.solutions,
        "preventionTips": record.prevention_tips,
    }
    for name, items in texts.items():
        if not entry.own and name not in entry.corrected:
            continue
        for index, text in enumerate(items):
            found = pattern.search(_CODE.sub("", text))
            if found:
                field = f"{name}[{index}]" if name in ("solutions", "preventionTips") else name
                yield field, f"{found.group()[:60]} {why}"
    for index, text in enumerate(entry.extension.report):
        found = pattern.search(_CODE.sub("", text))
        if found:
            yield f"extension.report[{index}]", f"{found.group()[:60]} {why}"
