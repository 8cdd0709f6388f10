"""Every form in which a panic is printed: the message is found, and the words pointed at are theirs."""

from __future__ import annotations

from bot.matching.verdict import Role, Source
from tests.matching_world import (
    AUTOTUNE,
    HANDLE,
    READ,
    REGISTRY,
    SEND,
    explains,
    first,
    judge,
    shown,
)

HANDLE_PATH = f"{REGISTRY}/burn-ir-0.20.0/src/handle.rs:88:32"
PRINTED = "Should have handle for tensor TensorId { value: 497010 }"


def test_two_line_format_of_today() -> None:
    body = (
        f"It stops.\n\n```\nthread 'main' panicked at {HANDLE_PATH}:\n{PRINTED}\nnote: run with `RUST_BACKTRACE=1`\n```"
    )
    match = explains(body, HANDLE)
    assert match.evidence.source is Source.PANIC
    assert match.score.exact
    assert match.score.location == 1.0
    assert shown(body, match) == "Should have handle for tensor"
    assert match.evidence.location is not None
    assert (match.evidence.location.crate, match.evidence.location.version) == ("burn-ir", "0.20.0")


def test_message_indented_on_its_line() -> None:
    explains(f"```\n  thread 'main' panicked at {HANDLE_PATH}:\n      {PRINTED}    \n```", HANDLE)


def test_one_line_format_before_rust_1_73() -> None:
    match = explains(f"```\nthread 'main' panicked at '{PRINTED}', {HANDLE_PATH}\nstack backtrace:\n```", HANDLE)
    assert match.score.location == 1.0


def test_old_format_with_a_message_over_several_lines() -> None:
    body = (
        "```bash\nthread 'main' panicked at 'wgpu error: Validation Error\n\nCaused by:\n    In Device::create_buffer\n"
        "      note: label = `Buffer Src`\n    Not enough memory left\n\n', /home/user/wgpu/src/backend/direct.rs:3095:5\n```"
    )
    match = explains(body, "Not enough memory left")
    assert match.evidence.source is Source.CAUSED_BY


def test_old_format_with_the_location_cut_off() -> None:
    match = explains(f"```\nthread 'main' panicked at '{PRINTED}'\n```", HANDLE)
    assert match.evidence.location is None


def test_thread_ids() -> None:
    explains(f"```\nthread 'main' (297804) panicked at {HANDLE_PATH}:\n{PRINTED}\n```", HANDLE)


def test_odd_thread_names() -> None:
    for name in ("<unnamed>", "DSU-4-0", "tests::jit::tensor::f32_ty::remainder::tests::works"):
        explains(f"```\nthread '{name}' panicked at {HANDLE_PATH}:\n{PRINTED}\n```", HANDLE)


def test_wasm_console_with_the_message_on_the_same_line() -> None:
    explains(f"index.js:478 panicked at {HANDLE_PATH}: {PRINTED}", HANDLE)


def test_wasm_console_with_bold_markers_and_a_script_stack() -> None:
    body = (
        "app-ac93db4e28613648.js:852 panicked at F:\\.cargo\\git\\checkouts\\cubecl-5f4b9a89973abd05\\791903d\\crates"
        "\\cubecl-runtime\\src\\tune\\local.rs:159:14:\n"
        '**Should run when selected by autotune.: Unknown("Atomic add not supported")**\n\nStack:\n\nError\n'
        "    at cubecl_runtime::tune::local::LocalTuner<AK,ID>::execute::h9a1f1d13c5d3b2e4 (https://x.io/a.wasm:1)\n"
    )
    match = explains(body, AUTOTUNE)
    assert match.evidence.location is not None
    assert match.evidence.location.crate == "cubecl-runtime"


def test_logger_prefix() -> None:
    explains(
        f"```\n2025-07-24T22:25:03.255812Z ERROR burn_train::learner::application_logger: PANIC => panicked at {HANDLE_PATH}:\n"
        f"{PRINTED}\n```",
        HANDLE,
    )


def test_a_time_stamp_before_every_line_of_a_wrapped_message() -> None:
    first_half, second_half = READ[:60].rsplit(" ", 1)[0], READ[len(READ[:60].rsplit(" ", 1)[0]) + 1 :]
    body = (
        "```\n[2025-01-02 10:11:12] thread 'main' panicked at crates/burn-backend/src/backend/ops/int_tensor.rs:1:2:\n"
        f"[2025-01-02 10:11:12] {first_half}\n[2025-01-02 10:11:13] {second_half}\n```"
    )
    assert first(judge(body)).score.exact


def test_log4rs_prefix_that_holds_another_burn_path() -> None:
    body = (
        "```\n2025-01-02T10:11:12.123 ERROR burn_train::learner crates/burn-train/src/learner/log.rs:40 - thread 'main' "
        f"panicked at {HANDLE_PATH}:\n{PRINTED}\n```"
    )
    match = explains(body, HANDLE)
    assert match.evidence.location is not None
    assert match.evidence.location.path.endswith("handle.rs")


def test_banner_is_boilerplate() -> None:
    body = (
        "```\n=== PANIC ===\nA fatal error happened, you can check the experiment logs here => './x/experiment.log'\n"
        f"=============\nthread 'main' panicked at {HANDLE_PATH}:\n{PRINTED}\n```"
    )
    match = explains(body, HANDLE)
    assert match.role is Role.ROOT
    assert judge("```\n" + body.split("thread")[0].lstrip("`\n") + "```").matches == ()


def test_printed_twice_counts_once() -> None:
    body = (
        f"```\nERROR burn_train::logger: PANIC => panicked at {HANDLE_PATH}:\n{PRINTED}\n\n  --- stderr\n"
        f"  thread 'main' panicked at {HANDLE_PATH}:\n  {PRINTED}\n```"
    )
    verdict = judge(body)
    assert len(verdict.matches) == 1
    assert len(verdict.evidence) == 2
    assert verdict.matches[0].role is Role.ROOT


def test_terminal_overwrite_destroyed_the_root_and_what_follows_is_said_to_follow() -> None:
    body = (
        "```console\n=== PANIC ===\nA fatal error happened, you can check the experiment logs here => '/tmp/x.log'\n"
        f"============= Val dating\rthread '<unnam2d>' panicked at {HANDLE_PATH}:    9996/10000          2192=\n"
        "== PANIC ===ndle for tnsor value 560132\n"
        f"thread 'main' panicked at {REGISTRY}/burn-train-0.16.0/src/checkpoint/async_checkpoint.rs:94:14:\n"
        f"{SEND}: SendError {{ .. }}\n```"
    )
    match = explains(body, SEND)
    assert match.role is Role.SECONDARY
