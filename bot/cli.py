"""The command line: `burn-triage …`. Each command lives in its own module and is imported only when it is called."""

from __future__ import annotations

import errno
from typing import Any

import click

from bot.commands.lazy import LazyGroup

# `match` must not pay for Flask, nor `serve` for tree-sitter.
COMMANDS = {
    "serve": "bot.commands.serve:serve",
    "work": "bot.commands.serve:work",
    "explain": "bot.commands.explain:explain",
    "match": "bot.commands.match:match",
    "evaluate": "bot.commands.evaluate:evaluate",
    "receive": "bot.commands.receive:receive",
    "records": "bot.commands.records:records_group",
    "deliveries": "bot.commands.deliveries:deliveries",
}


class Program(LazyGroup):
    """A full disk under the output ends in a sentence; click itself sees to a reader that went away."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise click.ClickException(f"cannot write: {error.strerror}") from None


@click.group(cls=Program, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="burn-triage")
def main() -> None:
    """Answers new issues that print a known error: once, with the documented cause and what to try."""
