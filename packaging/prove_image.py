"""`make prove-image`: the Dockerfile's own steps, run in a Debian root, and the image that they make, tried out.

For machines without a container engine. The base image `python:X.Y-slim-SUITE` is stood in for by a minimal Debian of
that suite with its own Python X.Y; every RUN, COPY, ENV, WORKDIR and USER is taken from the Dockerfile itself. The
result is started as an engine would start it (first process, no root, a network of its own, a read-only root) and must
become healthy by its own HEALTHCHECK, take a signed delivery, refuse a changed one, and stop at its STOPSIGNAL.

Needs root on Debian and a few minutes; installs debootstrap where it is missing. Leaves nothing else behind.
"""

# Starting programs is what this file is for.
# ruff: noqa: S603, S607

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path, PurePosixPath

from dockerfile import Ignore, Instruction, Stage, context_files, read_dockerfile
from root import HERE, STEP_SECONDS, Failed, Image, Inside, first_child, started

PROJECT = HERE.parent
STOP_SECONDS = 15


def main() -> int:
    if os.geteuid() != 0:
        print("make prove-image needs root: it makes a Debian root and enters it", file=sys.stderr)
        return 2
    began = time.monotonic()
    try:
        if not shutil.which("debootstrap"):
            say("debootstrap is missing: apt-get install debootstrap")
            subprocess.run(["apt-get", "install", "--yes", "--quiet", "debootstrap"], check=True, timeout=STEP_SECONDS)
        with tempfile.TemporaryDirectory(prefix="burn-triage-image-") as folder:
            stages = read_dockerfile((PROJECT / "Dockerfile").read_text())
            image = build(stages, Path(folder))
            inspect(image)
            try_out(stages[-1], image)
    except (Failed, subprocess.SubprocessError) as error:
        print(f"NOT PROVEN: {error}", file=sys.stderr)
        return 1
    say(f"proven in {time.monotonic() - began:.0f} s, without a container engine and with Debian's own Python")
    return 0


def say(text: str) -> None:
    print(f"[prove-image] {text}", flush=True)


# Building


def build(stages: list[Stage], folder: Path) -> Image:
    """Run every stage; the last one's root is the image."""
    ignore = Ignore((PROJECT / ".dockerignore").read_text())
    bases: dict[str, Path] = {}
    done: dict[str, Image] = {}
    image = None
    for number, stage in enumerate(stages):
        if stage.base not in bases:
            bases[stage.base] = debian(stage.base, folder / f"base-{len(bases)}")
        root = folder / f"stage-{number}"
        subprocess.run(["cp", "--archive", "--reflink=auto", str(bases[stage.base]), str(root)], check=True)
        image = Image(root)
        for instruction in stage.instructions:
            step(instruction, image, done, ignore)
        done[stage.name or str(number)] = image
    assert image is not None
    return image


def debian(base: str, root: Path) -> Path:
    """A minimal Debian that stands in for the official Python image of the same suite."""
    named = re.fullmatch(r"python:(\d+\.\d+)-slim-([a-z]+)", base)
    if not named:
        raise Failed(f"nothing here can stand in for the base image {base}")
    version, suite = named.groups()
    say(f"FROM {base}: a minimal Debian {suite} stands in for it")
    include = "--include=python3,python3-venv,ca-certificates"
    log = root.with_suffix(".log")
    with log.open("wb") as out:
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", include, suite, str(root), mirror()],
            stdout=out,
            stderr=out,
            timeout=STEP_SECONDS,
        )
    if made.returncode:
        raise Failed(f"debootstrap: {log.read_text()[-800:]}")
    if not (root / f"usr/bin/python{version}").exists():
        raise Failed(f"Debian {suite} has no Python {version}, which {base} promises")
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    return root


