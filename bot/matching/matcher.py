"""The room's door: build a matcher once from sites, then judge issues with it."""

from __future__ import annotations

from collections.abc import Iterable

from bot.matching.verdict import Verdict
from bot.records.model import Site


class Matcher:
    """Judges issues against a fixed set of error sites. Immutable after `build`; safe to share between threads."""

    @classmethod
    def build(cls, sites: Iterable[Site]) -> Matcher:
        raise NotImplementedError

    def judge(self, title: str, body: str) -> Verdict:
        """Whether the issue prints a known record's message. Deterministic, linear in the text, never raises."""
        raise NotImplementedError
