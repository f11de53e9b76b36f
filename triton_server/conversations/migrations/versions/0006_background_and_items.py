"""Responses that run in the background, how answers came in events, and conversations of items."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0006", "0005"


def upgrade() -> None:
    """Add the columns, and create the tables."""
    op.add_column("responses", sql.Column("stream", sql.JSON))
    op.add_column("responses", sql.Column("running", sql.Double))
    op.create_table(
        "item_conversations",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("labels", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("updated", sql.Double, nullable=False),
        sql.Column("version", sql.Integer, nullable=False),
        sql.Column("bytes", sql.BigInteger, nullable=False),
        sql.UniqueConstraint("owner", "id"),
    )
    op.create_index("item_conversations_sizes", "item_conversations", ["owner", "bytes"])
    op.create_index("item_conversations_oldest", "item_conversations", ["updated"])
    op.create_table(
        "conversation_items",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("conversation_key", sql.Integer, nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("item", sql.JSON, nullable=False),
        sql.Column("bytes", sql.BigInteger, nullable=False),
        sql.UniqueConstraint("conversation_key", "id"),
        sql.ForeignKeyConstraint(["conversation_key"], ["item_conversations.key"], ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
