"""Adds the size of each session, for the limits of an owner, and an index to find the oldest sessions."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0002", "0001"

_ROW_BYTES = 256  # as store.py counts


def upgrade() -> None:
    """Compute the sizes of existing sessions. From now on, Alembic's table has the version."""
    op.add_column("sessions", sql.Column("bytes", sql.BigInteger, nullable=False, server_default="0"))
    octets = (
        "length(CAST({} AS BLOB))"
        if op.get_bind().dialect.name == "sqlite"
        else "octet_length(CAST({} AS TEXT))"
    ).format
    turn = f"{octets('question')} + {octets('answer')} + {octets('turns.parameters')} + {_ROW_BYTES}"
    own = f"{_ROW_BYTES} + coalesce({octets('system')}, 0) + {octets('parameters')}"
    turns = f"coalesce((SELECT sum({turn}) FROM turns WHERE session_key = sessions.key), 0)"
    op.execute(f"UPDATE sessions SET bytes = {own} + {turns}")
    op.create_index("sessions_sizes", "sessions", ["owner", "bytes"])
    op.create_index("sessions_oldest", "sessions", ["updated"])
    op.drop_table("tritonchat_schema")
