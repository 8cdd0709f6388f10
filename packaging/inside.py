"""Becomes a process of the image: run in fresh namespaces (see `unshare`), it enters the root, drops all rights, execs.

One argument: JSON with `root`, `command`, `environ`, `cwd`, `uid`, `gid`, and for the run of the finished image
`sealed` (the root is read-only but for `volumes` and /tmp) and a loopback interface of its own.
"""

# Starting programs is what this file is for.
# ruff: noqa: S603, S606, S607

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys

_SIOCSIFFLAGS = 0x8914
_UP_AND_RUNNING = 0x1 | 0x40


def main() -> None:
    plan = json.loads(sys.argv[1])
    root = plan["root"]
    if plan["sealed"]:
        _mount("--bind", root, root)
        for volume in plan["volumes"]:
            _mount("--bind", root + volume, root + volume)
        _mount("-o", "remount,bind,ro", root)
        _mount("-t", "tmpfs", "tmpfs", f"{root}/tmp")  # noqa: S108 - the image's own
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _UP_AND_RUNNING))
    _mount("-t", "proc", "proc", root + "/proc")
    os.chroot(root)
    os.chdir(plan["cwd"])
    os.setgroups([])
    os.setgid(plan["gid"])
    os.setuid(plan["uid"])
    os.execvpe(plan["command"][0], plan["command"], plan["environ"])


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


if __name__ == "__main__":
    main()
