"""What a lint rule is: a named check of one record that says where and what, with the reason in its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import re2

from bot.records.derive import pattern_of
from bot.records.files import file_name
from bot.records.lint import words
from bot.records.model import Entry, Finding, Kind, Level, Record
from bot.records.permalink import Permalink, parse_permalink
from bot.records.sites import function_of

PATTERN_MEMORY = 8 * 1024 * 1024

Complaint = tuple[str | None, str]
"""Schema path of the field (None for the record as a whole) and what is wrong."""


class Subject:
    """One record under the lens: as corrected, with what several rules derive from it."""

    def __init__(self, entry: Entry, root: Path) -> None:
        self.entry = entry
        self.record: Record = entry.record
        self._root = root

    def path_of(self, field: str | None) -> str:
        """The file to mend, relative to the catalogue's root: where an erratum replaces the field, the erratum's."""
        entry = self.entry
        if entry.erratum is None:
            return file_name(entry.path, self._root)
        table = (field or "").split(".")[0].split("[")[0]
        ours = table in ("extension", "review", *entry.corrected) or (field is None and entry.corrected)
        return file_name(entry.erratum if ours else entry.path, self._root)

    def finding(self, rule: str, level: Level, field: str | None, message: str) -> Finding:
        path = self.path_of(field)
        return Finding(rule=rule, level=level, path=path, record=self.record.id, field=field, message=message)

    @property
    def vouched(self) -> bool:
        """Whether a person reviewed the text of exactly this record."""
        return self.entry.review is not None and not self.entry.review_is_stale

    def ours(self, field: str) -> bool:
        """Whether a person wrote this field and stands for it: counting words tells little about it then."""
        return self.vouched and (self.entry.own or field in self.entry.corrected)

    @property
    def located(self) -> bool:
        """Whether it may match only where file and function agree."""
        return self.entry.extension.needs_location or self.entry.extension.kind is Kind.LOCATED

    @cached_property
    def link(self) -> Permalink | None:
        return parse_permalink(self.record.github_url)

    @cached_property
    def function(self) -> str | None:
        return self.entry.extension.function or function_of(self.record)

    @cached_property
    def excerpt_lines(self) -> list[str]:
        return (self.record.source_code or "").split("\n")

    @cached_property
    def literal(self) -> str:
        """The message's own text, every placeholder a blank."""
        return words.without_holes(self.record.error_message)

    @cached_property
    def message_words(self) -> frozenset[str]:
        return words.content_words(self.literal)

    @cached_property
    def identity(self) -> frozenset[str]:
        """All that is known of this error besides the prose: every wording, function, file, how it is printed, and
        what a reviewer proved of it."""
        extension, review = self.entry.extension, self.entry.review
        texts = [self.literal, self.function or "", self.record.file_path, *extension.examples]
        texts += [proof.claim for proof in review.proofs] if review else []
        for site in extension.sites:
            texts += [words.without_holes(site.error_message), site.function or ""]
        return words.content_words("\n".join(texts))

    @cached_property
    def prose(self) -> str:
        """Everything a model wrote that a person would read, the example included."""
        return f"{self.record.documentation}\n{self._further_prose}"

    @cached_property
    def documentation_words(self) -> frozenset[str]:
        return words.content_words(self.record.documentation)

    @cached_property
    def prose_words(self) -> frozenset[str]:
        return self.documentation_words | words.content_words(self._further_prose)

    @property
    def tag_words(self) -> frozenset[str]:
        return words.content_words(" ".join(self.record.tags))

    @property
    def pattern(self) -> re2._Regexp | None:
        """The record's pattern, untrusted; None where the engine refuses it."""
        return compiled(self.record.message_pattern)

    @cached_property
    def pattern_is_literal(self) -> bool:
        """Whether the pattern is just the message escaped: no engine needs to be asked what it matches."""
        record = self.record
        return self.literal == record.error_message and record.message_pattern == pattern_of(record.error_message)

    def forget(self) -> None:
        """Lets go of what only the rules of a single record need: a large catalogue would not fit into memory."""
        for name in (
            "excerpt_lines",
            "literal",
            "pattern_is_literal",
            "documentation_words",
            "prose_words",
            "_further_prose",
        ):
            self.__dict__.pop(name, None)

    @cached_property
    def _further_prose(self) -> str:
        record = self.record
        parts = (
            record.trigger_scenarios,
            record.common_situations,
            *record.solutions,
            record.example_fix or "",
            *record.prevention_tips,
        )
        return "\n".join(parts)


@dataclass(frozen=True, kw_only=True)
class Rule:
    id: str
    level: Level
    why: str
    """The rule in a sentence or two, for people."""
    check: Callable[[Subject], Iterator[Complaint]]

    def findings(self, subject: Subject) -> Iterator[Finding]:
        for field, message in self.check(subject):
            yield subject.finding(self.id, self.level, field, message)


def rule(level: Level = Level.ERROR) -> Callable[[Callable[[Subject], Iterator[Complaint]]], Rule]:
    """Makes a rule of a check: its id is the function's name, its reason the docstring."""

    def named(check: Callable[[Subject], Iterator[Complaint]]) -> Rule:
        return Rule(id=name_of(check), level=level, why=why_of(check), check=check)

    return named


@lru_cache(maxsize=16)
def compiled(pattern: str) -> re2._Regexp | None:
    """A pattern in a linear-time engine with bounded memory; None where that refuses it."""
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return None


def name_of(check: Callable[..., object]) -> str:
    return check.__name__.replace("_", "-")


def why_of(check: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(check) or "").split())
