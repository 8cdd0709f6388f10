"""Near misses: words of a record are there, its message is not printed. Every one must stay silent."""

from __future__ import annotations

import pytest

from tests.matching_world import DEFORM, ORDERING, READ, REGISTRY, SEND, SQUEEZE, UNWRAP, silent

HEADER = f"thread 'main' panicked at {REGISTRY}/"


def test_empty_issue() -> None:
    assert silent("", title="").reason == "no error message is printed"


def test_feature_request_about_panics() -> None:
    silent(
        "Shape mismatches, device trouble: everything seems to panic. Is there a plan for `try_` variants that differentiate "
        "backward failures of deform conv 2d from others?",
        title="Why is there no error handling in the public API?",
    )


def test_request_for_a_better_wording() -> None:
    silent(
        "The message `Can't squeeze dimension {} because its size is not 1` could name the operation.",
        title="Improve the error of squeeze",
    )


def test_request_that_cites_a_message_as_an_example() -> None:
    silent(
        f"An error like `{DEFORM}` is hard to understand. I would like a lint instead.",
        title="Feature: a lint for nested autodiff",
    )


def test_what_should_be_printed_is_not_printed() -> None:
    silent(f"Slicing should panic with `{SQUEEZE.format(1)}` but returns garbage.", title="Slice is unchecked")
    silent(f"Instead of `{DEFORM}` I would expect a gradient of zeros here.", title="Zero gradients")


def test_source_line_in_a_fence() -> None:
    silent(f'```rust\nfn backward() {{\n    panic!("{DEFORM}");\n}}\n```\nWhy is this there?')
    silent(f'```\nlet x = 1;\nfn f() {{\n    unimplemented!("{DEFORM}")\n}}\n```\n')


def test_source_line_in_prose() -> None:
    silent(f'At module.rs I read\n\n DeviceLocation::Metal => panic!("{DEFORM}")\n\nwhich looks wrong.')
    silent(f'The test has `#[should_panic(expected = "{DEFORM}")]` and passes.')


def test_comment_in_source() -> None:
    silent(f"```rust\nlet y = deform_conv2d(x);\n// {DEFORM}\nlet z = y.backward();\n```")


def test_patch() -> None:
    silent(f'```diff\n-        panic!("{DEFORM}");\n+        todo!();\n```')


def test_compiler_diagnostic_in_a_burn_file() -> None:
    body = (
        "```\nerror[E0277]: the trait bound `B: Backend` is not satisfied\n"
        f"  --> {REGISTRY}/burn-autodiff-0.20.0/src/ops/module.rs:906:5\n    |\n"
        f'906 |     panic!("{DEFORM}")\n    = note: {DEFORM}\n```'
    )
    silent(body)


def test_sanitizer_frames_that_mention_panicking() -> None:
    body = (
        "```\nWARNING: ThreadSanitizer: data race (pid=48211)\n    #0 burn_ir::handle::get_handle ??:? (BuildId: 40)\n"
        "    #19 std::panicking::try ??:? (burn+0x3ee7d2)\nSUMMARY: ThreadSanitizer: data race in handle for tensor\n```"
    )
    silent(body)


def test_title_names_an_operation_of_a_record_while_another_panic_is_printed() -> None:
    body = (
        f"```\n{HEADER}wgpu-25.0.2/src/backend/wgpu_core.rs:2879:26:\nwgpu error: Validation Error\n\nCaused by:\n"
        "  In ComputePass::end\n    Buffer is bound with size 4 where the shader expects 16 in group[0]\n```"
    )
    silent(body, title="Can't train: adaptive avg pool2d backward panics on WGPU")


def test_quoted_title_beside_a_panic_without_record() -> None:
    silent(f"```\n{HEADER}foo-1.0.0/src/lib.rs:1:2:\nsomething entirely different happened\n```", title=DEFORM)


def test_checkpoint_words_without_a_panic() -> None:
    silent(
        "As soon as I call `with_file_checkpointer`, I can send no message to the checkpointer thread any more.",
        title="With checkpointing turned on, training never starts",
    )


def test_log_below_error_level() -> None:
    silent(f"```\n2025-05-29T17:21:57Z  INFO burn_train: {SEND}\n DEBUG burn: {DEFORM}\n```")


def test_backtrace_frame_that_reads_like_a_message() -> None:
    silent(f"```\n   3: {DEFORM}\n             at ./src/main.rs:9:14\n```")


def test_issue_form_hint_in_a_comment() -> None:
    silent(f"<!-- paste the error here, for example:\n{DEFORM}\n-->\n\nIt does not build.")


def test_banner_alone() -> None:
    silent(
        "```\n=== PANIC ===\nA fatal error happened, you can check the experiment logs here => './x.log'\n=============\n```"
    )


def test_tail_of_a_one_line_stack() -> None:
    silent(
        '```\np [<unknown file> @ <unknown line number>]\\n00007FFC torch_cpu.dll!at::_ops::empty [<unknown>]\\n")\n```'
    )


