"""The tables of API keys, and of what they have used."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0008", "0007"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "key_holders",
        sql.Column("name", sql.String(64), primary_key=True),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("revoked", sql.Double),
        sql.Column("models", sql.JSON),
        *(sql.Column(name, sql.BigInteger, nullable=False) for name in _LIMITS),
        sql.Column("requests_left", sql.Double),
        sql.Column("tokens_left", sql.Double),
        sql.Column("counted", sql.Double),
    )
    op.create_table(
        "api_keys",
        sql.Column("digest", sql.String(64), primary_key=True),
        sql.Column("name", sql.String(64), _holder(), nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("expires", sql.Double),
    )
    op.create_index("api_keys_of_holder", "api_keys", ["name"])
    op.create_table(
        "key_usage",
        sql.Column("name", sql.String(64), _holder(), primary_key=True),
        sql.Column("day", sql.Integer, primary_key=True),
        *(sql.Column(name, sql.BigInteger, nullable=False) for name in _COUNTS),
    )
    op.create_index("key_usage_days", "key_usage", ["day"])


_LIMITS = ("requests_per_minute", "tokens_per_minute", "requests_per_day", "tokens_per_day")
_COUNTS = ("requests", "prompt_tokens", "completion_tokens")


def _holder() -> sql.ForeignKey:
    return sql.ForeignKey("key_holders.name", ondelete="CASCADE")
