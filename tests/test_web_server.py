"""`burn-triage serve` and `work` as processes: real sockets, real signals, a real store."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from bot.inbox.port import Delivery, State
from bot.inbox.sql import open_inbox
from bot.web.body import MAX_BODY
from tests.bot_process import BotProcess

SECRET = "the-secret-of-this-test"
PATH = "/api/github/webhooks"
ENV = {
    "WEBHOOK_SECRET": SECRET,
    "GITHUB_TOKEN": "the-token-of-this-test",
    # Nothing listens there: whatever the worker tries is tried again later.
    "GITHUB_API_URL": "http://127.0.0.1:9",
}
ISSUE = {"number": 7, "title": "It panics", "body": "no panic here", "user": {"login": "ann", "type": "User"}}
PAYLOAD = {"action": "opened", "issue": ISSUE, "repository": {"full_name": "o/n"}, "installation": {"id": 9}}
BODY = json.dumps(PAYLOAD).encode()
STOP_SECONDS = 30.0


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BotProcess]:
    """One for the tests that leave it as it was."""
    with BotProcess(folder=tmp_path_factory.mktemp("bot"), env={**ENV, "LOG_LEVEL": "debug"}) as process:
        yield process


def headers(body: bytes, guid: str = "guid-1") -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": guid,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
    }


def ask(
    bot: BotProcess, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    where = urlsplit(bot.webhook_url)
    assert where.hostname
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
    with contextlib.closing(connection):
        connection.request(method, path, body=body, headers=headers or {}, encode_chunked=not isinstance(body, bytes))
        response = connection.getresponse()
        content = response.read()
    is_json = response.headers.get_content_type() == "application/json"
    return response.status, json.loads(content) if is_json else content.decode()


def connect(bot: BotProcess) -> socket.socket:
    where = urlsplit(bot.webhook_url)
    return socket.create_connection((where.hostname, where.port), timeout=20)


def test_a_delivery_sent_by_hand_is_stored_and_one_changed_byte_is_not(bot: BotProcess) -> None:
    assert ask(bot, "POST", PATH, BODY, headers(BODY)) == (202, {"status": "accepted"})
    assert ask(bot, "POST", PATH, BODY, headers(BODY)) == (200, {"status": "duplicate"})
    status, answer = ask(bot, "POST", PATH, BODY.replace(b"panics", b"Panics"), headers(BODY, "guid-2"))
    assert status == 403
    assert answer["status"] == "error"
    assert [row.guid for row in bot.deliveries()] == ["guid-1"]


def test_the_questions_of_operators_are_answered(bot: BotProcess) -> None:
    assert ask(bot, "GET", "/healthz") == (200, {"status": "ok"})
    assert ask(bot, "GET", "/readyz")[1]["checks"] == {"store": "ok", "workers": "ok", "records": "ok"}
    assert "burn_triage_store_up 1.0" in ask(bot, "GET", "/metrics")[1]
    assert ask(bot, "GET", PATH)[0] == 405
    assert ask(bot, "GET", "/%C3%A9?x=%00")[0] == 404


def test_a_body_over_the_cap_is_refused_in_words_that_arrive(bot: BotProcess) -> None:
    big = b" " * (MAX_BODY + 1)
    assert ask(bot, "POST", PATH, big, headers(big))[0] == 413
    chunks = (big[at : at + (1 << 20)] for at in range(0, len(big), 1 << 20))
    assert ask(bot, "POST", PATH, chunks, {**headers(big), "Transfer-Encoding": "chunked"})[0] == 413


def test_a_chunked_body_is_as_good_as_another(bot: BotProcess) -> None:
    chunks = iter([BODY[:5], BODY[5:]])
    sent = {**headers(BODY, "guid-chunked"), "Transfer-Encoding": "chunked"}
    assert ask(bot, "POST", PATH, chunks, sent)[0] == 202


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([b"X-Hub-Signature-256: sha256=\xc3\xa9\xff"], b"403"),
        ([b"X-Hub-Signature-256: sha256=" + b"0" * 64] * 2, b"403"),
        ([b"X_Hub_Signature_256: sha256=" + b"0" * 64], b"403"),
        ([b"Content-Length: -1"], b"400"),
        ([b"Content-Length: 9999999999999999999999"], b"400"),
    ],
    ids=["not ASCII", "twice", "underscores", "negative length", "length of another world"],
)
def test_odd_headers_are_refused_and_hurt_nothing(bot: BotProcess, lines: list[bytes], status: bytes) -> None:
    with connect(bot) as wire:
        wire.sendall(b"\r\n".join([f"POST {PATH} HTTP/1.1".encode(), b"Host: x", *lines, b"", b""]))
        assert wire.recv(4096).split()[1] == status
    assert ask(bot, "GET", "/healthz")[0] == 200


def test_no_secret_reaches_the_log_of_any_level(bot: BotProcess) -> None:
    ask(bot, "POST", PATH, BODY, headers(BODY, "guid-logged"))
    ask(bot, "POST", PATH, BODY, {**headers(BODY), "X-GitHub-Event": "star"})
    ask(bot, "POST", f"{PATH}?token={SECRET}", BODY, {"X-Hub-Signature-256": SECRET, "X-GitHub-Event": SECRET})
    ask(bot, "POST", PATH, BODY, {**headers(BODY), "X-GitHub-Delivery": SECRET})
    log = bot.log.read_text()
    assert "guid-logged" in log
    assert '"debug"' in log
    assert SECRET not in log
    assert ENV["GITHUB_TOKEN"] not in log


def stall(bot: BotProcess) -> socket.socket:
    """A client that sends half a body and then nothing."""
    wire = connect(bot)
    head = [f"POST {PATH} HTTP/1.1", "Host: x", "Content-Length: 100", *map(": ".join, headers(BODY).items())]
    wire.sendall("\r\n".join([*head, "", "half"]).encode())
    return wire


def test_stalled_uploads_neither_silence_the_receiver_nor_keep_it_from_stopping(tmp_path: Path) -> None:
    with BotProcess(folder=tmp_path, env=ENV) as bot, contextlib.ExitStack() as wires:
        for _ in range(60):
            wires.enter_context(stall(bot))
        assert ask(bot, "POST", PATH, BODY, headers(BODY))[0] == 202
        # An idle connection, kept alive, must not hold it up either.
        wires.enter_context(connect(bot))
        assert bot.stop() == 0
        assert '"stopped"' in bot.log_tail()


def test_kill_leaves_nobody_on_the_port_and_the_delivery_in_the_store(tmp_path: Path) -> None:
    bot = BotProcess(folder=tmp_path, env=ENV)
    bot.start()
    assert ask(bot, "POST", PATH, BODY, headers(BODY))[0] == 202
    bot.kill()
    with pytest.raises(ConnectionRefusedError):
        connect(bot)
    assert [row.guid for row in bot.deliveries()] == ["guid-1"]


def test_a_refused_start_is_a_sentence_and_status_1(tmp_path: Path) -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "bot", "serve"],
        cwd=tmp_path,
        env={"PATH": "", "PORT": "many"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("Error: 3 problems with the settings")
    assert all(name in outcome.stderr for name in ("PORT", "WEBHOOK_SECRET", "APP_ID"))
    assert "Traceback" not in outcome.stderr


def test_one_bad_record_is_logged_and_the_rest_serves_until_sigterm(tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "records" / "tracel-ai" / "burn"
    folder = tmp_path / "records" / "tracel-ai" / "burn"
    folder.mkdir(parents=True)
    for file in source.glob("can-t-differentiate-*"):
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "broken.json").write_text('{"record": {"id": 1}}')
    bot = BotProcess(folder=tmp_path, env={**ENV, "RECORDS_DIR": str(tmp_path / "records")})
    bot.start()
    # At once: from the line that says it listens, a signal is heeded.
    assert bot.stop() == 0
    assert "record not loaded" in bot.log.read_text()
    assert "broken.json" in bot.log.read_text()


def test_work_takes_up_what_another_process_received_and_sigterm_stops_it(tmp_path: Path) -> None:
    bot = BotProcess(folder=tmp_path, env=ENV)
    delivery = Delivery(
        app="1", guid="guid-1", event="issues", action="opened", subject="o/n#7", installation=9, payload=BODY
    )
    with contextlib.closing(open_inbox(bot.database_url, lease_seconds=60)) as inbox:
        assert inbox.put(delivery, now=0.0)
    # Switched off, it is done without GitHub.
    env = {**ENV, "PATH": "", "DATABASE_URL": bot.database_url, "TRIAGE_MODE": "off"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "work"], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True
    )
    try:
        (row,) = bot.wait_until_done(1, timeout=90)
        assert row.state is State.DONE
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
    finally:
        process.kill()
        _, log = process.communicate()
    assert '"delivery": "guid-1"' in log
