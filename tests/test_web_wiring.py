"""Everything that can be wrong before the first delivery is said in a sentence, with the name of what to set."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
import pytest
import structlog

from bot.commands.wiring import begin, build_workers, load_records, open_store
from bot.settings import Need, Settings
from bot.web.server import CannotListen, address, listen

SECRET = "the-secret-of-this-test"
Begin = Callable[[Mapping[str, str]], Settings]


@pytest.fixture
def begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """`begin` for `serve`, in an empty directory and with no other environment than the one given."""
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook, logging.raiseExceptions

    def run(env: Mapping[str, str]) -> Settings:
        monkeypatch.setattr(os, "environ", dict(env))
        return begin(need=Need.SECRET | Need.CREDENTIALS)

    yield run
    root.handlers[:], level, sys.excepthook, threading.excepthook, logging.raiseExceptions = before
    root.setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def refusal(begins: Begin, env: Mapping[str, str]) -> str:
    with pytest.raises(click.ClickException) as caught:
        begins(env)
    return caught.value.message


def test_without_secret_and_credentials_it_says_what_to_set(begins: Begin) -> None:
    message = refusal(begins, {})
    assert "WEBHOOK_SECRET" in message
    assert "APP_ID" in message
    assert "GITHUB_TOKEN" in message


def test_an_unreadable_key_is_named_with_the_reason(begins: Begin, tmp_path: Path) -> None:
    key = tmp_path / "app.pem"
    key.write_text("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n")
    for path, reason in ((key, "damaged"), (tmp_path / "none.pem", "No such file")):
        message = refusal(begins, {"WEBHOOK_SECRET": SECRET, "APP_ID": "1", "PRIVATE_KEY_PATH": str(path)})
        assert "PRIVATE_KEY_PATH" in message
        assert reason in message


def test_the_file_of_the_current_directory_is_read_and_its_mistakes_are_reported(begins: Begin, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=from-the-file\n")
    assert "from-the-file" in refusal(begins, {"PORT": ""})


def test_what_should_be_mended_is_logged_and_stops_nothing(begins: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    settings = begins({"WEBHOOK_SECRET": "shortish", "GITHUB_TOKEN": "a-token-of-this-test"})
    assert settings.warnings
    logged = capsys.readouterr().err
    assert "WEBHOOK_SECRET" in logged
    assert "shortish" not in logged


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=rf"127\.0\.0\.1 port {port}: .*in use"):
            listen("127.0.0.1", port)


def test_a_host_that_is_not_ours_is_named() -> None:
    with pytest.raises(CannotListen, match=r"192\.0\.2\.1 port 0"):
        listen("192.0.2.1", 0)


def test_the_real_port_is_known_at_once() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert address(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert not address(listener).endswith(":0")


@pytest.mark.parametrize("url", ["sqlite:////does/not/exist/x.sqlite3", "postgresql://u:planted@127.0.0.1:9/x"])
def test_a_store_that_cannot_be_opened_is_said_without_its_password(url: str) -> None:
    with pytest.raises(click.ClickException) as caught:
        open_store(Settings.from_env({"DATABASE_URL": url}))
    assert "DATABASE_URL" in caught.value.message
    assert "planted" not in caught.value.message


def test_without_a_single_record_it_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="no record could be loaded"):
        load_records(tmp_path)


def test_the_parts_fit_together(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {"GITHUB_TOKEN": "t", "DATABASE_URL": f"sqlite:///{tmp_path / 'x.sqlite3'}", "WORKERS": "2"}
    )
    source = Path(__file__).parent.parent / "records" / "tracel-ai" / "burn"
    for file in source.glob("can-t-differentiate-*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    inbox = open_store(settings)
    workers = build_workers(settings, inbox=inbox, knowledge=load_records(tmp_path))
    workers.start()
    assert workers.alive()
    assert workers.stop(timeout=10)
    inbox.close()