def mirror() -> str:
    """The Debian mirror that this machine uses itself."""
    sources = [*Path("/etc/apt").glob("sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for file in sources:
        for line in file.read_text(errors="replace").splitlines():
            found = re.match(r"(?:URIs:|deb(?: \[[^\]]*\])?)\s+(https?://\S+/debian)/?(?:\s|$)", line)
            if found:
                return found[1]
    raise Failed("no Debian mirror in /etc/apt")


def step(instruction: Instruction, image: Image, done: dict[str, Image], ignore: Ignore) -> None:
    """One instruction of a stage. What only describes the image (CMD, EXPOSE, …) is looked at when it is started."""
    match instruction.name:
        case "RUN":
            say(f"RUN {instruction.text}")
            image.run(instruction.command())
        case "COPY":
            say(f"COPY {' '.join(f'--{name}={value}' for name, value in instruction.flags.items())} {instruction.text}")
            copy(instruction, image, done, ignore)
        case "ENV":
            pairs = [word.partition("=") for word in instruction.plain()]
            image.environ.update({name: value for name, _, value in pairs})
        case "WORKDIR":
            image.cwd = str(PurePosixPath(image.cwd, instruction.plain()[0]))
            image.path("").mkdir(parents=True, exist_ok=True)
        case "USER":
            image.user = instruction.plain()[0]


def copy(instruction: Instruction, image: Image, done: dict[str, Image], ignore: Ignore) -> None:
    *sources, target = instruction.plain()
    unknown = set(instruction.flags) - {"from"}
    if unknown:
        raise Failed(f"line {instruction.line}: COPY with {unknown}")
    for source in sources:
        into = image.path(target) / Path(source).name if target.endswith("/") else image.path(target)
        if "from" in instruction.flags:
            stage = done[instruction.flags["from"]]
            shutil.copytree(stage.path(source), into, symlinks=True, dirs_exist_ok=True)
            continue
        files = list(context_files(PROJECT, ignore, source))
        if not files:
            raise Failed(f"line {instruction.line}: COPY {source}: no such file in the build's context")
        for file in files:
            to = into / file.relative_to(source)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / file, to)


# Trying it out


def inspect(image: Image) -> None:
    """What an image of ours never holds."""
    site = next((image.root / "opt/bot/lib").glob("python3*/site-packages"))
    for name in ("pip", "setuptools"):
        if (site / name).exists():
            raise Failed(f"{name} is still in the image")
    unwanted = [path for name in (".env", "*.pem", ".git", "tests") for path in site.parent.rglob(f"bot/{name}")]
    if unwanted:
        raise Failed(f"in the image, but should not be: {unwanted}")
    if image.ids()[0] == 0:
        raise Failed("it would run as root")
    size = sum(path.lstat().st_size for path in (image.root / "opt/bot").rglob("*")) / 1e6
    say(f"on top of the base: {size:.0f} MB, no installer, no secret, USER {image.user}")


def try_out(stage: Stage, image: Image) -> None:
    """Start it as an engine would, ask its health check, deliver, stop it."""
    command = [word for name in ("ENTRYPOINT", "CMD") if (part := stage.last(name)) for word in part.command()]
    volume, check, stop = stage.last("VOLUME"), stage.last("HEALTHCHECK"), stage.last("STOPSIGNAL")
    if not (command and volume and check and stop):
        raise Failed("the image lacks a command, VOLUME, HEALTHCHECK or STOPSIGNAL")
    environ = {
        "WEBHOOK_SECRET": "only for this proof",
        "GITHUB_TOKEN": "only for this proof",
        "GITHUB_API_URL": "http://127.0.0.1:9",
    }
    say(f"starting {' '.join(command)} as user {image.user}, with a read-only root")
    with started(image, command, environ, volume.plain()) as process:
        within = Inside(first_child(process.pid), image)
        within.wait_until_healthy(check.command(), environ)
        say("healthy by its own HEALTHCHECK")
        within.deliver(environ["WEBHOOK_SECRET"])
        say("a signed delivery: 202; again: 200; one changed byte: 403")
        os.kill(within.pid, getattr(signal, stop.text))
        status = process.wait(STOP_SECONDS)
        if status:
            raise Failed(f"{stop.text} ended it with status {status}")
        say(f"{stop.text} ended it with status 0")


if __name__ == "__main__":
    sys.exit(main())
