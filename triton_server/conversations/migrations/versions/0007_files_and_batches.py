"""The tables of files and batches."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0007", "0006"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "files",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("purpose", sql.String(32), nullable=False),
        sql.Column("filename", sql.JSON, nullable=False),
        sql.Column("bytes", sql.BigInteger, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("expires", sql.Double),
        sql.UniqueConstraint("id"),
    )
    op.create_index("files_sizes", "files", ["owner", "bytes"])
    op.create_table(
        "batches",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("is_open", sql.Boolean, nullable=False),
        sql.Column("input_file", sql.String(64), nullable=False),
        sql.Column("output_file", sql.String(64), nullable=False),
        sql.Column("error_file", sql.String(64), nullable=False),
        sql.Column("output_expiry_s", sql.Double),
        sql.Column("batch", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.UniqueConstraint("id"),
    )
    op.create_index("batches_of_owner", "batches", ["owner", "key"])
    op.create_index("batches_open", "batches", ["is_open"])
