"""Death at a chosen moment: numbered points before and after every write to the store and to GitHub.

`Crash` is no `Exception`: nothing in the bot may catch it, just as nothing catches `kill -9`. What the process held in
memory is gone, what was written stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

STORE_WRITES = frozenset(
    {"put", "claim", "heartbeat", "finish", "retry", "defer", "bury", "save_intent", "save_fact", "replay", "prune"}
)
GITHUB_WRITES = frozenset({"create_comment", "edit_comment", "suggest_labels", "add_labels"})


class Crash(BaseException):
    """The process is dead."""


class CrashPoints:
    """Counts the points as they are reached, and crashes at the chosen ones (counted from the start, once each)."""

    def __init__(self, at: Collection[int] = ()) -> None:
        self.at = set(at)
        self.reached: list[str] = []

    def reach(self, name: str) -> None:
        self.reached.append(name)
        if len(self.reached) - 1 in self.at:
            raise Crash(name)


class Mortal:
    """Passes every call on; a write is a crash point before it and one after it."""

    def __init__(self, real: Any, writes: Collection[str], points: CrashPoints) -> None:
        self._real = real
        self._writes = writes
        self._points = points

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        if name not in self._writes:
            return value
        return self._mortal(name, value)

    def _mortal(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def mortal(*arguments: Any, **options: Any) -> Any:
            self._points.reach(f"before {name}")
            try:
                return call(*arguments, **options)
            finally:
                # Also when the call failed: GitHub may have stored what it answered 502 to.
                self._points.reach(f"after {name}")

        return mortal
