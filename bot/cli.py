"""The command line: `burn-triage …`. Each command lives in its own module and is imported only when it is called."""

from __future__ import annotations

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


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="burn-triage")
def main() -> None:
    """Answers new issues that print a known error: once, with the documented cause and what to try."""
