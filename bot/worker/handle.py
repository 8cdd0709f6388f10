"""One delivery from its payload to what stands on the issue: parse, judge, decide, render, apply.

The issue is judged as it stands now, not as the delivery shows it. So late, doubled and reordered deliveries of one
issue all lead to the same comment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import structlog
from msgspec.structs import replace

from bot.github.port import GitHub, Gone, Later, Refused, Repository
from bot.inbox.port import Job
from bot.matching.verdict import Verdict
from bot.policy.actions import Action, Decided, Nothing, Post, Retract
from bot.policy.events import Installation, IssueEdited, IssueFacts, IssueOpened, parse_event
from bot.policy.issue import decide_issue, skip_reason
from bot.policy.settings import LabelMode, Mode, PolicySettings
from bot.records.model import Entry
from bot.render.comment import render_comment, render_retraction
from bot.render.quoted import without_our_comments
from bot.worker.apply import LABEL_TRIES, Applier, Written
from bot.worker.detail import describe
from bot.worker.outcome import Done, Labelled, NotYet, Outcome

Judge = Callable[[str, str], Verdict]
"""Title and body to verdict: `Matcher.judge`."""

_log = structlog.get_logger(__name__)


class Triage:
    """Handles one job after the other; safe to share between threads."""

    def __init__(
        self,
        *,
        github: GitHub,
        applier: Applier,
        judge: Judge,
        entries: Mapping[str, Entry],
        settings: PolicySettings,
    ) -> None:
        """`entries` are the records by id, the same that `judge` knows."""
        self._github = github
        self._applier = applier
        self._judge = judge
        self._entries = entries
        self._settings = settings

    def __call__(self, job: Job) -> Done | NotYet:
        """Raises `Later`, `Refused`, `LeaseLost`, `StoreUnavailable`, and `PayloadError` for a payload that is none."""
        delivery = job.delivery
        event = parse_event(delivery.event, delivery.payload)
        if isinstance(event, IssueOpened | IssueEdited):
            return self._issue(event, job)
        if isinstance(event, Installation):
            _log.info("installation", action=event.action, sender=event.sender.login)
        return Done(outcome=Outcome.IGNORED, detail=describe(reason=f"{delivery.event}.{delivery.action}"))

    def _issue(self, event: IssueOpened | IssueEdited, job: Job) -> Done | NotYet:
        if self._settings.mode is Mode.OFF:
            return Done(outcome=Outcome.SILENT, detail=describe(reason="switched off"))
        writes = self._settings.writes
        if writes and (wait := self._applier.wait_for_cap(event.subject)):
            return wait
        repository = self._github.repository(event.repository, installation=event.installation)
        event = replace(event, issue=_current(repository, event.issue))
        labels, missed = _label_names(repository)
        decided = self._decide(event, labels)
        if not writes:
            return Done(outcome=Outcome.SHADOW, detail=describe(decided))
        try:
            done = self._carry_out(decided, event, repository, job)
        except Gone as error:
            _log.info("gone", reason=str(error))
            return Done(outcome=Outcome.GONE, detail=describe(decided, gone=str(error)))
        if missed is not None and (missed.after_seconds is not None or job.tries < LABEL_TRIES):
            raise missed
        return done

    def _decide(self, event: IssueOpened | IssueEdited, labels: frozenset[str]) -> Decided:
        if skipped := skip_reason(event, self._settings):
            return Decided(action=Nothing(reason=skipped), labels=(), verdict=None, reason=skipped)
        verdict = self._judge(event.issue.title, without_our_comments(event.issue.body))
        return decide_issue(event, verdict, entries=self._entries, existing_labels=labels, settings=self._settings)

    def _carry_out(
        self, decided: Decided, event: IssueOpened | IssueEdited, repository: Repository, job: Job
    ) -> Done | NotYet:
        written = self._comment(decided.action, event, repository, job)
        if isinstance(written, NotYet):
            return written
        directly = self._settings.label_mode is LabelMode.APPLY
        labels = self._applier.labels(repository, event.issue.number, decided.labels, job=job, directly=directly)
        if labels is Labelled.UNSUPPORTED:
            # The server does not store suggestions: from now on the comment names the labels.
            again = self._comment(decided.action, event, repository, job)
            if isinstance(again, NotYet):
                return again
        return Done(outcome=written.outcome, detail=describe(decided, comment_id=written.comment_id, labelled=labels))

    def _comment(
        self, action: Action, event: IssueOpened | IssueEdited, repository: Repository, job: Job
    ) -> Written | NotYet:
        number, subject = event.issue.number, event.subject
        match action:
            case Post():
                named = not self._applier.host_suggests_labels()
                body = render_comment(action, subject=subject, repo=event.repository, name_labels=named)
                return self._applier.comment(repository, number, body, job=job)
            case Retract():
                body = render_retraction(action, subject=subject, record=None)
                written = self._applier.comment(repository, number, body, job=job, create=False)
                if isinstance(written, Written) and written.outcome is Outcome.EDITED:
                    return replace(written, outcome=Outcome.RETRACTED)
                return written
            case Nothing():
                return Written(outcome=Outcome.SILENT)


def _current(repository: Repository, shown: IssueFacts) -> IssueFacts:
    """The issue as it stands. As the delivery showed it where it is gone: then the writes will tell."""
    try:
        issue = repository.issue(shown.number)
    except Gone:
        return shown
    return IssueFacts(**msgspec.structs.asdict(issue))


def _label_names(repository: Repository) -> tuple[frozenset[str], Later | None]:
    """The repository's labels. None if they cannot be had, for the comment does not wait for them; and whether to
    try again for them."""
    try:
        return repository.label_names(), None
    except Later as error:
        return frozenset(), error
    except (Gone, Refused) as error:
        _log.warning("labels cannot be listed", error=str(error))
        return frozenset(), None
