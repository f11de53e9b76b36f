"""Turns become trees, with more fields; documents and votes get tables."""

import unicodedata

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0004", "0003"

_BATCH = 500
_TITLE_LENGTH = 60


def upgrade() -> None:
    """Upgrade the tables. An old session is a tree of one branch, whose end is its head."""
    for column in (
        sql.Column("title", sql.JSON),
        sql.Column("search_title", sql.Text),
        sql.Column("pinned", sql.Boolean, nullable=False, server_default=sql.false()),
        sql.Column("deleted", sql.Double),
        sql.Column("head", sql.Integer),
        sql.Column("last_turn", sql.Integer, nullable=False, server_default="0"),
    ):
        op.add_column("sessions", column)
    op.create_index("sessions_recent", "sessions", ["owner", "pinned", "updated", "key"])
    _replace_turns()
    op.execute(
        "UPDATE sessions SET last_turn = coalesce("
        "(SELECT max(turns.id) FROM turns WHERE session_key = sessions.key), 0)"
    )
    op.execute("UPDATE sessions SET head = last_turn WHERE last_turn > 0")
    _make_titles()
    op.create_table(
        "documents",
        sql.Column("owner", sql.String(64), primary_key=True),
        sql.Column("kind", sql.String(64), primary_key=True),
        sql.Column("name", sql.String(200), primary_key=True),
        sql.Column("value", sql.JSON, nullable=False),
        sql.Column("updated", sql.Double, nullable=False),
        sql.Column("bytes", sql.BigInteger, nullable=False),
    )
    op.create_table(
        "votes",
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("owner", sql.String(64), nullable=False),
        sql.Column("vote", sql.JSON, nullable=False),
        sql.Column("created", sql.Double, nullable=False),
        sql.Column("bytes", sql.BigInteger, nullable=False),
    )
    op.create_index("votes_of_owner", "votes", ["owner", "key"])


def _replace_turns() -> None:
    """Copy the turns to a new table: SQLite cannot change a primary key."""
    op.rename_table("turns", "old_turns")
    op.create_table(
        "turns",
        sql.Column(
            "session_key", sql.Integer, sql.ForeignKey("sessions.key", ondelete="CASCADE"), primary_key=True
        ),
        sql.Column("id", sql.Integer, primary_key=True),
        sql.Column("parent", sql.Integer),
        sql.Column("number", sql.Integer, nullable=False),
        sql.Column("question", sql.JSON, nullable=False),
        sql.Column("answer", sql.JSON, nullable=False),
        sql.Column("reasoning", sql.JSON),
        sql.Column("tool_calls", sql.JSON),
        sql.Column("finish_reason", sql.String(16)),
        sql.Column("usage", sql.JSON),
        sql.Column("timings", sql.JSON),
        sql.Column("parameters", sql.JSON, nullable=False),
        sql.Column("rating", sql.Integer, nullable=False, server_default="0"),
        sql.Column("attachments", sql.JSON),
        sql.Column("created", sql.Double, nullable=False),
    )
    same = "session_key, number, question, answer, finish_reason, usage, parameters, created"
    op.execute(
        f"INSERT INTO turns (id, parent, {same}) SELECT number, nullif(number - 1, 0), {same} FROM old_turns"
    )
    op.drop_table("old_turns")


def _make_titles() -> None:
    """Make the titles of conversations of their first questions."""
    connection = op.get_bind()
    turns = sql.table("turns", sql.column("session_key"), sql.column("id"), sql.column("question", sql.JSON))
    sessions = sql.table(
        "sessions", sql.column("key"), sql.column("title", sql.JSON), sql.column("search_title", sql.Text)
    )
    last = 0
    while True:
        query = sql.select(turns.c.session_key, turns.c.question)
        query = query.where(turns.c.id == 1, turns.c.session_key > last)
        rows = connection.execute(query.order_by(turns.c.session_key).limit(_BATCH)).all()
        for last, question in rows:
            title = _make_title(question)
            values = {"title": title, "search_title": _fold(title)}
            connection.execute(sessions.update().where(sessions.c.key == last).values(**values))
        if not rows:
            break


def _fold(text: str) -> str:
    """As search.py does."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("\0", " ")


def _make_title(question: str) -> str:
    line = next((" ".join(line.split()) for line in question.splitlines() if line.split()), "")
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
