"""A record of our own to fill in: everything that can be computed is there, the rest says what belongs in it."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass
from pathlib import Path

from bot.records.derive import permalink, record_id, slug_of
from bot.records.files import RecordFile
from bot.records.lint import RULES
from bot.records.lint.rule import Subject
from bot.records.load import own_entry
from bot.records.model import Finding
from bot.records.written import OwnRecord, written

LINES_AROUND = 8

_TEMPLATE = """\
# {slug}  (id {id})
[record]
repo = {repo}
# The text as it stands in the source: put {{}} for what varies.
errorMessage = {message}
errorType = "panic"
severity = "error"
filePath = {path}
{line}
githubUrl = {link}
# Cause in two or three plain sentences: what the user did, what burn refuses, what still works.
documentation = ''
# Which calls reach it.
triggerScenarios = ''
# What people were doing when they met it.
commonSituations = ''
# Most likely first, each doable today.
solutions = []
# exampleFix = '''
# // before
# // after
# '''
preventionTips = []
tags = {tags}

[extension]
kind = "current"  # current | historical | surfaced | located
{function}
{version}
examples = [
{example},
]

[review]
by = ''
at = {today}
commit = {commit}
[[review.proofs]]
claim = ''
lines = [{proof}]
"""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HOME = re.compile(
    r"[^\s'\"]{0,300}[/\\](?=[a-z][a-z0-9_-]{0,60}-\d{1,4}\.\d{1,4}\.\d{1,4}[^/\\\s]{0,40}[/\\]src|crates[/\\])"
)
_REASON = re.compile(r"Reason:\s*1\.\s*(.+?)(?=\s+2\.\s|\n\s*\n|\Z)", re.DOTALL)
_PUBLISHED = re.compile(
    r"(?:^|/)(?P<crate>[a-z][a-z0-9_-]*?)-(?P<version>\d+\.\d+\.\d+[0-9A-Za-z.-]*)/(?P<rest>src/.+)"
)
_WORKSPACE = re.compile(r"(?:^|/)(?P<path>crates/.+)")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a message is raised, as far as a printed location tells."""

    path: str
    """In the repository."""
    version: str | None = None
    """Of the published crate whose path was printed."""


def place_of(printed: str) -> Place:
    """From a path as a panic prints it to a path in the repository: crates of a workspace lie in `crates/`."""
    path = printed.replace("\\", "/")
    published = _PUBLISHED.search(path)
    if published:
        return Place(path=f"crates/{published['crate']}/{published['rest']}", version=published["version"])
    inside = _WORKSPACE.search(path)
    return Place(path=inside["path"] if inside else path.lstrip("/"))


def first_reason(message: str) -> str:
    """Of a tensor operation report its first reason, which is what a check in the source says; else the message."""
    _, report, reasons = message.partition("=== Tensor Operation Error ===")
    found = _REASON.search(reasons) if report else None
    return " ".join(found[1].split()) if found else message


def without_home(printed: str) -> str:
    """Printed paths without what only tells where somebody keeps their files."""
    return _HOME.sub("…/", printed)


@dataclass(frozen=True, kw_only=True)
class Draft:
    repo: str
    commit: str
    message: str
    """Source literal, holes as in the source."""
    path: str
    line: int | None
    function: str | None
    version: str | None
    example: str
    """As it was printed."""
    today: dt.date

    @property
    def slug(self) -> str:
        return slug_of(None, self.message)

    @property
    def id(self) -> str:
        return record_id(self.repo, None, self.message, self.path)


def skeleton(draft: Draft) -> str:
    """The TOML text. It loads as it is; lint names what is missing."""
    line = draft.line
    start, end = (max(1, line - LINES_AROUND), line + LINES_AROUND) if line else (None, None)
    crate = [draft.path.split("/")[1]] if draft.path.startswith("crates/") else []
    return _TEMPLATE.format(
        slug=draft.slug,
        id=draft.id,
        repo=_quoted(draft.repo),
        message=_quoted(draft.message),
        path=_quoted(draft.path),
        line=_known("lineNumber", line, "1", "the raising line at the commit of githubUrl"),
        link=_quoted(permalink(draft.repo, draft.commit, draft.path, start, end)),
        tags=json.dumps(crate),
        function=_known("function", draft.function and _quoted(draft.function), '""', "encloses the raising line"),
        version=_known("apiVersion", draft.version and _quoted(draft.version), '"0.21.0"', "of solutions and example"),
        example=_block(draft.example),
        today=draft.today.isoformat(),
        commit=_quoted(draft.commit),
        proof=_quoted(f"{draft.path}:{line or 1}"),
    )


def hints(text: str, slug: str) -> list[Finding]:
    """What lint would say of this TOML text if it stood alone in a file `<slug>.toml`."""
    name = f"{slug}.toml"
    item = written(RecordFile(path=Path(name), name=name, data=text.encode(), sha256=""))
    if not isinstance(item, OwnRecord):
        return item if isinstance(item, list) else list(item.findings)
    subject = Subject(own_entry(item), Path())
    return [finding for rule in RULES for finding in rule.findings(subject)]


def _known(key: str, value: object, otherwise: str, meaning: str) -> str:
    """A line of TOML, commented out where the value is not known."""
    return f"{key} = {value}  # check: {meaning}" if value else f"# {key} = {otherwise}  # {meaning}"


def _quoted(text: str) -> str:
    """A TOML basic string. JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _block(text: str) -> str:
    """A literal block where TOML allows one, so that a printed panic can be read."""
    body = text.replace("\r\n", "\n").strip("\n")
    if "'''" in body or _CONTROL.search(body):
        return _quoted(body)
    return f"'''\n{body}\n'''"
