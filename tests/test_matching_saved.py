"""The saved index: the same verdicts, one step on disk, and no trust in what is found there."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from bot.matching import filing, saved
from bot.matching.matcher import Matcher
from bot.matching.tokens import Tokeniser
from tests.matching_world import CATALOGUE, REGISTRY, SQUEEZE, site

BODY = f"thread 'main' panicked at {REGISTRY}/burn-tensor-0.20.0/src/x.rs:1:2:\n{SQUEEZE.format(1)}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "index"
    Matcher.build(CATALOGUE).save(found, "key")
    return found


def test_same_verdicts_as_built(path: Path) -> None:
    loaded = Matcher.load(path, "key")
    assert loaded is not None
    for body in (
        BODY,
        "```\nCan't sqeeze dimenson 1 because its size is not 1\n```",
        "nothing",
        f"```\nnot implemented\n{BODY}",
    ):
        assert loaded.judge("t", body) == Matcher.build(CATALOGUE).judge("t", body)


def test_nothing_else_is_left_in_the_folder(path: Path) -> None:
    assert [p.name for p in path.parent.iterdir()] == ["index"]


def test_no_file(tmp_path: Path) -> None:
    assert Matcher.load(tmp_path / "missing", "key") is None
    assert Matcher.load(tmp_path, "key") is None


def test_another_catalogue(path: Path) -> None:
    assert Matcher.load(path, "other key") is None


def test_another_format(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "FORMAT", saved.FORMAT + 1)
    assert Matcher.load(path, "key") is None


@pytest.mark.parametrize("kept", [0, 5, 21, 22, 40, 300, -1, -4096])
def test_cut_off(path: Path, kept: int) -> None:
    path.write_bytes(path.read_bytes()[:kept])
    assert Matcher.load(path, "key") is None


def test_any_flipped_byte_is_noticed(path: Path) -> None:
    content = path.read_bytes()
    for at in range(0, len(content), max(1, len(content) // 150)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        loaded = Matcher.load(path, "key")
        # Only the blanks between header and arrays carry nothing.
        assert loaded is None or loaded.judge("t", BODY) == Matcher.build(CATALOGUE).judge("t", BODY)


def test_some_other_file(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04" * 1000)
    assert Matcher.load(path, "key") is None


def test_a_failed_write_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        Matcher.build(CATALOGUE[:3]).save(path, "key")
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["index"]


def test_replaced_while_mapped(path: Path) -> None:
    loaded = Matcher.load(path, "key")
    assert loaded is not None
    Matcher.build(CATALOGUE[:1]).save(path, "key")
    assert loaded.judge("t", BODY).matches


def test_empty_catalogue(tmp_path: Path) -> None:
    Matcher.build([]).save(tmp_path / "index", "key")
    loaded = Matcher.load(tmp_path / "index", "key")
    assert loaded is not None
    assert not loaded.judge("t", BODY).matches


def test_the_format_number_is_raised_when_the_arrays_change() -> None:
    """If this fails, what `filing.build` stores has changed: raise `saved.FORMAT`, then note both numbers here."""
    messages = (
        "Can't squeeze dimension {} because",
        "got {x} > {:?}",
        "not implemented: Conv{}d",
        "{}",
        "Metal unsupported",
        "Should have handle for tensor {:?}",
        "mask_fill: expected a bool mask, got {:?}",
    )
    index = filing.build([site(m, f"crates/burn-x/src/{n}.rs", "f") for n, m in enumerate(messages)], Tokeniser(4_096))
    digest = 0
    for name, array in saved._flatten(index, ""):
        digest = zlib.crc32(f"{name} {array.dtype.str} {array.shape}".encode(), digest)
        # Logarithms may differ in their last bit from machine to machine.
        digest = zlib.crc32(b"" if array.dtype.kind == "f" else array.tobytes(), digest)
    assert (saved.FORMAT, digest) == (2, 1267961926)
