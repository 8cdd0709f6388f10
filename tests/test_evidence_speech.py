"""Sentences around a message: what reports it speaks, what only talks about it stays silent."""

from __future__ import annotations

import pytest

from bot.matching.verdict import Decision
from tests.matching_world import DEFORM, SQUEEZE, judge

MESSAGES = (DEFORM, SQUEEZE.format(1), "The provided tensors are not on the same device.")

REPORTS = [
    "I get `{}`.",
    'I get "{}" when I run the example.',
    "It panics with `{}`.",
    "Then it says `{}` and exits.",
    "The error is `{}`.",
    "The error message is: {}",
    "error message: `{}`",
    "This results in `{}`",
    "And boom:\n\n{}\n",
    "Output:\n\n> {}\n",
    "The program crashes with the message '{}'",
    "the following error occurs: `{}`",
    "I keep hitting `{}` on my machine",
    'but I receive the error "{}" instead',
    "The last line of the log is `{}`.",
    "Result:\n\n    {}\n",
    "**Actual behavior**\n\n`{}`\n",
    "### What happens\n{}\n",
    "It should work, but I get `{}`.",
    "I expected it to train, but it panics with `{}`.",
    "Instead of training it panics with `{}`.",
    "Why do I get `{}`?",
    "How do I fix `{}`?",
    "`{}` when calling backward.",
    "`{}` is the error I get.",
    "`{}` is all I get.",
    "`{}`",
    '"{}" is printed and the program exits.',
    "Panic: {}",
    "stderr: {}",
    "All my tests fail with `{}`.",
]
TALK = [
    "I wonder whether `{}` is still the right text in 0.21.",
    'The check behind "{}" could be a debug assertion.',
    "In our fork we replaced `{}` by a warning.",
    "The book lists `{}` among the common errors.",
    "Is `{}` raised at run time or when the graph is built?",
    "Who raises `{}`?",
    "When would `{}` be raised?",
    'Under which conditions do we print "{}"?',
    "PyTorch also says `{}` here.",
    "The unit test checks for `{}`.",
    "I expected `{}` but nothing was printed.",
    "My PR adds `{}` as a panic.",
    "This is not the same as #123 (`{}`).",
    "It is not `{}`, I checked.",
    "After the fix for `{}` this appeared.",
    "Before 0.18 one got `{}` here.",
    "It hangs without `{}` being printed.",
    "I do not get `{}` any more since 0.21; thanks.",
    "The doc comment says `{}`.",
    "Let's print `{}` when that happens.",
    "`{}` is a confusing message.",
    "How do I avoid `{}` in general?",
    "The function documents a panic: `{}`.",
    "Reading module.rs I noticed the error `{}`.",
    'I read in the source: "{}". Any plans?',
    "Somebody on Discord gets `{}`.",
    "The error `{}` no longer appears.",
    "It doesn't panic with `{}` as it should.",
    "No `{}` is printed.",
    "It had better say `{}`.",
    "Why isn't there an error like `{}`?",
    "The error message `{}` doesn't tell which op.",
    "Expected:\n```\n{}\n```\nGot: nothing",
    "Expected output:\n\n```\nError: {}\n```\n\nActual output: a wrong number.",
    "### Expected behavior\n\n`{}`\n\n### Actual behavior\n\nnothing",
    "PyTorch prints this for the same code:\n\n```\nRuntimeError: {}\n```",
    "The docs of this function have:\n\n> {}\n",
    "```\n$ rg 'axes' crates\ncrates/burn-tensor/src/check.rs:44:    \"{}\",\n```",
    'I search the log for "{}" and count it.',
    "The check is there so that nobody runs into `{}`.",
    "My feature request: return Err with `{}`.",
    "I set a breakpoint where `{}` is raised.",
    "If the axes repeat, burn panics with `{}`, which is right.",
    "I can't reproduce `{}`.",
    "What happens if {}",
    "I think {} is related.",
]
TALKING_TITLES = [
    "Improve message `{}`",
    "Docs: explain `{}`",
    "Confusing error message `{}`",
    "`{}` is misleading",
    "Why does `{}` exist?",
    "Return an error instead of `{}`",
    "Where is `{}` raised?",
    "Typo in `{}`",
]
REPORTING_TITLES = [
    "{}",
    "`{}`",
    "Panic: {}",
    "[Bug] {}",
    "{} when training",
    "`{}` on wgpu",
    "burn-wgpu: {}",
    'Error: "{}" with autodiff',
    "Getting `{}` after upgrade",
    "thread panicked at '{}'",
]


def issue(sentence: str, message: str) -> str:
    return f"I have a model with several layers.\n\n{sentence.replace('{}', message)}\n\nAny idea?"


@pytest.mark.parametrize("sentence", REPORTS)
def test_reports_speak(sentence: str) -> None:
    for message in MESSAGES[:2]:
        verdict = judge(issue(sentence, message))
        assert verdict.decision is Decision.EXPLAIN, (message, verdict.reason)
        assert verdict.matches[0].confidence > 0.85


@pytest.mark.parametrize("sentence", TALK)
def test_talk_is_silent(sentence: str) -> None:
    for message in MESSAGES:
        verdict = judge(issue(sentence, message))
        assert verdict.decision is Decision.ABSTAIN, verdict.reason


@pytest.mark.parametrize("title", TALKING_TITLES)
def test_talking_titles_are_silent(title: str) -> None:
    for message in MESSAGES:
        assert judge("Burn 0.20.", title.replace("{}", message)).decision is Decision.ABSTAIN


@pytest.mark.parametrize("title", REPORTING_TITLES)
def test_reporting_titles_speak(title: str) -> None:
    for message in MESSAGES[:2]:
        verdict = judge("Burn 0.20.", title.replace("{}", message))
        assert verdict.decision is Decision.EXPLAIN, verdict.reason
