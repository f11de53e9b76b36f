"""Documents and votes: small JSON values of an owner, for the page's settings, presets and arena."""

import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError

from ..contract.conversation_errors import DocumentNotFound, StoreConflict
from .limits import SessionLimits, measure
from .tables import Document, Vote
from .transactions import Database, change_rows, check_limits


class DocumentStore:
    """The documents and votes of a database.

    A document has a name, which is unique among those of its kind. The methods may be called from several
    threads, and raise StoreError and StoreConflict as those of `ConversationStore`.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        """`limits` are those of sessions: an owner may have as many documents, and as many votes."""
        self._database, self._limits = database, limits

    def list_documents(self, owner: str, kind: str) -> dict[str, Any]:
        """The documents of a kind: their values by name, in the order of the names."""
        query = sql.select(Document.name, Document.value).where(*_of_kind(owner, kind))
        with self._database.reading() as transaction:
            return dict(map(tuple, transaction.execute(query.order_by(Document.name))))

    def get(self, owner: str, kind: str, name: str) -> Any:
        """The value of a document. Raises DocumentNotFound."""
        query = sql.select(Document.value).where(*_of_kind(owner, kind), Document.name == name)
        with self._database.reading() as transaction:
            found = transaction.execute(query).one_or_none()
        if found is None:
            raise _not_found(kind, name)
        return found[0]

    def put(self, owner: str, kind: str, name: str, value: Any) -> None:
        """Store a document; it replaces the one with its name. Raises SessionsFull."""
        document = Document(
            owner=owner, kind=kind, name=name, value=value, updated=time.time(), bytes=measure(value)
        )
        removal = sql.delete(Document).where(*_of_kind(owner, kind), Document.name == name)
        with self._database.changing() as transaction:
            transaction.execute(removal)
            transaction.add(document)
            try:
                transaction.flush()
            except IntegrityError as error:  # somebody else has just added it
                raise StoreConflict(
                    "somebody else has changed the document at the same time; try again."
                ) from error
            check_limits(transaction, self._limits, Document.bytes, Document.owner == owner, "documents")

    def delete(self, owner: str, kind: str, name: str) -> None:
        """Remove a document. Raises DocumentNotFound."""
        removal = sql.delete(Document).where(*_of_kind(owner, kind), Document.name == name)
        with self._database.changing() as transaction:
            if not change_rows(transaction, removal):
                raise _not_found(kind, name)

    def add_vote(self, owner: str, vote: Mapping[str, Any]) -> None:
        """Append a vote. Raises SessionsFull."""
        added = Vote(owner=owner, vote=dict(vote), created=time.time(), bytes=measure(vote))
        with self._database.changing() as transaction:
            transaction.add(added)
            transaction.flush()
            check_limits(transaction, self._limits, Vote.bytes, Vote.owner == owner, "votes")

    def list_votes(self, owner: str) -> list[dict[str, Any]]:
        """All votes of an owner, the oldest first, each with its time in `created`."""
        query = sql.select(Vote.vote, Vote.created).where(Vote.owner == owner).order_by(Vote.key)
        with self._database.reading() as transaction:
            return [{**vote, "created": created} for vote, created in transaction.execute(query)]


def _of_kind(owner: str, kind: str) -> tuple[sql.ColumnElement[bool], ...]:
    return Document.owner == owner, Document.kind == kind


def _not_found(kind: str, name: str) -> DocumentNotFound:
    return DocumentNotFound(f"there is no {kind} with the name {name!r}.", "name")
