"""Coverage-guided fuzzing of text → verdict. Optional: atheris is not among the dependencies.

    pip install atheris
    python -m bench.fuzz_atheris -max_total_time=300 -max_len=65536 [CORPUS]

Any exception, two different verdicts on one text, or a span outside the text ends the run.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from bot.matching.matcher import Matcher
from tests.issue_generator import catalogue

_TITLE = 80


def main() -> None:
    atheris: Any = importlib.import_module("atheris")
    atheris.instrument_all()
    matcher = Matcher.build(catalogue.sites(400))

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        title, body = text[:_TITLE], text[_TITLE:]
        verdict = matcher.judge(title, body)
        assert verdict == matcher.judge(title, body), "two verdicts on one text"
        length = len(title) + 2 + len(body)
        for evidence in (*verdict.evidence, *(match.evidence for match in verdict.matches)):
            assert 0 <= evidence.span.start <= evidence.span.end <= length, "a span outside the text"

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
