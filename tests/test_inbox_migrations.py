"""The schema is made and kept up by migrations, at once or not at all, whoever starts first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.inbox.engine import make_engine
from bot.inbox.migrate import current_revision, downgrade, migrate
from bot.inbox.port import Delivery, StoreUnavailable
from bot.inbox.schema import metadata
from bot.inbox.sql import open_inbox

from .conftest import FakeClock

OURS = {"deliveries", "intents", "facts"}


def engine_of(url: str) -> sa.Engine:
    return make_engine(url, wait_seconds=5)


def tables(engine: sa.Engine) -> set[str]:
    return set(sa.inspect(engine).get_table_names()) - {"alembic_version"}


def test_the_migrated_schema_is_the_one_the_code_works_with(store_url: str) -> None:
    engine = engine_of(store_url)
    migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_on_sqlite_it_is_the_same_to_the_letter(tmp_path: Path) -> None:
    migrated, created = (engine_of(f"sqlite:///{tmp_path / name}") for name in ("migrated", "created"))
    migrate(migrated)
    metadata.create_all(created)

    def statements(engine: sa.Engine) -> dict[str, str]:
        with engine.connect() as connection:
            rows = connection.exec_driver_sql(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name <> 'alembic_version'"
            )
            return {name: " ".join(text.split()) for name, text in rows}

    assert statements(migrated) == statements(created)


def test_a_filled_database_is_opened_again_unchanged(store_url: str, clock: FakeClock) -> None:
    sent = Delivery(
        app="1", guid="g", event="issues", action="opened", subject="o/r#1", installation=None, payload=b"p"
    )
    first = open_inbox(store_url, lease_seconds=60)
    assert first.put(sent, now=clock())
    first.close()
    second = open_inbox(store_url, lease_seconds=60)
    assert not second.put(sent, now=clock())
    job = second.claim("w", now=clock())
    assert job is not None
    assert job.delivery == sent
    second.close()


def test_there_is_a_way_back_and_forth_again(store_url: str, clock: FakeClock) -> None:
    inbox = open_inbox(store_url, lease_seconds=60)
    inbox.save_fact("s", "k", "v", now=clock())
    downgrade(inbox.engine)
    assert tables(inbox.engine) == set()
    assert current_revision(inbox.engine) is None
    migrate(inbox.engine)
    assert tables(inbox.engine) == OURS
    inbox.save_fact("s", "k", "v", now=clock())
    inbox.close()


def test_a_migration_that_breaks_off_leaves_nothing_behind(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_of(store_url)

    def power_cut(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(op, "create_index", power_cut)
        with pytest.raises(KeyboardInterrupt):
            migrate(engine)
    assert tables(engine) == set()
    migrate(engine)
    assert tables(engine) == OURS


def test_a_database_of_a_newer_version_is_left_alone(store_url: str) -> None:
    engine = engine_of(store_url)
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="newer version"):
        open_inbox(store_url, lease_seconds=60)
    assert current_revision(engine) == "9999"


def test_many_processes_may_start_at_the_same_moment(store_url: str) -> None:
    program = (
        "import sys; from bot.inbox.sql import open_inbox\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "inbox = open_inbox(sys.argv[1], lease_seconds=60)\n"
        "inbox.save_fact('started', sys.argv[2], 'yes', now=1.0)\n"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", program, store_url, str(number)],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(5)
    ]
    for starter in starters:
        assert starter.stdout is not None
        assert starter.stdout.readline() == "ready\n"
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write("go\n")
        starter.stdin.flush()
    for starter in starters:
        _, errors = starter.communicate(timeout=60)
        assert (starter.returncode, errors) == (0, "")
    inbox = open_inbox(store_url, lease_seconds=60)
    assert [fact.key for fact in inbox.facts("started")] == ["0", "1", "2", "3", "4"]
    inbox.close()
