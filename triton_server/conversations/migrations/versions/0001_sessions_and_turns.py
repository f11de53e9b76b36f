"""The tables of sessions and turns. tritonchat_schema is the version table of releases without Alembic."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0001", None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "sessions",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("system", sql.JSON),
        sql.Column("parameters", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("updated", sql.Double, nullable=False),
        sql.Column("version", sql.Integer, nullable=False),
        sql.UniqueConstraint("owner", "id"),
        sqlite_autoincrement=True,
    )
    op.create_index("sessions_newest", "sessions", ["owner", "key"])
    op.create_table(
        "turns",
        sql.Column(
            "session_key", sql.Integer, sql.ForeignKey("sessions.key", ondelete="CASCADE"), primary_key=True
        ),
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("question", sql.JSON, nullable=False),
        sql.Column("answer", sql.JSON, nullable=False),
        sql.Column("finish_reason", sql.String(16), nullable=False),
        sql.Column("usage", sql.JSON),
        sql.Column("parameters", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
    )
    op.create_table("tritonchat_schema", sql.Column("version", sql.Integer, primary_key=True))
