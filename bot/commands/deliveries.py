"""`burn-triage deliveries`: what came in, what became of it, and how to have it worked on again."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from bot.commands.preview import preview
from bot.inbox.port import DeliveryRow, Inbox, State, StoreUnavailable
from bot.inbox.sql import open_inbox
from bot.policy.events import PayloadError, parse_event
from bot.settings import Settings, SettingsError, load_settings
from bot.worker.detail import Detail
from bot.worker.outcome import Outcome


@contextmanager
def _store() -> Iterator[tuple[Inbox, Settings]]:
    try:
        settings = load_settings()
        inbox = open_inbox(settings.database_url.reveal(), lease_seconds=settings.lease_seconds)
        try:
            yield inbox, settings
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
@click.option("--json", "as_json", is_flag=True, help="An array with one object a delivery.")
def list_(state: str | None, limit: int, as_json: bool) -> None:
    """The newest deliveries, newest first."""
    with _store() as (inbox, _):
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
def show(delivery: int) -> None:
    """Print the comment that DELIVERY (its number in the list) leads to, as its text and the records stand now."""
    with _store() as (inbox, settings):
        stored = inbox.delivery(delivery)
    if stored is None:
        raise click.ClickException(f"delivery {delivery} is unknown")
    try:
        event = parse_event(stored.event, stored.payload)
    except PayloadError as error:
        raise click.ClickException(f"delivery {delivery}: {error}") from None
    preview(event, settings)


@deliveries.command()
@click.argument("delivery", type=int)
def replay(delivery: int) -> None:
    """Have a finished or dead DELIVERY (its number in the list) worked on again. It cannot lead to a second comment."""
    with _store() as (inbox, _):
        if not inbox.replay(delivery, now=time.time()):
            raise click.ClickException(f"delivery {delivery} is unknown or not finished yet")
    click.echo(f"delivery {delivery} is waiting again")


def _line(row: DeliveryRow) -> str:
    at = dt.datetime.fromtimestamp(row.received_at, tz=dt.UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    told = " ".join([row.outcome, *_about(row)]) if row.outcome else row.error or ""
    return f"{row.id:>7}  {at}  {row.state.value:<8} {row.event}.{row.action} {row.subject}  {row.guid}  {told}"


def _about(row: DeliveryRow) -> Iterator[str]:
    """The records it was about; in shadow mode also what would have been done, which the outcome does not say."""
    if row.detail is None:
        return
    # Not msgspec's decoder: it refuses half a surrogate pair, which an issue's text may hold.
    detail = msgspec.convert(json.loads(row.detail), Detail)
    if row.outcome == Outcome.SHADOW and detail.action:
        yield detail.action
    yield from (match.slug for match in detail.matches)
