"""A small catalogue as the matcher sees it, and helpers to say what an issue should be judged to print."""

from __future__ import annotations

import functools
import hashlib

from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision, Match, Verdict
from bot.records.model import Kind, Site

REGISTRY = "/home/user/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f"
CROSS = "Cross product requires dimension {} to have size 3, but got {} and {}."
HANDLE = "Should have handle for tensor {:?}"
DEFORM = "Can't differentiate deform conv 2d backward."
SQUEEZE = "Can't squeeze dimension {} because its size is not 1"
SHAPES = "The provided tensors have incompatible shapes."
READ = (
    "Failed to synchronously read tensor data. This operation is not supported until this backend has a GPU sorting"
    " implementation."
)
SEND = "Can send message to checkpointer thread."
SEND_END = "Can send the end message to the checkpointer thread."
SPLIT = "split_size must be greater than 0 unless the tensor size along the dimension is 0."
ORDERING = "Ordering is bigger than operations"
AUTOTUNE = "Should run when selected by autotune."


def site(
    message: str,
    path: str | None = None,
    function: str | None = None,
    *,
    record: str | None = None,
    kind: Kind = Kind.CURRENT,
    secondary: bool = False,
    needs_location: bool = False,
) -> Site:
    """A site whose record id is made from message and path, unless one is given."""
    made = hashlib.sha256(f"{message}\x01{path}\x01{function}".encode("utf-8", "replace")).hexdigest()[:16]
    return Site(
        record=record or made,
        slug="record-" + (record or made),
        repo="tracel-ai/burn",
        message=message,
        file_path=path,
        function=function,
        kind=kind,
        secondary=secondary,
        needs_location=needs_location,
    )


AUTODIFF = "crates/burn-autodiff/src/ops/module.rs"
CHECK = "crates/burn-tensor/src/tensor/api/check.rs"
CHECKPOINT = "crates/burn-train/src/checkpoint/async_checkpoint.rs"
CUBE_Q = "crates/burn-cubecl/src/ops/qtensor.rs"
UNWRAP = "called `Result::unwrap()` on an `Err` value: "

