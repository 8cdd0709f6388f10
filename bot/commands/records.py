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
    "harvest": "bot.commands.checkout:harvest",
    "refresh": "bot.commands.checkout:refresh",
    "verify": "bot.commands.checkout:verify",
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def records_group() -> None:
    """Check, read, write, import and re-anchor error records."""
