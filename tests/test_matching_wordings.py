"""Texts that are cut off, misspelt, reworded or wrapped: what still counts as the record's text, and what no longer."""

from __future__ import annotations

import pytest

from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from bot.records.model import Site
from tests.matching_world import REGISTRY, first, site

PATH = "crates/burn-autodiff/src/ops/module.rs"
HEADER = f"thread 'main' panicked at {REGISTRY}/burn-autodiff-0.20.0/src/ops/module.rs:9:1:\n"
ELSEWHERE = f"thread 'main' panicked at {REGISTRY}/burn-tch-0.20.0/src/ops/module.rs:9:1:\n"
LONG = "Quantized gradients cannot flow through the rounding step unless a straight-through estimator is configured"
ALIASED = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory"
    " location."
)


def decision(record: Site | str, body: str) -> Decision:
    made = site(record, PATH) if isinstance(record, str) else record
    return Matcher.build([made]).judge("Crash", body).decision


def test_cut_text_with_dots() -> None:
    for dots in ("...", "\u2026", " [...]", " …"):
        assert decision(LONG, f"{HEADER}{LONG[:70]}{dots}\n") is Decision.EXPLAIN, dots


def test_cut_in_the_middle_of_a_word() -> None:
    cut = LONG[: LONG.index("straight") + len("stra")]
    assert decision(LONG, f"{HEADER}{cut}") is Decision.EXPLAIN


def test_cut_text_of_two_records_is_neither() -> None:
    other = LONG[: LONG.index("unless")] + "while the observer is frozen"
    matcher = Matcher.build([site(LONG, PATH), site(other, PATH)])
    verdict = matcher.judge("Crash", f"{HEADER}{LONG[: LONG.index('unless')]}...\n")
    assert verdict.decision is Decision.ABSTAIN
    assert verdict.runner_up is not None
    assert verdict.runner_up.reason == "another record fits as well"


def test_whole_text_with_dots_that_another_record_may_go_on_with_is_neither() -> None:
    short = LONG[: LONG.index(" unless")]
    matcher = Matcher.build([site(LONG, PATH), site(short, PATH)])
    assert first(matcher.judge("Crash", f"{HEADER}{short}\n")).message == short
    assert matcher.judge("Crash", f"{HEADER}{short}...\n").decision is Decision.ABSTAIN


def test_cut_before_what_tells_it_apart() -> None:
    record = "The shape of conv_transpose2d must be even"
    assert decision(record, f"{HEADER}The shape of ...\n") is Decision.ABSTAIN


def test_one_word_of_a_long_text_reworded_counts_at_its_own_place_only() -> None:
    reworded = LONG.replace("estimator", "approximation")
    assert decision(LONG, f"{ELSEWHERE}{reworded}\n") is Decision.ABSTAIN
    assert decision(LONG, f"```\n{reworded}\n```\n") is Decision.ABSTAIN


@pytest.mark.parametrize(
    ("record", "printed"),
    [
        (
            "Sorting on this device is not supported by the client",
            "Sorting on this device is unsupported by the client",
        ),
        (
            "Sorting on this device is unsupported by the client",
            "Sorting on this device is not supported by the client",
        ),
    ],
)
def test_two_ways_to_say_no(record: str, printed: str) -> None:
    assert decision(record, f"{HEADER}{printed}\n") is Decision.EXPLAIN


