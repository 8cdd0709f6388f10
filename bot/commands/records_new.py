"""`burn-triage records new`: from a pasted panic to a record to fill in."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import click

from bot.commands.options import records_option
from bot.matching.matcher import Matcher
from bot.matching.verdict import Evidence, Verdict
from bot.records.find import search_records
from bot.records.lint.report import printable
from bot.records.load import load_catalogue, sites
from bot.records.model import Catalogue
from bot.records.permalink import COMMIT
from bot.records.skeleton import Draft, Place, first_reason, hints, place_of, skeleton, without_home

CANDIDATES = 5
LONGEST_PASTE = 256 * 1024


@click.command()
@records_option
@click.option("--file", "pasted", type=click.File("rb"), help="The panic as printed.")
@click.option("--message", help="The text as it stands in the source, with {} for what varies.")
@click.option("--source", metavar="PATH[:LINE]", help="What raises it, in the repository.")
@click.option("--function", help="The function that encloses the raising line.")
@click.option("--repo", default="tracel-ai/burn", show_default=True)
@click.option(
    "--commit", help="Full commit id for the permalink. [default: the one most records of the repository use]"
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write here (a new file, or a folder) instead of printing."
)
def new(
    records: Path,
    pasted: BinaryIO | None,
    message: str | None,
    source: str | None,
    function: str | None,
    repo: str,
    commit: str | None,
    out: Path | None,
) -> None:
    """Start a record from a panic on standard input, in --file, or from --message.

    Records that may already explain it, and what is still to do, go to standard error; the record to standard output.
    """
    if pasted is None and message is None:
        pasted = sys.stdin.buffer
    text = pasted.read(LONGEST_PASTE).decode("utf-8", "replace") if pasted else message or ""
    catalogue = load_catalogue(records)
    verdict = Matcher.build(sites(catalogue)).judge("", text)
    evidence = verdict.evidence[0] if verdict.evidence else None
    literal = message or first_reason(evidence.text if evidence else text).strip()
    if not literal:
        raise click.UsageError("no message: paste a panic, or give --message")
    place, line = _place(source, evidence)
    draft = Draft(
        repo=repo,
        commit=_commit(commit, repo, catalogue),
        message=literal,
        path=place.path,
        line=line,
        function=function or _function(evidence),
        version=place.version or verdict.version,
        example=without_home(text),
        today=dt.datetime.now(dt.UTC).date(),
    )
    record = skeleton(draft)
    _tell_candidates(catalogue, verdict, literal)
    _write(record, draft, out)
    todo = "".join(f"\n  {one.field or 'record'}: {one.message}  [{one.rule}]" for one in hints(record, draft.slug))
    click.echo(printable(f"Still to do (burn-triage records lint FILE --watch shows it as you type):{todo}"), err=True)


def _place(source: str | None, evidence: Evidence | None) -> tuple[Place, int | None]:
    if source is not None:
        path, _, line = source.rpartition(":")
        return (Place(path=path), int(line)) if path and line.isdecimal() else (Place(path=source), None)
    if evidence is None or evidence.location is None:
        raise click.UsageError("no location is printed: give --source PATH:LINE")
    return place_of(evidence.location.path), evidence.location.line


def _function(evidence: Evidence | None) -> str | None:
    functions = evidence.location.functions if evidence and evidence.location else ()
    return functions[0] if functions else None


def _commit(given: str | None, repo: str, catalogue: Catalogue) -> str:
    if given is not None:
        if not COMMIT.fullmatch(given):
            raise click.BadParameter("expected 40 hex digits", param_hint="--commit")
        return given
    used = Counter(entry.record.analyzed_sha for entry in catalogue.entries if entry.record.repo == repo)
    if not used:
        raise click.UsageError(f"no record of {repo} names a commit yet: give --commit")
    return used.most_common(1)[0][0]


def _tell_candidates(catalogue: Catalogue, verdict: Verdict, literal: str) -> None:
    """What the matcher says first, then what merely shares words."""
    lines = [f"  {match.slug}  matches: {match.message}" for match in verdict.matches]
    lines += [f"  {rejected.slug}  refused: {rejected.reason}" for rejected in verdict.rejected]
    named = {match.slug for match in verdict.matches} | {rejected.slug for rejected in verdict.rejected}
    lines += [
        f"  {entry.slug}  shares words: {entry.record.error_message}"
        for _, entry in search_records(catalogue.entries, literal)
        if entry.slug not in named
    ]
    if lines:
        shown = "\n".join(lines[:CANDIDATES])
        click.echo(printable(f"Nearest in the catalogue:\n{shown}\n"), err=True)


def _write(record: str, draft: Draft, out: Path | None) -> None:
    if out is None:
        click.echo(record, nl=False)
        return
    file = out / f"{draft.slug}.toml" if out.is_dir() else out
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(record)
    except FileExistsError as error:
        raise click.ClickException(f"{file} exists already") from error
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from error
    click.echo(f"wrote {file}", err=True)
