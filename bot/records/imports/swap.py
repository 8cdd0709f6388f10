"""Putting imported records in the place of the raw ones, repository by repository, all or nothing for each.

A repository's raw records end up in one file, `<owner>/<name>/upstream.json`: replacing one file is atomic, replacing
many is not. The set before it is kept in `.previous`. TOML files (errata, records of our own) are never touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from bot.records.imports.manifest import ImportRefused
from bot.records.imports.plan import Plan

UPSTREAM = "upstream.json"
PREVIOUS = ".previous"


def carry_out(plans: Iterable[Plan]) -> None:
    """Swap in what was planned. Every new set is on disk before the first one is swapped.

    Raises `ImportRefused` when a set cannot be written: what was swapped until then is in place, the rest as before.
    """
    staged = [(plan, plan.folder / f".{UPSTREAM}.{os.getpid()}") for plan in plans]
    try:
        for plan, file in staged:
            _stage(plan, file)
        for plan, file in staged:
            _swap(plan, file)
    except OSError as error:
        raise ImportRefused(f"cannot write {error.filename or 'the records'}: {error.strerror or error}") from error
    finally:
        for _, file in staged:
            file.unlink(missing_ok=True)


def _stage(plan: Plan, file: Path) -> None:
    plan.folder.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        stream.write(plan.content)
        stream.flush()
        os.fsync(stream.fileno())


def _swap(plan: Plan, staged: Path) -> None:
    target = plan.folder / UPSTREAM
    old = [path for path in dict.fromkeys((target, *plan.superseded)) if path.is_file()]
    if old == [target] and target.read_bytes() == plan.content:
        return
    if old:
        _keep(plan, old)
    staged.replace(target)
    # From here on the new set counts; what it replaces only has to go.
    for path in old:
        if path != target:
            path.unlink(missing_ok=True)


def _keep(plan: Plan, files: list[Path]) -> None:
    """Copies of the set that is about to be replaced, in place of the copies before."""
    keeping, previous = plan.folder / f"{PREVIOUS}.{os.getpid()}", plan.folder / PREVIOUS
    shutil.rmtree(keeping, ignore_errors=True)
    for file in files:
        copy = keeping / file.relative_to(plan.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)
    shutil.rmtree(previous, ignore_errors=True)
    keeping.replace(previous)
