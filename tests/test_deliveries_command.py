"""`burn-triage deliveries`: what came in, what became of it and, in shadow mode, what would have been said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.inbox.port import Delivery
from bot.inbox.sql import open_inbox
from tests.records.samples import load, raw

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    load(tmp_path / "records", raw=raw())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/inbox.sqlite3")
    monkeypatch.setenv("RECORDS_DIR", str(tmp_path / "records"))
    monkeypatch.setenv("TRUST_FLOOR", "linted")
    return lambda *words: CliRunner().invoke(main, ["deliveries", *words])


def store(folder: Path, *, body: str, detail: dict[str, object] | None = None) -> None:
    """One delivery; with a detail it is finished in shadow mode."""
    issue = {"number": 7, "title": "a panic", "body": body, "user": {"login": "someone", "type": "User"}}
    payload = {
        "action": "opened",
        "issue": issue,
        "repository": {"full_name": "tracel-ai/burn"},
        "sender": {"login": "someone", "type": "User"},
    }
    inbox = open_inbox(f"sqlite:///{folder}/inbox.sqlite3", lease_seconds=60)
    delivery = Delivery(
        app="1",
        guid="a-guid",
        event="issues",
        action="opened",
        subject="tracel-ai/burn#7",
        installation=1,
        payload=json.dumps(payload).encode(),
    )
    assert inbox.put(delivery, now=1_000.0)
    if detail is not None:
        job = inbox.claim("worker", now=1_001.0)
        assert job is not None
        assert inbox.finish(job, outcome="shadow", detail=json.dumps(detail), now=1_002.0)
    inbox.close()


def test_in_shadow_mode_the_list_says_what_would_have_been_done(run: Run, tmp_path: Path) -> None:
    match = {"record": "0" * 16, "slug": "the-slug", "role": "root", "confidence": 1.0}
    store(tmp_path, body="", detail={"reason": "half a pair: \ud800", "action": "post", "matches": [match]})
    line = run("list").stdout
    assert line.endswith("tracel-ai/burn#7  a-guid  shadow post the-slug\n")


def test_where_nothing_would_have_been_said_the_list_says_so(run: Run, tmp_path: Path) -> None:
    store(tmp_path, body="", detail={"reason": "nothing printed", "action": "nothing"})
    assert run("list").stdout.endswith("  shadow nothing\n")


def test_show_prints_the_comment_of_a_delivery(run: Run, tmp_path: Path) -> None:
    message = str(raw()["errorMessage"]).replace("{}", "3")
    store(tmp_path, body=f"```\nthread 'main' panicked at {raw()['filePath']}:104:9:\n{message}\n```")
    result = run("show", "1")
    assert result.exit_code == 0
    assert result.stdout.startswith("### "), result.stderr
    assert message in result.stdout


def test_show_says_why_there_is_no_comment(run: Run, tmp_path: Path) -> None:
    store(tmp_path, body="how do I stack layers?")
    result = run("show", "1")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("no comment: ")


def test_an_unknown_number_is_named(run: Run, tmp_path: Path) -> None:
    store(tmp_path, body="")
    for command in ("show", "replay"):
        result = run(command, "99")
        assert result.exit_code == 1
        assert "delivery 99 is unknown" in result.stderr
