"""The report as one self-contained HTML page, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import jinja2
from markupsafe import Markup, escape

from bot.evaluation.judge import Outcome
from bot.evaluation.tally import Report, Row

_MAX_TEXT = 12_000
"""Characters of an issue that are shown."""
_ORDER: Final = ("wrong", "wrong-not-root", "false", "missed", "right", "right-located", "silent")


def page(report: Report, *, title: str) -> str:
    """Everything escaped by the template engine; no scripts, nothing loaded from elsewhere."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bot.evaluation", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rows = sorted(report.rows, key=lambda row: (_ORDER.index(row.outcome.value), row.case.id))
    shown = [(row, highlighted(row)) for row in rows]
    return environment.get_template("report.html.j2").render(report=report, rows=shown, title=title)


def highlighted(row: Row) -> Markup:
    """The issue's title and body, escaped, with the matched words marked."""
    text = row.case.text
    pieces: list[Markup] = []
    at = 0
    for span in sorted(row.given.words, key=lambda span: span.start):
        if span.start < at or span.end > _MAX_TEXT:
            continue
        pieces += [escape(text[at : span.start]), Markup("<mark>{}</mark>").format(text[span.start : span.end])]
        at = span.end
    pieces.append(escape(text[at : max(at, _MAX_TEXT)]))
    if len(text) > max(at, _MAX_TEXT):
        pieces.append(Markup("<i>… cut off here</i>"))
    return Markup("").join(pieces)


def lines(report: Report) -> Iterator[str]:
    """The figures for a person at a terminal, what went wrong first."""
    yield f"cases       {len(report.rows)}: " + ", ".join(f"{n} {name}" for name, n in report.outcomes.items())
    yield f"precision   {report.precision}"
    yield f"recall      {report.recall}"
    yield f"coverage    {report.coverage}"
    yield f"silence     {report.silence}"
    yield f"posted      {report.posted}"
    yield f"labels      precision {report.labels.precision}; recall {report.labels.recall}"
    for confusion in report.confusions:
        yield ""
        yield f"{confusion.outcome.value}: {', '.join(confusion.cases)}"
        yield f"  said     {_line(confusion.said)}"
        yield f"  printed  {_line(confusion.printed)}"
    yield ""
    yield f"{'habit':34} {'cases':>5} {'wrong':>5}  right of those with a text"
    for habit in report.habits:
        yield f"{habit.habit:34} {habit.cases:5} {habit.wrong:5}  {habit.recall}"
    missed = [(row.case.id, row.given.reason) for row in report.rows if row.outcome is Outcome.MISSED]
    withheld = [(row.case.id, row.given.withheld) for row in report.rows if row.given.withheld]
    for heading, found in (("missed", missed), ("explained, but not posted", withheld)):
        if found:
            yield from ("", heading)
        for case, reason in found:
            yield f"  {case}: {_line(reason)}"


def _line(text: str) -> str:
    """One line that cannot steer a terminal."""
    flat = " ".join(text.split())
    return "".join(c if c.isprintable() else "?" for c in flat[:200])
