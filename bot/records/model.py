"""What a record is: upstream's schema 2, our extension, corrections and the reviewed mark.

A record has two halves. The mechanical half (message, file, line, permalink) can be checked against source;
the authored half (documentation, solutions, example) is written by a model upstream and is trusted only when
lint passes and a person reviewed it. The raw half as delivered is never changed: corrections lie beside it.
"""

from __future__ import annotations

import datetime as dt
import enum
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

RecordId = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$")]
RepoName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")]
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=120)]
Sha = Annotated[str, Meta(pattern=r"^[0-9a-f]{40}$")]
Line = Annotated[int, Meta(ge=1)]


class ErrorType(enum.StrEnum):
    EXCEPTION = "exception"
    ERROR_CODE = "error_code"
    CONSOLE = "console"
    HTTP = "http"
    VALIDATION = "validation"
    PANIC = "panic"


class Severity(enum.StrEnum):
    CRITICAL = "critical"
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Handling(enum.StrEnum):
    TRY_CATCH = "try-catch"
    TYPE_GUARD = "type-guard"
    VALIDATION = "validation"
    RETRY = "retry"
    FALLBACK = "fallback"


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Schema version 2, field for field. Unknown newer fields are reported by the loader, never fatal."""

    # mechanical: can be checked against the source
    id: RecordId
    repo: RepoName
    slug: Slug
    error_code: str | None
    error_message: Annotated[str, Meta(min_length=1, max_length=20_000)]
    message_pattern: Annotated[str, Meta(max_length=40_000)]
    error_type: ErrorType
    error_class: str | None
    http_status: Annotated[int, Meta(ge=100, le=599)] | None
    file_path: str
    line_number: Line | None
    source_code: str | None
    source_code_start: Line | None
    source_code_end: Line | None
    github_url: str
    analyzed_sha: Sha
    analyzed_at: str
    content_changed_at: str | None = None
    schema_version: Annotated[int, Meta(ge=2, le=2)]
    # authored: nobody knows before a person has looked
    severity: Severity
    documentation: str
    trigger_scenarios: str
    common_situations: str
    solutions: list[str]
    example_fix: str | None
    handling_strategy: Handling | None
    validation_code: str | None
    type_guard: str | None
    try_catch_pattern: str | None
    prevention_tips: list[str]
    tags: list[str]
    background_tag: str | None


AUTHORED_FIELDS = (
    "severity",
    "documentation",
    "triggerScenarios",
    "commonSituations",
    "solutions",
    "exampleFix",
    "handlingStrategy",
    "validationCode",
    "typeGuard",
    "tryCatchPattern",
    "preventionTips",
    "tags",
    "backgroundTag",
)

NULLABLE_FIELDS = (
    "errorCode",
    "errorClass",
    "httpStatus",
    "lineNumber",
    "sourceCode",
    "sourceCodeStart",
    "sourceCodeEnd",
    "contentChangedAt",
    "exampleFix",
    "handlingStrategy",
    "validationCode",
    "typeGuard",
    "tryCatchPattern",
    "backgroundTag",
)

LIST_FIELDS = ("solutions", "preventionTips", "tags")


class Kind(enum.StrEnum):
    """Why an issue can print this message today."""

    CURRENT = "current"
    """the source at the reviewed commit raises it"""
    HISTORICAL = "historical"
    """it left the repository or was reworded; old versions still print it"""
    SURFACED = "surfaced"
    """another project raises it under a call of ours (wgpu, libtorch, std …)"""
    LOCATED = "located"
    """its text alone says nothing (`not implemented`): only file and function tell"""


class ExtraSite(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A further place or wording for the same explanation: a sibling site, or how another version words it."""

    error_message: Annotated[str, Meta(min_length=1)]
    file_path: str | None = None
    function: str | None = None
    line_number: Line | None = None
    since: str | None = None
    until: str | None = None
    github_url: str | None = None
    """Permalink of this place, when it is not at the record's own commit (`records refresh` writes these)."""


