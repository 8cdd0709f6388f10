"""Which record is meant, which panic is the root, and what a verdict shows of its reasons."""

from __future__ import annotations

import pytest

from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision, Role, Source
from bot.records.model import Kind
from tests.matching_world import (
    CROSS,
    DEFORM,
    HANDLE,
    ORDERING,
    REGISTRY,
    SEND,
    SHAPES,
    SQUEEZE,
    UNWRAP,
    explains,
    first,
    judge,
    silent,
    site,
)

ONE, TWO = "1111111111111111", "2222222222222222"
TEXT = "Tensors should not be empty when they are reduced here"


def header(path: str) -> str:
    return f"thread 'main' panicked at {REGISTRY}/{path}:9:1:\n"


@pytest.mark.parametrize(
    "printed",
    [
        f"not implemented: {DEFORM}",
        f"not yet implemented: {DEFORM}",
        f"internal error: entered unreachable code: {DEFORM}",
        f"assertion failed: {DEFORM}",
        f"assertion `left == right` failed: {DEFORM}\n  left: 3\n right: 4",
        f"assertion failed: `(left == right)`\n  left: `3`,\n right: `4`: {DEFORM}",
        f'{DEFORM[:-1]}: Unknown("sending on a closed channel")',
        f'{DEFORM[:-1]}: Os {{ code: 2, kind: NotFound, message: "No such file or directory" }}',
        f'{UNWRAP}Other("{DEFORM}")',
        f'{UNWRAP}"{DEFORM}"',
        f"Cannot train the network: {DEFORM}",
    ],
)
def test_what_rust_prints_around_a_text(printed: str) -> None:
    match = explains(f"```\n{header('burn-autodiff-0.20.0/src/ops/module.rs')}{printed}\n```", DEFORM)
    assert match.score.exact
    assert match.role is Role.ROOT


@pytest.mark.parametrize("printed", [f"sort: {DEFORM}", f"attention: {DEFORM}"])
def test_a_name_before_a_text_makes_another_message(printed: str) -> None:
    silent(f"```\n{header('burn-autodiff-0.20.0/src/ops/module.rs')}{printed}\n```")


def test_one_text_in_two_places_is_told_apart_by_the_crate() -> None:
    matcher = Matcher.build([
        site(TEXT, "crates/burn-ndarray/src/ops/base.rs", record=ONE),
        site(TEXT, "crates/burn-flex/src/ops/reduce.rs", record=TWO),
    ])  # fmt: skip
    assert first(matcher.judge("t", header("burn-flex-0.21.0/src/ops/reduce.rs") + TEXT)).record == TWO
    assert first(matcher.judge("t", header("burn-ndarray-0.21.0/src/ops/base.rs") + TEXT)).record == ONE
    unclear = matcher.judge("t", f"```\n{TEXT}\n```")
    assert unclear.decision is Decision.AMBIGUOUS
    assert {match.record for match in unclear.matches} == {ONE, TWO}
    assert "2 records" in unclear.reason


def test_one_text_in_one_file_is_told_apart_by_the_function() -> None:
    path = "crates/burn-ndarray/src/ops/base.rs"
    matcher = Matcher.build([site(TEXT, path, "max_dim", record=ONE), site(TEXT, path, "min_dim", record=TWO)])
    body = header("burn-ndarray-0.21.0/src/ops/base.rs") + TEXT
    frames = (
        "\nstack backtrace:\n   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n"
        "   2: burn_ndarray::ops::base::NdArrayOps<E>::min_dim\n   3: app::main\n"
    )
    assert matcher.judge("t", body).decision is Decision.AMBIGUOUS
    assert first(matcher.judge("t", body + frames)).record == TWO


def test_two_wordings_of_one_record_are_not_ambiguous() -> None:
    matcher = Matcher.build([
        site("Only tensor input is valid", record=ONE),
        site("Only tensor input is valid but received: {}", record=ONE),
    ])  # fmt: skip
    assert first(matcher.judge("t", "```\nError: Only tensor input is valid but received: Shape(4)\n```")).record == ONE
    assert first(matcher.judge("t", "```\nError: Only tensor input is valid\n```")).record == ONE


def test_the_more_specific_text_wins() -> None:
    matcher = Matcher.build([
        site("Failed to read the tensor {}", record=ONE),
        site("Failed to read the tensor {} of the checkpoint file", record=TWO),
    ])  # fmt: skip
    body = "```\nError: Failed to read the tensor conv1.weight of the checkpoint file\n```"
    assert first(matcher.judge("t", body)).record == TWO


