"""Shared by all tests: a fresh store on each engine, and a clock that only moves when it is told to."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings
from psycopg import sql
from sqlalchemy.engine import make_url

pytest_plugins = ["tests.github.fixtures"]

_LOCAL = ("postgresql://test@127.0.0.1:5432/test", "postgresql://postgres@127.0.0.1:5432/postgres")


# A slow machine is no failure: properties are about outcomes.
settings.register_profile("house", deadline=None)
settings.load_profile("house")


class FakeClock:
    """Unix seconds. Call it to read it, `advance` it to let time pass; `sleep` is `advance` under another name."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds

    sleep = advance


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """A URL that may create databases. Without a server the test is skipped; on CI (`CI=true`) it fails instead."""
    named = os.environ.get("TEST_POSTGRES_URL")
    for url in (named,) if named else _LOCAL:
        try:
            psycopg.connect(url, connect_timeout=3).close()
        except psycopg.OperationalError:
            continue
        return url
    message = f"no PostgreSQL answers at {'TEST_POSTGRES_URL' if named else '127.0.0.1:5432'}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """An empty database of the test's own, dropped afterwards."""
    name = f"burn_triage_test_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database on each engine: a test that asks for it runs once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'inbox.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    return url
