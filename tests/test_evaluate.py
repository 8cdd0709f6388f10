"""`burn-triage evaluate`: the judge, the figures, the page."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from bot.cli import main
from bot.evaluation.cases import Case, CasesError, Expect, Printed, read_cases
from bot.evaluation.habits import habits
from bot.evaluation.interval import share
from bot.evaluation.judge import Answer, Outcome, judge, shows
from bot.evaluation.page import lines, page
from bot.evaluation.tally import Given, tally
from bot.matching.verdict import Decision, Role, Span

CASES = Path(__file__).parent / "cases"


class Line(msgspec.Struct):
    """A verdict on a case of the development set, and what the outside judge said of it."""

    id: str
    verdict: Decision
    message: str
    role: Role
    outcome: str


def case(expect: Expect = Expect.EXPLAIN, *printed: Printed, title: str = "It stops", body: str = "") -> Case:
    return Case(id="one", title=title, body=body, expect=expect, printed=list(printed))


def explains(message: str, role: Role = Role.ROOT) -> Answer:
    return Answer(decision=Decision.EXPLAIN, message=message, role=role)


ROOT = Printed(message="Dimension 3 is out of range for a tensor of rank 2")
LATE = Printed(message="Can send the end message", root=False)


def test_the_judge_agrees_with_the_outside_judge_on_every_verdict_it_was_given() -> None:
    cases = {one.id: one for one in read_cases((CASES / "dev.jsonl").open("rb"))}
    judged = [msgspec.json.decode(line, type=Line) for line in (CASES / "judged.jsonl").read_bytes().splitlines()]
    assert {one.id for one in judged} == set(cases), "every case is judged"
    assert len({one.outcome.lower() for one in judged}) == len(Outcome), "every outcome occurs"
    for one in judged:
        answer = Answer(decision=one.verdict, message=one.message, role=one.role)
        assert judge(cases[one.id], answer).value == one.outcome.lower(), one


@pytest.mark.parametrize(
    ("expect", "answer", "outcome"),
    [
        (Expect.EXPLAIN, Answer(decision=Decision.ABSTAIN), Outcome.MISSED),
        (Expect.EXPLAIN, Answer(decision=Decision.AMBIGUOUS), Outcome.MISSED),
        (Expect.EITHER, Answer(decision=Decision.ABSTAIN), Outcome.SILENT),
        (Expect.SILENT, Answer(decision=Decision.ABSTAIN), Outcome.SILENT),
        (Expect.SILENT, explains("Dimension {} is out of range for a tensor of rank {}"), Outcome.FALSE),
        (Expect.EXPLAIN, explains("Dimension {} is out of range for a tensor of rank {}"), Outcome.RIGHT),
        (Expect.EITHER, explains("Index {} is out of range"), Outcome.WRONG),
        (Expect.EXPLAIN, explains("Can send the end message"), Outcome.NOT_ROOT),
        (Expect.EXPLAIN, explains("Can send the end message", Role.SECONDARY), Outcome.RIGHT),
    ],
)
def test_an_answer_is_judged_by_what_the_issue_prints(expect: Expect, answer: Answer, outcome: Outcome) -> None:
    assert judge(case(expect, ROOT, LATE), answer) is outcome


def test_a_text_that_says_nothing_is_right_by_its_place() -> None:
    assert (
        judge(case(Expect.EITHER, Printed(message="not implemented")), explains("not implemented")) is Outcome.LOCATED
    )


def test_a_cut_off_print_shows_the_message_from_twenty_characters_on() -> None:
    assert shows("Dimension out of range for a tensor", "Dimension out of range for…")
    assert not shows("Dimension out of range for a tensor", "Dimension out…")


def test_a_message_of_holes_alone_is_never_shown() -> None:
    assert not shows("{}", "anything")
    assert not shows("{} {err:?}", "anything at all")


def test_bad_cases_are_named_by_line() -> None:
    with pytest.raises(CasesError, match=r"^line 2: .*expect"):
        read_cases([b"\n", b'{"id":"a","title":"t","body":"b","expect":"maybe"}\n'])
    good = b'{"id":"a","title":"t","body":"b","expect":"silent"}\n'
    with pytest.raises(CasesError, match=r"line 2: id 'a' stands there twice"):
        read_cases([good, good])
    with pytest.raises(CasesError, match="no case"):
        read_cases([b"\n"])
    with pytest.raises(CasesError, match="line 1"):
        read_cases([b"\xff\n"])


def test_an_issue_without_a_body_is_a_case_too() -> None:
    [found] = read_cases([b'{"id":"a","title":"t","body":null,"expect":"silent","kind":null}\n'])
    assert found.text == "t\n\n"
    assert habits(found) == ("no fence", "no panic header", "kind: unknown")


def test_the_interval_is_that_of_the_books() -> None:
    known = share(9, 10)
    assert (round(known.low, 4), round(known.high, 4)) == (0.5958, 0.9821)
    assert share(0, 0).value is None
    assert str(share(0, 0)) == "none of 0"
    with pytest.raises(ValueError, match="no share"):
        share(3, 2)


@hypothesis_given(st.integers(1, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_holds_the_share_and_stays_between_0_and_1(counted: tuple[int, int]) -> None:
    found = share(*counted)
    assert found.value is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize(
    ("title", "body", "habit"),
    [
        ("x", "thread 'main' panicked at src/a.rs:1:2:\nmessage", "new panic format"),
        ("x", "thread 'main' panicked at 'message', src/a.rs:1:2", "old panic format"),
        ("x", "app.js:478 panicked at src/a.rs:1:2: message", "panic on one line"),
        ("x", "thread 'main' (4711) panicked at src/a.rs:1:2:\nm", "thread id"),
        ("x", "\x1b[31mmessage\x1b[0m", "ANSI colours"),
        ("x", "2026-01-02T10:11:12Z message", "log prefix"),
        ("x", "45%\rmessage", "carriage returns inside lines"),
        ("x", "app.js:478 panicked at src/a.rs", "browser console"),
        ("x", "I get `a message in one code span` here", "inline code"),
        ("x", "> message", "block quote"),
        ("x", "message", "no fence"),
        ("x", "message", "no panic header"),
        ("x", "panicked at a\npanicked at b", "several panics"),
        ("x", "=== Tensor Operation Error ===", "tensor operation report"),
        ("x", "Caused by:\n  this", "caused by"),
        ("x", "assertion `left == right` failed", "assertion"),
        ("x", "stack backtrace:\n   0: a::b", "backtrace"),
        ("x", "**Describe the bug**\nit stops", "issue form"),
        ("x", "<details>", "details block"),
        ("x", "a &lt; b", "entities"),
        ("x", 'Err(\\"a\\nb\\")', "escapes of Debug strings"),
        ("x", "C:\\Users\\a", "Windows path"),
        ("x", "[...]/ndarray/src/a.rs", "redacted path"),
        ("x", "训练到一半程序就崩溃了", "other language"),
        ("Dimension 3 is out of range for a tensor of rank 2", "see title", "title only"),
    ],
)
def test_every_habit_is_seen_where_it_is_and_nowhere_else(title: str, body: str, habit: str) -> None:
    assert habit in habits(case(Expect.EXPLAIN, ROOT, title=title, body=body))
    plain = case(Expect.SILENT, title="Plain", body="```\nmessage panicked at\n```")
    assert habits(plain) == ("kind: unknown",)


def test_the_figures_count_what_they_say() -> None:
    right = Given(answer=explains("Dimension {} is out of range for a tensor of rank {}"), posted=True, labels=("bug",))
    wrong = Given(answer=explains("Index {} is out of range"), slug="index")
    quiet = Given(answer=Answer(decision=Decision.ABSTAIN))
    labelled = msgspec.structs.replace(case(Expect.EXPLAIN, ROOT), labels=["bug", "onnx"])
    other = msgspec.structs.replace(case(Expect.EITHER, ROOT), id="two")
    third = msgspec.structs.replace(case(Expect.SILENT), id="three")
    fourth = msgspec.structs.replace(case(Expect.EXPLAIN, ROOT), id="four")
    report = tally([(labelled, right), (other, wrong), (third, quiet), (fourth, quiet)])
    assert (report.wrong, report.answered) == (1, 1)
    assert (report.precision.hits, report.precision.of) == (1, 2)
    assert (report.recall.hits, report.recall.of) == (1, 2)
    assert (report.coverage.hits, report.coverage.of) == (1, 3)
    assert (report.silence.hits, report.silence.of) == (1, 1)
    assert (report.posted.hits, report.posted.of) == (1, 2)
    assert (report.labels.precision.hits, report.labels.precision.of, report.labels.recall.of) == (1, 1, 2)
    assert [(one.said, one.cases) for one in report.confusions] == [("Index {} is out of range", ("two",))]


def test_the_page_escapes_the_issue_and_marks_the_matched_words() -> None:
    issue = case(Expect.EXPLAIN, ROOT, title="<b>x</b>", body="<script>alert(1)</script> out of range")
    start = len("<b>x</b>\n\n<script>alert(1)</script> ")
    said = Given(answer=explains("<i>out</i>"), reason="</pre>", words=(Span(start=start, end=start + 3, line=3),))
    shown = page(tally([(issue, said)]), title="<t>")
    for raw in ("<script", "<b>x", "<i>out", "</pre></dd>"):
        assert raw not in shown
    assert "<mark>out</mark> of range" in shown
    assert "http" not in shown


def test_what_is_explained_but_not_posted_is_named_with_its_reason() -> None:
    said = Given(answer=explains("Dimension {} is out of range for a tensor of rank {}"), withheld="not sure <enough>")
    report = tally([(case(Expect.EXPLAIN, ROOT), said)])
    assert "  one: not sure <enough>" in list(lines(report))
    assert "not posted: not sure &lt;enough&gt;" in page(report, title="t")


def test_the_lines_cannot_steer_a_terminal() -> None:
    said = Given(answer=explains("\x1b[2J wrong"))
    text = "\n".join(lines(tally([(case(Expect.EITHER, ROOT), said)])))
    assert "\x1b" not in text
    assert "wrong: one" in text


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["evaluate", *arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Two issues that print nothing: the right answer is silence."""
    path = tmp_path / "cases.jsonl"
    path.write_text(
        '{"id":"a","title":"Feature request","body":"Please add a thing.","expect":"silent"}\n'
        '{"id":"b","title":"Question","body":"How do I begin?","expect":"silent"}\n'
    )
    return path


def test_the_command_prints_figures_and_writes_the_page(few: Path, tmp_path: Path) -> None:
    page_file = tmp_path / "report.html"
    code, out, _ = run(str(few), "--html", str(page_file))
    assert code == 0
    assert "silence     2 of 2" in out
    assert page_file.read_text().startswith("<!doctype html>")
    code, out, _ = run(str(few), "--json")
    assert (code, json.loads(out)["wrong"]) == (0, 0)


def test_a_floor_that_is_not_reached_fails_and_is_named(few: Path) -> None:
    code, _, err = run(str(few), "--floor", "answered=1")
    assert code == 1
    assert "answered is 0, below 1" in err
    assert run(str(few), "--floor", "recall=0.5")[0] == 0, "a share of nothing is not below a floor"


@pytest.mark.parametrize("floor", ["speed=1", "recall=much", "recall"])
def test_a_floor_that_makes_no_sense_is_refused(few: Path, floor: str) -> None:
    code, _, err = run(str(few), "--floor", floor)
    assert code == 2
    assert "--floor" in err


def test_cases_that_cannot_be_read_are_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text("{\n")
    code, _, err = run(str(path))
    assert code == 1
    assert "broken.jsonl: line 1" in err
