"""`records harvest`, `records refresh` and `records verify`: the commands that read a Rust checkout."""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

Result = TypeVar("Result")

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)
_RECORDS = click.Path(exists=True, path_type=Path)


@contextlib.contextmanager
def _reading_rust() -> Iterator[None]:
    """Turns what a user can mend into a message: the missing extra, a checkout that cannot be read."""
    try:
        yield
    except ImportError as error:
        if error.name not in {"tree_sitter", "tree_sitter_rust"}:
            raise
        raise click.ClickException("reading Rust needs tree-sitter: pip install 'burn-triage[checkout]'") from error


@click.command()
@click.option("--checkout", required=True, type=_DIRECTORY, help="Root of the checkout, or a bare git directory.")
@click.option("--repo", default="tracel-ai/burn", show_default=True, help="owner/name for ids and permalinks.")
@click.option("--sha", help="Commit for the permalinks; of a bare git directory, also the one to read. [default: HEAD]")
@click.option("--out", type=_FILE, help="Write the records here instead of standard output.")
@click.option("--sites", type=_FILE, help="Also write every site (repeated texts too) as tab-separated lines.")
@click.option("--tests/--no-tests", default=False, show_default=True, help="Also take what only tests compile.")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Processes to read with.")
def harvest(
    checkout: Path, repo: str, sha: str | None, out: Path | None, sites: Path | None, tests: bool, jobs: int
) -> None:
    """Write a skeleton record for every error text of a Rust checkout."""
    with _reading_rust():
        from bot.records.harvest import files_to_read, site_rows, wire
        from bot.records.harvest import harvest as read
        from bot.records.rust.checkout import CheckoutError, GitObjects, open_checkout
    try:
        source = open_checkout(checkout)
        commit = _commit(source.resolve(sha), sha, of_git=isinstance(source, GitObjects))
        with _bar(len(files_to_read(source, sha, tests=tests)), "reading") as advance:
            found = read(
                source,
                repo=repo,
                sha=commit,
                revision=sha,
                now=dt.datetime.now(dt.UTC),
                tests=tests,
                processes=jobs,
                progress=advance,
            )
    except CheckoutError as error:
        raise click.ClickException(str(error)) from error
    if not found.files:
        raise click.ClickException(f"{checkout} holds no .rs file")
    if sites:
        _write(sites, "".join(f"{row}\n" for row in ("path\tline\tkind\tfunction\tmessage", *site_rows(found.sites))))
    _write_json([wire(record) for record in found.records], out)
    click.echo(
        f"{len(found.records)} records for {len(found.sites)} sites in {found.files} files"
        f" ({len(found.fallback)} read without the grammar)",
        err=True,
    )
    for path in found.unreadable:
        click.echo(f"not readable as UTF-8, left out: {path}", err=True)


@click.command()
@click.option("--checkout", required=True, type=_DIRECTORY, help="A checkout with its git history, or a bare one.")
@click.option("--records", "root", default="records", show_default=True, type=_RECORDS, help="Catalogue, or one file.")
@click.option("--repo", default="tracel-ai/burn", show_default=True, help="Whose records to follow.")
@click.option("--sha", help="Commit, branch or tag to follow the records to. [default: HEAD]")
@click.option("--ranges/--no-ranges", default=True, show_default=True, help="Read every release for since and until.")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Processes to read with.")
@click.option("--dry-run", is_flag=True, help="Say what would change, write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON on standard output.")
def refresh(
    checkout: Path, root: Path, repo: str, sha: str | None, ranges: bool, jobs: int, dry_run: bool, as_json: bool
) -> None:
    """Re-anchor a catalogue to another commit: same, moved, reworded, gone.

    Writes line numbers, permalinks and version ranges into our TOML files; raw records stay as delivered.
    """
    with _reading_rust():
        from bot.records.refresh import Refresher
        from bot.records.refresh_report import report_lines
        from bot.records.releases import distinct_files, read_releases, release_files
        from bot.records.rust.checkout import CheckoutError, readable_at_commits
    from bot.records.load import read_catalogue

    catalogue = read_catalogue(root)
    try:
        with readable_at_commits(checkout) as git:
            commit = _commit(git.resolve(sha), sha, of_git=True)
            releases = None
            if ranges and (files := release_files(git)):
                with _bar(len(distinct_files(files)), "reading releases") as advance:
                    releases = read_releases(git, files, processes=jobs, progress=advance)
            with _bar(len(catalogue.entries), "following") as advance:
                refresher = Refresher(git, repo=repo, commit=commit, processes=jobs)
                refreshed = refresher.refresh(catalogue, releases, progress=advance)
    except CheckoutError as error:
        raise click.ClickException(str(error)) from error
    if not dry_run:
        for path, text in refreshed.texts.items():
            _write(path, text)
    if as_json:
        facts = {name: getattr(refreshed, name) for name in ("commit", "changes", "skipped")}
        _write_json({**facts, "problems": catalogue.problems, "written": not dry_run}, None)
        return
    for line in report_lines(refreshed, dry_run=dry_run):
        click.echo(line)
    for finding in catalogue.problems:
        click.echo(f"not loaded: {finding.path}: {finding.message}")


