"""The one comment: what the printed message means, what to try, where it comes from, and how the bot knows.

Every sentence the bot says on an issue is in this room. The order is the reader's: cause, steps, source, the rest
folded, and in small print what spoke, why, and how to object. It never claims that an issue is solved.
"""

from __future__ import annotations

import msgspec

from bot.matching.verdict import Match, Role, Source, Verdict
from bot.policy.actions import Explanation, LabelProposal, Post, Retract
from bot.records.model import Entry, ErrorType, Extension, Kind, Trust
from bot.render.cap import cap
from bot.render.details import MOST_STEPS, bullets, details
from bot.render.escape import code_span, one_line, prose, prose_line, shorten
from bot.render.links import repo_link, source_line, source_link, source_repo
from bot.render.marker import MAIN, marker
from bot.render.versions import version_note

MOST_ROWS = 24
_ROW = 115
_LONGEST_MESSAGE = 120
_LONGEST_QUOTE = 140
_LONGEST_CAUSE = 600
_LONGEST_STEP = 300
_LONGEST_REPORT = 200
_LONGEST_ALSO = 160
_MOST_ALSO = 3
_MOST_LABELS = 3


def render_comment(
    post: Post | Explanation, *, subject: str, repo: str, purpose: str = MAIN, name_labels: bool = False
) -> str:
    """The whole body, marker included, within GitHub's limit.

    `subject` is the issue as `owner/name#number`, `repo` its repository: a permalink into that one is shown as lines.
    `name_labels` names the proposed labels in the text, for a server without native label suggestions.
    """
    explanation = post.explanation if isinstance(post, Post) else post
    labels = post.labels if isinstance(post, Post) and name_labels else ()
    match, entry, verdict = explanation.match, _trusted(explanation.entry), explanation.verdict
    project = prose_line(entry.record.repo.rpartition("/")[2], start=False)
    secondary = match.role is Role.SECONDARY
    above = (
        _title(entry, project, secondary=secondary),
        _unreviewed(entry),
        _lead(entry, project, secondary=secondary),
        _look_elsewhere(match, entry, verdict, explanation.also) if secondary else "",
        _cause(entry),
        version_note(entry.extension, verdict.version, project) or "",
    )
    below = (
        source_line(entry.record, repo=repo, function=entry.extension.function),
        _also(explanation.also),
        _labels(labels),
    )
    footer = _footer(match, entry)
    shown = _steps_that_fit(entry, _rows(*above, *below, footer))
    folded = details(
        entry, subject=subject, version=verdict.version, project=project, shown=shown, cause=_LONGEST_CAUSE
    )
    parts = (*above, _steps(entry, shown), _report(entry, shown), *below, folded)
    tail = f"{footer}\n\n{marker(subject=subject, purpose=purpose, record=entry.id)}"
    return cap("\n\n".join(part for part in parts if part), tail=tail)


def render_retraction(retract: Retract, *, subject: str, record: str | None, purpose: str = MAIN) -> str:
    """What the comment becomes when the issue was edited and prints the message no longer."""
    reason = prose(retract.reason[:1].upper() + retract.reason[1:1_000])
    parts = (
        "An explanation stood here. The message that it was about is no longer in the issue, so it is withdrawn.",
        f"<details><summary>Why</summary>\n\n{reason}\n\n</details>",
    )
    small = "<sub>Automated. Should the issue print a known message again, its explanation will stand here.</sub>"
    tail = "\n\n".join((small, marker(subject=subject, purpose=purpose, record=record)))
    return cap("\n\n".join(parts), tail=tail)


def _trusted(entry: Entry) -> Entry:
    """The entry without what nobody may be shown: of a record that failed its checks only the checked half is left."""
    if entry.trust is not Trust.QUARANTINED:
        return entry
    record = msgspec.structs.replace(
        entry.record,
        documentation="",
        trigger_scenarios="",
        common_situations="",
        solutions=[],
        example_fix=None,
        validation_code=None,
        prevention_tips=[],
    )
    extension = Extension(function=entry.extension.function, secondary=entry.extension.secondary)
    return msgspec.structs.replace(entry, record=record, extension=extension)


