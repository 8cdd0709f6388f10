"""The inbox's fixed statements, built once. They run unchanged on SQLite and PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa

from bot.inbox.port import Job, State
from bot.inbox.schema import LEASED, WAITING, deliveries, facts, intents


def _next() -> sa.Select[tuple[object, ...]]:
    """The oldest delivery that may be worked on now: waiting and due, or leased by a worker that fell silent.

    An unfinished delivery that came before it on the same subject holds it back, also while it waits for its next
    try; so does a lease on the subject. A dead one does not. SQLite leaves FOR UPDATE out: there the writer is alone.
    """
    this, other = deliveries.alias("this"), deliveries.alias("other")
    now: sa.BindParameter[float] = sa.bindparam("now", type_=sa.Double)
    held_back = sa.exists().where(
        other.c.subject == this.c.subject,
        other.c.id != this.c.id,
        other.c.state.in_([WAITING, LEASED]),
        (other.c.state == LEASED) | (other.c.id < this.c.id),
    )
    due = (this.c.state == WAITING) & (this.c.not_before <= now)
    abandoned = (this.c.state == LEASED) & (this.c.lease_until <= now)
    return (
        sa.select(this)
        .where(this.c.state.in_([WAITING, LEASED]), due | abandoned, ~held_back)
        .order_by(this.c.id)
        .limit(1)
        .with_for_update(of=this, skip_locked=True)
    )


NEXT = _next()

INTENT = sa.select(
    intents.c.subject, intents.c.purpose, intents.c.comment_id, intents.c.body_hash, intents.c.tried_at
).where(intents.c.subject == sa.bindparam("subject"), intents.c.purpose == sa.bindparam("purpose"))

POSTS = (
    sa.select(intents.c.posted_at)
    .where(intents.c.repository == sa.bindparam("repository"), intents.c.posted_at > sa.bindparam("since"))
    .order_by(intents.c.posted_at)
)

FACTS = (
    sa.select(facts.c.key, facts.c.value, facts.c.updated_at)
    .where(facts.c.scope == sa.bindparam("scope"))
    .order_by(facts.c.key)
)

LISTED = sa.select(
    deliveries.c.id,
    deliveries.c.guid,
    deliveries.c.event,
    deliveries.c.action,
    deliveries.c.subject,
    deliveries.c.state,
    deliveries.c.tries.label("attempts"),
    deliveries.c.received_at,
    deliveries.c.not_before,
    deliveries.c.outcome,
    deliveries.c.error,
    deliveries.c.detail,
).order_by(deliveries.c.id.desc())

COUNTS = sa.select(deliveries.c.state, sa.func.count().label("number")).group_by(deliveries.c.state)

OLDEST = sa.select(sa.func.min(deliveries.c.received_at)).where(deliveries.c.state.in_([WAITING, LEASED]))

PRUNE = sa.delete(deliveries).where(
    deliveries.c.id.in_(
        sa.select(deliveries.c.id)
        .where(deliveries.c.state == State.DONE, deliveries.c.updated_at < sa.bindparam("before"))
        .limit(sa.bindparam("limit"))
    )
)


def held(job: Job) -> sa.Update:
    """An update of the job's delivery that touches nothing once the lease belongs to somebody else."""
    return sa.update(deliveries).where(
        deliveries.c.id == job.id,
        deliveries.c.state == State.LEASED,
        deliveries.c.worker == job.worker,
        deliveries.c.attempt == job.attempt,
    )
