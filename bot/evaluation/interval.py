"""Shares with their uncertainty."""

from __future__ import annotations

from math import sqrt

import msgspec

_Z = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """`hits` of `of`, with the bounds of the 95 % interval after Wilson.

    https://doi.org/10.1080/01621459.1927.10502953: it stays inside 0 and 1 and is honest for few cases.
    """

    hits: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share itself, None of nothing."""
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        if self.value is None:
            return "none of 0"
        return f"{self.hits} of {self.of} = {self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def share(hits: int, of: int) -> Share:
    """Raises ValueError unless 0 ≤ `hits` ≤ `of`."""
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} of {of} is no share")
    if of == 0:
        return Share(hits=0, of=0, low=0.0, high=1.0)
    p, z2 = hits / of, _Z * _Z
    centre = p + z2 / (2 * of)
    spread = _Z * sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    scale = 1 + z2 / of
    # At the ends the bound is the share itself; rounding must not leave the interval beside it.
    low = 0.0 if hits == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if hits == of else min(1.0, (centre + spread) / scale)
    return Share(hits=hits, of=of, low=low, high=high)
