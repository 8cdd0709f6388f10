"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from bot.records.where import default_root

Command = TypeVar("Command", bound=Callable[..., Any])


def records_option(command: Command) -> Command:
    """`--records DIR`: the catalogue to work with, `./records` or the one beside the source where not given."""
    return click.option(
        "--records",
        type=click.Path(path_type=Path),
        default=default_root,
        help="The catalogue: a folder of records, or one file. [default: ./records, else the one beside the source]",
    )(command)
