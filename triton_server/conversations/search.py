"""The search in titles, questions and answers, of any part of a word, whatever its case.

SQLite's own comparison knows upper and lower case of ASCII only. So texts are stored a second time, folded.
Its index finds the turns that have each three characters of a word; then the word itself is looked for.
PostgreSQL, and SQLite for a word of one or two characters, read all texts until there are enough results.
"""

import unicodedata
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm

from model_core.errors import InvalidRequest

from .tables import SearchText, Session, StoredTurn

MAX_WORDS = 20
_GRAM = 3  # characters, of the index
_MAX_GRAMS = 8  # of a word that the index is asked for


def fold(text: str) -> str:
    """The text in the form in which texts are compared. It has no NUL, which PostgreSQL does not store."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("\0", " ")


def text_of(turn: StoredTurn) -> str:
    """What is searched of a turn: its question, its answer, and the names of its attachments."""
    names = [file["name"] for file in turn.attachments or ()]
    return fold("\n".join([turn.question, turn.answer, *names]))


def has_words(transaction: orm.Session, query: str) -> list[sql.ColumnElement[bool]]:
    """Conditions for sessions that have each word of a query in their title or in a turn.

    Raises InvalidRequest for too many words.
    """
    words = set(fold(query).split())
    if len(words) > MAX_WORDS:
        raise InvalidRequest(f"search has {len(words)} words; at most {MAX_WORDS} are looked for.", "search")
    is_sqlite = transaction.get_bind().dialect.name == "sqlite"
    find = sql.func.instr if is_sqlite else sql.func.strpos
    conditions = []
    # The longest word first: it is the rarest, and the others are not looked for where it is not.
    for word in sorted(words, key=len, reverse=True):
        in_turn = sql.exists().where(SearchText.session_key == Session.key)
        if is_sqlite and len(word) >= _GRAM:
            found: sql.Select[Any] = sql.select(sql.column("rowid")).select_from(sql.table("search_index"))
            found = found.where(sql.column("search_index").op("MATCH")(_match(word)))
            # With + 0, SQLite reads these keys once, and not again for each session.
            in_turn = in_turn.where((SearchText.key + 0).in_(found))
        in_turn = in_turn.where(find(SearchText.text, word) > 0)
        conditions.append(sql.or_(find(Session.search_title, word) > 0, in_turn))
    return conditions


def _match(word: str) -> str:
    """FTS5's expression for texts that have the parts of a word; not all of a long one."""
    count = len(word) - _GRAM + 1
    starts = range(0, count, -(-count // _MAX_GRAMS))
    grams = (word[start : start + _GRAM].replace('"', '""') for start in starts)
    return " AND ".join(f'"{gram}"' for gram in grams)
