"""From readings to the verdict: threshold, margin, root before consequence, ambiguity, or silence."""

from __future__ import annotations

from dataclasses import dataclass

from bot.matching import score
from bot.matching.index import Index
from bot.matching.reading import Reading, Text
from bot.matching.verdict import Decision, Evidence, Match, Rejected, Role, Score, Source, Span, Verdict

MAX_REJECTED = 12
MAX_MATCHES = 8
_WEAK = frozenset((Source.TITLE, Source.PROSE, Source.CODE))


@dataclass(frozen=True, slots=True)
class Found:
    """The best reading of one printed message and the runner-up of another message."""

    reading: Reading
    rival: Reading | None

    @property
    def margin(self) -> float:
        return round(self.reading.confidence - (self.rival.confidence if self.rival else 0.0), 4)


def select(readings: list[Reading]) -> tuple[list[Found], list[tuple[Reading, str]]]:
    """One best reading per printed stretch; the rest with the reason why not."""
    refused = [(r, r.refused) for r in readings if r.refused is not None]
    rejected = [*refused, *((r, "below the threshold") for r in readings if _low(r))]
    left = sorted(
        (r for r in readings if r.refused is None and not _low(r)),
        key=lambda r: (-r.score.exact, -round(r.matched, 3), -r.confidence, r.start, r.group),
    )
    found: list[Found] = []
    while left:
        best = left.pop(0)
        rivals = [r for r in left if r.start < best.end and best.start < r.end and r.group != best.group]
        left = [r for r in left if not (r.start < best.end and best.start < r.end)]
        rival = max(rivals, key=lambda r: r.confidence, default=None)
        rejected += ((r, "another record fits better") for r in rivals)
        close = next((r for r in rivals if _as_good(best, r)), None)
        if close is not None:
            rejected.append((best, "another record fits as well"))
            continue
        found.append(Found(best, rival))
    found.sort(key=lambda f: f.reading.start)
    return found, rejected


def _low(reading: Reading) -> bool:
    return reading.refused is None and reading.score.total < score.THRESHOLD


def _as_good(best: Reading, rival: Reading) -> bool:
    if best.score.exact:
        return rival.score.exact and abs(best.matched - rival.matched) < 0.1
    return best.confidence - rival.confidence < score.MARGIN and best.matched - rival.matched < 1.0


def decide(text: Text, index: Index, readings: list[Reading], original: str, version: str | None) -> Verdict:
    """The verdict over all readings."""
    maker = _Maker(text, index, original)
    found, rejected = select(readings)
    printed = maker.printed()
    refusals = _refusals(maker, rejected)
    matched_panics = {f.reading.panic for f in found if f.reading.panic is not None}
    unknown = [i for i in range(len(text.panics)) if i not in matched_panics and not maker.repeats(i, matched_panics)]
    strong = [f for f in found if f.reading.panic is not None or not unknown or maker.secondary(f.reading)]
    for weak in (f for f in found if f not in strong):
        refusals.append(maker.rejected(weak.reading, "a panic is printed that is none of the records"))
    clear = [f for f in strong if len(f.reading.sites) == 1]
    unclear = [f for f in strong if len(f.reading.sites) > 1]
    runner_up = None
    if strong and strong[0].rival is not None:
        runner_up = maker.rejected(strong[0].rival, "another record fits better")
    elif refusals:
        runner_up = max(refusals, key=lambda r: r.score)
    common = {
        "evidence": printed,
        "rejected": tuple(refusals[:MAX_REJECTED]),
        "runner_up": runner_up,
        "version": version,
    }
    if not strong:
        return Verdict(decision=Decision.ABSTAIN, reason=_why_silent(printed, refusals), **common)
    matches = maker.ranked(clear, unknown)
    roots_unclear = [f for f in unclear if not maker.secondary(f.reading)]
    if (
        not matches
        or (roots_unclear and not any(m.role is Role.ROOT for m in matches))
        or _earlier(roots_unclear, clear)
    ):
        doubtful = roots_unclear[0] if roots_unclear else unclear[0]
        options = tuple(maker.match(doubtful, site, Role.ROOT) for site in doubtful.reading.sites[:MAX_MATCHES])
        return Verdict(
            decision=Decision.AMBIGUOUS,
            reason=f"{len(doubtful.reading.sites)} records print this text, and no location tells them apart",
            matches=options,
            margin=0.0,
            **common,
        )
    first = next(f for f in clear if f.reading.start == _start_of(matches[0], clear, maker))
    return Verdict(
        decision=Decision.EXPLAIN,
        reason=_why(matches[0]),
        matches=matches[:MAX_MATCHES],
        margin=max(0.0, first.margin),
        **common,
    )


def _start_of(match: Match, found: list[Found], maker: _Maker) -> int:
    return min(f.reading.start for f in found if maker.evidence(f.reading).span == match.evidence.span)


def _earlier(unclear: list[Found], clear: list[Found]) -> bool:
    """Whether a printed panic of doubtful record comes before the first clear one."""
    panics = [f.reading.panic for f in clear if f.reading.panic is not None]
    doubtful = [f.reading.panic for f in unclear if f.reading.panic is not None]
    return bool(doubtful) and bool(panics) and min(doubtful) < min(panics)


