"""Brings a database to this version's schema when the bot starts. Safe when many processes start at once.

The whole step runs in one transaction under a lock: an advisory one on PostgreSQL, the write lock on SQLite. A process
that dies half-way leaves the database as it was.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.engine import Connection, Engine

from bot.inbox.engine import READ_ONLY, is_sqlite, store_errors
from bot.inbox.port import StoreUnavailable

_LOCK = 0x6275726E  # any number that all processes agree on


def migrate(engine: Engine, *, revision: str = "head") -> None:
    """Upgrade to `revision`. Raises `StoreUnavailable`, also when a newer version has already been at work here.

    Alembic keeps its state in module globals: never call this from two threads at once.
    """
    config = _config()
    with store_errors():
        if current_revision(engine) == ScriptDirectory.from_config(config).as_revision_number(revision):
            return
        with engine.begin() as connection:
            _lock(connection)
            config.attributes["connection"] = connection
            try:
                command.upgrade(config, revision)
            except CommandError as error:
                raise StoreUnavailable(
                    f"the database has a schema that this version does not know ({error}); run the newer version again"
                ) from error


def downgrade(engine: Engine, *, revision: str = "base") -> None:
    """Go back to an older schema. What only the newer one can hold is lost. Raises `StoreUnavailable`."""
    config = _config()
    with store_errors(), engine.begin() as connection:
        _lock(connection)
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def current_revision(engine: Engine) -> str | None:
    """The schema that the database has; None when it has none yet."""
    with store_errors(), engine.connect().execution_options(**{READ_ONLY: True}) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "bot.inbox:migrations")
    config.set_main_option("path_separator", "os")
    return config


def _lock(connection: Connection) -> None:
    if is_sqlite(connection.engine):
        return  # BEGIN IMMEDIATE holds the only write lock
    connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
    connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
