"""The judge: every write that reached the fake, and the claims by which a test says that it meant each of them.

A write that no test claimed is a failure, because a bot that says one thing too many is broken however right the
rest is. Writes that a scripted fault refused need no claim: the test asked for them to fail.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.github.faults import compile_path


@dataclass(kw_only=True)
class Write:
    method: str
    path: str
    operation: str
    """`operationId` in GitHub's description; empty for GraphQL and for what the fake does not know."""
    body: Any
    status: int | None
    """None: the connection was dropped."""
    stored: bool
    """Whether it took effect."""
    result: Any
    """What the endpoint made of it, also when the caller never saw the answer."""
    at: float
    """Unix seconds on the fake's clock."""
    login: str | None
    fault: str | None = None
    """The scripted fault that hit it."""
    claimed: bool = field(default=False, compare=False)

    @property
    def owed(self) -> bool:
        """Whether a test still has to claim it."""
        return not self.claimed and (self.stored or self.fault is None)

    def __str__(self) -> str:
        outcome = "stored" if self.stored else "not stored"
        said = str(self.body)
        said = said if len(said) <= 160 else said[:157] + "…"
        return f"{self.method} {self.path} -> {self.status or 'dropped'} ({outcome}) {said}"


class Writes:
    """The log, oldest first. Thread safe."""

    def __init__(self) -> None:
        self._all: list[Write] = []
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Write]:
        with self._lock:
            return iter(list(self._all))

    def __len__(self) -> int:
        with self._lock:
            return len(self._all)

    def append(self, write: Write) -> None:
        with self._lock:
            self._all.append(write)

    def to(self, method: str, path: str) -> list[Write]:
        """All writes with this method and path pattern (as for faults), claimed or not."""
        pattern = compile_path(path.lower())
        return [each for each in self if each.method == method.upper() and pattern.fullmatch(each.path.lower())]

    def owed(self) -> list[Write]:
        return [each for each in self if each.owed]

    def claim(
        self,
        method: str,
        path: str,
        *,
        times: int = 1,
        stored: bool = True,
        where: Callable[[Write], bool] = lambda _write: True,
    ) -> list[Write]:
        """Say that exactly `times` unclaimed writes like this were meant. Raises AssertionError."""
        found = [each for each in self.to(method, path) if each.owed and each.stored == stored and where(each)]
        if len(found) != times:
            word = "stored" if stored else "refused"
            raise AssertionError(
                f"expected {times} {word} {method} {path}, found {len(found)} unclaimed\n{self._told()}"
            )
        for each in found:
            each.claimed = True
        return found

    def assert_all_claimed(self) -> None:
        """Raises AssertionError naming every write that no test asked for."""
        owed = self.owed()
        if owed:
            listing = "\n".join(f"  {each}" for each in owed)
            raise AssertionError(f"{len(owed)} write(s) that no test asserted:\n{listing}")

    def _told(self) -> str:
        lines = [f"  {'claimed ' if each.claimed else ''}{each}" for each in self]
        return "writes so far:\n" + ("\n".join(lines) or "  none")
