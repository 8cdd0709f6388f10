"""The only writer on GitHub: brings an issue to the state that was decided, and never says anything twice.

Every write to GitHub comes right after a write to the store that fails if the lease is lost, and the first comment goes
through these steps, each of which may be the last one of this process:

1. is a comment known, or does one with our marker stand on the issue? then that one is edited, and none is posted;
2. store when it is tried;   3. POST, once;   4. store the comment's id.

Whoever finds a try without an id does not know whether the POST arrived. GitHub may list a comment seconds after it
was stored, so he waits `settle_seconds`, looks again (1), and only then tries again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import msgspec
import structlog
from msgspec.structs import replace

from bot.github.port import Gone, IssueComment, Later, Refused, Repository
from bot.inbox.port import Inbox, Intent, Job, StoreUnavailable
from bot.policy.actions import LabelProposal
from bot.render.marker import MAIN, find_marker
from bot.worker.outcome import Labelled, LeaseLost, NotYet, Outcome

LABEL_TRIES = 3
"""Tries of a delivery in which labels are still attempted."""
_HOUR = 3600.0
_HOST_MEMORY_SECONDS = 24 * _HOUR
_LABEL = "label "
_SUGGESTIONS = "label suggestions"

_log = structlog.get_logger(__name__)


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the comment, now known to stand."""

    outcome: Outcome
    comment_id: int | None = None