def _why(match: Match) -> str:
    where = {
        Source.PANIC: "under a panic header", Source.ERROR: "in an error line", Source.CAUSED_BY: "as the cause of an error",
        Source.REPORT: "in a tensor operation report", Source.ASSERTION: "in a failed assertion", Source.TITLE: "in the title",
        Source.CODE: "in code formatting", Source.PROSE: "in the text",
    }[match.evidence.source]  # fmt: skip
    how = "word for word" if match.score.exact else "with small differences"
    tail = ", as a consequence of an earlier failure" if match.role is Role.SECONDARY else ""
    return f"the message stands {where} {how}{tail}"


def _why_silent(printed: tuple[Evidence, ...], refusals: list[Rejected]) -> str:
    if refusals:
        best = max(refusals, key=lambda r: r.score)
        return f"nothing fits; the nearest is {best.slug}: {best.reason}"
    return "what is printed is none of the records" if printed else "no error message is printed"


def _refusals(maker: _Maker, rejected: list[tuple[Reading, str]]) -> list[Rejected]:
    seen: set[tuple[int, str]] = set()
    result: list[Rejected] = []
    for reading, reason in sorted(rejected, key=lambda pair: (-pair[0].score.total, pair[0].group)):
        if (reading.group, reason) not in seen:
            seen.add((reading.group, reason))
            result.append(maker.rejected(reading, reason))
    return result


class _Maker:
    """Turns readings into the verdict's values, with positions in the text as it was given."""

    def __init__(self, text: Text, index: Index, original: str) -> None:
        self._text = text
        self._index = index
        self._original = original

    def _span(self, start: int, end: int) -> Span:
        offsets = self._text.cleaned.offsets
        first = offsets.original(start)
        last = max(first, offsets.original(end - 1) + 1) if end > start else first
        return Span(start=first, end=last, line=self._original.count("\n", 0, first) + 1)

    def evidence(self, reading: Reading) -> Evidence:
        text = self._text.cleaned.text
        order = reading.panic if reading.panic is not None else len(self._text.panics)
        return self._evidence(reading.setting.source, reading.start, reading.end, text, reading.location, order)

    def _evidence(self, source: Source, start: int, end: int, text: str, location: object, order: int) -> Evidence:
        span = self._span(start, end)
        line_start = self._original.rfind("\n", 0, span.start) + 1
        line_end = self._original.find("\n", span.start)
        line = self._original[max(line_start, span.start - 120) : line_end if line_end >= 0 else None][:300].strip()
        return Evidence(
            source=source,
            text=" ".join(text[start:end].split())[:500],
            quote=line,
            span=span,
            location=location,
            order=order,  # type: ignore[arg-type]
        )

    def printed(self) -> tuple[Evidence, ...]:
        text = self._text.cleaned.text
        result = []
        for number, panic in enumerate(self._text.panics):
            start = panic.start + len(text[panic.start : panic.end]) - len(text[panic.start : panic.end].lstrip())
            end = max(start, panic.start + len(text[panic.start : panic.end].rstrip()))
            result.append(self._evidence(Source.PANIC, start, end, text, panic.location, number))
        return tuple(result)

    def repeats(self, number: int, others: set[int | None]) -> bool:
        """Whether this panic prints the same text as one of the others (log and stderr)."""
        text = self._text.cleaned.text
        own = " ".join(text[self._text.panics[number].start : self._text.panics[number].end].split())[:200]
        return any(
            own == " ".join(text[self._text.panics[o].start : self._text.panics[o].end].split())[:200]
            for o in others
            if o is not None
        )

    def secondary(self, reading: Reading) -> bool:
        return all(self._index.secondary(site) for site in reading.sites)

    def rejected(self, reading: Reading, reason: str) -> Rejected:
        site = reading.sites[0] if reading.sites else self._index.sites(reading.group)[0]
        return Rejected(
            record=self._index.records[site],
            slug=self._index.slugs[site],
            message=self._index.messages[site],
            score=reading.score.total,
            reason=reason,
        )

    def match(self, found: Found, site: int, role: Role) -> Match:
        reading = found.reading
        merged: list[list[int]] = []
        for start, end in reading.words:
            if merged and not self._text.cleaned.words[merged[-1][1] : start].strip(" \t"):
                merged[-1][1] = end
            else:
                merged.append([start, end])
        return Match(
            record=self._index.records[site],
            slug=self._index.slugs[site],
            message=self._index.messages[site],
            role=role,
            confidence=reading.confidence,
            evidence=self.evidence(reading),
            score=reading.score,
            words=tuple(self._span(start, end) for start, end in merged),
        )

    def ranked(self, found: list[Found], unknown: list[int]) -> tuple[Match, ...]:
        """Roots before consequences, in the order printed; one match per record."""
        first_unknown = min(unknown, default=1 << 30)
        order: list[tuple[bool, bool, int, Found, Role]] = []
        for f in found:
            late = f.reading.panic is not None and f.reading.panic > first_unknown
            role = Role.SECONDARY if self.secondary(f.reading) or late else Role.ROOT
            order.append((role is Role.SECONDARY, f.reading.panic is None, f.reading.start, f, role))
        order.sort(key=lambda item: item[:3])
        matches: list[Match] = []
        seen: set[str] = set()
        for *_, f, role in order:
            match = self.match(f, f.reading.sites[0], role)
            if match.record not in seen:
                seen.add(match.record)
                matches.append(match)
        return tuple(matches)


def empty(reason: str, version: str | None = None) -> Verdict:
    return Verdict(decision=Decision.ABSTAIN, reason=reason, version=version)


NO_SCORE = Score(total=0.0, exact=False, coverage=0.0, alignment=0.0, location=0.0, weight=0.0)
