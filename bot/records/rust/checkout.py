"""Where source is read from: a work tree, or a bare git directory at any of its commits."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Protocol, Self

_SKIPPED_DIRECTORIES = frozenset({".git", "target", "node_modules", ".venv"})


class CheckoutError(Exception):
    """The checkout cannot be read; the message says what to do. Shown to the user."""


class Checkout(Protocol):
    """Source of one repository. Paths are relative to its root, with forward slashes."""

    def paths(self, revision: str | None = None) -> list[str]:
        """All files, sorted."""

    def read(self, path: str, revision: str | None = None) -> str | None:
        """A file's text, or `None` where there is no such file or it is not UTF-8."""

    def resolve(self, revision: str | None = None) -> str | None:
        """The full SHA of a commit, branch or tag (default `HEAD`); `None` where it is unknown."""


class WorkTree:
    """Files as they lie in a folder. `revision` is ignored unless git knows the folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def paths(self, revision: str | None = None) -> list[str]:
        del revision
        found: list[str] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in _SKIPPED_DIRECTORIES]
            relative = Path(folder).relative_to(self.root)
            found.extend((relative / name).as_posix() for name in files)
        return sorted(found)

    def read(self, path: str, revision: str | None = None) -> str | None:
        del revision
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            return None
        try:
            # Bytes, not text mode: line ends must stay as they are.
            return (self.root / path).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def resolve(self, revision: str | None = None) -> str | None:
        return _rev_parse(["-C", str(self.root)], revision) if (self.root / ".git").exists() else None


class GitObjects:
    """A git repository read at any commit through one long-lived `git cat-file --batch`.

    https://git-scm.com/docs/git-cat-file#_batch_output
    """

    def __init__(self, directory: Path) -> None:
        self._git = [f"--git-dir={directory}"]
        self._process: subprocess.Popen[bytes] | None = None
        self._read: dict[tuple[str, str], str | None] = {}

    def paths(self, revision: str | None = None) -> list[str]:
        listed = _git([*self._git, "ls-tree", "-r", "-z", "--name-only", self._commit(revision)])
        if listed is None:
            raise CheckoutError(f"git knows no commit {revision or 'HEAD'} in this checkout")
        return sorted(name for name in listed.split("\0") if name)

    def read(self, path: str, revision: str | None = None) -> str | None:
        commit = self._commit(revision)
        if "\n" in path or "\n" in commit:
            return None
        key = (commit, path)
        if key not in self._read:
            self._read[key] = self._blob(f"{commit}:{path}")
        return self._read[key]

    def resolve(self, revision: str | None = None) -> str | None:
        return _rev_parse(self._git, revision)

    def tags(self) -> list[str]:
        listed = _git([*self._git, "tag", "--list"])
        return (listed or "").split()

    def blobs(self, revision: str) -> dict[str, str]:
        """The blob id of every file of a commit: equal ids are equal texts."""
        listed = _git([*self._git, "ls-tree", "-r", "-z", "--format=%(objectname) %(path)", self._commit(revision)])
        pairs = (line.split(" ", 1) for line in (listed or "").split("\0") if line)
        return {path: blob for blob, path in pairs}

    def read_blob(self, blob: str) -> str | None:
        return self._blob(blob)

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(timeout=30)
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @staticmethod
    def _commit(revision: str | None) -> str:
        commit = revision or "HEAD"
        if commit.startswith("-"):
            raise CheckoutError(f"no commit is named {commit!r}")
        return commit

    def _blob(self, name: str) -> str | None:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - a list, no shell
                ["git", *self._git, "cat-file", "--batch"],  # noqa: S607 - git from the PATH
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(name.encode() + b"\n")
        stdin.flush()
        header = stdout.readline().split()
        if len(header) != 3 or not header[2].isdigit():  # `<name> missing`, `<name> ambiguous`
            return None
        content = stdout.read(int(header[2]))
        stdout.read(1)
        try:
            return content.decode("utf-8") if header[1] == b"blob" else None
        except UnicodeDecodeError:
            return None


def open_checkout(directory: Path) -> WorkTree | GitObjects:
    """A work tree, or a bare git directory. Raises `CheckoutError` when it is neither."""
    if (directory / "HEAD").is_file() and (directory / "objects").is_dir():
        return GitObjects(directory)
    if directory.is_dir():
        return WorkTree(directory)
    raise CheckoutError(f"{directory} is no folder; give the root of a checkout or a bare git directory")


def readable_at_commits(directory: Path) -> GitObjects:
    """A work tree's git directory, or a bare one. Raises `CheckoutError` for a folder that git does not know."""
    checkout = open_checkout(directory)
    if isinstance(checkout, GitObjects):
        return checkout
    found = _git(["-C", str(directory), "rev-parse", "--absolute-git-dir"]) if (directory / ".git").exists() else None
    if found is None:
        raise CheckoutError(f"{directory} has no git history: files cannot be read at the commits that records name")
    return GitObjects(Path(found.strip()))


def _rev_parse(where: list[str], revision: str | None) -> str | None:
    name = revision or "HEAD"
    if name.startswith("-"):
        return None
    found = _git([*where, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"])
    return found.strip() if found else None


def _git(arguments: list[str]) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False, timeout=120)  # noqa: S603, S607
    except FileNotFoundError as error:
        raise CheckoutError("git is not installed, or not on the PATH") from error
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
