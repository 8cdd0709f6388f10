"""`burn-triage records list`, `show` and `search`: looking into the catalogue."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from bot.commands.options import records_option
from bot.records.files import file_name
from bot.records.find import close_names, named, search_records
from bot.records.lint.report import printable
from bot.records.load import load_catalogue
from bot.records.model import Catalogue, Entry, Level, Trust

SHOWN = 20


class ListRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One record as `records list --json` prints it: stable."""

    id: str
    slug: str
    repo: str
    message: str
    kind: str
    reviewed: bool
    """Reviewed, lint passes, and the review is of this raw half: it may speak by itself."""
    trust: str
    lint: str
    """`ok`, or the worst level found: `error`, `warning`, `note`."""
    secondary: bool
    needs_location: bool
    file: str
    """Of the catalogue, relative to its root."""
    source: str
    """Of the code that raises it."""

    @classmethod
    def of(cls, entry: Entry, root: Path) -> ListRow:
        return cls(
            id=entry.id,
            slug=entry.slug,
            repo=entry.record.repo,
            message=entry.record.error_message,
            kind=entry.extension.kind.value,
            reviewed=entry.trust is Trust.REVIEWED,
            trust=entry.trust.value,
            lint=_worst(entry),
            secondary=entry.extension.secondary,
            needs_location=entry.extension.needs_location,
            file=file_name(entry.path, root),
            source=entry.record.file_path,
        )


@click.command("list")
@records_option
@click.option("--json", "as_json", is_flag=True, help="An array with one object a record.")
@click.option("--trust", type=click.Choice([trust.value for trust in Trust]), help="Only these.")
def list_records(records: Path, as_json: bool, trust: str | None) -> None:
    """Every record: may it speak, its slug, its message."""
    catalogue = _catalogue(records)
    rows = [ListRow.of(entry, catalogue.root) for entry in catalogue.entries if trust in (None, entry.trust.value)]
    if as_json:
        click.echo(msgspec.json.encode(rows).decode())
        return
    for row in rows:
        click.echo(printable(f"{row.trust:<11} {row.slug}  {_short(row.message)}"))
    _tell_problems(catalogue)


@click.command()
@click.argument("name", metavar="ID|SLUG")
@records_option
@click.option("--diff", is_flag=True, help="What the erratum changes: raw against corrected, field by field.")
@click.option("--json", "as_json", is_flag=True)
def show(name: str, records: Path, diff: bool, as_json: bool) -> None:
    """One record in full: as corrected, with where it comes from, its review and what lint says."""
    entry = _one(_catalogue(records), name)
    changes = _changes(entry)
    if as_json:
        value = {"id": entry.id, "slug": entry.slug, "diff": changes} if diff else _everything(entry)
        click.echo(msgspec.json.encode(value).decode())
    elif diff:
        click.echo(printable(_diff_text(entry, changes)))
    else:
        click.echo(printable(_text(entry)))


@click.command()
@click.argument("words", nargs=-1, required=True)
@records_option
@click.option("--json", "as_json", is_flag=True)
@click.option("--limit", type=click.IntRange(1, 1_000), default=SHOWN, show_default=True)
def search(words: tuple[str, ...], records: Path, as_json: bool, limit: int) -> None:
    """Records that hold WORDS, best first. Exit status: 0 some found, 1 none."""
    catalogue = _catalogue(records)
    found = search_records(catalogue.entries, " ".join(words))[:limit]
    if as_json:
        click.echo(msgspec.json.encode([ListRow.of(entry, catalogue.root) for _, entry in found]).decode())
    for score, entry in [] if as_json else found:
        click.echo(printable(f"{score:6.1f}  {entry.slug}  {_short(entry.record.error_message)}"))
    if not found:
        raise SystemExit(1)


def _catalogue(root: Path) -> Catalogue:
    catalogue = load_catalogue(root)
    if not catalogue.entries:
        reasons = "".join(f"\n  {finding.path}: {finding.message}" for finding in catalogue.problems[:10])
        raise click.ClickException(printable(f"no record could be loaded from {root}{reasons}"))
    return catalogue


