"""`burn-triage records lint`: is the catalogue what it says it is?"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from bot.commands.options import records_option
from bot.records.lint.examples import Judge, lint_examples
from bot.records.lint.report import for_people, for_programs, sarif
from bot.records.load import load_catalogue, sites
from bot.records.model import Catalogue, Finding, Level

POLL_SECONDS = 0.5


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@records_option
@click.option("--json", "as_json", is_flag=True, help="All findings as one JSON object.")
@click.option("--sarif", "as_sarif", is_flag=True, help="A SARIF 2.1.0 log, for code review.")
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes, until interrupted.")
def lint(path: Path | None, records: Path, as_json: bool, as_sarif: bool, watch: bool) -> None:
    """Check PATH (a folder or one file; default: the catalogue) against every rule.

    Exit status: 0 no errors, 1 errors; warnings and notes do not count.
    """
    if as_json and as_sarif:
        raise click.UsageError("--json and --sarif exclude each other")
    root = path or records
    if watch:
        _watch(root)
    catalogue = load_catalogue(root)
    findings = all_findings(catalogue)
    if as_json:
        click.echo(msgspec.json.encode(for_programs(findings, records=len(catalogue.entries))).decode())
    elif as_sarif:
        log = sarif(findings, root=root, prefix=_prefix(root))
        click.echo(msgspec.json.encode(log).decode())
    else:
        click.echo(for_people(findings, catalogue=catalogue))
    if any(finding.level is Level.ERROR for finding in findings):
        raise SystemExit(1)


def all_findings(catalogue: Catalogue) -> list[Finding]:
    """What the loader found, what each record's lint says, and what the matcher makes of the examples."""
    findings = [*catalogue.problems, *(finding for entry in catalogue.entries for finding in entry.findings)]
    if any(entry.extension.examples for entry in catalogue.entries):
        findings += lint_examples(catalogue.entries, catalogue.root, _judge(catalogue))
    return findings


def _judge(catalogue: Catalogue) -> Judge:
    # The matcher is loaded only for catalogues that have examples.
    from bot.matching.matcher import Matcher

    matcher = Matcher.build(sites(catalogue))

    def judge(text: str) -> Sequence[str]:
        return [match.record for match in matcher.judge("", text).matches]

    return judge


def _watch(root: Path) -> None:
    """Never returns but by an interrupt, which click turns into a clean end."""
    shown: str | None = None
    while True:
        catalogue = load_catalogue(root)
        if catalogue.content_hash != shown:
            shown = catalogue.content_hash
            click.clear()
            click.echo(for_people(all_findings(catalogue), catalogue=catalogue))
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
