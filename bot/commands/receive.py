"""`burn-triage receive`: one event from a file, worked on here and now. The same command is the GitHub Action.

The event goes the whole way: stored, claimed, judged, applied. Without DATABASE_URL the store is a file of its own that
is gone afterwards; the marker in the comment is then what keeps a second run from posting a second comment.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path

import click
from msgspec.structs import replace

from bot.commands.knowledge import load_knowledge
from bot.commands.preview import preview
from bot.commands.wiring import begin, build_workers, open_store
from bot.inbox.port import Delivery, DeliveryRow, State
from bot.policy.events import Ignored, PayloadError, parse_event
from bot.settings import Need, Secret, Settings

TEMPORARY_FAILURE = 75
"""EX_TEMPFAIL of sysexits.h: run it again later."""
PATIENCE_SECONDS = 120.0


@click.command()
@click.option("-e", "--event", envvar="GITHUB_EVENT_NAME", required=True, help="The event's name, e.g. issues.")
@click.option(
    "-p",
    "--payload",
    envvar="GITHUB_EVENT_PATH",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The payload as JSON in a file.",
)
@click.option("--dry-run", is_flag=True, help="Print the comment instead of posting it; needs no credentials.")
def receive(event: str, payload: Path, dry_run: bool) -> None:
    """Work on one event from a file.

    In a workflow of GitHub Actions no option is needed: GITHUB_EVENT_NAME, GITHUB_EVENT_PATH and GITHUB_TOKEN are read.
    Exit status: 0 done (also when there was nothing to say), 1 bad input or refused for good, 75 try again later.
    """
    body = payload.read_bytes()
    try:
        parsed = parse_event(event, body)
    except PayloadError as error:
        raise click.ClickException(f"{payload}: {error}") from None
    if isinstance(parsed, Ignored):
        click.echo(f"nothing to do: {parsed.reason}", err=True)
        return
    if dry_run:
        preview(parsed, begin(need=Need.NOTHING))
        return
    settings = begin(need=Need.CREDENTIALS)
    # A run and its re-run carry the same file: the same delivery.
    guid = f"file-{hashlib.sha256(body).hexdigest()[:32]}"
    delivery = Delivery(
        app=settings.app_id or "token",
        guid=guid,
        event=event,
        action=parsed.action,
        subject=parsed.subject,
        installation=parsed.installation,
        payload=body,
    )
    with tempfile.TemporaryDirectory(prefix="burn-triage-") as folder:
        if "DATABASE_URL" not in os.environ:
            settings = replace(settings, database_url=Secret(f"sqlite:///{folder}/inbox.sqlite3"))
        row = _work(delivery, settings)
    _report(row)


def _work(delivery: Delivery, settings: Settings) -> DeliveryRow:
    """Store it and work until it is finished, or until it is due again only after our patience ends."""
    inbox = open_store(settings)
    workers = build_workers(settings, inbox=inbox, knowledge=load_knowledge(settings.records_dir))
    inbox.put(delivery, now=time.time())
    workers.start()
    deadline = time.time() + PATIENCE_SECONDS
    try:
        while True:
            row = next(row for row in inbox.deliveries() if (row.guid, row.event) == (delivery.guid, delivery.event))
            now = time.time()
            if row.state in (State.DONE, State.DEAD) or now > deadline or row.not_before > deadline:
                return row
            time.sleep(0.05)
    finally:
        workers.stop(timeout=settings.lease_seconds)
        inbox.close()


def _report(row: DeliveryRow) -> None:
    if row.state is State.DONE:
        click.echo(f"{row.subject}: {row.outcome}", err=True)
        return
    click.echo(f"{row.subject}: {row.error}", err=True)
    raise SystemExit(1 if row.state is State.DEAD else TEMPORARY_FAILURE)