@pytest.mark.parametrize(
    ("record", "printed"),
    [
        ("Sorting on this device is supported by the client", "Sorting on this device is unsupported by the client"),
        ("Sorting on this device is unsupported by the client", "Sorting on this device is supported by the client"),
        ("Sorting on this device is supported by the client", "Sorting on this device is not supported by the client"),
        ("Sorting on this device is not supported by the client", "Sorting on this device is supported by the client"),
        (
            "Sorting on this device is not supported by the client",
            "Sorting on this device is not unsupported by the client",
        ),
    ],
)
def test_no_is_not_yes(record: str, printed: str) -> None:
    assert decision(record, f"{HEADER}{printed}\n") is Decision.ABSTAIN


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Unsupported operatoin for quantised mask_where kernel", Decision.EXPLAIN),
        ("Unsupported operation for quantised mask_whree kernel", Decision.EXPLAIN),
        ("Unsupported operation for quantised mask_fill kernel", Decision.ABSTAIN),
        ("Unsupported operation for quantised task_where kernel", Decision.ABSTAIN),
        ("Unsupported operation for quantised mask_where_2 kernel", Decision.ABSTAIN),
        ("Unsupported operation for quantised bool_mask_where kernel", Decision.ABSTAIN),
    ],
)
def test_slips_in_an_identifier(typed: str, expected: Decision) -> None:
    assert decision("Unsupported operation for quantised mask_where kernel", f"{HEADER}{typed}\n") is expected


def test_every_telling_word_misspelt() -> None:
    record = "Checkpointing strategy requires retained intermediate activations"
    typed = "Chekpointing stratgy requries retaned intermedite activatons"
    assert decision(record, f"{HEADER}{typed}\n") is Decision.EXPLAIN


def test_hole_that_holds_nothing() -> None:
    record = "Failed to lower kernel {} for target {} because registers ran out"
    assert decision(record, f"{HEADER}Failed to lower kernel a for target b because registers ran out\n") is (
        Decision.EXPLAIN
    )
    assert decision(record, f"{HEADER}Failed to lower kernel for target because registers ran out\n") is (
        Decision.ABSTAIN
    )


def test_last_hole_that_holds_nothing() -> None:
    record = "Failed to lower the kernel because registers ran out at ({})"
    assert decision(record, f"{HEADER}Failed to lower the kernel because registers ran out at (3)\n") is (
        Decision.EXPLAIN
    )
    assert decision(record, f"{HEADER}Failed to lower the kernel because registers ran out at once\n") is (
        Decision.ABSTAIN
    )


def test_hole_does_not_swallow_a_sentence() -> None:
    record = "The kernel {} ran out of registers on this device"
    printed = "The kernel is fine but the compiler of the host ran out of registers on this device"
    assert decision(record, f"{HEADER}{printed}\n") is Decision.ABSTAIN


def test_log_prefix_on_every_line_of_a_message() -> None:
    first_half, second_half = ALIASED.split(" and ", 1)
    stamp = "[2025-06-01T08:14:22Z ERROR app] "
    body = f"```\n{stamp}{HEADER}{stamp}{first_half}\n{stamp}and {second_half}\n```"
    assert decision(ALIASED, body) is Decision.EXPLAIN


def test_quote_mark_on_every_line_of_a_message() -> None:
    first_half, second_half = ALIASED.split(" and ", 1)
    assert decision(ALIASED, f"> {HEADER}> {first_half}\n> and {second_half}\n") is Decision.EXPLAIN


def test_words_of_the_message_in_an_earlier_paragraph() -> None:
    body = f"My input tensor is large and I use a single location of memory for it.\n\n```\n{HEADER}{ALIASED}\n```\n"
    assert decision(ALIASED, body) is Decision.EXPLAIN


def test_escape_between_two_words_is_shown_as_a_hole() -> None:
    record = "input.type() == weight.type() INTERNAL ASSERT FAILED please report a bug"
    printed = f'Torch("{record.replace(" please", chr(92) + "nplease")}\\nException raised from f")'
    body = f"{HEADER}called `Result::unwrap()` on an `Err` value: {printed}\n"
    match = first(Matcher.build([site(record, PATH)]).judge("Crash", body))
    assert match.message == "input.type() == weight.type() INTERNAL ASSERT FAILED {} please report a bug"
    assert [body[span.start - len("Crash\n\n") : span.end - len("Crash\n\n")] for span in match.words][-1].endswith(
        "bug"
    )


def test_common_text_counts_exactly_only() -> None:
    record = "not implemented for this device"
    assert decision(record, f"{HEADER}{record}\n") is Decision.EXPLAIN
    assert decision(record, f"{HEADER}not implemented for this\n") is Decision.ABSTAIN
