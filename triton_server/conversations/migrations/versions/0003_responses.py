"""The table of responses."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0003", "0002"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "responses",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("previous", sql.String(64)),
        sql.Column("conversation", sql.String(64), nullable=False),
        sql.Column("input", sql.JSON, nullable=False),
        sql.Column("response", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("bytes", sql.BigInteger, nullable=False),
        sql.UniqueConstraint("owner", "id"),
    )
    op.create_index("responses_sizes", "responses", ["owner", "bytes"])
    op.create_index("responses_oldest", "responses", ["conversation", "created"])
