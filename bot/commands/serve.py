"""`burn-triage serve` and `burn-triage work`: the bot as a service."""

from __future__ import annotations

import signal
import threading
import time

import click
import structlog

from bot.commands.wiring import begin, build_workers, load_records, open_store, store_check, write_check
from bot.inbox.port import Counts
from bot.settings import Need
from bot.worker.loop import Workers

DRAIN_SECONDS = 8.0
"""For the jobs in hand after SIGTERM. Container engines kill after ten."""

_log = structlog.get_logger(__name__)


@click.command()
def serve() -> None:
    """Receive webhooks and work on them, in one process. SIGTERM finishes what is in hand."""
    # Imported here: `work` needs no web server.
    from bot.web.app import create_app
    from bot.web.metrics import Metrics
    from bot.web.server import CannotListen, address, listen, run

    settings = begin(need=Need.SECRET | Need.CREDENTIALS)
    knowledge = load_records(settings.records_dir)
    try:
        listener = listen(settings.host, settings.port)
    except CannotListen as error:
        raise click.ClickException(f"{error}. Set HOST and PORT.") from None
    inbox = open_store(settings)
    metrics = Metrics()

    def counts() -> Counts:
        return inbox.counts(now=time.time())

    metrics.watch_inbox(counts)
    workers = build_workers(settings, inbox=inbox, knowledge=knowledge, observe=metrics.finished)
    app = create_app(
        settings=settings,
        inbox=inbox,
        wake=workers.wake,
        metrics=metrics,
        alive=lambda: None if workers.alive() else "a worker thread has ended",
        ready={
            "store": lambda: store_check(counts) or write_check(inbox),
            "workers": lambda: None if workers.alive() else "a worker thread has ended",
            "records": lambda: None if knowledge.entries else "no record is loaded",
        },
    )

    url = f"{address(listener)}{settings.webhook_path}"
    mode = settings.triage_mode.value
    workers.start()
    try:
        run(app, listener, on_start=lambda: _log.info(f"listening on {url}", mode=mode, workers=settings.workers))
    finally:
        _drain(workers)
        inbox.close()


@click.command()
def work() -> None:
    """Work on what other processes received. SIGTERM finishes what is in hand."""
    settings = begin(need=Need.CREDENTIALS)
    knowledge = load_records(settings.records_dir)
    inbox = open_store(settings)
    workers = build_workers(settings, inbox=inbox, knowledge=knowledge)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    workers.start()
    _log.info("working", mode=settings.triage_mode.value, workers=settings.workers)
    while not stop.wait(1.0):
        if not workers.alive():
            raise click.ClickException("a worker thread has ended")
    _drain(workers)
    inbox.close()


def _drain(workers: Workers) -> None:
    if workers.stop(timeout=DRAIN_SECONDS):
        _log.info("stopped")
    else:
        _log.warning("stopped with work in hand: it is taken up again when its lease has run out")
