"""A long list of strings as two arrays, so that it can be mapped from a file instead of living as objects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Strings:
    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]

    @classmethod
    def build(cls, items: Iterable[str]) -> Strings:
        encoded = [item.encode("utf-8", "replace") for item in items]
        data = np.frombuffer(b"".join(encoded), np.uint8)
        ends = np.cumsum([len(item) for item in encoded], dtype=np.int64) if encoded else np.zeros(0, np.int64)
        return cls(data, ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> str:
        start = int(self.ends[index - 1]) if index else 0
        return self.data[start : int(self.ends[index])].tobytes().decode("utf-8")
