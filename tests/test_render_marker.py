"""The hidden marker: found where the bot puts it, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.marker import MAIN, Marker, find_marker, has_marker, marker

SUBJECT = "tracel-ai/burn#12"
RECORD = "5c5da46720dbbf10"
LINE = "<!-- burn-triage v1 subject=tracel-ai/burn#12 purpose=main record=5c5da46720dbbf10 -->"

names = st.from_regex(r"[A-Za-z0-9._-]{1,30}", fullmatch=True)
subjects = st.builds("{}/{}#{}".format, names, names, st.integers(min_value=1, max_value=10**9))
purposes = st.sampled_from([MAIN, "reply:123", "settings"])
records = st.one_of(st.none(), st.from_regex(r"[0-9a-f]{16}", fullmatch=True))


def test_the_marker_is_one_html_comment() -> None:
    assert marker(subject=SUBJECT, purpose=MAIN, record=RECORD) == LINE


@given(subjects, purposes, records)
def test_what_is_written_is_read_again(subject: str, purpose: str, record: str | None) -> None:
    line = marker(subject=subject, purpose=purpose, record=record)

    assert find_marker(f"Hello\n\n{line}") == Marker(subject=subject, purpose=purpose, record=record)
    assert has_marker(f"{line}\nHello", subject=subject, purpose=purpose)


@pytest.mark.parametrize(
    "body", [LINE, f"Hello\n{LINE}", f"{LINE}\nHello", f"Hello\r\n\r\n{LINE}\r\n", f"Hello\n {LINE}  \n\n"]
)
def test_the_first_and_the_last_line_count(body: str) -> None:
    assert find_marker(body) == Marker(subject=SUBJECT, purpose=MAIN, record=RECORD)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\n\n",
        "Hello",
        f"Hello\n{LINE}\nWorld",
        f"> Hello\n>\n> {LINE}",
        f"> {LINE}",
        f"`{LINE}`",
        f"```\n{LINE}\n```",
        f"see {LINE}",
        f"{LINE} and more",
        LINE.replace("v1", "v2"),
        LINE.replace("burn-triage", "other-bot"),
        LINE.replace("#12", "#0"),
        LINE.replace(" -->", ""),
        LINE.replace("purpose=main", "purpose=Main now"),
    ],
)
def test_quoted_copied_inside_and_foreign_markers_do_not_count(body: str) -> None:
    assert find_marker(body) is None
    assert not has_marker(body, subject=SUBJECT, purpose=MAIN)


def test_the_marker_of_another_issue_or_purpose_does_not_count() -> None:
    assert not has_marker(LINE, subject="tracel-ai/burn#13", purpose=MAIN)
    assert not has_marker(LINE, subject=SUBJECT, purpose="reply:1")


def test_repository_names_know_no_case() -> None:
    assert has_marker(LINE, subject="Tracel-AI/Burn#12", purpose=MAIN)


@pytest.mark.parametrize(
    "values",
    [
        {"subject": "tracel-ai/burn"},
        {"subject": "tracel-ai/burn#12 -->"},
        {"subject": "tracel-ai/burn#12\n"},
        {"subject": "a b/c#1"},
        {"purpose": "main -->"},
        {"purpose": ""},
        {"record": "xyz"},
        {"record": ""},
    ],
)
def test_what_would_break_the_marker_is_refused(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="marker"):
        marker(**({"subject": SUBJECT, "purpose": MAIN, "record": RECORD} | values))


@given(st.text())
def test_any_text_can_be_looked_at(body: str) -> None:
    assert find_marker(body) is None
