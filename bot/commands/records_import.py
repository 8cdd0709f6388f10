"""`burn-triage records import`: take over upstream's records, checked, without losing a correction."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from bot.commands.options import records_option
from bot.records.imports.manifest import ImportRefused
from bot.records.imports.plan import RepositoryChange, plan_import
from bot.records.imports.source import open_source
from bot.records.imports.swap import carry_out
from bot.records.lint.report import printable
from bot.records.load import read_catalogue

NAMED = 10


@click.command("import")
@click.argument("source")
@records_option
@click.option("--repo", "repos", multiple=True, metavar="OWNER/NAME", help="Only this repository; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--json", "as_json", is_flag=True, help="The changes as a JSON array.")
def import_records(source: str, records: Path, repos: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Replace raw records with those of SOURCE: a dataset's folder or manifest.json (also http, https), or a file.

    Sizes and SHA-256 are compared with the manifest before anything is written. Each repository's set is swapped in
    at once, the set before it is kept in `.previous`; errata and records of our own stay as they are.
    """
    if records.exists() and not records.is_dir():
        raise click.ClickException(f"{records} is a file; import needs the catalogue's folder")
    catalogue = read_catalogue(records)
    known = {entry.record.repo for entry in catalogue.entries}
    try:
        opened = open_source(source, wanted=repos, known=known)
        plans = plan_import(opened, catalogue, wanted=repos)
        if not dry_run:
            carry_out(plans)
    except ImportRefused as error:
        raise click.ClickException(printable(str(error))) from error
    changes = [plan.change for plan in plans]
    if as_json:
        click.echo(msgspec.json.encode(changes).decode())
        return
    done = "would be imported" if dry_run else "imported"
    version = f" (dataset {opened.version})" if opened.version else ""
    for change in changes:
        click.echo(printable("\n".join([f"{change.repo} {done}{version}", *_lines(change)])))


def _lines(change: RepositoryChange) -> list[str]:
    counts = {"added": change.added, "changed": change.changed, "removed": change.removed}
    lines = [f"  {', '.join(f'{len(slugs)} {what}' for what, slugs in counts.items())}, {change.unchanged} unchanged"]
    for what, slugs in counts.items():
        lines += _some(what, slugs)
    if change.ours:
        lines.append(f"  {len(change.ours)} behind records of our own with the same id")
    lines += _some("review no longer fits the raw record, look again at", change.stale)
    lines += _some("erratum without its record, kept:", change.orphaned)
    lines += _some("left out:", change.left_out)
    if not change.checked:
        lines.append("  no manifest vouches for these bytes")
    return lines


def _some(what: str, names: list[str]) -> list[str]:
    more = [f"  … and {len(names) - NAMED} more"] if len(names) > NAMED else []
    return [*(f"  {what} {name}" for name in names[:NAMED]), *more]
