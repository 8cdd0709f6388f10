"""For any text at all: a verdict, the same twice, with positions inside the text, and bounded work."""

from __future__ import annotations

import re
from collections import Counter
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.matching import align
from bot.matching.matcher import Matcher
from bot.matching.template import Template
from bot.matching.verdict import Decision, Verdict
from tests.matching_world import CATALOGUE, matcher, site

PIECES = st.sampled_from([
    "`", "```", "```rust\n", "~~~", "\n", "\n\n", "\r", "\r\n", "> ", "    ", "thread 'main' panicked at ", "panicked at '",
    "', src/a.rs:1:2", "crates/burn-ir/src/handle.rs:97:32:\n", "<pre>", "</pre>", "<details>", "&lt;", "&quot;", "&#0;", "&#x110000;",
    "\x1b[31m", "^[[0m", "\\n", '\\"', "\\_", "\ud800", "\u200b", "\u2019", "\x00", "<!--", "-->", "=== Tensor Operation Error ===\n",
    "Caused by:\n", "stack backtrace:\n   0: foo::bar\n", "proc-macro panicked: ", "proc-macro derive panicked\n= help: message: ",
    "error: ", "Error: ", ": ", "{}", "{:?}", "...", "\u2026", "note: ", "INFO ", "left: 1\n right: 2", '"', "'", "(", ")", "[", "]",
])  # fmt: skip
MESSAGES = st.sampled_from([s.message for s in CATALOGUE])
PARTS = st.tuples(MESSAGES, st.integers(0, 60), st.integers(1, 80)).map(lambda p: p[0][p[1] : p[1] + p[2]])
TEXTS = st.lists(PIECES | MESSAGES | PARTS | st.text(max_size=12), max_size=30).map("".join)


def check(verdict: Verdict, title: str, body: str) -> None:
    whole = f"{title}\n\n{body}"
    assert verdict.reason
    assert (verdict.decision is Decision.ABSTAIN) == (not verdict.matches)
    assert 0 <= verdict.margin <= 1
    for evidence in (*verdict.evidence, *(match.evidence for match in verdict.matches)):
        assert 0 <= evidence.span.start <= evidence.span.end <= len(whole)
        assert evidence.span.line == whole.count("\n", 0, evidence.span.start) + 1
        assert len(evidence.quote) <= 300
    for match in verdict.matches:
        assert 0 < match.confidence <= 1
        words = [whole[word.start : word.end] for word in match.words]
        assert all(words)
        assert all(a.end <= b.start for a, b in zip(match.words, match.words[1:], strict=False))
    if verdict.decision is Decision.EXPLAIN:
        assert len({match.record for match in verdict.matches}) == len(verdict.matches)


@settings(max_examples=300)
@given(TEXTS, TEXTS)
def test_structured_fragments(title: str, body: str) -> None:
    verdict = matcher().judge(title, body)
    check(verdict, title, body)
    assert matcher().judge(title, body) == verdict


@given(st.text(), st.text())
def test_any_text(title: str, body: str) -> None:
    check(matcher().judge(title, body), title, body)


@settings(max_examples=150)
@given(st.lists(PIECES | MESSAGES | st.text(max_size=20), max_size=8), TEXTS)
def test_any_records(messages: list[str], body: str) -> None:
    built = Matcher.build([site(message, f"crates/burn-x/src/{n}.rs") for n, message in enumerate(messages)])
    check(built.judge("t", body), "t", body)


@settings(max_examples=60)
@given(MESSAGES, st.integers(0, 2**32))
def test_order_of_the_records_does_not_matter(message: str, seed: int) -> None:
    sites = sorted(CATALOGUE, key=lambda s: hash((s.record, seed)))
    body = f"```\nthread 'main' panicked at crates/burn-ir/src/handle.rs:1:1:\n{re.sub('{[^}]*}', '3', message)}\n```"
    one, two = Matcher.build(sites).judge("t", body), matcher().judge("t", body)
    assert (one.decision, {m.record for m in one.matches}) == (two.decision, {m.record for m in two.matches})


HOSTILE = {
    "line breaks": "\n" * 65_000,
    "carriage returns": "\r" * 65_000,
    "quotes": "> " * 32_000,
    "nested quotes": ">" * 65_000,
    "ticks": "`" * 65_000,
    "tick pairs": "`a` " * 16_000,
    "fences": "```\n" * 16_000,
    "one giant line": "Can't squeeze dimension " * 2_700,
    "panic headers": "thread 'main' panicked at src/a.rs:1:1:\n" * 1_600,
    "headers with messages": "thread 'm' panicked at src/a.rs:1:1:\nCan't squeeze dimension 1 because its rank is not 1\n" * 700,
    "old headers": "panicked at '" * 5_000,
    "blanks": "a" + " " * 65_000 + "b",
    "entities": "&lt;" * 16_000,
    "escapes": "\\" * 65_000,
    "brackets": "([{" * 21_000,
    "tags": "<b " * 21_000,
    "comments": "<!--" * 16_000,
    "colours": "\x1b[" * 32_000,
    "paths": "/a" * 32_000 + ".rs:1:1",
    "digits": "1" * 65_000,
    "words of the catalogue": " ".join(s.message for s in CATALOGUE) * 20,
    "frames": "   0: a::b::c<d<e<f<g<h>>>>>::i\n" * 2_000,
    "causes": "Caused by:\n    x\n" * 4_000,
    "reports": "=== Tensor Operation Error ===\n  Operation: 'Add'\n  Reason:\n    1. The provided tensors\n" * 700,
}  # fmt: skip


def test_hostile_bodies_are_judged() -> None:
    for name, body in HOSTILE.items():
        verdict = matcher().judge("t", body)
        check(verdict, "t", body)
        assert matcher().judge("t", body) == verdict, name


def test_the_dear_steps_are_few_whatever_the_body() -> None:
    """The only steps dearer than linear are alignments; an issue pays for a bounded number of bounded ones."""
    for name, body in HOSTILE.items():
        cells: Counter[str] = Counter()
        original = align.best

        def counted(template: Template, window: align.Window) -> align.Alignment | None:
            cells[name] += len(template.words) * len(window.words)  # noqa: B023
            return original(template, window)  # noqa: B023

        with mock.patch.object(align, "best", counted):
            matcher().judge("t", body)
        assert cells[name] <= 30 * 8_000