class Extension(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What schema 2 lacks. Every field is optional."""

    kind: Kind = Kind.CURRENT
    function: str | None = None
    """The enclosing function of the raising line, as it appears in a backtrace frame (last path segment)."""
    api_version: str | None = None
    """The burn version whose API the solutions and the example use, e.g. "0.21.0"."""
    since: str | None = None
    """First release that prints this message, e.g. "0.14.0"."""
    until: str | None = None
    """Last release that prints it."""
    fixed_in: str | None = None
    """First release in which the cause is gone."""
    fixed_by: str | None = None
    """Pull request or issue that fixed it, as owner/name#number."""
    moved_to: str | None = None
    """Where the code lives now, as owner/name, when it left the repository."""
    related_issues: list[str] = []
    """Earlier issues with this message, as owner/name#number."""
    secondary: bool = False
    """A consequence of an earlier panic: never the root."""
    needs_location: bool = False
    """The text alone is too common: it may match only where file (and function) agree."""
    burn_bug: bool = False
    """The honest answer is that burn itself is at fault."""
    report: list[str] = []
    """What maintainers ask for when the reader cannot mend it alone."""
    family: str | None = None
    """Names records that share one explanation."""
    sites: list[ExtraSite] = []
    examples: list[str] = []
    """How it looks when printed. Each must match this record and no other."""
    labels: list[str] = []
    """Labels to suggest besides those that tags and crate map to."""


class Proof(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One claim of the prose and the source lines that prove it."""

    claim: str
    lines: list[str]
    """`path:line` or `path:first-last` at the review's commit; `owner/name@sha:path:line` for another repository."""


class Review(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The reviewed mark: who read the prose against which source, when, and what proves it."""

    by: str
    at: dt.date
    commit: Sha
    proofs: list[Proof]
    raw_sha256: str | None = None
    """SHA-256 of the raw half that was reviewed (errata only), of the record alone or of its file:
    another raw half makes the review stale."""


class Trust(enum.StrEnum):
    REVIEWED = "reviewed"
    """lint passes and a person reviewed it: may speak by itself"""
    LINTED = "linted"
    """lint passes, nobody has read it"""
    QUARANTINED = "quarantined"
    """lint fails: only the mechanical half may be shown, and only when asked"""


class Level(enum.StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing lint or the loader found. `field` is the schema path, e.g. `solutions[1]`."""

    rule: str
    level: Level
    path: str
    """File, relative to the catalogue's root."""
    record: str | None
    """Record id or slug, where known."""
    field: str | None
    message: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One record as the bot knows it: raw, corrected, extended, judged."""

    raw: Record
    record: Record
    """`raw` with the erratum applied."""
    extension: Extension
    review: Review | None
    corrected: tuple[str, ...]
    """Schema names of the fields that an erratum replaces."""
    path: Path
    """The file it came from."""
    erratum: Path | None = None
    """The TOML file that corrects, extends or reviews it, when it is a raw record."""
    raw_sha256: str = ""
    """SHA-256 of the raw half alone: its canonical JSON (sorted keys, no blanks), whatever file it travels in."""
    file_sha256: str = ""
    """SHA-256 of the bytes of `path`."""
    unknown: dict[str, Any] = {}
    """Newer fields that this version does not know, kept."""
    findings: tuple[Finding, ...] = ()
    """What lint says of it."""
    trust: Trust = Trust.LINTED

    @property
    def own(self) -> bool:
        """Written by us in TOML, not delivered by upstream."""
        return self.path.suffix == ".toml"

    @property
    def review_is_stale(self) -> bool:
        """Whether another raw half was reviewed. Our own records have none: their review stands in the same file."""
        if self.review is None or self.own:
            return False
        return self.review.raw_sha256 not in (self.raw_sha256, self.file_sha256)

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def slug(self) -> str:
        return self.record.slug


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The mechanical facts of one error site that the matcher needs; a record may have several."""

    record: str
    """Record id."""
    slug: str
    repo: str
    message: str
    """Source literal with `{…}` holes."""
    pattern: str | None = None
    """The record's messagePattern: untrusted, linear-time engines only."""
    file_path: str | None = None
    function: str | None = None
    kind: Kind = Kind.CURRENT
    secondary: bool = False
    needs_location: bool = False
    error_type: ErrorType = ErrorType.PANIC


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """Everything loaded from one root, with what could not be loaded."""

    root: Path
    entries: tuple[Entry, ...]
    problems: tuple[Finding, ...]
    """Files and records that could not be loaded; the rest still is."""
    content_hash: str
    """SHA-256 over the files read: the key under which a saved index is valid."""

    def by_id(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.entries}