@pytest.mark.parametrize(
    ("path", "function", "record"),
    [
        ("burn-tch-0.21.0/src/ops/qtensor.rs", None, "aaaaaaaaaaaaaaaa"),
        ("burn-cubecl-0.21.0/src/ops/qtensor.rs", "q_slice", "bbbbbbbbbbbbbbbb"),
        ("burn-cubecl-0.21.0/src/ops/qtensor.rs", "q_gather", "cccccccccccccccc"),
    ],
)
def test_bare_texts_are_known_by_file_and_function(path: str, function: str | None, record: str) -> None:
    frames = f"stack backtrace:\n   0: core::panicking::panic\n   1: <burn::Q<R> as burn::QTensorOps>::{function}\n"
    body = f"```\n{header(path)}not implemented\n{frames if function else ''}```"
    assert first(judge(body)).record == record


def test_a_bare_text_and_its_place_in_one_sentence() -> None:
    body = "It panics at `crates/burn-tch/src/ops/qtensor.rs:20` saying `not implemented`."
    assert first(judge(body)).record == "aaaaaaaaaaaaaaaa"


def test_a_consequence_alone_says_so() -> None:
    match = explains(
        f"```\n{header('burn-train-0.20.0/src/checkpoint/async_checkpoint.rs')}{SEND}: SendError\n```", SEND
    )
    assert match.role is Role.SECONDARY
    located = (
        "```\nthread 'Device-4-0' panicked at crates/burn-fusion/src/stream/execution/ordering.rs:65:38:\n"
        "index out of bounds: the len is 0 but the index is 0\n```"
    )
    assert first(judge(located)).role is Role.SECONDARY


def test_a_consequence_quoted_in_the_title_says_so() -> None:
    title = f'"out of memory" or "{ORDERING}" panic after creating some layers'
    assert explains("M1 Pro 16 GB", ORDERING, title=title).role is Role.SECONDARY


def test_what_follows_an_unknown_panic_is_a_consequence() -> None:
    body = f"```\n{header('foo-1.0.0/src/a.rs')}nobody knows this one\n{header('burn-ir-0.20.0/src/handle.rs')}Should have handle for tensor 3\n```"
    match = explains(body, HANDLE)
    assert match.role is Role.SECONDARY
    assert [e.text for e in judge(body).evidence] == ["nobody knows this one", "Should have handle for tensor 3"]


def test_what_precedes_an_unknown_panic_is_the_root() -> None:
    body = f"```\n{header('burn-ir-0.20.0/src/handle.rs')}Should have handle for tensor 3\n{header('foo-1.0.0/src/a.rs')}nobody knows this one\n```"
    assert explains(body, HANDLE).role is Role.ROOT


def test_an_unknown_panic_does_not_silence_a_known_consequence_in_the_title() -> None:
    body = f"```\n{header('foo-1.0.0/src/a.rs')}nobody knows this one\n```"
    assert explains(body, ORDERING, title=f"Panic: {ORDERING}").role is Role.SECONDARY


def test_the_root_of_no_single_record_keeps_the_rest_from_being_called_root() -> None:
    matcher = Matcher.build([
        site(TEXT, "crates/burn-ndarray/src/ops/base.rs", record=ONE),
        site(TEXT, "crates/burn-flex/src/ops/reduce.rs", record=TWO),
        site("Another message that is printed later on"),
    ])  # fmt: skip
    body = f"thread 'a' panicked at src/x.rs:1:1:\n{TEXT}\nthread 'b' panicked at src/y.rs:1:1:\nAnother message that is printed later on\n"
    assert matcher.judge("t", body).decision is Decision.AMBIGUOUS


def test_located_record_never_speaks_from_another_crate() -> None:
    matcher = Matcher.build([
        site("explicit panic", "crates/burn-core/src/module/base.rs", "map", kind=Kind.LOCATED, needs_location=True)
    ])  # fmt: skip
    assert matcher.judge("t", header("other-0.1.0/src/module/base.rs") + "explicit panic").decision is Decision.ABSTAIN
    assert (
        matcher.judge("t", header("burn-core-0.20.0/src/module/base.rs") + "explicit panic").decision
        is Decision.EXPLAIN
    )


def test_a_flagged_text_needs_its_place_however_telling_it_is() -> None:
    matcher = Matcher.build([site(DEFORM, "crates/burn-autodiff/src/ops/module.rs", needs_location=True)])
    assert matcher.judge("t", f"```\n{DEFORM}\n```").decision is Decision.ABSTAIN
    assert matcher.judge("t", header("burn-autodiff-0.20.0/src/ops/module.rs") + DEFORM).decision is Decision.EXPLAIN


