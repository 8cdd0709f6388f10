"""The checkouts that a catalogue is proven against: files at commits, and the API of a version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

from bot.records.harvest import is_test_path
from bot.records.rust.apis import Api, read_api
from bot.records.rust.checkout import Checkout, CheckoutError
from bot.records.rust.known import Known, load_known
from bot.records.rust.literal import SourceFile
from bot.records.rust.manifests import dependency_revision

API_REPO = "tracel-ai/burn"
"""The repository whose API solutions and examples speak, whichever repository raises the error."""

_MOST_PATCHES = 4
_NO_LIBRARY = re.compile(r"^(?:examples|xtask|docs|burn-book|contributor-book|\.github)/")


class Sources:
    """Files of several repositories. Reads are remembered; nothing is written."""

    def __init__(self, checkouts: Mapping[str, Checkout], *, known: Known | None = None) -> None:
        self._checkouts = dict(checkouts)
        self._known = known or load_known()
        self._files: dict[tuple[str, str, str], SourceFile | None] = {}
        self._apis: dict[str, Api | None] = {}
        self._commits: dict[tuple[str, str], str | None] = {}
        self._foreign: dict[str, Api] = {}
        self._api_of_commit: dict[str, Api] = {}

    def has(self, repo: str) -> bool:
        return repo in self._checkouts

    def has_commit(self, repo: str, sha: str) -> bool:
        return self._resolve(repo, sha) is not None

    def file(self, repo: str, revision: str, path: str) -> SourceFile | None:
        """A file at a commit or tag; `None` where there is none."""
        key = (repo, revision, path)
        if key not in self._files:
            text = self._checkouts[repo].read(path, revision)
            self._files[key] = None if text is None else SourceFile(text)
        return self._files[key]

    def api(self, version: str | None, sha: str | None) -> Api | None:
        """The API of a release, by its tag (`0.20` is its last patch release); without a version, of a commit,
        else of the checkout as it is. `None` when the release is unknown here.
        """
        if API_REPO not in self._checkouts:
            return None
        key = f"v{version}" if version else sha or "HEAD"
        if key not in self._apis:
            self._apis[key] = self._read_api(version, sha)
        return self._apis[key]

    def foreign(self) -> Iterator[Api]:
        """The names of checkouts of other owners, as they are: prose may speak of them, burn code may not."""
        for repo, checkout in self._checkouts.items():
            if _owner(repo) != _owner(API_REPO):
                if repo not in self._foreign:
                    self._foreign[repo] = read_api([(checkout, None)], version=repo, known=self._known, counts=_counts)
                yield self._foreign[repo]

    def _read_api(self, version: str | None, sha: str | None) -> Api | None:
        revision: str | None = None
        name = "burn here"
        if version:
            name = f"burn {version}"
            revision = self._tag(version)
            if revision is None and self._own_version() != version:
                return None
        elif sha and self._resolve(API_REPO, sha):
            revision, name = sha, f"burn at {sha[:10]}"
        commit = (self._resolve(API_REPO, revision) if revision else None) or "here"
        if commit not in self._api_of_commit:
            self._api_of_commit[commit] = read_api(
                [(self._checkouts[API_REPO], revision), *self._beside(revision)],
                version=name,
                known=self._known,
                counts=_counts,
            )
        return self._api_of_commit[commit]

    def _tag(self, version: str) -> str | None:
        names = [f"v{version}"]
        if version.count(".") == 1:
            names = [f"v{version}.{patch}" for patch in range(_MOST_PATCHES, -1, -1)]
        return next((name for name in names if self._resolve(API_REPO, name)), None)

    def _beside(self, revision: str | None) -> Iterator[tuple[Checkout, str | None]]:
        """The other checkouts of burn's owner, whose names burn passes on: each at the version that burn's manifest
        asks for, where its tag is known.
        """
        manifest = self._checkouts[API_REPO].read("Cargo.toml", revision) or ""
        for repo, checkout in self._checkouts.items():
            if repo != API_REPO and _owner(repo) == _owner(API_REPO):
                wanted = dependency_revision(manifest, repo.partition("/")[2])
                yield checkout, wanted if wanted and self._resolve(repo, wanted) else None

    def _own_version(self) -> str | None:
        """The version that the checkout as it is declares for its workspace."""
        try:
            manifest = tomllib.loads(self._checkouts[API_REPO].read("Cargo.toml") or "")
            version = manifest["workspace"]["package"]["version"]
        except (tomllib.TOMLDecodeError, KeyError, TypeError, CheckoutError):
            return None
        return version if isinstance(version, str) else None

    def _resolve(self, repo: str, revision: str) -> str | None:
        key = (repo, revision)
        if key not in self._commits:
            self._commits[key] = self._checkouts[repo].resolve(revision)
        return self._commits[key]


def _owner(repo: str) -> str:
    return repo.partition("/")[0]


def _counts(path: str) -> bool:
    return not is_test_path(path) and not _NO_LIBRARY.match(path)
