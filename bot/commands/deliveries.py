"""`burn-triage deliveries`: what came in, what became of it, and how to have it worked on again."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from bot.inbox.port import DeliveryRow, Inbox, State, StoreUnavailable
from bot.inbox.sql import open_inbox
from bot.settings import SettingsError, load_settings


@contextmanager
def _store() -> Iterator[Inbox]:
    try:
        settings = load_settings()
        inbox = open_inbox(settings.database_url.reveal(), lease_seconds=settings.lease_seconds)
        try:
            yield inbox
        finally:
            inbox.close()
    except (SettingsError, StoreUnavailable, ValueError) as error:
        raise click.ClickException(str(error)) from None


@click.group()
def deliveries() -> None:
    """Look into the inbox (DATABASE_URL)."""


@deliveries.command("list")
@click.option("--state", type=click.Choice([state.value for state in State]), help="Only these.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def list_(state: str | None, limit: int, as_json: bool) -> None:
    """The newest deliveries, newest first."""
    with _store() as inbox:
        rows = inbox.deliveries(state=State(state) if state else None, limit=limit)
    if as_json:
        click.echo(msgspec.json.encode(rows).decode())
        return
    for row in rows:
        click.echo(_line(row))
    if not rows:
        click.echo("no deliveries", err=True)


@deliveries.command()
@click.argument("delivery", type=int)
def replay(delivery: int) -> None:
    """Have a finished or dead DELIVERY (its number in the list) worked on again. It cannot lead to a second comment."""
    with _store() as inbox:
        if not inbox.replay(delivery, now=time.time()):
            raise click.ClickException(f"delivery {delivery} is unknown or not finished yet")
    click.echo(f"delivery {delivery} is waiting again")


def _line(row: DeliveryRow) -> str:
    at = dt.datetime.fromtimestamp(row.received_at, tz=dt.UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    told = row.outcome or row.error or ""
    return f"{row.id:>7}  {at}  {row.state.value:<8} {row.event}.{row.action} {row.subject}  {row.guid}  {told}"