def _title(entry: Entry, project: str, *, secondary: bool) -> str:
    extension = entry.extension
    message = _message(entry)
    if secondary:
        return f"### A consequence, not the cause: {message}"
    if extension.kind is Kind.HISTORICAL:
        return f"### From an older {project}: {message}"
    if extension.burn_bug:
        return f"### A fault in {project} itself: {message}"
    if extension.kind is Kind.SURFACED:
        return f"### From a library under {project}: {message}"
    noun = "panic" if entry.record.error_type is ErrorType.PANIC else "error"
    where = ""
    if extension.kind is Kind.LOCATED and extension.function:
        where = f" in {code_span(one_line(extension.function, 80))}"
    return f"### This {noun} is documented: {message}{where}"


def _message(entry: Entry) -> str:
    return code_span(one_line(_holes_shown(entry.record.error_message), _LONGEST_MESSAGE))


def _holes_shown(template: str) -> str:
    """`{name}` holes as `…`; doubled braces are braces, as in Rust's format strings."""
    out: list[str] = []
    at = 0
    while at < len(template):
        if template[at : at + 2] in ("{{", "}}"):
            out.append(template[at])
            at += 2
        elif template[at] == "{" and (end := template.find("}", at, at + 60)) >= 0:
            out.append("…")
            at = end + 1
        else:
            out.append(template[at])
            at += 1
    return "".join(out)


def _unreviewed(entry: Entry) -> str:
    if entry.trust is Trust.LINTED and entry.review is not None:
        return "> [!NOTE]\n> The record has changed since its text was reviewed; nobody has read it again yet."
    if entry.trust is Trust.LINTED:
        return (
            "> [!NOTE]\n> Nobody has reviewed the text of this record yet: message, place and link were checked, "
            "the explanation was not."
        )
    if entry.trust is Trust.QUARANTINED:
        return (
            "> [!NOTE]\n> This record's explanation failed its checks and is left out. "
            "Message, place and link are what is known."
        )
    return ""


def _lead(entry: Entry, project: str, *, secondary: bool) -> str:
    """What kind of message it is, where that changes what to do."""
    extension = entry.extension
    sentences: list[str] = []
    if secondary:
        sentences.append("This line follows from an earlier failure.")
    if extension.kind is Kind.HISTORICAL:
        last = prose_line(one_line(extension.until or "", 60), start=False)
        sentences.append(
            f"No {project} release after {last} prints this message."
            if last
            else f"The message is gone from {project}."
        )
        if extension.moved_to:
            sentences.append(f"The code lives in {repo_link(extension.moved_to)} now.")
    elif extension.kind is Kind.SURFACED:
        origin = source_repo(entry.record)
        foreign = origin is not None and origin.lower() != entry.record.repo.lower()
        raiser = repo_link(origin) if foreign and origin is not None else "a library"
        sentences.append(f"The message comes from {raiser}, under a call of {project}.")
    if extension.burn_bug:
        sentences.append(f"The fault lies in {project}, not in the code that met it.")
    return " ".join(sentences)


def _look_elsewhere(match: Match, entry: Entry, verdict: Verdict, also: tuple[tuple[Match, Entry], ...]) -> str:
    """Which line to read instead of a consequence."""
    consequences = {match.evidence.span.start, *(m.evidence.span.start for m, _ in also if m.role is Role.SECONDARY)}
    earlier = [
        evidence
        for evidence in verdict.evidence
        if evidence.source in (Source.PANIC, Source.ERROR, Source.REPORT, Source.ASSERTION)
        and evidence.order < match.evidence.order
        and evidence.span.start not in consequences
    ]
    if earlier:
        first = min(earlier, key=lambda evidence: evidence.order)
        return f"**Look here instead:** {code_span(one_line(first.quote, _LONGEST_QUOTE))} was printed first."
    place = "above this line"
    if "burn-train" in entry.record.file_path.split("/"):
        place += ", or in `experiment.log` in the directory of the run"
    return f"**Look elsewhere:** the first panic names the cause. Look for it {place}."


