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
        from bot.records.harvest import harvest as read
        from bot.records.harvest import site_rows, wire
        from bot.records.rust.checkout import CheckoutError, GitObjects, open_checkout, rust_files
    try:
        source = open_checkout(checkout)
        commit = _commit(source.resolve(sha), sha, of_git=isinstance(source, GitObjects))
        with _bar(sum(1 for _ in rust_files(source.paths(sha))), "reading") as advance:
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


commands: tuple[click.Command, ...] = (harvest,)
