"""Alembic's steps from one schema to the next, run by `bot.inbox.migrate`."""
