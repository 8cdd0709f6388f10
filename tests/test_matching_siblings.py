"""Sibling messages, every pair both ways: one is printed, the other is the only record, and it must not speak."""

from __future__ import annotations

from itertools import permutations

import pytest

from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from tests.matching_world import REGISTRY, site

PATH = "crates/burn-autodiff/src/ops/module.rs"
FAMILIES: dict[str, tuple[str, ...]] = {
    "dimensions": tuple(f"Can't differentiate conv{n}d backward pass here." for n in (1, 2, 3)),
    "dimensions apart": tuple(f"Can't differentiate conv {n}d backward pass here." for n in (1, 2, 3)),
    "kinds": tuple(f"Should be {kind} primitive kind of tensor" for kind in ("Float", "Int", "Bool", "Quantized", "UInt")),
    "extremes": tuple(f"The {word} pooling kernel exceeds the padded size" for word in ("min", "max", "average", "adaptive")),
    "passes": ("The forward pass of attention is not implemented", "The backward pass of attention is not implemented"),
    "transposed": (
        "conv_transpose2d kernel groups must divide the channels",
        "conv2d kernel groups must divide the channels",
        "conv_transpose3d kernel groups must divide the channels",
        "deform_conv2d kernel groups must divide the channels",
    ),
    "negation": ("Tensors must be contiguous for this kernel", "Tensors must not be contiguous for this kernel"),
    "prefixes": (
        "The handle is initialized for the tensor",
        "The handle is uninitialized for the tensor",
        "The handle is reinitialized for the tensor",
    ),
    "support": ("Reduction over this axis is supported", "Reduction over this axis is unsupported"),
    "comparison": ("The rank must be greater than the axis", "The rank must be less than the axis", "The rank must be equal to the axis"),
    "signs": ("Expected length > {} of the axis", "Expected length < {} of the axis", "Expected length >= {} of the axis"),
    "sides": ("The lhs shape cannot be broadcast here", "The rhs shape cannot be broadcast here"),
    "order": ("The first dimension can differ only", "The last dimension can differ only"),
    "async": ("Failed to read tensor data sync from device", "Failed to read tensor data async from device"),
    "transforms": tuple(f"{name}: window length {{}} must match the frame" for name in ("fft", "rfft", "irfft", "stft", "istft")),
    "numbers": ("Scores must have 4 dimensions in all", "Scores must have 5 dimensions in all", "Scores must have 14 dimensions in all"),
    "operations": tuple(
        f"{op}: axis {{}} out of bounds for {{}} dimensions" for op in ("flip", "roll", "sort", "sum", "cumsum", "argsort")
    ),
    "inserted": ("Data parallel worker failed: {}", "Data parallel main worker failed: {}"),
    "longer": ("Tensor data could not be viewed", "Tensor data range could not be viewed", "Tensor data could not be viewed twice"),
    "devices": tuple(f"Tensor is not on the {device} device of the client" for device in ("cpu", "cuda", "wgpu", "metal")),
}  # fmt: skip
PAIRS = [(printed, record) for family in FAMILIES.values() for printed, record in permutations(family, 2)]


def text_of(message: str) -> str:
    return message.replace("{}", "7")


@pytest.mark.parametrize(("printed", "record"), PAIRS)
def test_sibling_is_not_taken_for_the_record(printed: str, record: str) -> None:
    matcher = Matcher.build([site(record, PATH)])
    header = f"thread 'main' panicked at {REGISTRY}/burn-autodiff-0.20.0/src/ops/module.rs:9:1:\n"
    for body in (
        header + text_of(printed),
        f"```\n{text_of(printed)}\n```",
        f"I get `{text_of(printed)}` all the time.",
    ):
        verdict = matcher.judge("Crash", body)
        assert verdict.decision is Decision.ABSTAIN, [m.message for m in verdict.matches]
    assert matcher.judge(text_of(printed), "See title.").decision is Decision.ABSTAIN


@pytest.mark.parametrize("family", FAMILIES)
def test_each_is_told_from_its_siblings(family: str) -> None:
    messages = FAMILIES[family]
    matcher = Matcher.build([site(message, PATH) for message in messages])
    for message in messages:
        verdict = matcher.judge("Crash", f"thread 'main' panicked at {PATH}:9:1:\n{text_of(message)}\n")
        assert verdict.decision is Decision.EXPLAIN, (message, verdict.reason)
        assert verdict.matches[0].message == message.rstrip(".")
        assert verdict.margin > 0 or verdict.runner_up is None or "veto" not in verdict.runner_up.reason


def test_the_reason_names_the_word_that_differs() -> None:
    matcher = Matcher.build([site("Can't differentiate conv 2d backward.", PATH)])
    verdict = matcher.judge("Crash", "```\nError: Can't differentiate conv 3d backward.\n```")
    assert verdict.runner_up is not None
    assert verdict.runner_up.reason == '"3d" stands where the record has "2d"'


def test_a_slip_of_the_pen_is_no_difference() -> None:
    matcher = Matcher.build([site("Can't differentiate conv 2d backward.", PATH)])
    for typed in ("differntiate conv 2d backward", "differentiate conv 2d backwrad", "diferentiate conv 2d backward"):
        assert matcher.judge("Crash", f"```\nError: Can't {typed}.\n```").decision is Decision.EXPLAIN, typed


def test_other_forms_of_a_word_are_no_difference() -> None:
    matcher = Matcher.build([site("Cannot convert the dimensions into a padded tensor shape", PATH)])
    for printed in (
        "Can't convert the dimension into a padded tensor shape",
        "Cannot convert dims into the padded tensors shape",
    ):
        body = f"thread 'main' panicked at {PATH}:9:1:\n{printed}\n"
        assert matcher.judge("Crash", body).decision is Decision.EXPLAIN, printed