CATALOGUE: tuple[Site, ...] = (
    site(DEFORM, AUTODIFF, "deform_conv2d_backward"),
    site("Can't differentiate adaptive avg pool2d backward.", AUTODIFF, "adaptive_avg_pool2d_backward"),
    site("Can't differentiate max pool2d with indices backward.", AUTODIFF, "max_pool2d_with_indices_backward"),
    site("Can't differentiate avg pool 2d backward.", AUTODIFF, "avg_pool2d_backward"),
    site(HANDLE, "crates/burn-ir/src/handle.rs", "get_handle"),
    site("Cannot get uninitialized handle {:?}.", "crates/burn-ir/src/handle.rs", "get_handle"),
    site(ORDERING, "crates/burn-fusion/src/stream/execution/ordering.rs", "execute_optimization", secondary=True),
    site(SEND, CHECKPOINT, "save", secondary=True),
    site(SEND_END, CHECKPOINT, "drop", secondary=True),
    site("Can delete optimizer checkpoint.", "crates/burn-train/src/learner/base.rs", "checkpoint"),
    site(SHAPES, CHECK, "binary_ops_ew"),
    site("The provided tensors are not on the same device.", CHECK, "binary_ops_device"),
    site("The inner dimension of matmul should be the same, but got {} and {}.", CHECK, "matmul"),
    site(SQUEEZE, CHECK, "squeeze"),
    site(SPLIT, CHECK, "split"),
    site("Resulting dimensions {} do not match the required D2 size {}.", CHECK, "squeeze_dims_len"),
    site(CROSS, CHECK, "cross"),
    site("Can't stack tensors with different shapes", CHECK, "stack"),
    site("Can't stack an empty list of tensors.", CHECK, "stack"),
    site("Can't concatenate an empty list of tensors.", CHECK, "cat"),
    site("Expected data type {:?}, but got {:?}", "crates/burn-std/src/data/tensor/base.rs", "as_slice"),
    site("Element cannot be represented in the target type: {:?}({:?}) => {:?}", "crates/burn-std/src/element/cast.rs"),
    site("Unsupported dimension, only the last dimension can differ: Tensor {:?} Index {:?}", "crates/burn-ndarray/src/ops/base.rs"),
    site("Tensors are not approx eq:{}", "crates/burn-std/src/data/compare.rs", "assert_approx_eq"),
    site(READ, "crates/burn-backend/src/backend/ops/int_tensor.rs", "sort"),
    site("Unsupported dtype for `{}`: {:?}", "crates/burn-flex/src/ops/base.rs", "unary"),
    site("Invalid PyTorch file format: {}", "crates/burn-store/src/pytorch/reader.rs"),
    site("Asymmetric padding is not yet supported for conv3d", "crates/burn-tensor/src/tensor/module.rs", "conv3d"),
    # Left the repository.
    site("Only tensor input is valid but received: {:?}", "crates/onnx-ir/src/dim_inference.rs", kind=Kind.HISTORICAL),
    site("Where x and y have different element types!", "crates/onnx-ir/src/dim_inference.rs", kind=Kind.HISTORICAL),
    site("\"{}\" is not a valid Ident", "crates/burn-import/src/burn/ty.rs", kind=Kind.HISTORICAL),
    # Raised by others under a call of ours.
    site(AUTOTUNE, "crates/cubecl-runtime/src/tune/local.rs", kind=Kind.SURFACED),
    site("In Device::create_bind_group\n    Buffer binding size {} is less than minimum {}", "wgpu-core/src/binding_model.rs", kind=Kind.SURFACED),
    site("Each current dispatch group size dimension ({}) must be less or equal to {}", "wgpu-core/src/command/compute.rs", kind=Kind.SURFACED),
    site("Not enough memory left", "wgpu-core/src/device/mod.rs", kind=Kind.SURFACED),
    site("Could not run '{}' with arguments from the '{}' backend", "crates/burn-tch/src/ops/base.rs", kind=Kind.SURFACED),
    site("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location.", "crates/burn-tch/src/ops/tensor.rs", kind=Kind.SURFACED),
    site("Placeholder storage has not been allocated on MPS device!", "crates/burn-tch/src/ops/module.rs", kind=Kind.SURFACED),
    site(UNWRAP + "BufferTooBig({})", "crates/cubecl-runtime/src/client.rs", kind=Kind.SURFACED),
    site(UNWRAP + "CubeCountTooLarge", "crates/cubecl-runtime/src/client.rs", kind=Kind.SURFACED),
    site("DriverError(CUDA_ERROR_INVALID_PTX, \"a PTX JIT compilation failed\")", "crates/cubecl-cuda/src/compute/server.rs", kind=Kind.SURFACED),
    site("ndarray: could not broadcast array from shape: {:?} to: {:?}", "crates/burn-ndarray/src/ops/base.rs", kind=Kind.SURFACED),
    site("hip runtime failed to load.", "crates/cubecl-hip/src/compute/server.rs", kind=Kind.SURFACED),
    # Texts that say nothing without their place.
    site("not implemented", "crates/burn-tch/src/ops/qtensor.rs", record="aaaaaaaaaaaaaaaa", kind=Kind.LOCATED, needs_location=True),
    site("not implemented", CUBE_Q, "q_slice", record="bbbbbbbbbbbbbbbb", kind=Kind.LOCATED, needs_location=True),
    site("not implemented", CUBE_Q, "q_gather", record="cccccccccccccccc", kind=Kind.LOCATED, needs_location=True),
    site(
        "index out of bounds: the len is {} but the index is {}",
        "crates/burn-fusion/src/stream/execution/ordering.rs",
        "execute_operations",
        kind=Kind.LOCATED,
        needs_location=True,
        secondary=True,
    ),
    site("called `Option::unwrap()` on a `None` value", "crates/burn-ndarray/src/ops/base.rs", "mask_fill", kind=Kind.LOCATED, needs_location=True),
)  # fmt: skip


@functools.cache
def matcher() -> Matcher:
    return Matcher.build(CATALOGUE)


def judge(body: str, title: str = "Training crashes") -> Verdict:
    return matcher().judge(title, body)


def first(verdict: Verdict) -> Match:
    """The match that the comment would be about."""
    assert verdict.decision is Decision.EXPLAIN, verdict.reason
    return verdict.matches[0]


def plain(message: str) -> str:
    """A template without its closing full stop, as a match shows it."""
    return message.rstrip(" .\n")


def explains(body: str, message: str, title: str = "Training crashes") -> Match:
    """The issue is explained by the record with this message, and the matched words are the user's own."""
    match = first(judge(body, title))
    assert match.message == plain(message)
    whole = f"{title}\n\n{body}"
    span = match.evidence.span
    assert whole[: span.start].count("\n") + 1 == span.line
    assert match.words
    assert all(span.start <= word.start < word.end <= span.end for word in match.words)
    return match


def silent(body: str, title: str = "Training crashes") -> Verdict:
    """No comment: the verdict is no explanation."""
    verdict = judge(body, title)
    assert verdict.decision is not Decision.EXPLAIN, [m.message for m in verdict.matches]
    return verdict


def shown(body: str, match: Match, title: str = "Training crashes") -> str:
    """The stretch of the issue that a match points at."""
    return f"{title}\n\n{body}"[match.evidence.span.start : match.evidence.span.end]
