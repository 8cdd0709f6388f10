"""What a new or edited issue leads to: the one explanation, its withdrawal, or silence.

Speaking by itself takes all of this: a person wrote the issue, the verdict is `explain`, and a record that may speak
explains the first message that is printed. To name a consequence as the cause is the worst mistake. So when the first
printed message's record may not speak, no other cause takes its place; only a message that the matcher itself calls a
consequence may still be explained, and then as one.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.matching.verdict import Decision, Match, Role, Verdict
from bot.policy.actions import Decided, Explanation, Nothing, Post, Retract
from bot.policy.events import IssueEdited, IssueOpened
from bot.policy.labels import propose_labels
from bot.policy.settings import Mode, PolicySettings
from bot.records.model import Entry

MAX_ALSO = 3
"""Further messages in one comment."""


def skip_reason(event: IssueOpened | IssueEdited, settings: PolicySettings) -> str | None:
    """Why the event leads to nothing whatever the issue says, or None. Worth asking before the issue is judged."""
    issue = event.issue
    if settings.mode is Mode.OFF:
        return "switched off"
    if issue.is_pull_request:
        return "a pull request"
    if issue.author_is_bot:
        return f"opened by a bot ({issue.author})"
    if event.sender.is_bot:
        return f"{event.action} by a bot ({event.sender.login})"
    if issue.locked:
        return "the issue is locked"
    if issue.state == "closed":
        return "the issue is closed"
    return None


def decide_issue(
    event: IssueOpened | IssueEdited,
    verdict: Verdict,
    *,
    entries: Mapping[str, Entry],
    existing_labels: frozenset[str],
    settings: PolicySettings,
) -> Decided:
    """The decision on one event. Pure: the same arguments always give the same decision.

    `verdict` is of the event's title and body; `entries` are the loaded records by id; `existing_labels` are the
    repository's. In shadow mode the decision is the same: whoever carries it out looks at `settings.writes`.
    Labels are suggested for a new issue only, so that nothing comes back that a person took away; those in `Post` are
    for naming them in the comment where the server cannot store suggestions.
    """
    skipped = skip_reason(event, settings)
    if skipped:
        return Decided(action=Nothing(reason=skipped), labels=(), verdict=None, reason=skipped)
    entry = _entry_for_labels(verdict, entries)
    proposals = propose_labels(event.issue, entry=entry, existing=existing_labels, settings=settings)
    suggested = proposals if isinstance(event, IssueOpened) else ()
    explanation, reason = _explanation(verdict, entries, settings)
    if explanation is not None:
        return Decided(
            action=Post(explanation=explanation, labels=proposals), labels=suggested, verdict=verdict, reason=reason
        )
    silence = Retract(reason=reason) if isinstance(event, IssueEdited) else Nothing(reason=reason)
    return Decided(action=silence, labels=suggested, verdict=verdict, reason=reason)


def _explanation(
    verdict: Verdict, entries: Mapping[str, Entry], settings: PolicySettings
) -> tuple[Explanation | None, str]:
    """What may be said, and why it is that or nothing."""
    if verdict.decision is not Decision.EXPLAIN:
        return None, f"{verdict.decision.value}: {verdict.reason}"
    if not verdict.matches:
        return None, "explain without a match"
    matches = [_honest(match, entries) for match in verdict.matches]
    # The cause, where one is known, even if a consequence was printed above it by another thread.
    first = next((match for match in matches if match.role is Role.ROOT), matches[0])
    objection = _objection(first, entries, settings)
    speaking = [match for match in matches if _objection(match, entries, settings) is None]
    if objection is None:
        chosen, reason = first, verdict.reason
    else:
        speaking = [match for match in speaking if match.role is Role.SECONDARY]
        if not speaking:
            return None, objection
        chosen, reason = speaking[0], f"only a consequence is explained: {objection}"
    also = tuple((match, entries[match.record]) for match in _others(chosen, speaking))
    return Explanation(verdict=verdict, match=chosen, entry=entries[chosen.record], also=also), reason


def _honest(match: Match, entries: Mapping[str, Entry]) -> Match:
    """A record that is never the root is not presented as one, whatever the matcher made of the order."""
    entry = entries.get(match.record)
    if entry is not None and entry.extension.secondary and match.role is Role.ROOT:
        return msgspec.structs.replace(match, role=Role.SECONDARY)
    return match


def _objection(match: Match, entries: Mapping[str, Entry], settings: PolicySettings) -> str | None:
    """Why this match may not be explained without being asked, or None."""
    entry = entries.get(match.record)
    if entry is None:
        return f"the record {match.slug} is not loaded"
    if not settings.may_speak(entry.trust):
        return f"the record {match.slug} is {entry.trust.value}, which may not speak by itself"
    if not match.confidence >= settings.confidence_floor:
        return f"confidence {match.confidence:.2f} for {match.slug} is below {settings.confidence_floor:.2f}"
    return None


def _others(chosen: Match, speaking: list[Match]) -> list[Match]:
    """Further messages, each record once."""
    by_record = {match.record: match for match in reversed(speaking) if match.record != chosen.record}
    return [match for match in speaking if by_record.get(match.record) is match][:MAX_ALSO]


def _entry_for_labels(verdict: Verdict, entries: Mapping[str, Entry]) -> Entry | None:
    if verdict.decision is not Decision.EXPLAIN or not verdict.matches:
        return None
    return entries.get(verdict.matches[0].record)
