"""One example of each kind of comment: what the golden files show, and what every comment must keep to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from bot.matching.verdict import Role, Source, Span
from bot.policy.actions import Confidence, LabelProposal, Post, Retract
from bot.records.load import load_catalogue
from bot.records.model import Catalogue, Entry, Extension, Kind, Trust
from bot.render.comment import render_comment, render_retraction
from tests.factories import (
    REPO,
    make_entry,
    make_evidence,
    make_explanation,
    make_match,
    make_record,
    make_verdict,
)

SUBJECT = "tracel-ai/burn#4711"
DEFORM = "can-t-differentiate-deform-conv-2d-backward"
POOL = "can-t-differentiate-adaptive-avg-pool2d-backward"
ROOT = Path(__file__).parents[1]


@cache
def catalogue() -> Catalogue:
    return load_catalogue(ROOT / "records")


def shipped(slug: str) -> Entry:
    """A record of the catalogue as it is, corrections and trust included."""
    return next(entry for entry in catalogue().entries if entry.slug == slug)


def comment(entry: Entry, text: str, *, repo: str = REPO, version: str | None = None, exact: bool = True) -> str:
    match = make_match(entry, evidence=make_evidence(text), exact=exact)
    explanation = make_explanation(entry, match=match, verdict=make_verdict(match, version=version))
    return render_comment(explanation, subject=f"{repo}#4711", repo=repo)


def current() -> str:
    return comment(shipped(DEFORM), "Can't differentiate deform conv 2d backward.", version="0.20.1")


def nearly() -> str:
    return comment(shipped(POOL), "can't diferentiate adaptive avg pool2d backward", exact=False)


def elsewhere() -> str:
    return comment(make_entry(), "Can't squeeze dimension 1 because its size is not 1", repo="someone/app")


def historical() -> str:
    entry = make_entry(
        record=make_record(
            error_message="Only tensor input is valid",
            file_path="crates/onnx-ir/src/dim_inference.rs",
            documentation="The ONNX import met a node whose input is no tensor, which it could not handle.",
            solutions=["Take the import from `burn-onnx` and try its main branch.", "Simplify the model with onnxsim."],
            example_fix=None,
        ),
        extension=Extension(kind=Kind.HISTORICAL, until="0.18.0", moved_to="tracel-ai/burn-onnx"),
    )
    return comment(entry, "Only tensor input is valid", version="0.17.0")


def surfaced() -> str:
    entry = make_entry(
        record=make_record(
            error_message="Buffer is bound with size {} where the shader expects {} in group[{}] compact index {}",
            file_path="wgpu-core/src/command/compute.rs",
            github_url=f"https://github.com/gfx-rs/wgpu/blob/{'a' * 40}/wgpu-core/src/command/compute.rs#L100-L110",
            documentation="A kernel was handed a smaller buffer than its shader declares.",
            solutions=["Update burn and cubecl together.", "Report it with the smallest model that shows it."],
            example_fix=None,
        ),
        extension=Extension(kind=Kind.SURFACED, since="0.17.0"),
    )
    return comment(entry, "Buffer is bound with size 4 where the shader expects 16 in group[0] compact index 0")


def located() -> str:
    entry = make_entry(
        record=make_record(
            error_message="not implemented",
            file_path="crates/burn-tch/src/ops/qtensor.rs",
            documentation="The LibTorch backend has no quantized `q_matmul`.",
            solutions=["Dequantize first: `x.dequantize()`."],
            example_fix=None,
        ),
        extension=Extension(kind=Kind.LOCATED, function="q_matmul", needs_location=True),
    )
    match = make_match(entry, evidence=make_evidence("not implemented"), location=1.0)
    return render_comment(make_explanation(entry, match=match), subject=SUBJECT, repo=REPO)


ORDERING = Extension(secondary=True, function="operations")


def ordering_entry() -> Entry:
    return make_entry(
        record=make_record(
            error_message="Ordering is bigger than operations",
            file_path="crates/burn-fusion/src/stream/execution/ordering.rs",
            documentation="The fusion stream is left in disorder when an operation panics in the middle of it.",
            solutions=["Run once without the `fusion` feature, so that the first panic shows where it belongs."],
            example_fix=None,
            prevention_tips=[],
        ),
        extension=ORDERING,
    )


def secondary() -> str:
    entry = ordering_entry()
    first = make_evidence(
        "device lost", quote="thread 'main' panicked at src/main.rs:3:5: device lost", span=Span(start=1, end=9, line=3)
    )
    match = make_match(
        entry, role=Role.SECONDARY, evidence=make_evidence("Ordering is bigger than operations", order=1)
    )
    verdict = make_verdict(match, evidence=(first, match.evidence))
    return render_comment(make_explanation(entry, match=match, verdict=verdict), subject=SUBJECT, repo=REPO)


def secondary_in_training() -> str:
    entry = make_entry(
        record=make_record(
            error_message="Can send the end message to the checkpointer thread.",
            file_path="crates/burn-train/src/checkpoint/async_checkpoint.rs",
            documentation="The checkpoint thread is gone when training ends, because it panicked before.",
            solutions=["Read `experiment.log` for the first panic."],
            example_fix=None,
        ),
        extension=Extension(secondary=True),
    )
    text = "Can send the end message to the checkpointer thread.: SendError { .. }"
    match = make_match(entry, role=Role.SECONDARY, evidence=make_evidence(text))
    return render_comment(make_explanation(entry, match=match), subject=SUBJECT, repo=REPO)


def burn_bug() -> str:
    entry = make_entry(
        record=make_record(
            error_message="Should have handle for tensor {}",
            file_path="crates/burn-ir/src/handle.rs",
            documentation="A tensor was freed while an operation that reads it was still waiting.",
            solutions=["Try without the `fusion` feature."],
            example_fix=None,
        ),
        extension=Extension(
            burn_bug=True,
            since="0.14.0",
            fixed_in="0.21.0",
            fixed_by="tracel-ai/burn#77",
            report=[
                "The smallest program that shows it.",
                "The full output with `RUST_BACKTRACE=1`.",
                "Backend, device.",
            ],
        ),
    )
    return comment(entry, "Should have handle for tensor TensorId { value: 12 }", version="0.20.1")


def linted() -> str:
    return comment(make_entry(trust=Trust.LINTED), "Can't squeeze dimension 1 because its size is not 1")


def quarantined() -> str:
    return comment(make_entry(trust=Trust.QUARANTINED), "Can't squeeze dimension 1 because its size is not 1")


def several() -> str:
    root = make_entry()
    follows = ordering_entry()
    other = shipped(DEFORM)
    also = (
        (
            make_match(follows, role=Role.SECONDARY, evidence=make_evidence("Ordering is bigger than operations")),
            follows,
        ),
        (make_match(other, evidence=make_evidence("Can't differentiate deform conv 2d backward.")), other),
    )
    return render_comment(make_explanation(root, also=also), subject=SUBJECT, repo=REPO)


def labels_named() -> str:
    labels = (
        LabelProposal(name="bug", rationale="the issue prints a panic of burn", confidence=Confidence.HIGH),
        LabelProposal(name="fusion", rationale="burn-fusion is in the backtrace", confidence=Confidence.MEDIUM),
    )
    post = Post(explanation=make_explanation(), labels=labels)
    return render_comment(post, subject=SUBJECT, repo=REPO, name_labels=True)


def title_only() -> str:
    text = "Can't squeeze dimension 1 because its size is not 1"
    match = make_match(evidence=make_evidence(text, source=Source.TITLE))
    return render_comment(make_explanation(match=match), subject=SUBJECT, repo=REPO)


def retracted() -> str:
    return render_retraction(
        Retract(reason="the issue was edited and prints no known message"), subject=SUBJECT, record=make_record().id
    )


KINDS: dict[str, Callable[[], str]] = {
    "current": current,
    "nearly": nearly,
    "elsewhere": elsewhere,
    "historical": historical,
    "surfaced": surfaced,
    "located": located,
    "secondary": secondary,
    "secondary-in-training": secondary_in_training,
    "burn-bug": burn_bug,
    "linted": linted,
    "quarantined": quarantined,
    "several": several,
    "labels-named": labels_named,
    "title-only": title_only,
    "retracted": retracted,
}
