"""A Debian root as an image in the making and as a running container, entered through namespaces."""

# Starting programs is what this file is for.
# ruff: noqa: S603, S607

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent
STEP_SECONDS = 900
HEALTHY_SECONDS = 60
_CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# What a container engine takes from its machine too.
_FROM_THE_MACHINE = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT")
_BASE_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"


class Failed(Exception):
    """The image is not what it should be, or cannot be made here."""


@dataclass
class Image:
    """A root in the making."""

    root: Path
    environ: dict[str, str] = field(default_factory=lambda: {"PATH": _BASE_PATH})
    cwd: str = "/"
    user: str = "0"

    def ids(self) -> tuple[int, int]:
        """User and group id of USER, as the root's own passwd file has it."""
        for line in (self.root / "etc/passwd").read_text().splitlines():
            name, _, uid, gid, *_ = line.split(":")
            if self.user in (name, uid):
                return int(uid), int(gid)
        if self.user.isdigit():
            return int(self.user), 0
        raise Failed(f"USER {self.user} does not exist in the image")

    def start(
        self, command: list[str], *, environ: dict[str, str], sealed: bool = False, volumes: list[str] | None = None
    ) -> subprocess.Popen[bytes]:
        uid, gid = self.ids()
        plan = {
            "root": str(self.root),
            "command": command,
            "environ": {**self.environ, **environ},
            "cwd": self.cwd,
            "uid": uid,
            "gid": gid,
            "sealed": sealed,
            "volumes": volumes or [],
        }
        spaces = ["--mount", "--pid", "--fork", "--kill-child", *(["--net"] if sealed else [])]
        return subprocess.Popen(["unshare", *spaces, sys.executable, str(HERE / "inside.py"), json.dumps(plan)])

    def run(self, command: list[str]) -> None:
        """One RUN step, with the machine's network, resolver, certificates and pip settings."""
        shutil.copyfile("/etc/resolv.conf", self.root / "etc/resolv.conf")
        environ = {name: os.environ[name] for name in _FROM_THE_MACHINE if name in os.environ}
        if Path(_CA_BUNDLE).exists():
            shutil.copyfile(_CA_BUNDLE, self.root / _CA_BUNDLE.lstrip("/"))
            environ["PIP_CERT"] = _CA_BUNDLE
        process = self.start(command, environ=environ)
        try:
            status = process.wait(STEP_SECONDS)
        finally:
            process.kill()
            process.wait()
        if status:
            raise Failed(f"status {status}: {command[-1]}")

    def path(self, inside: str) -> Path:
        return self.root / str(PurePosixPath(self.cwd, inside)).lstrip("/")


@contextlib.contextmanager
def started(
    image: Image, command: list[str], environ: dict[str, str], volumes: list[str]
) -> Iterator[subprocess.Popen[bytes]]:
    process = image.start(command, environ=environ, sealed=True, volumes=volumes)
    try:
        yield process
    finally:
        # The kernel ends everything in the process's namespace with it (--kill-child).
        process.kill()
        process.wait()


def first_child(pid: int) -> int:
    """The process inside, by the number that it has out here."""
    for _ in range(100):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    raise Failed("it did not start")


@dataclass
class Inside:
    """The running image."""

    pid: int
    image: Image

    def wait_until_healthy(self, check: list[str], environ: dict[str, str]) -> None:
        uid, gid = self.image.ids()
        enter = ["nsenter", f"--target={self.pid}", "--mount", "--net", "--pid", "--root", "--wd"]
        deadline = time.monotonic() + HEALTHY_SECONDS
        while time.monotonic() < deadline:
            asked = subprocess.run(
                [*enter, f"--setuid={uid}", f"--setgid={gid}", *check],
                env={**self.image.environ, **environ},
                capture_output=True,
                timeout=STEP_SECONDS,
            )
            if asked.returncode == 0:
                return
            time.sleep(0.5)
        raise Failed(f"not healthy after {HEALTHY_SECONDS} s: {asked.stderr.decode()[-300:]}")

    def deliver(self, secret: str) -> None:
        """From its own network, with this machine's Python."""
        script = [sys.executable, str(HERE / "deliver.py"), self.image.environ["PORT"], secret]
        subprocess.run(["nsenter", f"--target={self.pid}", "--net", *script], check=True, timeout=60)
