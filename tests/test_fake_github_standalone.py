"""`python -m tests.github`: the fake alone, as somebody tries the bot against it."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from dotenv import dotenv_values

from tests.github.client import Client, assertion

ROOT = Path(__file__).parent.parent


@contextlib.contextmanager
def standing_alone(*arguments: str) -> Iterator[tuple[dict[str, str | None], str]]:
    """The printed settings and a person's token."""
    command = [sys.executable, "-m", "tests.github", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            if line == "# Ready.\n":
                break
            lines.append(line)
        try:
            yield dotenv_values(stream=io.StringIO("".join(lines))), lines[0].split()[-1]
        finally:
            process.terminate()
            process.wait(timeout=10)
    assert process.returncode == 0


def test_the_state_outlives_the_server(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    with standing_alone("--state", str(file), "--repo", "tracel-ai/burn") as (settings, token):
        with Client(str(settings["GITHUB_API_URL"]), token) as person:
            assert person("POST", "/repos/tracel-ai/burn/issues", {"title": "It panics"}).status == 201
        first = settings
    with standing_alone("--state", str(file)) as (settings, token):
        with Client(str(settings["GITHUB_API_URL"]), token) as person:
            assert person("GET", "/repos/tracel-ai/burn/issues/1").body["title"] == "It panics"
        with Client(str(settings["GITHUB_API_URL"]), assertion(str(first["APP_ID"]), str(first["PRIVATE_KEY"]))) as app:
            assert len(app("GET", "/app/installations").body) == 1
        assert settings["WEBHOOK_SECRET"] == first["WEBHOOK_SECRET"]
