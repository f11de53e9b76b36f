"""The tables of collections of files."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0010", "0009"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "collections",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("id", sql.String(64), nullable=False),
        sql.Column("name", sql.JSON, nullable=False),
        sql.Column("labels", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("used", sql.Double, nullable=False),
        sql.Column("expiry_days", sql.Integer),
        sql.Column("embedder", sql.JSON, nullable=False),
        sql.Column("version", sql.Integer, nullable=False, server_default="0"),
        sql.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("collections_of_owner", "collections", ["owner", "key"])
    op.create_table(
        "collection_files",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column(
            "collection_key",
            sql.Integer,
            sql.ForeignKey("collections.key", ondelete="CASCADE"),
            nullable=False,
        ),
        sql.Column("file_id", sql.String(64), nullable=False),
        sql.Column("filename", sql.JSON, nullable=False),
        sql.Column("status", sql.String(16), nullable=False),
        sql.Column("error", sql.JSON),
        sql.Column("attributes", sql.JSON, nullable=False),
        sql.Column("chunking", sql.JSON, nullable=False),
        sql.Column("batch", sql.String(64)),
        sql.Column("bytes", sql.BigInteger, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("noted", sql.Double, nullable=False),
        sql.Column("fingerprint", sql.String(128)),
        sql.Column("dimensions", sql.Integer),
        sql.Column("vectors", sql.LargeBinary),
        sql.UniqueConstraint("collection_key", "file_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("collection_files_status", "collection_files", ["status"])
    op.create_index("collection_files_id", "collection_files", ["file_id"])
    op.create_table(
        "collection_chunks",
        sql.Column(
            "file_key",
            sql.Integer,
            sql.ForeignKey("collection_files.key", ondelete="CASCADE"),
            primary_key=True,
        ),
        sql.Column("number", sql.Integer, primary_key=True),
        sql.Column("place", sql.JSON, nullable=False),
        sql.Column("text", sql.JSON, nullable=False),
    )
