"""The one comment: what the printed message means, what to try, where it comes from, and how the bot knows.

Every sentence the bot says on an issue is in this room. The order is the reader's: cause, steps, source, the rest
folded, and in small print what spoke, why, and how to object. It never claims that an issue is solved.
"""

from __future__ import annotations

from bot.matching.verdict import Match, Role, Source, Verdict
from bot.policy.actions import Explanation, LabelProposal, Post, Retract
from bot.records.model import Entry, ErrorType, Kind, Trust
from bot.render.cap import cap
from bot.render.details import MOST_REPORT, MOST_STEPS, bullets, details
from bot.render.escape import code_span, one_line, prose, prose_line, shorten
from bot.render.links import repo_link, source_line, source_link, source_repo
from bot.render.marker import MAIN, marker
from bot.render.versions import version_note

_LONGEST_MESSAGE = 120
_LONGEST_QUOTE = 140
_LONGEST_SUMMARY = 700
_LONGEST_STEP = 350
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
    match, entry, verdict = explanation.match, explanation.entry, explanation.verdict
    project = prose_line(entry.record.repo.rpartition("/")[2], start=False)
    secondary = match.role is Role.SECONDARY
    parts = [
        _title(entry, project, secondary=secondary),
        _unreviewed(entry),
        _lead(entry, project, secondary=secondary),
        _look_elsewhere(match, entry, verdict, explanation.also) if secondary else "",
        _cause(entry),
        version_note(entry.extension, verdict.version, project) or "",
        _steps(entry),
        _report(entry),
        source_line(entry.record, repo=repo, function=entry.extension.function),
        _also(explanation.also),
        _labels(labels),
        details(entry, version=verdict.version, project=project),
    ]
    tail = "\n\n".join((_footer(match, entry), marker(subject=subject, purpose=purpose, record=entry.id)))
    return cap("\n\n".join(part for part in parts if part), tail=tail)


def render_retraction(retract: Retract, *, subject: str, record: str | None, purpose: str = MAIN) -> str:
    """What the comment becomes when the issue was edited and prints the message no longer."""
    parts = (
        "An explanation stood here. The message that it was about is no longer in the issue, so it is withdrawn.",
        f"<details><summary>Why</summary>\n\n{prose(retract.reason[:1_000])}\n\n</details>",
    )
    small = "<sub>Automated. Should the issue print a known message again, its explanation will stand here.</sub>"
    tail = "\n\n".join((small, marker(subject=subject, purpose=purpose, record=record)))
    return cap("\n\n".join(parts), tail=tail)


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
        return f"### Raised below {project}: {message}"
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
        until = f" after {project} {prose_line(one_line(extension.until, 60), start=False)}" if extension.until else ""
        moved = f"; the code lives in {repo_link(extension.moved_to)} now" if extension.moved_to else ""
        sentences.append(f"The message is gone from {project}{until}{moved}.")
    elif extension.kind is Kind.SURFACED:
        origin = source_repo(entry.record)
        foreign = origin is not None and origin.lower() != entry.record.repo.lower()
        raiser = repo_link(origin) if foreign and origin is not None else "a library below"
        sentences.append(f"{project} does not raise it: {raiser} does, under a call of {project}.")
    if extension.burn_bug:
        sentences.append(f"The code that met it is not to blame; the fault lies in {project}.")
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
    log = ""
    if "burn-train" in entry.record.file_path.split("/"):
        log = ", or in `experiment.log` in the directory of the run,"
    return f"**Look elsewhere:** the first panic, above this line{log or ' in the output'} names the cause."


def _cause(entry: Entry) -> str:
    if entry.trust is Trust.QUARANTINED:
        return ""
    return prose_line(shorten(entry.record.documentation, _LONGEST_SUMMARY))


def _steps(entry: Entry) -> str:
    if entry.trust is Trust.QUARANTINED:
        return ""
    steps = [prose_line(shorten(step, _LONGEST_STEP)) for step in entry.record.solutions[:MOST_STEPS]]
    numbered = [f"{number}. {step}" for number, step in enumerate((step for step in steps if step), start=1)]
    return "\n".join(["**What to try**", "", *numbered]) if numbered else ""


def _report(entry: Entry) -> str:
    """What a bug report needs; folded away instead when the fault is not the project's own."""
    if not entry.extension.burn_bug or entry.trust is Trust.QUARANTINED:
        return ""
    asked = [prose_line(shorten(item, _LONGEST_STEP)) for item in entry.extension.report[:MOST_REPORT]]
    return f"**What maintainers ask for**\n\n{bullets(asked)}" if asked else ""


def _also(also: tuple[tuple[Match, Entry], ...]) -> str:
    if not also:
        return ""
    lines = [
        f"{_message(entry)}: "
        + (
            "follows from an earlier failure."
            if match.role is Role.SECONDARY
            else f"known too, see {source_link(entry.record)}."
        )
        for match, entry in also[:_MOST_ALSO]
    ]
    more = len(also) - _MOST_ALSO
    if more > 0:
        lines.append(f"and {more} more that {'is' if more == 1 else 'are'} known.")
    return f"**Also printed**\n\n{bullets(lines)}"


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
        "Does it not fit? A 👎 on this comment tells the maintainers.",
        "When the issue is edited, this comment follows.",
    )
    return f"<sub>{' '.join(sentences)}</sub>"


def _matched(match: Match) -> str:
    quote = code_span(one_line(match.evidence.quote, _LONGEST_QUOTE))
    where = "The title" if match.evidence.source is Source.TITLE else "The line"
    sure = "matches exactly" if match.score.exact else "matches nearly: some of its words differ or are missing"
    place = ", crate, file and function included" if match.score.location >= 1 else ""
    return f"{where} {quote} {sure}{place}."
