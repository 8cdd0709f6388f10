"""`python -m tests.contract [PYTEST ARGUMENTS]`: the tests of the fake GitHub, judged by GitHub itself.

Installs GitHub's own API description, webhook examples and webhook schemas with npm (versions and hashes are pinned
in this folder, install scripts are off), cuts them to what is used, and runs the tests that talk to the fake with
GITHUB_CONTRACT_DIR set. What was installed stays in `.cache/contract` until the pins change.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.contract.cut import cut
from tests.github.api import ROUTES
from tests.github.contract import API_FILE, VARIABLE

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CACHE = ROOT / ".cache" / "contract"
PINS = ("package.json", "package-lock.json", ".npmrc")
WEBHOOKS = (
    "installation-created",
    "installation-deleted",
    "installation-repositories-added",
    "installation-repositories-removed",
    "installation-suspend",
    "installation-unsuspend",
    "issue-comment-created",
    "issue-comment-deleted",
    "issue-comment-edited",
    "issues-closed",
    "issues-edited",
    "issues-labeled",
    "issues-opened",
    "issues-reopened",
    "issues-unlabeled",
    "ping",
)


def main() -> int:
    try:
        install()
        folder = prepare()
    except (OSError, subprocess.CalledProcessError, KeyError) as error:
        print(f"contract: {error}", file=sys.stderr)
        return 1
    environment = os.environ | {VARIABLE: str(folder)}
    arguments = ["--contract-only", *sys.argv[1:]]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=environment, check=False
    ).returncode


def install() -> None:
    """The pinned packages, unless they are there. Raises FileNotFoundError without npm."""
    pins = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PINS)).hexdigest()
    mark = CACHE / "installed"
    if mark.exists() and mark.read_text() == pins:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed: the contract needs Node.js 18 or newer")
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(parents=True)
    for name in PINS:
        shutil.copy(HERE / name, CACHE / name)
    subprocess.run([npm, "ci", "--ignore-scripts", "--loglevel=error"], cwd=CACHE, check=True)
    _trim()
    mark.write_text(pins)


def prepare() -> Path:
    """The folder for GITHUB_CONTRACT_DIR: cut anew each time, since the fake's routes may have changed."""
    packages = CACHE / "node_modules" / "@octokit"
    whole = json.loads((packages / "openapi" / "generated" / "api.github.com.json").read_bytes())
    operations = [route.operation for route in ROUTES if route.operation]
    (CACHE / API_FILE).write_text(json.dumps(cut(whole, operations, WEBHOOKS)))
    shutil.copy(packages / "webhooks-schemas" / "schema.json", CACHE / "webhooks-schemas.json")
    shutil.copy(packages / "webhooks-examples" / "api.github.com" / "index.json", CACHE / "webhooks-examples.json")
    return CACHE


def _trim() -> None:
    """The package brings every server version and dereferenced copies: 370 MB that nobody reads."""
    for path in (CACHE / "node_modules" / "@octokit" / "openapi" / "generated").glob("*.json"):
        if path.name != "api.github.com.json":
            path.unlink()


if __name__ == "__main__":
    raise SystemExit(main())
