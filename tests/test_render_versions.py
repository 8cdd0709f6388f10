"""Releases compared as semver does, and what that means for a reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.model import Extension, Kind
from bot.render.versions import compare, version_note, version_points


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        ("0.18.0", "0.19.0", -1),
        ("0.20.1", "0.20.0", 1),
        ("0.21.0", "0.21.0", 0),
        ("v0.21.0", "0.21.0", 0),
        ("0.9.0", "0.10.0", -1),
        ("0.22.0-pre.2", "0.22.0", -1),
        ("0.22.0-pre.2", "0.22.0-pre.10", -1),
        ("0.22.0-pre.2", "0.21.0", 1),
        ("0.18", "0.19.0", -1),
        ("0.18", "0.18.1", None),
        ("0.18", "0.18", None),
        ("main", "0.18.0", None),
        ("", "0.18.0", None),
    ],
)
def test_releases_are_compared(left: str, right: str, order: int | None) -> None:
    assert compare(left, right) == order
    assert compare(right, left) == (None if order is None else -order)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_can_be_compared(left: str, right: str) -> None:
    assert compare(left, right) in (-1, 0, 1, None)


def test_an_older_release_than_the_fix_says_update_first() -> None:
    note = version_note(Extension(fixed_in="0.19.0"), "0.18.0", "burn")

    assert note == "**Update first:** the cause is gone since burn 0.19.0; this issue shows 0.18.0."


def test_a_release_with_the_fix_says_that_the_cause_may_be_another() -> None:
    note = version_note(Extension(fixed_in="0.19.0"), "0.20.1", "burn")

    assert note is not None
    assert "another cause" in note


@pytest.mark.parametrize("version", [None, "0.19", "main"])
def test_an_unknown_or_coarse_release_gets_no_note(version: str | None) -> None:
    assert version_note(Extension(fixed_in="0.19.2"), version, "burn") is None


def test_a_record_that_names_no_fix_gets_no_note() -> None:
    assert version_note(Extension(since="0.9.0"), "0.18.0", "burn") is None


def test_every_fact_is_a_point() -> None:
    extension = Extension(
        since="0.9.0", until="0.13.2", fixed_in="0.14.0", fixed_by="tracel-ai/burn#77", api_version="0.14.0"
    )

    assert version_points(extension, "0.12.1", "burn") == [
        "Printed by burn 0.9.0 to 0.13.2.",
        "The cause was removed in burn 0.14.0 by "
        "[tracel-ai/burn issue 77](https://redirect.github.com/tracel-ai/burn/issues/77).",
        "This issue shows burn 0.12.1.",
        "Steps and example use the API of burn 0.14.0; names may differ in other releases.",
    ]


def test_the_same_release_line_needs_no_warning_about_names() -> None:
    assert version_points(Extension(api_version="0.21.0"), "0.21.3", "burn")[-1].endswith("burn 0.21.0.")


def test_a_move_is_told_once() -> None:
    moved = Extension(moved_to="tracel-ai/burn-onnx")

    assert version_points(moved, None, "burn") == ["The code lives in `tracel-ai/burn-onnx` now."]
    assert version_points(Extension(kind=Kind.HISTORICAL, moved_to="tracel-ai/burn-onnx"), None, "burn") == []


def test_a_release_from_a_record_is_untrusted() -> None:
    assert version_points(Extension(until="0.1 @octocat"), None, "burn") == [
        "The last release that prints it is burn 0.1 `@octocat`."
    ]