def test_a_short_text_printed_elsewhere_is_not_believed() -> None:
    matcher = Matcher.build([site("Metal unsupported", "crates/burn-candle/src/backend.rs")])
    assert (
        matcher.judge("t", header("burn-candle-0.11.1/src/backend.rs") + "Metal unsupported").decision
        is Decision.EXPLAIN
    )
    assert matcher.judge("t", header("gfx-1.11.1/src/backend.rs") + "Metal unsupported").decision is Decision.ABSTAIN
    assert matcher.judge("t", "I read `Metal unsupported` in the docs somewhere.").decision is Decision.ABSTAIN


def test_an_error_type_unwrapped_elsewhere_counts_within_the_project_only() -> None:
    text = UNWRAP + "BufferPoolExhausted"
    matcher = Matcher.build([site(text, "crates/cubecl-common/src/channel.rs", kind=Kind.SURFACED)])
    for path in ("cubecl-runtime-0.10.0/src/tune.rs", "burn-fusion-0.21.0/src/client.rs"):
        assert matcher.judge("t", header(path) + text).decision is Decision.EXPLAIN
    for body in (header("other-0.21.0/src/client.rs") + text, f"```\n{text}\n```", header("src/main.rs") + text):
        assert matcher.judge("t", body).decision is Decision.ABSTAIN


def test_template_of_nothing_but_holes_never_matches() -> None:
    matcher = Matcher.build([site("{}", "src/a.rs"), site("{}: {:?}", "src/a.rs"), site("", "src/a.rs")])
    assert matcher.judge("t", "thread 'main' panicked at src/a.rs:1:1:\nfoo: bar").decision is Decision.ABSTAIN


def test_no_records_at_all() -> None:
    assert Matcher.build([]).judge("t", header("burn-ir-0.20.0/src/handle.rs") + "boom").decision is Decision.ABSTAIN


def test_matched_words_are_highlighted_without_the_holes() -> None:
    body = f"```\n{header('burn-tensor-0.20.0/src/tensor/api/base.rs')}{SQUEEZE.format(3)}\n```"
    match = explains(body, SQUEEZE)
    text = f"Training crashes\n\n{body}"
    assert [text[w.start : w.end] for w in match.words] == ["Can't squeeze dimension", "because its size is not 1"]
    assert match.evidence.quote == SQUEEZE.format(3)


def test_score_parts() -> None:
    body = f"```\n{header('burn-tensor-0.20.0/src/tensor/api/base.rs')}{SQUEEZE.format(3)}\n```"
    score = explains(body, SQUEEZE).score
    assert score.exact
    assert (score.coverage, score.alignment, score.weight) == (1.0, 1.0, 1.0)
    assert 0 < score.location < 1
    assert score.total == pytest.approx(0.5 + 0.3 + 0.12 + 0.08 * score.location)


def test_error_lines_are_shown_even_if_no_record_explains_them() -> None:
    body = (
        f"```\n{header('foo-1.0.0/src/a.rs')}Error: this one is the panic's\n\n"
        "Error: the archive is not readable\n\nCaused by:\n    0: unexpected end of file\n```\n"
    )
    verdict = silent(body)
    assert verdict.reason == "what is printed is none of the records"
    assert [(e.source, e.text, e.order) for e in verdict.evidence] == [
        (Source.PANIC, "Error: this one is the panic's", 0),
        (Source.ERROR, "the archive is not readable", 1),
        (Source.CAUSED_BY, "unexpected end of file", 1),
    ]
    assert silent("Error in my understanding: none").reason == "no error message is printed"


def test_sources_are_named() -> None:
    for body, source in (
        (f"```\nError: {CROSS.format(1, 2, 3)}\n```", Source.ERROR),
        (f"```\nerror: x\n\nCaused by:\n    {CROSS.format(1, 2, 3)}\n```", Source.CAUSED_BY),
        (f"```\n{CROSS.format(1, 2, 3)}\n```", Source.CODE),
        (f"Then\n\n{CROSS.format(1, 2, 3)}\n", Source.PROSE),
    ):
        assert explains(body, CROSS).evidence.source is source


def test_reason_names_the_nearest_record_and_why_not() -> None:
    verdict = silent("```\nError: Can't squeeze dimension 1 because its rank is not 1\n```")
    assert '"rank" stands where the record has "size"' in verdict.reason
    assert verdict.rejected
    assert verdict.runner_up == verdict.rejected[0]


def test_versions_come_along() -> None:
    assert judge(f"```\n{header('burn-tensor-0.20.1/src/x.rs')}{SHAPES}\n```").version == "0.20.1"