def test_panic_without_its_text() -> None:
    body = (
        "```\n   2: core::panicking::panic_fmt\n   3: burn_fusion::stream::execution::ordering::OrderedExecution<R>::execute\n"
        "             at ./crates/burn-fusion/src/stream/execution/ordering.rs:41:9\n```"
    )
    silent(body, title="Fusion: panic since the ordering is off")


@pytest.mark.parametrize(
    "printed",
    [
        "Can't differentiate deform conv 3d backward.",
        "Can't differentiate deform conv 2d forward.",
        "Can't differentiate conv 2d backward.",
        "Can differentiate deform conv 2d backward.",
        "Can't differentiate max pool1d with indices backward.",
        "Can't differentiate min pool2d with indices backward.",
        "Can't unsqueeze dimension 1 because its size is not 1",
        "Can't squeeze dimension 1 because its size is not 2",
        "Can't squeeze dimension 1 because its rank is not 1",
        "Can't stack an empty list of shapes.",
        "Can't stack tensors with different devices",
        "The outer dimension of matmul should be the same, but got 3 and 4.",
        "The provided tensors have compatible shapes.",
        "The provided tensors are on the same device.",
        "Cannot get initialized handle TensorId { value: 3 }.",
        "Can receive the end message to the checkpointer thread.: SendError { .. }",
        "Expected data size 3, but got 4",
        "Element can be represented in the target type: a(b) => c",
        "Asymmetric padding is not yet supported for conv2d",
        "Asymmetric padding is not supported",
    ],
)
def test_sibling_message(printed: str) -> None:
    for header in (f"{HEADER}burn-tensor-0.20.0/src/tensor/api/check.rs:3:4:\n", ""):
        silent(f"```\n{header}{printed}\n```")


def test_message_that_goes_on() -> None:
    silent(f"```\n{HEADER}burn-autodiff-0.20.0/src/ops/module.rs:9:1:\n{DEFORM[:-1]} twice\n```")
    silent(f"```\nError: conv: {SQUEEZE.format(1)}\n```")


def test_words_strewn_over_a_paragraph() -> None:
    silent(
        "I can't squeeze my schedule any more. The dimension of the problem, because of which its authors gave up, has a size "
        "that is not negligible: 1 day is lost.",
        title="Question",
    )


def test_bare_std_text_needs_its_place() -> None:
    silent("```\nnot implemented\n```")
    silent(f"```\n{HEADER}burn-tch-0.20.0/src/ops/tensor.rs:20:9:\nnot implemented\n```")
    silent(f"```\n{HEADER}burn-cubecl-0.20.0/src/ops/qtensor.rs:20:9:\nnot implemented: q_permute\n```")
    silent("```\nthread 'main' panicked at src/main.rs:3:4:\ncalled `Option::unwrap()` on a `None` value\n```")
    silent("```\nindex out of bounds: the len is 3 but the index is 3\n```")


def test_bare_std_text_in_another_function_of_the_same_file() -> None:
    body = (
        f"```\n{HEADER}burn-cubecl-0.21.0/src/ops/qtensor.rs:274:9:\nnot implemented\nstack backtrace:\n"
        "   0: __rustc::rust_begin_unwind\n   1: core::panicking::panic\n"
        "   2: <burn_cubecl::backend::CubeBackend<R> as burn_backend::QTensorOps<R>>::q_expand\n"
        "   3: burn_fusion::stream::run\n```"
    )
    assert "q_expand" in silent(body).reason


def test_two_records_of_one_text_and_no_function() -> None:
    body = f"```\n{HEADER}burn-cubecl-0.21.0/src/ops/qtensor.rs:274:9:\nnot implemented\n```"
    verdict = silent(body)
    assert verdict.decision.value == "ambiguous"
    assert {match.record for match in verdict.matches} == {"bbbbbbbbbbbbbbbb", "cccccccccccccccc"}


def test_unwrap_of_another_error() -> None:
    silent(f"```\n{HEADER}cubecl-runtime-0.8.1/src/client.rs:3:4:\n{UNWRAP}BufferTooSmall(12)\n```")
    silent(f"```\n{HEADER}burn-train-0.8.1/src/x.rs:3:4:\n{UNWRAP}Os {{ code: 17, kind: AlreadyExists }}\n```")


def test_secondary_words_in_a_sentence() -> None:
    silent(f"Somehow the {ORDERING.lower()} that I run.", title="Slow fusion")


def test_other_cause_under_the_same_error() -> None:
    body = (
        f"```\n{HEADER}wgpu-25.0.2/src/backend/wgpu_core.rs:1:2:\nwgpu error: Validation Error\n\nCaused by:\n"
        "  In Device::create_bind_group\n    Number of bindings in bind group descriptor (7) does not match\n```"
    )
    silent(body)


def test_too_little_of_a_long_message() -> None:
    silent(f"```\nError: {READ[:34]}\n```")


def test_message_in_a_link() -> None:
    silent("See https://example.com/search?q=Can't+differentiate+deform+conv+2d+backward. for more", title="Docs")


def test_screenshot_only() -> None:
    silent(
        '<img width="702" alt="panic: deform conv 2d backward" src="https://github.com/user-attachments/assets/0b7d">'
    )
