"""The places of a record that name APIs: backtick spans of its prose with their sentences, and its code."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from bot.records.model import Entry

_FENCE = re.compile(r"[ \t]*(?P<marks>```+|~~~+)[ \t]*(?P<language>[\w+-]*)")
_TICKS = re.compile(r"`+")
_SENTENCE_END = re.compile(r"[.!?][)\"'*_]*\s+(?=[A-Z`*(])|\n[ \t]*\n|\n[ \t]*[-*0-9]")

PROSE_FIELDS = ("documentation", "triggerScenarios", "commonSituations")
CODE_FIELDS = ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")


class Span(msgspec.Struct, frozen=True, kw_only=True):
    field: str
    """Schema path, e.g. `solutions[1]`."""
    text: str
    sentence: str


class Code(msgspec.Struct, frozen=True, kw_only=True):
    field: str
    language: str
    """Of the fence; empty for the code fields, which name none."""
    text: str


def spans(entry: Entry) -> Iterator[Span]:
    """Every backtick span of the authored prose, fences left out."""
    for field, text in _prose(entry):
        plain, _ = without_fences(text)
        for start, end in inline_spans(plain):
            sentence = _sentence(plain, start)
            yield Span(field=field, text=" ".join(plain[start:end].strip("`").split()), sentence=sentence)


def code_blocks(entry: Entry) -> Iterator[Code]:
    """The code fields and the fences of the prose."""
    record = entry.record
    for field, text in zip(
        CODE_FIELDS,
        (record.example_fix, record.validation_code, record.type_guard, record.try_catch_pattern),
        strict=True,
    ):
        if text and text.strip():
            _, fences = without_fences(text)
            for language, code in fences or [("", text)]:
                yield Code(field=field, language=language, text=code)
    for field, text in _prose(entry):
        for language, code in without_fences(text)[1]:
            yield Code(field=field, language=language, text=code)


def _prose(entry: Entry) -> Iterator[tuple[str, str]]:
    record = entry.record
    yield from zip(
        PROSE_FIELDS, (record.documentation, record.trigger_scenarios, record.common_situations), strict=True
    )
    for field, texts in (
        ("solutions", record.solutions),
        ("preventionTips", record.prevention_tips),
        ("extension.report", entry.extension.report),
    ):
        for index, text in enumerate(texts):
            yield f"{field}[{index}]", text


def without_fences(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text outside fences, and language and code of each. An unclosed fence runs to the end.

    https://spec.commonmark.org/0.31.2/#fenced-code-blocks
    """
    plain: list[str] = []
    fences: list[tuple[str, str]] = []
    marks, language, code = "", "", list[str]()
    for line in text.splitlines():
        opening = _FENCE.match(line)
        if marks:
            if opening and opening["marks"].startswith(marks) and not line.strip().strip(marks[0]):
                fences.append((language, "\n".join(code)))
                marks = ""
            else:
                code.append(line)
        elif opening:
            marks, language, code = opening["marks"], opening["language"].lower(), []
        else:
            plain.append(line)
    if marks:
        fences.append((language, "\n".join(code)))
    return "\n".join(plain), fences


def inline_spans(text: str) -> Iterator[tuple[int, int]]:
    """Code spans as CommonMark has them: a run of ticks up to the next run of the same length.

    https://spec.commonmark.org/0.31.2/#code-spans
    """
    runs = list(_TICKS.finditer(text))
    nearest: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        nearest.setdefault(len(runs[index].group()), []).append(index)
    index = 0
    while index < len(runs):
        same = nearest[len(runs[index].group())]
        while same and same[-1] <= index:
            same.pop()
        if same:
            close = same[-1]
            yield runs[index].start(), runs[close].end()
            index = close + 1
        else:
            index += 1


def _sentence(text: str, at: int) -> str:
    """The sentence around a place, blanks collapsed, at most 300 characters."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if found.end() > at:
            return " ".join(text[start : found.start() + 1].split())[:300]
        start = found.end()
    return " ".join(text[start:].split())[:300]
