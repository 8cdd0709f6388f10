"""The room's door: build a matcher once from sites, then judge issues with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.matching import clean, decide, filing, panics, saved, speech, version
from bot.matching.index import Index
from bot.matching.reader import Reader
from bot.matching.tokens import Tokeniser
from bot.matching.units import Units
from bot.matching.verdict import Verdict
from bot.records.model import Site

_LIMIT = clean.MAX_CHARS + clean.MAX_TITLE + 16


class Matcher:
    """Judges issues against a fixed set of error sites. Immutable after `build`; safe to share between threads."""

    def __init__(self, index: Index, tokeniser: Tokeniser) -> None:
        self._index = index
        self._tokeniser = tokeniser

    @classmethod
    def build(cls, sites: Iterable[Site]) -> Matcher:
        """Index these sites. Linear in their text."""
        tokeniser = Tokeniser(_LIMIT)
        return cls(filing.build(sites, tokeniser), tokeniser)

    def save(self, path: Path, key: str) -> None:
        """Keep the index in a file under `key`, the catalogue's content hash. Atomic; raises OSError."""
        saved.save(self._index, path, key)

    @classmethod
    def load(cls, path: Path, key: str) -> Matcher | None:
        """The matcher saved under `key`, its index mapped from the file; None if there is none or it is damaged."""
        index = saved.load(path, key)
        return None if index is None else cls(index, Tokeniser(_LIMIT))

    def judge(self, title: str, body: str) -> Verdict:
        """Whether the issue prints a known record's message. Deterministic, linear in the text, never raises."""
        cleaned = clean.clean(title, body)
        found = panics.find(cleaned.text)
        units = Units(cleaned, found)
        readings = Reader(self._index, self._tokeniser, units, request=speech.is_request(title)).read()
        shown = version.burn_version(cleaned.text, (p.location for p in found if p.location is not None))
        return decide.decide(cleaned, found, self._index, readings, f"{title}\n\n{body}", shown)
