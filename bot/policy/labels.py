"""Which labels to suggest: what the matched record stands for first, then what the issue itself shows.

Only labels that the repository has and the issue lacks, few, each with a reason. Suggested, never decided: a person
accepts them.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.policy.actions import Confidence, LabelProposal
from bot.policy.events import IssueFacts
from bot.policy.settings import LabelMode, PolicySettings
from bot.policy.signs import Sign, signs
from bot.policy.table import LabelTable
from bot.records.model import Entry

_ORDER = (Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW)


def propose_labels(
    issue: IssueFacts, *, entry: Entry | None, existing: frozenset[str], settings: PolicySettings
) -> tuple[LabelProposal, ...]:
    """At most `settings.max_labels` proposals, surest first.

    `entry` is the record of the first printed message, if one matched; `existing` are the repository's label names.
    """
    if settings.label_mode is LabelMode.OFF:
        return ()
    known = {name.casefold(): name for name in sorted(existing)}
    taken = {name.casefold() for name in issue.labels}
    best: dict[str, LabelProposal] = {}
    for proposal in _candidates(issue, entry, settings):
        key = proposal.name.casefold()
        if key not in known or key in taken:
            continue
        other = best.get(key)
        if other is None or _ORDER.index(proposal.confidence) < _ORDER.index(other.confidence):
            best[key] = LabelProposal(name=known[key], rationale=proposal.rationale, confidence=proposal.confidence)
    ranked = sorted(best.values(), key=lambda proposal: _ORDER.index(proposal.confidence))
    return tuple(ranked[: settings.max_labels])


def _candidates(issue: IssueFacts, entry: Entry | None, settings: PolicySettings) -> Iterator[LabelProposal]:
    if entry is not None:
        yield from _from_record(entry, settings)
    for found in signs(issue.title, issue.body):
        if found.sign is Sign.PANIC and entry is not None and settings.may_speak(entry.trust):
            # Somebody looked into this very panic: whether it is a bug is for the record to say.
            continue
        name = settings.labels.signs.get(found.sign, "")
        if name:
            yield LabelProposal(name=name, rationale=found.rationale, confidence=found.confidence)


def _from_record(entry: Entry, settings: PolicySettings) -> Iterator[LabelProposal]:
    table = settings.labels
    record = entry.record
    name = _of_crate(entry, table)
    if name:
        yield LabelProposal(
            name=name,
            rationale=f"The printed message is raised in {_place(entry)} (record {record.slug}).",
            confidence=Confidence.MEDIUM,
        )
    if not settings.may_speak(entry.trust):
        # The rest is the authored half, which nobody has checked.
        return
    if entry.extension.burn_bug and table.burn_bug:
        yield LabelProposal(
            name=table.burn_bug,
            rationale=f"The printed panic is known to be burn's own fault (record {record.slug}).",
            confidence=Confidence.HIGH,
        )
    named = [
        (label, f"The record of the printed message names it ({record.slug}).") for label in entry.extension.labels
    ]
    named += [
        (table.tags.get(tag, ""), f"The printed message's record is tagged {tag} ({record.slug}).")
        for tag in record.tags
    ]
    if entry.extension.family:
        family = entry.extension.family
        named.append((table.families.get(family, ""), f"The printed message belongs to {family} ({record.slug})."))
    for label, rationale in named:
        if label:
            yield LabelProposal(name=label, rationale=rationale, confidence=Confidence.HIGH)


def _place(entry: Entry) -> str:
    """The crate that raises the message, else the repository's name."""
    parts = entry.record.file_path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "crates" else entry.record.repo.partition("/")[2]


def _of_crate(entry: Entry, table: LabelTable) -> str:
    return table.crates.get(_place(entry), "") or table.crates.get(entry.record.repo.partition("/")[2], "")
