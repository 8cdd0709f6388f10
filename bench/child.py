"""Run in a process of its own, so that memory and cold start are the matcher's alone.

    python -m bench.child build COUNT INDEX [CATALOGUE]     build, save
    python -m bench.child load INDEX ISSUE                  load, judge one issue (JSON: title, body)

Prints one JSON object.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import msgspec

KEY = "bench"


class Built(msgspec.Struct, frozen=True):
    seconds: float
    """Of the processor."""
    peak: int
    """Bytes, the list of records included."""
    saved: int
    """Bytes of the index file."""


class Loaded(msgspec.Struct, frozen=True):
    load: float
    """Seconds to map the index."""
    first: float
    """Seconds of the first verdict."""
    before: int
    """Peak bytes of the interpreter and the libraries alone."""
    peak: int
    """Peak bytes after it."""


def build(count: int, index: Path, catalogue: Path | None) -> Built:
    """Build in a child process. Raises subprocess.CalledProcessError."""
    arguments = ["build", str(count), str(index), *([str(catalogue)] if catalogue else [])]
    return msgspec.json.decode(_run(arguments), type=Built)


def load(index: Path, issue: Path) -> Loaded:
    """Load and judge in a child process. Raises subprocess.CalledProcessError."""
    return msgspec.json.decode(_run(["load", str(index), str(issue)]), type=Loaded)


def _run(arguments: list[str]) -> bytes:
    return subprocess.run([sys.executable, "-m", "bench.child", *arguments], check=True, stdout=subprocess.PIPE).stdout


def peak_bytes() -> int:
    """The most memory this process has held: of Linux's own book-keeping, which begins anew with each program."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main() -> None:
    from bot.matching.matcher import Matcher

    what, *rest = sys.argv[1:]
    if what == "build":
        from bench.world import base, grown

        source = Path(rest[2]) if len(rest) > 2 else None
        sites = grown(base(source), int(rest[0]))
        begin = time.process_time()
        matcher = Matcher.build(sites)
        seconds = time.process_time() - begin
        matcher.save(Path(rest[1]), KEY)
        print(msgspec.json.encode(Built(seconds, peak_bytes(), Path(rest[1]).stat().st_size)).decode())
        return
    issue = json.loads(Path(rest[1]).read_text(encoding="utf-8"))
    before = peak_bytes()
    begin = time.perf_counter()
    loaded = Matcher.load(Path(rest[0]), KEY)
    assert loaded is not None, "the index does not load"
    mapped = time.perf_counter()
    loaded.judge(issue["title"], issue["body"])
    end = time.perf_counter()
    print(msgspec.json.encode(Loaded(mapped - begin, end - mapped, before, peak_bytes())).decode())


if __name__ == "__main__":
    main()
