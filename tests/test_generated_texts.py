"""Whatever somebody types: a verdict comes out, the same one twice, and its positions are those of the text."""

from __future__ import annotations

import random
import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench import adversarial
from bot.matching.matcher import Matcher
from bot.matching.verdict import Span, Verdict
from tests.issue_generator import catalogue, corruption
from tests.issue_generator.issues import Generated, positives
from tests.issue_generator.keys import Split

SITES = catalogue.sites(400)
MATCHER = Matcher.build(SITES)
ISSUES = [*positives(SITES, split=Split.DEV, count=72, seed=3)]
_PIECES = [
    "thread 'main' panicked at ",
    "src/a.rs:1:2:\n",
    "', src/a.rs:1:2",
    "'",
    "\n",
    "\r",
    "\r\n",
    "```\n",
    "`",
    "> ",
    "    ",
    "Caused by:\n",
    "=== Tensor Operation Error ===\n  Operation: 'X'\n  Reason:\n    1. ",
    "assertion `left == right` failed: ",
    "Error: ",
    "stack backtrace:\n   0: a::b\n             at ./a.rs:1:2\n",
    "<pre>",
    "</details>",
    "<!--",
    "-->",
    "&lt;",
    "&#x27;",
    "\\n",
    '\\"',
    "\x1b[31m",
    "\x1b[0m",
    "\u200b",
    "\u00a0",
    "\u2019",
    "e\u0301",
    "\U0001f525",
    "\ud800",
    "…",
    *(site.message for site in SITES[:12]),
]
texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=12)), max_size=30).map("".join),
)


def spans(verdict: Verdict) -> list[Span]:
    found = [evidence.span for evidence in verdict.evidence]
    for match in verdict.matches:
        found += [match.evidence.span, *match.words]
    return found


@given(texts, texts)
@example("x", "\n")
@example("", "")
@example("\ud800", "panicked at \ud800")
def test_any_text_gets_the_same_verdict_twice_with_spans_inside_it(title: str, body: str) -> None:
    verdict = MATCHER.judge(title, body)
    assert verdict == MATCHER.judge(title, body)
    text = f"{title}\n\n{body}"
    for span in spans(verdict):
        assert 0 <= span.start <= span.end <= len(text)
        assert span.line == text.count("\n", 0, span.start) + 1


@given(st.sampled_from(ISSUES), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(_PIECES)), max_size=6))
@settings(max_examples=150)
def test_the_matched_words_are_the_words_of_the_text(issue: Generated, inserted: list[tuple[float, str]]) -> None:
    """Things put into an issue move the spans, or silence the matcher; they never make a span point elsewhere."""
    body = issue.body
    for where, piece in inserted:
        at = int(where * len(body))
        body = body[:at] + piece + body[at:]
    verdict = MATCHER.judge(issue.title, body)
    text = f"{issue.title}\n\n{body}"
    for match in verdict.matches:
        literal = {word for site in SITES if site.record == match.record for word in _words(site.message)}
        for span in match.words:
            shown = _words(text[span.start : span.end])
            assert shown, "a span of matched words holds no word"
            if match.score.exact:
                assert {shown[0], shown[-1]} <= literal, (shown, match.message)


def _words(text: str) -> list[str]:
    """The runs of ASCII letters of a text without its holes, ANSI sequences and entities, lower case."""
    text = re.sub("[\u200b-\u200f\u2060\u00ad]", "", text)
    text = re.sub(r"(?:\x1b|\^\[)\[[0-9;]*m|&[a-z#0-9]+;|\{[^{}]*\}", " ", text)
    return re.findall(r"[a-z]{2,}", text.lower())


def test_hostile_bodies_get_a_verdict() -> None:
    for name, body in adversarial.bodies(SITES).items():
        assert MATCHER.judge(name, body[:20_000]) == MATCHER.judge(name, body[:20_000]), name


def test_a_title_of_any_length_and_an_empty_catalogue() -> None:
    rng = random.Random(1)
    title = corruption.typos(" ".join(site.message for site in SITES), rng)
    assert MATCHER.judge(title, "").decision.value in ("abstain", "ambiguous", "explain")
    assert Matcher.build([]).judge("x", "thread 'main' panicked at src/a.rs:1:2:\nanything").decision.value == "abstain"
