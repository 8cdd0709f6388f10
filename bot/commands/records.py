"""`burn-triage records …`: everything about the catalogue. Each command is imported only when it is called."""

from __future__ import annotations

import click

from bot.commands.lazy import LazyGroup

_COMMANDS = {
    "lint": "bot.commands.records_lint:lint",
    "list": "bot.commands.records_read:list_records",
    "show": "bot.commands.records_read:show",
    "search": "bot.commands.records_read:search",
    "new": "bot.commands.records_new:new",
    "import": "bot.commands.records_import:import_records",
}


class _RecordsGroup(LazyGroup):
    """The commands above, and those that read a checkout, as far as there are any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self._checkout()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or self._checkout().get(cmd_name)

    def _checkout(self) -> dict[str, click.Command]:
        from bot.commands.checkout import commands

        return {command.name: command for command in commands if command.name}


@click.group(cls=_RecordsGroup, lazy=_COMMANDS)
def records_group() -> None:
    """Check, read, write, import and re-anchor error records."""
