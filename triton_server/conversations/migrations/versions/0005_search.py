"""The texts that are searched, and in SQLite an index of them by three characters."""

import unicodedata

import sqlalchemy as sql
from alembic import op

revision, down_revision = "0005", "0004"

_BATCH = 500
_ADD = "INSERT INTO search_index (rowid, text) VALUES (new.key, new.text);"
_REMOVE = "INSERT INTO search_index (search_index, rowid, text) VALUES ('delete', old.key, old.text);"


def upgrade() -> None:
    """Create the table and its index, and fill them with the texts of all turns."""
    op.execute("DROP TABLE IF EXISTS search_texts")
    op.create_table(
        "search_texts",
        # SQLite may change the row ids of a table without such a key, and the index has them.
        sql.Column("key", sql.Integer, primary_key=True),
        sql.Column("session_key", sql.Integer, nullable=False),
        sql.Column("turn", sql.Integer, nullable=False),
        sql.Column("text", sql.Text, nullable=False),
        sql.UniqueConstraint("session_key", "turn"),
        sql.ForeignKeyConstraint(
            ["session_key", "turn"], ["turns.session_key", "turns.id"], ondelete="CASCADE"
        ),
    )
    if op.get_bind().dialect.name == "sqlite":
        # https://sqlite.org/fts5.html#external_content_tables
        op.execute(
            "CREATE VIRTUAL TABLE search_index USING fts5(text, content='search_texts', content_rowid='key', "
            "tokenize='trigram case_sensitive 1', detail=none)"
        )
        for name, change, statements in (
            ("added", "INSERT", _ADD),
            ("removed", "DELETE", _REMOVE),
            ("changed", "UPDATE", _REMOVE + _ADD),
        ):
            op.execute(
                f"CREATE TRIGGER search_texts_{name} AFTER {change} ON search_texts BEGIN {statements} END"
            )
    _fill()


def _fill() -> None:
    connection = op.get_bind()
    texts = sql.table("search_texts", sql.column("session_key"), sql.column("turn"), sql.column("text"))
    turns = sql.table(
        "turns",
        sql.column("session_key", sql.Integer),
        sql.column("id", sql.Integer),
        sql.column("question", sql.JSON),
        sql.column("answer", sql.JSON),
    )
    order = turns.c.session_key, turns.c.id
    last = (0, 0)
    while True:
        query = sql.select(*order, turns.c.question, turns.c.answer)
        query = query.where(sql.tuple_(*order) > sql.tuple_(*map(sql.literal, last)))
        rows = connection.execute(query.order_by(*order).limit(_BATCH)).all()
        if not rows:
            break
        connection.execute(
            texts.insert(),
            [{"session_key": key, "turn": turn, "text": _fold(f"{q}\n{a}")} for key, turn, q, a in rows],
        )
        last = (rows[-1][0], rows[-1][1])


def _fold(text: str) -> str:
    """As search.py does."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("\0", " ")
