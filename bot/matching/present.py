"""From readings to the values of a verdict, with positions in the text as it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.matching import evidence
from bot.matching.clean import Cleaned
from bot.matching.index import Index
from bot.matching.panics import Panic
from bot.matching.reading import Reading
from bot.matching.verdict import Evidence, Location, Match, Rejected, Role, Source, Span

MAX_TEXT = 500
MAX_QUOTE = 300


class Presenter:
    """Makes spans, evidence, matches and rejections for one issue."""

    def __init__(self, cleaned: Cleaned, panics: list[Panic], index: Index, original: str) -> None:
        self._cleaned = cleaned
        self._panics = panics
        self._index = index
        self._original = original

    def evidence(self, reading: Reading) -> Evidence:
        order = reading.panic if reading.panic is not None else len(self._panics)
        return self._evidence(reading.setting.source, reading.start, reading.end, reading.location, order)

    def printed(self) -> tuple[Evidence, ...]:
        """Every panic message, matched or not, in the order printed; then the error lines."""
        result = [
            self._evidence(Source.PANIC, *self._trimmed(panic.start, panic.end), panic.location, number)
            for number, panic in enumerate(self._panics)
        ]
        ranges = [(panic.header, panic.end) for panic in self._panics]
        for source, start, end in evidence.errors(self._cleaned.text, ranges):
            result.append(self._evidence(source, *self._trimmed(start, end), None, len(self._panics)))
        return tuple(result)

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        text = self._cleaned.text[start:end]
        first = start + len(text) - len(text.lstrip(" \t\n>*`"))
        return first, max(first, start + len(text.rstrip(" \t\n>*`")))

    def rejected(self, reading: Reading, reason: str) -> Rejected:
        site = reading.sites[0] if reading.sites else self._index.sites(reading.group)[0]
        return Rejected(
            record=self._index.records[site],
            slug=self._index.slugs[site],
            message=self._index.messages[site],
            score=reading.score.total,
            reason=reason,
        )

    def match(self, reading: Reading, site: int, role: Role) -> Match:
        return Match(
            record=self._index.records[site],
            slug=self._index.slugs[site],
            message=_as_printed(self._index.messages[site], reading.escapes),
            role=role,
            confidence=reading.confidence,
            evidence=self.evidence(reading),
            score=reading.score,
            words=self._words(reading),
        )

    def _words(self, reading: Reading) -> tuple[Span, ...]:
        """Matched words; those with nothing but blanks between them become one span."""
        merged: list[tuple[int, int]] = []
        for start, end in reading.words:
            if merged and not self._cleaned.words[merged[-1][1] : start].strip(" \t"):
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((start, end))
        return tuple(self._span(start, end) for start, end in merged)

    def _span(self, start: int, end: int) -> Span:
        offsets = self._cleaned.offsets
        first = offsets.original(start)
        last = max(first, offsets.original(end - 1) + 1) if end > start else first
        return Span(start=first, end=last, line=self._original.count("\n", 0, first) + 1)

    def _evidence(self, source: Source, start: int, end: int, location: Location | None, order: int) -> Evidence:
        span = self._span(start, end)
        line_start = self._original.rfind("\n", 0, span.start) + 1
        line_end = self._original.find("\n", span.start)
        line = self._original[max(line_start, span.start - 120) : line_end if line_end >= 0 else None]
        return Evidence(
            source=source,
            text=" ".join(self._cleaned.text[start:end].split())[:MAX_TEXT],
            quote=line[:MAX_QUOTE].strip(),
            span=span,
            location=location,
            order=order,
        )


def _as_printed(message: str, escapes: Iterable[tuple[str, str]]) -> str:
    r"""The record's message as the issue shows it: without a closing full stop, which many leave out, and with a hole
    where a Debug string has an escape (`\n`) between two words.
    """
    for before, after in escapes:
        gap = re.compile(rf"(?<!\w)({re.escape(before)}[^\w\s]*)\s+([^\w\s]*{re.escape(after)})(?!\w)")
        message = gap.sub(r"\1 {} \2", message, count=1)
    return message.rstrip(" .\n")