def _one(catalogue: Catalogue, name: str) -> Entry:
    found = named(catalogue.entries, name)
    if len(found) == 1:
        return found[0]
    if found:
        names = "".join(f"\n  {entry.id}  {entry.record.repo}  {entry.slug}" for entry in found[:SHOWN])
        raise click.ClickException(printable(f"{name} names {len(found)} records; give one id:{names}"))
    close = close_names(catalogue.entries, name)
    hint = f"; is it {', '.join(close)}?" if close else ""
    raise click.ClickException(printable(f"no record has the id or slug {name}{hint}"))


def _worst(entry: Entry) -> str:
    levels = {finding.level for finding in entry.findings}
    return next((level.value for level in Level if level in levels), "ok")


def _everything(entry: Entry) -> dict[str, Any]:
    return {
        "record": entry.record,
        "raw": entry.raw,
        "extension": entry.extension,
        "review": entry.review,
        "corrected": entry.corrected,
        "unknown": entry.unknown,
        "file": str(entry.path),
        "erratum": None if entry.erratum is None else str(entry.erratum),
        "rawSha256": entry.raw_sha256 or None,
        "trust": entry.trust,
        "findings": entry.findings,
    }


def _changes(entry: Entry) -> list[dict[str, Any]]:
    raw, corrected = msgspec.to_builtins(entry.raw), msgspec.to_builtins(entry.record)
    return [
        {"field": field, "raw": raw[field], "corrected": corrected[field]}
        for field in entry.corrected
        if raw[field] != corrected[field]
    ]


def _diff_text(entry: Entry, changes: Sequence[dict[str, Any]]) -> str:
    if not changes:
        return f"{entry.slug}: nothing is corrected"
    lines: list[str] = []
    for change in changes:
        lines.append(f"@@ {change['field']} @@")
        before, after = _lines(change["raw"]), _lines(change["corrected"])
        lines += [line for line in difflib.ndiff(before, after) if not line.startswith("?")]
    return "\n".join(lines)


def _lines(value: Any) -> list[str]:
    """A field's value as lines: one an item for lists, none for null."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    return [line for item in items for line in str(item).splitlines()]


def _text(entry: Entry) -> str:
    record, extension = entry.record, entry.extension
    head = [
        f"{record.slug}  ({record.id}, {entry.trust.value}, {extension.kind.value})",
        record.error_message,
        "",
        f"raised at   {record.file_path}" + (f":{record.line_number}" if record.line_number else ""),
        f"permalink   {record.github_url}",
        f"file        {entry.path}",
    ]
    if entry.erratum:
        head.append(f"erratum     {entry.erratum} ({', '.join(entry.corrected) or 'corrects nothing'})")
    if entry.raw_sha256:
        head.append(f"rawSha256   {entry.raw_sha256}")
    if entry.review:
        stale = ", STALE: the raw half has changed since" if entry.review_is_stale else ""
        head.append(f"reviewed    by {entry.review.by} on {entry.review.at} at {entry.review.commit[:12]}{stale}")
    extras = msgspec.to_builtins(extension)
    defaults = msgspec.to_builtins(type(extension)())
    head += [
        f"{key:<11} {value}"
        for key, value in extras.items()
        if value != defaults[key] and key not in ("examples", "sites", "kind")
    ]
    parts = ["\n".join(head)]
    for title, text in (
        ("Documentation", record.documentation),
        ("When it happens", record.trigger_scenarios),
        ("Common situations", record.common_situations),
        ("Solutions", "\n".join(f"{number}. {text}" for number, text in enumerate(record.solutions, start=1))),
        ("Example fix", (record.example_fix or "").strip("\n")),
        ("Prevention", "\n".join(f"- {text}" for text in record.prevention_tips)),
        ("Tags", ", ".join(record.tags)),
        ("Also printed as", "\n".join(site.error_message for site in extension.sites)),
        (
            "Lint",
            "\n".join(f"{one.level.value}: {one.field or ''} {one.message} [{one.rule}]" for one in entry.findings),
        ),
    ):
        if text:
            parts.append(f"{title}\n{_indented(text)}")
    return "\n\n".join(parts)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.splitlines())


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= 90 else f"{line[:89]}…"


def _tell_problems(catalogue: Catalogue) -> None:
    if catalogue.problems:
        count = len(catalogue.problems)
        click.echo(f"{count} problems while loading: burn-triage records lint {catalogue.root}", err=True)
