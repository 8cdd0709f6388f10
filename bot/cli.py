"""The command line: `burn-triage …`. Each command lives in its own module and is imported only when it is called."""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "serve": "bot.commands.serve:serve",
    "work": "bot.commands.serve:work",
    "explain": "bot.commands.explain:explain",
    "match": "bot.commands.match:match",
    "receive": "bot.commands.receive:receive",
    "records": "bot.commands.records:records_group",
    "deliveries": "bot.commands.deliveries:deliveries",
}


class LazyGroup(click.Group):
    """Names its commands without importing them: `match` must not pay for Flask, nor `serve` for tree-sitter."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, attribute = target.split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="burn-triage")
def main() -> None:
    """Answers new issues that print a known error: once, with the documented cause and what to try."""