class Applier:
    """Carries decisions out. Safe to share between threads: it keeps nothing but its settings."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        host: str,
        lease_seconds: float,
        settle_seconds: float,
        comments_per_hour: int,
        clock: Callable[[], float],
        jitter: Callable[[], float],
    ) -> None:
        """`host` is the API's base URL, under which is remembered what the server cannot do.

        `clock` gives Unix seconds, `jitter` a random number from 0 to 1.
        `comments_per_hour` caps new comments in one repository; several workers may pass it together by one each.
        """
        self._inbox = inbox
        self._host = host
        self._lease_seconds = lease_seconds
        self._settle_seconds = settle_seconds
        self._comments_per_hour = comments_per_hour
        self._clock = clock
        self._jitter = jitter

    # The comment

    def comment(
        self, repository: Repository, number: int, body: str, *, job: Job, purpose: str = MAIN, create: bool = True
    ) -> Written | NotYet:
        """Have `body` stand on issue `number`, in the one comment for the job's subject and `purpose`.

        Not `create`: only where that comment already stands. Raises `GitHubError`s (`Later`: try again, safely),
        `LeaseLost` and `StoreUnavailable`.
        """
        subject = job.delivery.subject
        intent = self._inbox.intent(subject, purpose) or Intent(
            subject=subject, purpose=purpose, comment_id=None, body_hash=None, tried_at=None
        )
        if intent.comment_id is None:
            if intent.tried_at is not None and abs(self._clock() - intent.tried_at) < self._settle_seconds:
                return NotYet(at=intent.tried_at + self._settle_seconds, reason="a comment may be on its way")
            arrived = intent.tried_at is not None
            copy = body_hash(body) if arrived else None
            standing = _standing(repository.comments(number), subject=subject, purpose=purpose, copy=copy)
            if standing is None:
                return self._post(repository, number, body, intent, job) if create else Written(outcome=Outcome.SILENT)
            intent = replace(intent, comment_id=standing.id, body_hash=body_hash(standing.body), tried_at=None)
            self._save(intent, job)
            if arrived and intent.body_hash == body_hash(body):
                return Written(outcome=Outcome.COMMENTED, comment_id=standing.id)
        return self._edit(repository, body, intent, job)

    def _post(self, repository: Repository, number: int, body: str, intent: Intent, job: Job) -> Written | NotYet:
        wait = self._wait_for_cap(intent, repository.full_name)
        if wait is not None:
            return wait
        tried_at = self._clock()
        self._save(replace(intent, tried_at=tried_at), job)
        if self._clock() - tried_at >= self._lease_seconds:
            # This process slept (a suspended machine, say) after it stored the try: the job may be another's by now.
            raise LeaseLost
        try:
            posted = repository.create_comment(number, body)
        except Later:
            # It may arrive even now: the time to settle begins anew. If this is not stored, the earlier time stands.
            with suppress(StoreUnavailable):
                self._inbox.save_intent(replace(intent, tried_at=self._clock()), job=job, now=self._clock())
            raise
        except (Gone, Refused):
            self._save(replace(intent, tried_at=None), job)
            raise
        self._save(replace(intent, comment_id=posted.id, body_hash=body_hash(body), tried_at=None), job)
        return Written(outcome=Outcome.COMMENTED, comment_id=posted.id)

    def _edit(self, repository: Repository, body: str, intent: Intent, job: Job) -> Written:
        """Safe to repeat. A comment that somebody deleted is `Gone`, and stays so: its id is never forgotten."""
        assert intent.comment_id is not None
        if intent.body_hash == body_hash(body):
            return Written(outcome=Outcome.UNCHANGED, comment_id=intent.comment_id)
        if not self._inbox.heartbeat(job, now=self._clock()):
            raise LeaseLost
        repository.edit_comment(intent.comment_id, body)
        self._save(replace(intent, body_hash=body_hash(body)), job)
        return Written(outcome=Outcome.EDITED, comment_id=intent.comment_id)

    def wait_for_cap(self, subject: str, purpose: str = MAIN) -> NotYet | None:
        """When a comment on `subject` may be posted, if the repository has had its share of this hour.

        None: now. Also for a comment that was posted or tried before: it is counted already. Asks the store only, so
        that a crowd of waiting deliveries costs GitHub nothing; they come back spread over a quarter of an hour.
        """
        return self._wait_for_cap(self._inbox.intent(subject, purpose), subject.partition("#")[0])

    def _wait_for_cap(self, intent: Intent | None, repository: str) -> NotYet | None:
        if intent is not None and (intent.comment_id is not None or intent.tried_at is not None):
            return None
        now, cap = self._clock(), self._comments_per_hour
        posts = self._inbox.posts_since(repository, now - _HOUR)
        if len(posts) < cap:
            return None
        free = posts[-cap] + _HOUR if cap else now + _HOUR
        return NotYet(at=free + self._jitter() * _HOUR / 4, reason=f"{cap} comments in {repository} within an hour")

    def _save(self, intent: Intent, job: Job) -> None:
        if not self._inbox.save_intent(intent, job=job, now=self._clock()):
            raise LeaseLost

    # The labels

    def labels(
        self, repository: Repository, number: int, proposals: Sequence[LabelProposal], *, job: Job, directly: bool
    ) -> Labelled | None:
        """Suggest each label once in the issue's life, so that none comes back that a person took away.

        `directly` puts them on the issue instead. None: nothing was left to do, or GitHub would not take it (logged).
        The comment never suffers: when they still fail in a late try of the delivery, labels are given up. Raises
        `Later` before that and for rate limits, and `StoreUnavailable`.
        """
        subject = job.delivery.subject
        known = {fact.key for fact in self._inbox.facts(subject)}
        new = [proposal for proposal in proposals if _LABEL + proposal.name not in known]
        if not new:
            return None
        if not directly and not self.host_suggests_labels():
            return Labelled.UNSUPPORTED
        try:
            outcome = self._label(repository, number, new, directly=directly)
        except Later as error:
            if error.after_seconds is not None or job.tries < LABEL_TRIES:
                raise
            _log.warning("labels given up", error=str(error))
            return None
        except (Gone, Refused) as error:
            _log.warning("labels refused", error=str(error))
            return None
        if outcome is Labelled.UNSUPPORTED:
            self._inbox.save_fact(self._host, _SUGGESTIONS, outcome.value, now=self._clock())
            return outcome
        for proposal in new:
            self._inbox.save_fact(subject, _LABEL + proposal.name, outcome.value, now=self._clock())
        return outcome

    def _label(self, repository: Repository, number: int, new: Sequence[LabelProposal], *, directly: bool) -> Labelled:
        if directly:
            repository.add_labels(number, [proposal.name for proposal in new])
            return Labelled.APPLIED
        return Labelled(repository.suggest_labels(number, new).value)

    def host_suggests_labels(self) -> bool:
        """False for a day after the server turned out not to know suggestions: then the comment names them."""
        fact = self._inbox.fact(self._host, _SUGGESTIONS)
        return fact is None or self._clock() - fact.updated_at > _HOST_MEMORY_SECONDS


def body_hash(body: str) -> str:
    """The same for bodies that differ in line ends and outer blanks only, which GitHub may change."""
    return hashlib.sha256("\n".join(body.strip().splitlines()).encode("utf-8", "replace")).hexdigest()


def _standing(comments: Iterable[IssueComment], *, subject: str, purpose: str, copy: str | None) -> IssueComment | None:
    """Our oldest comment for this purpose.

    One whose marker names another subject counts when there is no better one: the repository was renamed, or the issue
    moved and took its comments along. `copy` is the hash of what we tried to post: a comment that is that to the
    letter arrived, whoever the server calls its author.
    """
    moved = None
    for comment in comments:
        ours = comment.ours or (copy is not None and body_hash(comment.body) == copy)
        found = find_marker(comment.body) if ours else None
        if found is None or found.purpose != purpose:
            continue
        if found.subject.lower() == subject.lower():
            return comment
        moved = moved or comment
    return moved
