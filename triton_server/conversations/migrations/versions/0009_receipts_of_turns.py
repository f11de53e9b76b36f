"""The receipts of answers, with their turns."""

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0009", "0008"


def upgrade() -> None:
    """Add the column."""
    op.add_column("turns", sql.Column("receipt", sql.JSON))
