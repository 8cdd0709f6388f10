"""What Alembic runs for every command. The connection is handed in, with its transaction open and its lock held."""

from __future__ import annotations

from alembic import context

from bot.inbox.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
