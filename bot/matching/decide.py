"""From readings to the verdict: threshold, margin, root before consequence, ambiguity, or silence."""

from __future__ import annotations

from dataclasses import dataclass

from bot.matching import refusals, score
from bot.matching.clean import Cleaned
from bot.matching.index import Index
from bot.matching.panics import Panic
from bot.matching.present import Presenter
from bot.matching.reading import Reading
from bot.matching.verdict import Decision, Match, Rejected, Role, Source, Verdict

MAX_REJECTED = 12
MAX_MATCHES = 8
MUCH_MORE = 2.0
"""Weight of words by which a longer text with small differences is preferred to a shorter one word for word."""
_WHERE = {
    Source.PANIC: "under a panic header",
    Source.ERROR: "in an error line",
    Source.CAUSED_BY: "as the cause of an error",
    Source.REPORT: "in a tensor operation report",
    Source.ASSERTION: "in a failed assertion",
    Source.TITLE: "in the title",
    Source.CODE: "in code formatting",
    Source.PROSE: "in the text",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The best reading of one printed stretch and the runner-up of another message."""

    reading: Reading
    rival: Reading | None
    role: Role = Role.ROOT

    @property
    def margin(self) -> float:
        return round(max(0.0, self.reading.confidence - (self.rival.confidence if self.rival else 0.0)), 4)


def decide(
    cleaned: Cleaned, panics: list[Panic], index: Index, readings: list[Reading], original: str, version: str | None
) -> Verdict:
    """The verdict over all readings of an issue."""
    present = Presenter(cleaned, panics, index, original)
    printed = present.printed()
    found, rejected = _select(readings, index)
    found, shadowed = _believable(found, _unknown(cleaned, panics, found), index)
    rejected += ((f.reading, "a panic is printed that no record explains") for f in shadowed)
    refused = _refusals(present, rejected)
    rival = found[0].rival if found else None
    runner_up = present.rejected(rival, "another record fits better") if rival else next(iter(refused), None)

    def verdict(decision: Decision, reason: str, matches: tuple[Match, ...] = (), margin: float = 0.0) -> Verdict:
        return Verdict(
            decision=decision,
            reason=reason,
            matches=matches[:MAX_MATCHES],
            runner_up=runner_up,
            margin=margin,
            rejected=tuple(refused[:MAX_REJECTED]),
            evidence=printed,
            version=version,
        )

    if not found:
        return verdict(Decision.ABSTAIN, _why_silent(bool(printed), refused))
    first = found[0]
    if len(first.reading.sites) > 1:
        options = tuple(present.match(first.reading, site, first.role) for site in first.reading.sites[:MAX_MATCHES])
        count = len(first.reading.sites)
        return verdict(Decision.AMBIGUOUS, f"{count} records have this text, and no location tells them apart", options)
    return verdict(Decision.EXPLAIN, _why(first), _matches(present, found), first.margin)


def _select(readings: list[Reading], index: Index) -> tuple[list[Found], list[tuple[Reading, str]]]:
    """The best reading of each printed stretch; the rest with the reason why not."""
    rejected = [(r, r.refused) for r in readings if r.refused is not None]
    accepted = [r for r in readings if r.refused is None]
    rejected += ((r, "below the threshold") for r in accepted if r.score.total < score.THRESHOLD)
    accepted = [r for r in accepted if r.score.total >= score.THRESHOLD]
    left = sorted(
        accepted,
        key=lambda r: (
            not (r.score.exact or r.cut) or any(_says_more(other, r) for other in accepted),
            -round(r.matched, 3),
            -r.confidence,
            r.start,
            r.group,
        ),
    )
    longer = [r for r in readings if r.cut and (r.refused is None or r.refused in refusals.CUT)]
    whole = [r for r in readings if r.score.exact]
    found: list[Found] = []
    while left:
        best, *others = left
        overlapping = [r for r in others if r.start < best.end and best.start < r.end]
        left = [r for r in others if r not in overlapping]
        records = _records(best, index)
        rivals = [r for r in overlapping if _records(r, index) != records]
        rejected += ((r, "another record fits better") for r in rivals)
        if (
            any(_as_good(best, r) for r in rivals)
            or any(_may_go_on(best, r) for r in longer if _records(r, index) != records)
            or any(_is_all(best, r) for r in whole)
        ):
            rejected.append((best, "another record fits as well"))
        else:
            found.append(Found(best, max(rivals, key=lambda r: r.confidence, default=None)))
    return found, rejected


def _says_more(longer: Reading, reading: Reading) -> bool:
    """Whether `longer` is a text that `reading` is a part of, though not word for word."""
    covers = longer.start <= reading.start and longer.end >= reading.end
    return covers and longer.matched >= reading.matched + MUCH_MORE


def _records(reading: Reading, index: Index) -> frozenset[str]:
    """The records that a reading could stand for. One record may have several wordings."""
    return frozenset(index.records[site] for site in reading.sites)


def _is_all(best: Reading, whole: Reading) -> bool:
    """Whether what looks like the beginning of one record's text is the whole text of another's."""
    return best.cut and not best.setting.open_end and whole.start == best.start and whole.end >= best.end


def _may_go_on(best: Reading, longer: Reading) -> bool:
    """Whether another record's text may begin like that: one is cut off, or dots follow where one ends."""
    whole = best.score.exact and best.setting.open_end
    if longer.group == best.group or longer.start != best.start:
        return False
    return longer.end >= best.end if whole else best.cut and longer.matched > best.matched - 0.5


def _as_good(best: Reading, rival: Reading) -> bool:
    if best.cut and rival.cut:
        return best.matched - rival.matched < 1.0
    if best.score.exact:
        return rival.score.exact and abs(best.matched - rival.matched) < 0.1 and rival.location == best.location
    return best.confidence - rival.confidence < score.MARGIN and best.matched - rival.matched < 1.0


def _unknown(cleaned: Cleaned, panics: list[Panic], found: list[Found]) -> list[int]:
    """Numbers of the printed panics that no record explains; a text printed twice counts once."""
    explained = {f.reading.panic for f in found if f.reading.panic is not None}
    for number, panic in enumerate(panics):
        if any(panic.start <= f.reading.start < panic.end for f in found):
            explained.add(number)

    def message(number: int) -> str:
        panic = panics[number]
        return " ".join(cleaned.text[panic.start : panic.end].split())[:200]

    texts = {message(number) for number in explained}
    return [n for n in range(len(panics)) if n not in explained and message(n) and message(n) not in texts]


def _believable(found: list[Found], unknown: list[int], index: Index) -> tuple[list[Found], list[Found]]:
    """Roots before consequences, each with its role; and what a panic without record puts in doubt.

    A panic printed before it makes a matched one a consequence. A message that is quoted only (title, text, code)
    beside a panic without record is not what this issue is about.
    """
    kept: list[Found] = []
    doubtful: list[Found] = []
    for f in found:
        secondary = all(index.secondary(site) for site in f.reading.sites)
        if f.reading.panic is None and unknown and not secondary:
            doubtful.append(f)
            continue
        late = f.reading.panic is not None and any(number < f.reading.panic for number in unknown)
        kept.append(Found(f.reading, f.rival, Role.SECONDARY if secondary or late else Role.ROOT))
    kept.sort(key=_order)
    return kept, doubtful


def _order(found: Found) -> tuple[bool, bool, int]:
    """Roots before consequences, panics before the rest, as printed."""
    return found.role is Role.SECONDARY, found.reading.panic is None, found.reading.start


def _matches(present: Presenter, found: list[Found]) -> tuple[Match, ...]:
    """One match per record; texts of several records are left out."""
    matches: dict[str, Match] = {}
    for f in found:
        if len(f.reading.sites) == 1:
            match = present.match(f.reading, f.reading.sites[0], f.role)
            matches.setdefault(match.record, match)
    return tuple(matches.values())


def _refusals(present: Presenter, rejected: list[tuple[Reading, str]]) -> list[Rejected]:
    """Best first, each reason once per message."""
    made: dict[tuple[int, str], Rejected] = {}
    for reading, reason in sorted(rejected, key=lambda pair: (-pair[0].score.total, pair[0].group, pair[0].start)):
        made.setdefault((reading.group, reason), present.rejected(reading, reason))
    return list(made.values())


def _why(found: Found) -> str:
    how = "word for word" if found.reading.score.exact else "with small differences"
    tail = ", as a consequence of an earlier failure" if found.role is Role.SECONDARY else ""
    return f"the message stands {_WHERE[found.reading.setting.source]} {how}{tail}"


def _why_silent(printed: bool, refused: list[Rejected]) -> str:
    if refused:
        return f"nothing fits; nearest is {refused[0].slug}: {refused[0].reason}"
    return "what is printed is none of the records" if printed else "no error message is printed"