@click.command()
@click.option(
    "--checkout",
    "checkouts",
    required=True,
    multiple=True,
    metavar="[OWNER/NAME=]DIR",
    help="A checkout or bare git directory; of tracel-ai/burn unless named. May be given several times.",
)
@click.option("--records", "root", default="records", show_default=True, type=_RECORDS, help="Catalogue, or one file.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON on standard output.")
def verify(checkouts: tuple[str, ...], root: Path, as_json: bool) -> None:
    """Prove a catalogue against source: literals, links, functions, review lines, code, API names.

    Exit status 1 when something does not hold. What could not be looked at (no such commit, no checkout) is listed.
    """
    with _reading_rust():
        from bot.records.rust.checkout import CheckoutError, readable_at_commits
        from bot.records.verify import verify as prove
        from bot.records.verify_report import report_lines
        from bot.records.verify_sources import API_REPO, Sources
    from bot.records.load import read_catalogue

    catalogue = read_catalogue(root)
    try:
        with contextlib.ExitStack() as stack:
            readers = {
                repo: stack.enter_context(readable_at_commits(folder))
                for repo, folder in _named_checkouts(checkouts, API_REPO).items()
            }
            with _bar(len(catalogue.entries), "verifying") as advance:
                proven = prove(catalogue.entries, Sources(readers), progress=advance)
    except CheckoutError as error:
        raise click.ClickException(str(error)) from error
    unloaded = list(catalogue.problems)
    if as_json:
        _write_json({"problems": unloaded, **msgspec.to_builtins(proven)}, None)
    else:
        for line in report_lines(proven):
            click.echo(line)
        for finding in unloaded:
            click.echo(f"not loaded: {finding.path}: {finding.message}")
    if proven.failures or unloaded:
        raise click.exceptions.Exit(1)


def _named_checkouts(given: tuple[str, ...], default: str) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for one in given:
        before, equals, after = one.partition("=")
        repo, folder = (
            (before, after) if equals and before.count("/") == 1 and not Path(one).exists() else (default, one)
        )
        if repo in named:
            raise click.BadParameter(f"two checkouts of {repo}", param_hint="--checkout")
        if not Path(folder).is_dir():
            raise click.BadParameter(f"{folder} is no folder", param_hint="--checkout")
        named[repo] = Path(folder)
    return named


def _commit(resolved: str | None, asked: str | None, *, of_git: bool) -> str:
    if resolved:
        return resolved
    if asked and not of_git and len(asked) == 40 and set(asked) <= set("0123456789abcdef"):
        return asked
    if asked:
        raise click.ClickException(f"git knows no commit {asked} in this checkout; without git, give all 40 digits")
    raise click.ClickException("this checkout has no git history to name its commit: give --sha")


@contextlib.contextmanager
def _bar(length: int, label: str) -> Iterator[Callable[[int], Any]]:
    """A progress bar on standard error, where that is a terminal."""
    with click.progressbar(length=length, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield bar.update


def _write_json(value: Any, out: Path | None) -> None:
    text = msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"
    if out is None:
        click.echo(text, nl=False)
    else:
        _write(out, text)


def _write(out: Path, text: str) -> None:
    """The whole file or none of it: readers may be looking while we write."""
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=out.parent, delete=False) as stream:
            stream.write(text)
        Path(stream.name).chmod(0o644)
        Path(stream.name).replace(out)
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror}") from error


commands: tuple[click.Command, ...] = (harvest, refresh, verify)
