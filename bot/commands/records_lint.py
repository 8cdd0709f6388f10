"""`burn-triage records lint`: is the catalogue what it says it is?"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from bot.commands.options import records_option
from bot.records.files import file_name, record_files
from bot.records.lint.examples import Judge, lint_examples
from bot.records.lint.report import for_people, for_programs, sarif
from bot.records.load import load_catalogue, sites
from bot.records.model import Catalogue, Entry, Finding, Level

POLL_SECONDS = 0.5


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@records_option
@click.option("--json", "as_json", is_flag=True, help="All findings as one JSON object.")
@click.option("--sarif", "as_sarif", is_flag=True, help="A SARIF 2.1.0 log, for code review.")
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes, until interrupted.")
def lint(path: Path | None, records: Path, as_json: bool, as_sarif: bool, watch: bool) -> None:
    """Check PATH (a folder or one file; default: the catalogue) against every rule.

    A part of the catalogue is checked against all of it: an erratum needs its record, an example must match no other.
    Exit status: 0 no errors, 1 errors; warnings and notes do not count.
    """
    if as_json and as_sarif:
        raise click.UsageError("--json and --sarif exclude each other")
    root, part = _root_and_part(path, records)
    if watch:
        _watch(root, part)
    catalogue, findings = linted(root, part)
    if as_json:
        click.echo(msgspec.json.encode(for_programs(findings, records=len(catalogue.entries))).decode())
    elif as_sarif:
        click.echo(msgspec.json.encode(sarif(findings, root=root, prefix=_prefix(root))).decode())
    else:
        click.echo(for_people(findings, catalogue=catalogue))
    if any(finding.level is Level.ERROR for finding in findings):
        raise SystemExit(1)


def linted(root: Path, part: str | None = None) -> tuple[Catalogue, list[Finding]]:
    """The catalogue narrowed to `part` (a file or folder, relative to `root`), with everything found in that part:
    by the loader, by each record's lint, and by the matcher in the examples."""
    whole = load_catalogue(root)
    chosen = tuple(entry for entry in whole.entries if part is None or _touches(entry, root, part))
    findings = [finding for finding in whole.problems if part is None or _inside(finding.path, part)]
    findings += [finding for entry in chosen for finding in entry.findings]
    if any(entry.extension.examples for entry in chosen):
        findings += lint_examples(chosen, root, _judge(whole))
    return msgspec.structs.replace(whole, entries=chosen), findings


def _root_and_part(path: Path | None, records: Path) -> tuple[Path, str | None]:
    """What to load, and what of it to look at: a path outside the catalogue is one of its own."""
    if path is None:
        return records, None
    try:
        part = path.resolve(strict=True).relative_to(records.resolve()).as_posix()
    except (OSError, ValueError):
        return path, None
    return records, None if part == "." else part


def _touches(entry: Entry, root: Path, part: str) -> bool:
    files = [entry.path] if entry.erratum is None else [entry.path, entry.erratum]
    return any(_inside(file_name(file, root), part) for file in files)


def _inside(name: str, part: str) -> bool:
    return name == part or name.startswith(f"{part}/")


def _judge(catalogue: Catalogue) -> Judge:
    # The matcher is loaded only for catalogues that have examples.
    from bot.matching.matcher import Matcher

    matcher = Matcher.build(sites(catalogue))

    def judge(text: str) -> Sequence[tuple[str, str]]:
        # Bare, or as most people paste it: what a program prints without a panic header is known by its fence.
        for shown in (text, f"```\n{text}\n```"):
            if matches := matcher.judge("", shown).matches:
                return [(match.record, match.slug) for match in matches]
        return []

    return judge


def _watch(root: Path, part: str | None) -> None:
    """Never returns but by an interrupt, which click turns into a clean end."""
    shown: list[object] = []
    while True:
        stored: list[object] = [
            one if isinstance(one, Finding) else (one.name, one.sha256) for one in record_files(root)
        ]
        if stored != shown:
            shown = stored
            catalogue, findings = linted(root, part)
            click.clear()
            click.echo(for_people(findings, catalogue=catalogue))
            sys.stdout.flush()
        time.sleep(POLL_SECONDS)


def _prefix(root: Path) -> str:
    """From the current directory, taken for the repository, to the catalogue; empty where it lies elsewhere."""
    folder = root if root.is_dir() else root.parent
    try:
        inside = folder.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        return ""
    return "" if inside == Path() else inside.as_posix()
