"""The store of responses of OpenAI's Responses API.

A response belongs to an owner, who alone finds it. Responses do not change. One that continues another names
it, so a conversation is a chain of responses, or a tree where several continue the same one.
"""

import re
import time
from collections.abc import Collection
from typing import Any

import sqlalchemy as sql

from ..contract.conversation_errors import (
    PreviousResponseNotFound,
    ResponseNotFound,
    ResponsesTooLarge,
)
from .limits import SessionLimits, measure
from .tables import StoredResponse
from .transactions import Database, change_rows, check_limits

_ID = re.compile("resp_[0-9a-f]{32}")
_EXPIRY_BATCH = 100


class ResponseStore:
    """The responses of a database.

    The methods may be called from several threads. Each is one transaction, which is committed when the
    method returns. Each raises StoreError if the database cannot be used.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        """`limits` are those of sessions: an owner may have as many responses, of as many bytes."""
        self._database, self._limits = database, limits

    def check_room(self, owner: str, *values: Any) -> None:
        """Raises SessionsFull unless the owner may store a response with these parts."""
        with self._database.reading() as transaction:
            check_limits(
                transaction,
                self._limits,
                StoredResponse.bytes,
                StoredResponse.owner == owner,
                "responses",
                (1, measure(*values)),
                'remove some that you no longer need, or send "store": false.',
            )

    def add(
        self,
        owner: str,
        response: dict[str, Any],
        items: list[dict[str, Any]],
        previous: StoredResponse | None,
    ) -> None:
        """Store a response, its input `items`, and the response that it continues."""
        stored = StoredResponse(
            owner=owner,
            id=response["id"],
            previous=None if previous is None else previous.id,
            conversation=response["id"] if previous is None else previous.conversation,
            input=items,
            response=response,
            created=time.time(),
            bytes=measure(items, response),
        )
        with self._database.changing() as transaction:
            transaction.add(stored)

    def get(self, owner: str, response_id: str) -> StoredResponse:
        """A response. Raises ResponseNotFound."""
        with self._database.reading() as transaction:
            query = sql.select(StoredResponse).where(*_with_id(owner, response_id))
            stored = transaction.scalar(query) if _ID.fullmatch(response_id) else None
        if stored is None:
            raise ResponseNotFound(response_id)
        return stored

    def get_chain(self, owner: str, response_id: str, max_bytes: int) -> list[StoredResponse]:
        """A response and all that it continues, the first of them first.

        Raises PreviousResponseNotFound if one of them is missing, and ResponsesTooLarge if all together have
        more than `max_bytes`; 0: no limit.
        """
        if not _ID.fullmatch(response_id):
            raise _missing(response_id)
        columns = StoredResponse.key, StoredResponse.previous, StoredResponse.bytes
        end = sql.select(*columns, sql.literal(0).label("distance")).where(*_with_id(owner, response_id))
        chain = end.cte("chain", recursive=True)
        chain = chain.union_all(
            sql.select(*columns, chain.c.distance + 1).where(*_with_id(owner, chain.c.previous))
        )
        with self._database.reading() as transaction:
            size = transaction.scalar(sql.select(sql.func.sum(chain.c.bytes)))
            if size is None:
                raise _missing(response_id)
            _check_size(size, max_bytes, "previous_response_id")
            query = sql.select(StoredResponse).join(chain, chain.c.key == StoredResponse.key)
            responses = list(transaction.scalars(query.order_by(chain.c.distance.desc())))
        if responses[0].previous is not None:
            raise PreviousResponseNotFound(
                f"the response {responses[0].previous}, which is part of the conversation of {response_id}, "
                "has been removed; send the conversation as input."
            )
        return responses

    def get_all(self, owner: str, response_ids: Collection[str], max_bytes: int) -> list[StoredResponse]:
        """Those of the responses that there are. Raises ResponsesTooLarge as `get_chain`."""
        conditions = StoredResponse.owner == owner, StoredResponse.id.in_(response_ids)
        with self._database.reading() as transaction:
            size = transaction.scalar(sql.select(sql.func.sum(StoredResponse.bytes)).where(*conditions))
            _check_size(size or 0, max_bytes, "input")
            return list(transaction.scalars(sql.select(StoredResponse).where(*conditions)))

    def delete(self, owner: str, response_id: str) -> None:
        """Remove a response. Raises ResponseNotFound."""
        if not _ID.fullmatch(response_id):
            raise ResponseNotFound(response_id)
        with self._database.changing() as transaction:
            removal = sql.delete(StoredResponse).where(*_with_id(owner, response_id))
            if not change_rows(transaction, removal):
                raise ResponseNotFound(response_id)
        self._database.free_disk_space()

    def remove_expired(self, age_s: float) -> int:
        """Remove the conversations to which nothing was added for `age_s` seconds.

        Returns the number of responses. A database that was not used yet is left alone.
        """
        if not self._database.is_ready:
            return 0
        oldest = (
            sql.select(StoredResponse.conversation)
            .group_by(StoredResponse.conversation)
            .having(sql.func.max(StoredResponse.created) < time.time() - age_s)
            .limit(_EXPIRY_BATCH)
        )
        removed = 0
        while True:
            with self._database.changing() as transaction:
                removal = sql.delete(StoredResponse).where(StoredResponse.conversation.in_(oldest))
                count = change_rows(transaction, removal)
            removed += count
            if not count:
                break
        if removed:
            self._database.free_disk_space()
        return removed


def _with_id(owner: str, response_id: Any) -> tuple[sql.ColumnElement[bool], ...]:
    return StoredResponse.owner == owner, StoredResponse.id == response_id


def _check_size(size: int, max_bytes: int, param: str) -> None:
    if max_bytes and size > max_bytes:
        raise ResponsesTooLarge(
            f"the responses of {param} are more than {max_bytes} bytes together (--max-body).", param
        )


def _missing(response_id: str) -> PreviousResponseNotFound:
    return PreviousResponseNotFound(
        f"there is no response {response_id[:64]!r} to continue: it was not stored, or it has been removed."
    )
