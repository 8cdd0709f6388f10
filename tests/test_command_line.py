"""`match` and `explain` where the surroundings fail: a sentence, never a traceback, and the work is done."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from tests.records.samples import load, raw

ISSUE = json.dumps({"id": 1, "title": "a question", "body": "how?"}) + "\n"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "records"
    load(folder, raw=raw())
    return folder


def test_an_index_that_cannot_be_kept_costs_time_only(records: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "none" / "index", tmp_path / "folder"):
        result = CliRunner().invoke(main, ["match", "--records", str(records), "--index", str(place)], input=ISSUE)
        assert result.exit_code == 0
        assert json.loads(result.stdout)["verdict"] == "abstain"
        assert f"the index cannot be kept in {place}" in result.stderr


def test_a_full_disk_under_the_output_is_said(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("bot.commands.explain.judge_text", full)
    result = CliRunner().invoke(main, ["explain", "-", "--records", str(records)], input="text")
    assert (result.exit_code, result.stderr) == (1, "Error: cannot write: No space left on device\n")


def test_a_closed_output_is_said(records: Path) -> None:
    command = [sys.executable, "-m", "bot", "match", "--records", str(records)]
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    result = subprocess.run(shell, input=ISSUE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (result.returncode, result.stderr) == (1, "Error: standard output is closed\n")
