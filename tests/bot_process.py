"""The bot as an operator runs it: `burn-triage serve` in a process of its own, on a free port, with an SQLite file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from bot.inbox.port import DeliveryRow, State
from bot.inbox.sql import open_inbox

START_SECONDS = 30.0
_LISTENING = re.compile(rb"http://[0-9a-z.:\[\]-]+/api/github/webhooks")
_INHERITED = ("PATH", "HOME", "LANG", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")


class BotProcess:
    """Starts on entering, stops (SIGTERM) on leaving. `kill` is `kill -9`; `start` again is the restart after it."""

    def __init__(self, *, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self.database_url = f"sqlite:///{folder / 'burn-triage.sqlite3'}"
        self.log = folder / "bot.log"
        self._env = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self._env |= {"HOST": "127.0.0.1", "PORT": "0", "DATABASE_URL": self.database_url, "LOG_FORMAT": "json"}
        self._env |= {"RECORDS_DIR": str(Path(__file__).parent.parent / "records")} | dict(env)
        self._process: subprocess.Popen[bytes] | None = None
        self.webhook_url = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Raises RuntimeError with the log's end when it does not come up."""
        seen = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bot", "serve"], cwd=self.folder, env=self._env, stdout=log, stderr=log
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            found = _LISTENING.search(self.log.read_bytes()[seen:])
            if found:
                self.webhook_url = found.group().decode()
                return
            time.sleep(0.02)
        self.kill()
        raise RuntimeError(f"the bot did not start:\n{self.log_tail()}")

    def kill(self) -> None:
        """No warning, no clean-up: what a power cut does to it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(timeout=START_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def log_tail(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def deliveries(self) -> list[DeliveryRow]:
        """All deliveries as they stand in the store."""
        inbox = open_inbox(self.database_url, lease_seconds=60)
        try:
            return list(inbox.deliveries(limit=10_000))
        finally:
            inbox.close()

    def wait_until_done(self, count: int, *, timeout: float = 60.0) -> list[DeliveryRow]:
        """Until `count` deliveries are in the store and finished. Raises RuntimeError with what is still open."""
        deadline = time.monotonic() + timeout
        while True:
            rows = self.deliveries()
            open_ = [row for row in rows if row.state not in (State.DONE, State.DEAD)]
            if len(rows) >= count and not open_:
                return rows
            if time.monotonic() > deadline:
                raise RuntimeError(f"{len(rows)} of {count} deliveries, unfinished: {open_}\n{self.log_tail()}")
            time.sleep(0.05)
