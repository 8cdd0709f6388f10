"""Deliveries, intents, facts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    live, leased = sa.text("state IN ('waiting', 'leased')"), sa.text("state = 'leased'")
    op.create_table(
        "deliveries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("app", sa.Text, nullable=False),
        sa.Column("guid", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("installation", sa.BigInteger),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("worker", sa.Text),
        sa.Column("lease_until", sa.Double),
        sa.Column("not_before", sa.Double, nullable=False),
        sa.Column("received_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("detail", sa.Text),
        sa.Column("error", sa.Text),
        sa.UniqueConstraint("app", "guid", name="deliveries_app_guid"),
        sqlite_autoincrement=True,
    )
    op.create_index("deliveries_age", "deliveries", ["updated_at", "state"])
    op.create_index("deliveries_live", "deliveries", ["id"], sqlite_where=live, postgresql_where=live)
    op.create_index(
        "deliveries_live_subject", "deliveries", ["subject", "id"], sqlite_where=live, postgresql_where=live
    )
    op.create_index(
        "deliveries_one_lease", "deliveries", ["subject"], unique=True, sqlite_where=leased, postgresql_where=leased
    )
    op.create_table(
        "intents",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("purpose", sa.Text, primary_key=True),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("comment_id", sa.BigInteger),
        sa.Column("body_hash", sa.Text),
        sa.Column("tried_at", sa.Double),
        sa.Column("posted_at", sa.Double),
        sa.Column("updated_at", sa.Double, nullable=False),
    )
    op.create_index("intents_repository", "intents", ["repository", "posted_at"])
    op.create_table(
        "facts",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("facts")
    op.drop_table("intents")
    op.drop_table("deliveries")
