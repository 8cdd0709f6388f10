"""One installation's (or token's) way into GitHub: requester, identity, write limit, and what is cached for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from github.Requester import Requester

from bot.github.auth import Identity
from bot.github.errors import Unauthorized, translated
from bot.github.limits import WriteLimiter
from bot.github.port import Later

LABELS_FRESH_SECONDS = 300.0


class Access:
    """Shared by all threads that work for the installation."""

    def __init__(
        self,
        *,
        requester: Requester,
        identity: Identity,
        limiter: WriteLimiter,
        drop_token: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.requester = requester
        self.identity = identity
        self._limiter = limiter
        self._drop_token = drop_token
        self._clock = clock
        self._label_names: dict[str, tuple[float, frozenset[str]]] = {}

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        self._limiter.check()
        with self._calling(what):
            yield

    @contextmanager
    def writing(self, what: str, *, creates: bool = False) -> Iterator[None]:
        with self._limiter.writing(creates=creates), self._calling(what):
            yield

    def label_names(self, full_name: str, fetch: Callable[[], frozenset[str]]) -> frozenset[str]:
        known = self._label_names.get(full_name)
        if known and self._clock() - known[0] < LABELS_FRESH_SECONDS:
            return known[1]
        names = fetch()
        self._label_names[full_name] = (self._clock(), names)
        return names

    @contextmanager
    def _calling(self, what: str) -> Iterator[None]:
        try:
            with translated(what):
                yield
        except Unauthorized as error:
            if self._drop_token is None:
                raise
            # Installation tokens end after an hour, or at once when permissions change: the next try gets a new one.
            self._drop_token()
            raise Later(str(error)) from None
        except Later as error:
            if error.after_seconds:
                self._limiter.pause(error.after_seconds)
            raise
