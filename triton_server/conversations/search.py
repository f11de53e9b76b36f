"""The search in titles, questions and answers, of any part of a word, whatever its case.

SQLite's own comparison knows upper and lower case of ASCII only. So texts are stored a second time, folded.
"""

import unicodedata

import sqlalchemy as sql
from sqlalchemy import orm

from .tables import SearchText, Session, StoredTurn

MAX_WORDS = 8


def fold(text: str) -> str:
    """The text in the form in which texts are compared. It has no NUL, which PostgreSQL does not store."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("\0", " ")


def text_of(turn: StoredTurn) -> str:
    """What is searched of a turn: its question, its answer, and the names of its attachments."""
    names = [file["name"] for file in turn.attachments or ()]
    return fold("\n".join([turn.question, turn.answer, *names]))


def has_words(transaction: orm.Session, query: str) -> list[sql.ColumnElement[bool]]:
    """Conditions for sessions that have each word of a query in their title or in a turn."""
    find = sql.func.instr if transaction.get_bind().dialect.name == "sqlite" else sql.func.strpos
    conditions = []
    for word in dict.fromkeys(fold(query).split()[:MAX_WORDS]):
        in_turn = sql.exists().where(SearchText.session_key == Session.key, find(SearchText.text, word) > 0)
        conditions.append(sql.or_(find(Session.search_title, word) > 0, in_turn))
    return conditions
