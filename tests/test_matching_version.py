"""The burn version an issue shows: precise, or none."""

from __future__ import annotations

import pytest

from bot.matching.verdict import Location
from bot.matching.version import burn_version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("at /x/burn-tensor-0.16.0/src/a.rs:1:2", "0.16.0"),
        ("at /x/burn-cubecl-fusion-0.19.0/src/a.rs and /x/burn-core-0.19.0/src/b.rs and /x/burn-ir-0.18.0/y", "0.19.0"),
        ("C:\\x\\burn-import-0.20.0-pre.6\\src\\a.rs", "0.20.0-pre.6"),
        ('burn = "0.13"', "0.13"),
        ('burn = { version = "0.20.1", default-features = false }', "0.20.1"),
        ('burn = { features = ["wgpu"], version = "=0.21.0" }', "0.21.0"),
        ('[[package]]\nname = "burn"\nversion = "0.18.0"', "0.18.0"),
        ("   Compiling burn v0.14.0 (/home/user/src/burn)", "0.14.0"),
        ("I use burn 0.17.1 on macOS.", "0.17.1"),
        ("Burn v0.18.", "0.18"),
        ("`burn-import 0.17` fails", "0.17"),
        ("- Burn crate: 0.20.0, features `cuda`", "0.20.0"),
        (" - Version: 0.13.2", "0.13.2"),
        ("burn 0.21.0-pre.3 and main", "0.21.0-pre.3"),
    ],
)
def test_versions(text: str, version: str) -> None:
    assert burn_version(text, ()) == version


@pytest.mark.parametrize(
    "text",
    ["", "Ubuntu 22.04, rustc 1.92.0", " - Version 22.04", "burn main", "wgpu-0.20.1/src/a.rs", "ndarray 0.15.6",
     "burn = { git = \"https://github.com/tracel-ai/burn\" }", "burning 0.5 of it", "burn-rate of 0.123456 is fine"],
)  # fmt: skip
def test_silence_when_unsure(text: str) -> None:
    assert burn_version(text, ()) is None


def test_the_panic_s_own_path_comes_first() -> None:
    printed = [
        Location(path="x", crate="wgpu", version="25.0.2"),
        Location(path="y", crate="burn-ir", version="0.18.0"),
    ]
    assert burn_version("burn 0.20.0 is used; /x/burn-core-0.19.0/src/a.rs", printed) == "0.18.0"
