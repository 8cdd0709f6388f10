"""What operators ask the bot: alive? ready? how much?"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from flask.testing import FlaskClient

from bot.commands.wiring import STALE_SECONDS, store_check, write_check
from bot.inbox.port import Counts, Delivery, State, StoreUnavailable
from bot.inbox.sql import open_inbox
from bot.settings import Settings
from bot.web.app import create_app
from bot.web.health import Check
from bot.web.metrics import Metrics


class Nowhere:
    def put(self, delivery: Delivery, *, now: float) -> bool:
        raise AssertionError("health never writes")


def client(
    *, alive: Check = lambda: None, ready: Mapping[str, Check] | None = None, metrics: Metrics | None = None
) -> FlaskClient:
    settings = Settings.from_env({"WEBHOOK_SECRET": "a secret of the test"})
    app = create_app(
        settings=settings, inbox=Nowhere(), wake=lambda: None, metrics=metrics, alive=alive, ready=ready or {}
    )
    return app.test_client()


def test_a_living_process_is_healthy_and_says_so_shortly() -> None:
    response = client().get("/healthz")
    assert (response.status_code, response.get_json()) == (200, {"status": "ok"})


def test_a_process_whose_worker_died_wants_a_restart() -> None:
    response = client(alive=lambda: "a worker thread has ended").get("/healthz")
    assert response.status_code == 503
    assert response.get_json()["problem"] == "a worker thread has ended"


def test_ready_when_every_check_is_content() -> None:
    response = client(ready={"store": lambda: None, "records": lambda: None}).get("/readyz")
    assert response.status_code == 200
    assert response.get_json() == {"status": "ready", "checks": {"store": "ok", "records": "ok"}}


def test_not_ready_names_the_check_and_the_reason() -> None:
    response = client(ready={"store": lambda: "the store does not answer", "records": lambda: None}).get("/readyz")
    assert response.status_code == 503
    assert response.get_json()["checks"] == {"store": "the store does not answer", "records": "ok"}


def aged(oldest: float | None) -> Counts:
    return Counts(states={**dict.fromkeys(State, 0), State.WAITING: 3}, oldest_age=oldest)


def down() -> Counts:
    raise StoreUnavailable("gone")


def test_the_store_is_ready_until_a_delivery_has_waited_too_long() -> None:
    assert store_check(lambda: aged(None)) is None
    assert store_check(lambda: aged(STALE_SECONDS - 1)) is None
    assert "unfinished" in str(store_check(lambda: aged(STALE_SECONDS + 1)))
    assert "does not answer" in str(store_check(down))


def test_figures_are_prometheus_text_with_the_backlog() -> None:
    metrics = Metrics()
    metrics.watch_inbox(lambda: aged(12.5))
    metrics.finished("commented")
    response = client(metrics=metrics).get("/metrics")
    assert response.content_type.startswith("text/plain; version=0.0.4")
    text = response.get_data(as_text=True)
    assert 'burn_triage_stored_deliveries{state="waiting"} 3.0' in text
    assert "burn_triage_oldest_unfinished_seconds 12.5" in text
    assert 'burn_triage_jobs_total{outcome="commented"} 1.0' in text
    assert "burn_triage_store_up 1.0" in text


def test_figures_are_still_given_while_the_store_is_away() -> None:
    metrics = Metrics()
    metrics.watch_inbox(down)
    response = client(metrics=metrics).get("/metrics")
    assert response.status_code == 200
    assert "burn_triage_store_up 0.0" in response.get_data(as_text=True)


def test_the_check_works_on_a_real_store(store_url: str) -> None:
    inbox = open_inbox(store_url, lease_seconds=60)
    assert store_check(lambda: inbox.counts(now=0.0)) is None
    inbox.close()


def test_a_store_that_answers_but_takes_no_writes_is_not_ready(tmp_path: Path) -> None:
    """A full disk, a file mounted read-only, or, as here, somebody who holds the lock."""
    file = tmp_path / "inbox.sqlite3"
    inbox = open_inbox(f"sqlite:///{file}", lease_seconds=60, wait_seconds=0.05)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store_check(lambda: inbox.counts(now=0.0)) is None
    assert "takes no writes" in str(write_check(inbox))
    other.execute("ROLLBACK")
    assert write_check(inbox) is None
    other.close()
    inbox.close()