def _cause(entry: Entry) -> str:
    return prose_line(shorten(entry.record.documentation, _LONGEST_CAUSE))


def _steps_that_fit(entry: Entry, taken: int) -> int:
    """How many steps can stand unfolded, so that the whole comment stays short to the eye. At least one does."""
    for shown in range(MOST_STEPS, 1, -1):
        # One more row for what is folded.
        if taken + _rows(_steps(entry, shown), _report(entry, shown)) < MOST_ROWS:
            return shown
    return 1


def _rows(*parts: str) -> int:
    """Rows of text as a browser of ordinary width shows them, a little over-estimated."""
    return sum(-(-len(line) // _ROW) for part in parts for line in part.splitlines())


def _steps(entry: Entry, shown: int) -> str:
    steps = [prose_line(shorten(step, _LONGEST_STEP)) for step in entry.record.solutions[:shown]]
    numbered = [f"{number}. {step}" for number, step in enumerate((step for step in steps if step), start=1)]
    return "\n".join(["**What to try**", "", *numbered]) if numbered else ""


def _report(entry: Entry, shown: int) -> str:
    """What a bug report needs; folded away instead when the fault is not the project's own."""
    if not entry.extension.burn_bug:
        return ""
    asked = [prose_line(shorten(item, _LONGEST_REPORT)) for item in entry.extension.report[:shown]]
    return f"**What maintainers ask for**\n\n{bullets(asked)}" if asked else ""


def _also(also: tuple[tuple[Match, Entry], ...]) -> str:
    if not also:
        return ""
    lines = [f"{_message(entry)}: {_in_short(match, entry)}" for match, entry in also[:_MOST_ALSO]]
    more = len(also) - _MOST_ALSO
    if more > 0:
        lines.append(f"and {more} more that {'is' if more == 1 else 'are'} known.")
    return f"**Also printed**\n\n{bullets(lines)}"


def _in_short(match: Match, entry: Entry) -> str:
    if match.role is Role.SECONDARY or entry.extension.secondary:
        return "follows from an earlier failure."
    cause = shorten(entry.record.documentation, _LONGEST_ALSO) if entry.trust is Trust.REVIEWED else ""
    said = f"{prose_line(cause, start=False)} " if cause else "documented too. "
    return f"{said}{source_link(entry.record)}"


def _labels(labels: tuple[LabelProposal, ...]) -> str:
    if not labels:
        return ""
    named = [
        f"{code_span(label.name)} ({prose_line(one_line(label.rationale, 120), start=False)})"
        for label in labels[:_MOST_LABELS]
    ]
    return f"Suggested labels: {', '.join(named)}."


def _footer(match: Match, entry: Entry) -> str:
    record, review = entry.record, entry.review
    if entry.trust is Trust.REVIEWED and review is not None:
        kind, made, commit, date = "a reviewed", "source read at", review.commit, review.at.isoformat()
    else:
        kind, made, commit, date = "an unreviewed", "made from", record.analyzed_sha, record.analyzed_at[:10]
    read_at = f"{made} {code_span(commit[:7])} on {prose_line(date, start=False)}"
    sentences = (
        f"Automated, from {kind} record ({code_span(entry.id)}, {read_at}).",
        _matched(match),
        "Wrong? A 👎 on this comment tells the maintainers.",
        "Editing the issue updates this comment.",
    )
    return f"<sub>{' '.join(sentences)}</sub>"


def _matched(match: Match) -> str:
    quote = code_span(one_line(match.evidence.quote, _LONGEST_QUOTE))
    where = "The title" if match.evidence.source is Source.TITLE else "The line"
    sure = "matches exactly" if match.score.exact else "matches nearly: some of its words differ or are missing"
    place = ", crate, file and function included" if match.score.location >= 1 else ""
    return f"{where} {quote} {sure}{place}."
