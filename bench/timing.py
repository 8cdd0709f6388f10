"""Processor times of single calls, and what is read off them.

Processor time, not wall time: what else the machine does is not what is measured.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from math import log
from typing import TypeVar

import msgspec

Argument = TypeVar("Argument")


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of single calls, sorted."""

    all: tuple[float, ...]

    @property
    def p50(self) -> float:
        return self.quantile(0.5)

    @property
    def p99(self) -> float:
        return self.quantile(0.99)

    def quantile(self, share: float) -> float:
        return self.all[min(len(self.all) - 1, int(len(self.all) * share))]


def timed(call: Callable[[Argument], object], arguments: Sequence[Argument], *, rounds: int = 1) -> Times:
    """Each call on its own, the best of `rounds`."""
    best = [float("inf")] * len(arguments)
    gc.collect()
    for _ in range(rounds):
        for at, argument in enumerate(arguments):
            begin = time.thread_time()
            call(argument)
            best[at] = min(best[at], (time.thread_time() - begin) * 1000)
    return Times(all=tuple(sorted(best)))


def exponent(small: tuple[int, float], large: tuple[int, float]) -> float:
    """The power of the size that time grows with, between two (size, time) points."""
    return log(large[1] / small[1]) / log(large[0] / small[0])
