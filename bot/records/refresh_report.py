"""What `records refresh` says to people: a table of where every record is now, then what is written and why not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from bot.records.refresh import Change, Refreshed
from bot.records.refresh_match import Status

_WIDEST = 100
_MOST_NAMED = 5


def report_lines(refreshed: Refreshed, *, dry_run: bool) -> Iterator[str]:
    counts = Counter(change.status for change in refreshed.changes)
    numbers = ", ".join(f"{counts[status]} {status}" for status in Status)
    yield f"{len(refreshed.changes)} records at {refreshed.commit[:10]}: {numbers}; {len(refreshed.skipped)} left alone"
    for status in (Status.MOVED, Status.REWORDED, Status.GONE):
        for change in refreshed.changes:
            if change.status is status:
                yield from _row(change)
    yield from _written(refreshed, dry_run=dry_run)
    yield from _grouped("note", [(note, change.record) for change in refreshed.changes for note in change.notes])
    yield from _grouped("left alone", [(skipped.reason, skipped.record) for skipped in refreshed.skipped])


def _grouped(label: str, pairs: list[tuple[str, str]]) -> Iterator[str]:
    """One line a reason: a thousand raw records without a file beside them are one fact."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for reason, record in pairs:
        by_reason[reason].append(record)
    for reason, records in by_reason.items():
        more = f" and {len(records) - _MOST_NAMED} more" if len(records) > _MOST_NAMED else ""
        yield f"{label}: {', '.join(records[:_MOST_NAMED])}{more}: {reason}"


def _row(change: Change) -> Iterator[str]:
    old, new = change.old, change.new
    yield f"{change.status:<9} {change.record}"
    if new is None:
        yield f"          {old.path}:{old.line} {_short(old.message)}"
        return
    path = "" if new.path == old.path else new.path
    function = f" in {new.function}" if new.function != old.function else ""
    yield f"          {old.path}:{old.line} -> {path}:{new.line}{function}"
    if change.status is Status.REWORDED:
        yield f"          - {_short(old.message)}"
        yield f"          + {_short(new.message)}  ({change.likeness:.2f} alike)"


def _written(refreshed: Refreshed, *, dry_run: bool) -> Iterator[str]:
    changed = [change for change in refreshed.changes if change.edits]
    verb = "would be changed" if dry_run else "changed"
    yield f"{len(changed)} files {verb}"
    for change in changed:
        yield f"  {change.file}"
        yield from (f"    {edit}" for edit in change.edits)


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
