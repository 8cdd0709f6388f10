"""What an issue shows about its own kind, without any record: a panic, a missing operation, an ONNX import …

Plain look-ups of words and fixed phrases, linear in the text. Each rule is precise before it is complete: a maintainer
who has to throw suggestions away stops reading them. `tests/test_labels_measured.py` holds the figures.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator

import msgspec

from bot.policy.actions import Confidence

MAX_TEXT = 200_000
"""Characters of the body that are looked at. GitHub takes 65,536."""


class Sign(enum.StrEnum):
    PANIC = "panic"
    BUG_REPORT = "bug-report"
    COMPILE_ERROR = "compile-error"
    MISSING_PIECE = "missing-piece"
    FEATURE_REQUEST = "feature-request"
    UPGRADE = "upgrade"
    ONNX = "onnx"
    WGPU = "wgpu"
    STORE = "store"
    FLEX = "flex"
    PERFORMANCE = "performance"
    DOCUMENTATION = "documentation"
    NO_STD = "no-std"


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A sign with the reason a maintainer reads. The reason quotes nothing of the issue."""

    sign: Sign
    rationale: str
    confidence: Confidence


class _Text(msgspec.Struct, frozen=True):
    title: str
    words: frozenset[str]
    """Of the title."""
    first: str
    """The title's first word."""
    body: str
    headings: frozenset[str]
    printed: str
    """Title and body: what a program may have printed stands in either."""

    def heads(self, *names: str) -> bool:
        return any(name in self.headings for name in names)

    def prints(self, *phrases: str) -> bool:
        return any(phrase in self.printed for phrase in phrases)

    def titled(self, *words: str) -> bool:
        return any(word in self.words for word in words)


def signs(title: str, body: str) -> tuple[Found, ...]:
    """Every sign found, the surest rules first. Deterministic; never raises."""
    text = _read(title, body)
    return tuple(found for rule in _RULES for found in rule(text))


def _read(title: str, body: str) -> _Text:
    title, body = title.lower(), body[:MAX_TEXT].lower()
    words = _words(title)
    return _Text(
        title=title,
        words=frozenset(words),
        first=words[0] if words else "",
        body=body,
        headings=frozenset(_headings(body)),
        printed=f"{title}\n{body}",
    )


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c in "_-" else " " for c in text).split()


def _headings(body: str) -> Iterator[str]:
    """Markdown headings and lines that are bold as a whole, as the issue templates have them, without their marks."""
    for line in body.splitlines():
        stripped = line.strip()
        if stripped.startswith(("#", "**")):
            yield stripped.strip("#*: ")


def _panics(text: _Text) -> bool:
    # 101 is the exit code of a Rust program that panicked; of a build script it is often all that cargo shows.
    printed = text.prints("panicked at", "stack backtrace:", "panic => ", "exit code: 101", "exit status: 101")
    return printed or text.prints("panics at ", "panics with ") or text.titled("panic", "panics", "panicked")


def _reports_a_bug(text: _Text) -> bool:
    return text.heads("describe the bug", "bug description") or text.first == "bug"


def _asks_for_a_feature(text: _Text) -> bool:
    return text.heads("feature description", "feature motivation")


def _stubbed(text: _Text) -> bool:
    return text.prints("not yet implemented", "not implemented", "unimplemented!()") and _panics(text)


def _asks_for_an_upgrade(text: _Text) -> bool:
    return text.first in ("bump", "upgrade", "update") and any(c.isdigit() for c in text.title)


def _fails_to_compile(text: _Text) -> bool:
    return text.prints("error: could not compile ", "error: failed to compile ") and not _panics(text)


def _upgrade(text: _Text) -> Iterator[Found]:
    if _asks_for_an_upgrade(text):
        yield Found(
            sign=Sign.UPGRADE,
            rationale="The title asks for another version of a dependency.",
            confidence=Confidence.MEDIUM,
        )


def _defect(text: _Text) -> Iterator[Found]:
    if _stubbed(text):
        yield Found(
            sign=Sign.MISSING_PIECE,
            rationale="The panic says that something is not implemented.",
            confidence=Confidence.MEDIUM,
        )
    if _reports_a_bug(text):
        yield Found(sign=Sign.BUG_REPORT, rationale="Filed with the bug report template.", confidence=Confidence.HIGH)
    elif _panics(text) and not _stubbed(text) and not _asks_for_a_feature(text):
        yield Found(sign=Sign.PANIC, rationale="A panic is printed.", confidence=Confidence.MEDIUM)
    elif _fails_to_compile(text) and not _asks_for_a_feature(text):
        yield Found(sign=Sign.COMPILE_ERROR, rationale="cargo could not compile a crate.", confidence=Confidence.MEDIUM)


def _feature(text: _Text) -> Iterator[Found]:
    if _panics(text) or _reports_a_bug(text) or _asks_for_an_upgrade(text):
        return
    if _asks_for_a_feature(text):
        yield Found(
            sign=Sign.FEATURE_REQUEST, rationale="Filed with the feature request template.", confidence=Confidence.HIGH
        )
    elif text.first in ("add", "feature", "implement", "support", "new") or text.title.startswith("please add"):
        yield Found(
            sign=Sign.FEATURE_REQUEST, rationale="The title asks for something new.", confidence=Confidence.MEDIUM
        )


def _onnx(text: _Text) -> Iterator[Found]:
    importing = text.prints("onnx-ir", "onnx_ir", "burn-import", "burn_import", "burn-onnx", "burn_onnx", "onnx2burn")
    if importing or (text.titled("onnx") and text.titled("import", "importing", "imports", "convert", "conversion")):
        yield Found(
            sign=Sign.ONNX,
            rationale="It is about importing an ONNX model: the importer's crates are named.",
            confidence=Confidence.HIGH if importing else Confidence.MEDIUM,
        )


def _area(text: _Text) -> Iterator[Found]:
    # Of a fused kernel that fails on wgpu, fusion is the part to look at.
    if text.titled("wgpu") and not text.titled("fusion") and not _asks_for_an_upgrade(text):
        yield Found(sign=Sign.WGPU, rationale="The title names the wgpu backend.", confidence=Confidence.MEDIUM)
    if text.titled("burn-store"):
        yield Found(sign=Sign.STORE, rationale="The title names burn-store.", confidence=Confidence.HIGH)
    if text.titled("burn-flex"):
        yield Found(sign=Sign.FLEX, rationale="The title names burn-flex.", confidence=Confidence.HIGH)
    if text.titled("no_std", "no-std"):
        yield Found(sign=Sign.NO_STD, rationale="The title is about no_std.", confidence=Confidence.MEDIUM)


def _performance(text: _Text) -> Iterator[Found]:
    if text.titled("performance", "perf", "slow", "slower", "speed", "faster") and not _panics(text):
        yield Found(sign=Sign.PERFORMANCE, rationale="The title is about speed.", confidence=Confidence.HIGH)
    elif text.titled("autotune", "autotuning") and not _panics(text) and not _reports_a_bug(text):
        yield Found(sign=Sign.PERFORMANCE, rationale="The title is about autotuning.", confidence=Confidence.MEDIUM)


def _documentation(text: _Text) -> Iterator[Found]:
    if text.titled("book", "readme", "docs", "documentation", "typo") and not (_panics(text) or _reports_a_bug(text)):
        yield Found(
            sign=Sign.DOCUMENTATION, rationale="The title is about the documentation.", confidence=Confidence.MEDIUM
        )


_RULES: tuple[Callable[[_Text], Iterator[Found]], ...] = (
    _defect,
    _feature,
    _upgrade,
    _onnx,
    _performance,
    _area,
    _documentation,
)
