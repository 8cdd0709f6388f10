"""`python -m tests.github [--port N] [--state FILE]`: the fake GitHub standing alone, to try the bot against.

Prints the settings with which the bot finds it, in the form of a `.env` file, and runs until it is interrupted.
"""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

import msgspec

from tests.github.fake import FakeGitHub
from tests.github.state import State


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.github", description="A fake GitHub on the loopback.")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
    parser.add_argument("--state", type=Path, help="JSON file to start from, if it is there, and to write at the end")
    parser.add_argument("--repo", action="append", default=[], help="owner/name to have (default: tracel-ai/burn)")
    parser.add_argument("--webhook", help="address of the bot's webhook; what happens is delivered there")
    given = parser.parse_args()
    state = None
    if given.state is not None and given.state.exists():
        state = msgspec.json.decode(given.state.read_bytes(), type=State)
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    with FakeGitHub(state=state, port=given.port) as gh:
        for name in given.repo or ["tracel-ai/burn"]:
            gh.repo(name)
        if given.webhook:
            gh.connect(given.webhook)
        print(f"# A person's token, to open issues with: {gh.personal_token('someone')}")
        for key, value in gh.environment().items():
            print(f'{key}="{value.strip()}"')
        print("# Ready.", flush=True)
        done.wait()
    if given.state is not None:
        given.state.write_bytes(msgspec.json.format(msgspec.json.encode(gh.backend.state)))


if __name__ == "__main__":
    main()
