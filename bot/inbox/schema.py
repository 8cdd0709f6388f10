"""The three tables. `migrations/` makes them; a test holds both descriptions together.

Times are Unix seconds. Deliveries are ordered by `id`, the order of arrival, never by time: clocks step back.
"""

from __future__ import annotations

import sqlalchemy as sa

from bot.inbox.port import State

metadata = sa.MetaData()

WAITING: sa.ColumnClause[str] = sa.literal_column(f"'{State.WAITING}'")
LEASED: sa.ColumnClause[str] = sa.literal_column(f"'{State.LEASED}'")
# Literals, not parameters: only then can the planner see that a query stays inside a partial index.
_LIVE = sa.text(f"state IN ('{State.WAITING}', '{State.LEASED}')")
_LEASED = sa.text(f"state = '{State.LEASED}'")

# SQLite numbers rows by itself only in a column that is called INTEGER.
_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("id", _Id, primary_key=True, autoincrement=True),
    sa.Column("app", sa.Text, nullable=False),
    sa.Column("guid", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("installation", sa.BigInteger),
    sa.Column("payload", sa.LargeBinary, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False, doc="counted against the limit"),
    sa.Column("attempt", sa.Integer, nullable=False, doc="goes up with every claim: the fence"),
    sa.Column("worker", sa.Text),
    sa.Column("lease_until", sa.Double),
    sa.Column("not_before", sa.Double, nullable=False),
    sa.Column("received_at", sa.Double, nullable=False),
    sa.Column("updated_at", sa.Double, nullable=False),
    sa.Column("outcome", sa.Text),
    sa.Column("detail", sa.Text, doc="JSON"),
    sa.Column("error", sa.Text),
    sa.UniqueConstraint("app", "guid", name="deliveries_app_guid"),
    # Not led by the state: the search for the next job would take it, and sort everything that waits.
    sa.Index("deliveries_age", "updated_at", "state"),
    sa.Index("deliveries_live", "id", sqlite_where=_LIVE, postgresql_where=_LIVE),
    sa.Index("deliveries_live_subject", "subject", "id", sqlite_where=_LIVE, postgresql_where=_LIVE),
    # The last word on "one live job per subject": whatever two workers believe, the second lease is refused.
    sa.Index("deliveries_one_lease", "subject", unique=True, sqlite_where=_LEASED, postgresql_where=_LEASED),
    # A number is never given twice, also after pruning: the order of arrival and the fences rest on it.
    sqlite_autoincrement=True,
)

intents = sa.Table(
    "intents",
    metadata,
    sa.Column("subject", sa.Text, primary_key=True),
    sa.Column("purpose", sa.Text, primary_key=True),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("comment_id", sa.BigInteger),
    sa.Column("body_hash", sa.Text),
    sa.Column("tried_at", sa.Double),
    sa.Column("posted_at", sa.Double, doc="the last tried_at, kept when the outcome is known"),
    sa.Column("updated_at", sa.Double, nullable=False),
    sa.Index("intents_repository", "repository", "posted_at"),
)

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Double, nullable=False),
)
