"""Panic headers, locations and frames, read off text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.matching import backtrace, locations, panics
from bot.matching.verdict import Location

REGISTRY = "/home/user/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f"


def messages(text: str) -> list[str]:
    return [text[p.start : p.end].strip() for p in panics.find(text)]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("thread 'main' panicked at src/a.rs:3:4:\nboom\n", "boom", 3),
        ("thread 'main' (297804) panicked at src/a.rs:3:4:\n  boom\nnote: run with `RUST_BACKTRACE=1`", "boom", 3),
        ("thread 'main' panicked at 'boom', src/a.rs:3:4\nnote: run with", "boom", 3),
        ("thread 'main' panicked at 'it's \"x\"', src/a.rs:3:4", 'it\'s "x"', 3),
        ("thread 'main' panicked at 'boom\nbang', src/a.rs:3", "boom\nbang", 3),
        ("x.js:1 panicked at src/a.rs:3:4: boom", "boom", 3),
        ("`PANIC => panicked at src/a.rs:3:\n4:\nboom`", "boom`", 3),
        ("thread 'main' panicked at src/\na.rs:3:4:\nboom\n\nand then", "boom", 3),
    ],
)
def test_forms_of_a_header(text: str, message: str, line: int) -> None:
    (panic,) = panics.find(text)
    assert text[panic.start : panic.end].strip() == message
    assert panic.location is not None
    assert panic.location.line == line
    assert panic.location.path.endswith("a.rs")


def test_header_without_location() -> None:
    (panic,) = panics.find("thread 'main' panicked at 'boom and\nnothing more'\n")
    assert panic.location is None


@pytest.mark.parametrize(
    "text",
    ["it panicked at the first step", "it panicked at `backward`, see below", "panicked at", "panicked at \n\n", "we all panicked at 5:30"],
)  # fmt: skip
def test_the_word_alone_is_no_header(text: str) -> None:
    assert panics.find(text) == []


@pytest.mark.parametrize(
    "after",
    [
        "note: run with `RUST_BACKTRACE=1` environment variable",
        "stack backtrace:\n   0: rust_begin_unwind",
        "   0: rust_begin_unwind",
        "```",
        "thread 'main' panicked at src/b.rs:1:1:\nbang",
        "=== PANIC ===",
        "  --- stderr",
        "\nStack:\n\nError\n",
        "\n**To Reproduce**\n1. run",
        "    at foo (http://localhost/a.wasm:1)",
        "thread caused non-unwinding panic. aborting.",
    ],
)
def test_where_a_message_ends(after: str) -> None:
    assert messages(f"thread 'main' panicked at src/a.rs:3:4:\nboom\n{after}\nrest")[0] == "boom"


def test_a_wgpu_message_goes_on_over_its_blank_line() -> None:
    text = (
        "panicked at src/a.rs:3:4:\nwgpu error: Validation Error\n\nCaused by:\n  In Device::x\n\n\nstack backtrace:\n"
    )
    assert messages(text)[0].endswith("In Device::x")


def test_proc_macro_panics() -> None:
    assert messages("proc-macro panicked: Modules should be generic") == ["Modules should be generic"]
    text = "error: proc-macro derive panicked\n --> src/m.rs:1:1\n  |\n  = help: message: Modules should be generic\n"
    assert messages(text) == ["Modules should be generic"]


def test_first_panics_are_kept_when_there_are_too_many() -> None:
    text = "".join(f"thread 'm' panicked at src/a.rs:{n}:1:\nboom {n}\n" for n in range(1, 5_000))
    found = panics.find(text)
    assert len(found) == panics.MAX_PANICS
    assert text[found[0].start : found[0].end].strip() == "boom 1"


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_around_a_header(before: str, after: str) -> None:
    text = f"{before}\nthread 'main' panicked at src/a.rs:3:4:\n{after}"
    for panic in panics.find(text):
        assert 0 <= panic.header <= panic.start <= panic.end <= len(text)


@pytest.mark.parametrize(
    ("path", "crate", "version", "file"),
    [
        (f"{REGISTRY}/burn-ndarray-0.18.0/src/ops/base.rs", "burn-ndarray", "0.18.0", "src/ops/base.rs"),
        (f"{REGISTRY}/onnx-ir-0.20.0-pre.6/src/node/concat.rs", "onnx-ir", "0.20.0-pre.6", "src/node/concat.rs"),
        (f"{REGISTRY}/ash-0.38.0+1.3.281/src/device.rs", "ash", "0.38.0", "src/device.rs"),
        ("C:\\x\\rsproxy.cn-e3de\\onnx-ir-0.17.1\\src\\rank.rs", "onnx-ir", "0.17.1", "src/rank.rs"),
        ("/h/.cargo/git/checkouts/burn-178c/53c77ae/crates/burn-ir/src/handle.rs", "burn-ir", None, "src/handle.rs"),
        (
            "/h/.cargo/git/checkouts/burn-acfb/8808ee2/burn-tensor/src/tensor/x.rs",
            "burn-tensor",
            None,
            "src/tensor/x.rs",
        ),
        ("crates/burn-fusion/src/stream/ordering.rs", "burn-fusion", None, "src/stream/ordering.rs"),
        ("[...]/ndarray-0.15.6/src/dimension/mod.rs", "ndarray", "0.15.6", "src/dimension/mod.rs"),
        ("src/main.rs", None, None, "src/main.rs"),
        ("", None, None, ""),
    ],
)
def test_paths(path: str, crate: str | None, version: str | None, file: str) -> None:
    found = locations.place(path)
    assert (found.crate, found.version, found.file) == (crate, version, file)


@pytest.mark.parametrize(
    ("site", "printed", "least", "most"),
    [
        ("crates/burn-ir/src/handle.rs", f"{REGISTRY}/burn-ir-0.18.0/src/handle.rs", 1, 1),
        ("crates/burn-ir/src/repr/handle.rs", f"{REGISTRY}/burn-ir-0.18.0/src/handle.rs", 0.8, 0.8),
        ("crates/burn-ir/src/other.rs", f"{REGISTRY}/burn-ir-0.18.0/src/handle.rs", 0.1, 0.5),
        ("crates/burn-ir/src/handle.rs", f"{REGISTRY}/burn-tensor-0.16.0/src/repr/handle.rs", 0.1, 0.5),
        ("crates/burn-ir/src/lib.rs", f"{REGISTRY}/burn-tensor-0.16.0/src/lib.rs", 0, 0),
        ("crates/burn-ir/src/handle.rs", "src/main.rs", 0, 0),
        ("crates/burn-ir/src/ops/handle.rs", "src/ops/handle.rs", 0.8, 0.8),
    ],
)
def test_agreement_of_places(site: str, printed: str, least: float, most: float) -> None:
    assert least <= locations.agreement(site, Location(path=printed)) <= most


def test_line_numbers_are_never_compared() -> None:
    one, two = (locations.location(f"crates/burn-ir/src/handle.rs:{n}:1") for n in (1, 900))
    site = "crates/burn-ir/src/handle.rs"
    assert locations.agreement(site, one) == locations.agreement(site, two) == 1.0


def test_frames_give_function_names_and_leave_rust_out() -> None:
    text = (
        "stack backtrace:\n   0: __rustc::rust_begin_unwind\n   1: core::panicking::panic_fmt\n"
        "   2: <usize as core::slice::index::SliceIndex<[T]>>::index\n"
        "   3: <alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index\n"
        "   4:     0x7ff6be2b3c0f - burn_fusion::stream::OrderedExecution<R>::execute_operations::h1c55e1c6f9c9a0a4\n"
        "             at ./crates/burn-fusion/src/stream/ordering.rs:65:38\n"
        "   5: <burn_cubecl::backend::CubeBackend<R,F> as burn::QTensorOps<X<Y>>>::q_slice::{{closure}}\n"
        "   6: app::main\n"
    )
    assert backtrace.functions(text, 0, len(text)) == ("execute_operations", "q_slice", "main")


def test_frames_of_a_wasm_stack() -> None:
    text = (
        "Error\n    at imports.wbg.__wbg_new_8a6f238a6ece86ea (http://localhost:8080/pkg/d.js:612:21)\n"
        "    at d_bg.wasm.core::option::expect_failed::h6c5b4a39281706f5 (http://localhost/d.wasm:wasm-function[1]:0x8)\n"
        "    at d_bg.wasm.burn_backend::ops::sort::sort::hd1e2f3a4b5c69788 (http://localhost/d.wasm:wasm-function[2]:0x5)\n"
    )
    assert backtrace.functions(text, 0, len(text)) == ("sort",)
