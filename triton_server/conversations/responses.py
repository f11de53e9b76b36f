"""The store of responses of OpenAI's Responses API.

A response belongs to an owner, who alone finds it. It does not change, unless it runs in the background: then
it changes until it ends. One that continues another names it, so a conversation is a chain of responses, or a
tree where several continue the same one.

A process that computes a response in the background says so at intervals (`beat`). If it has not for
LOST_AFTER_S, whoever reads the response ends it as failed. Several processes can use one database; which of
them ends a response first is decided by its row.
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
from .items import Addition, add_answer
from .limits import SessionLimits, measure
from .tables import StoredResponse
from .transactions import EXPIRY_BATCH, Database, change_rows, check_limits

_ID = re.compile("resp_[0-9a-f]{32}")
LOST_AFTER_S = 60.0
IS_LOST = "the service has ended before the response was complete; send the request again."


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
        stream: dict[str, Any] | None = None,
        addition: Addition | None = None,
        runs: bool = False,
    ) -> None:
        """Store a response, its input `items`, and the response that it continues.

        `stream`: how it came in events. `addition`: to the conversation that it continues; it is stored
        together with the response, or neither is. `runs`: it is in the background, until `finish`.
        """
        now = time.time()
        stored = StoredResponse(
            owner=owner,
            id=response["id"],
            previous=None if previous is None else previous.id,
            conversation=response["id"] if previous is None else previous.conversation,
            input=items,
            response=response,
            created=now,
            bytes=measure(items, response, stream),
            stream=stream,
            running=now if runs else None,
        )
        with self._database.changing() as transaction:
            transaction.add(stored)
            if addition is not None:
                add_answer(transaction, addition)

    def add_to_conversation(self, addition: Addition) -> None:
        """Add the items of a response, which itself is not stored, to a conversation."""
        with self._database.changing() as transaction:
            add_answer(transaction, addition)

    def update(self, owner: str, response: dict[str, Any]) -> None:
        """Store how far a response is that runs."""
        with self._database.changing() as transaction:
            transaction.execute(_of_running(owner, response["id"]).values(response=response))

    def beat(self, responses: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
        """Say that these responses, by owner and id, still run. Returns those that others have ended."""
        ended = set()
        with self._database.changing() as transaction:
            for owner, response_id in responses:
                if not change_rows(transaction, _of_running(owner, response_id).values(running=time.time())):
                    ended.add((owner, response_id))
        return ended

    def finish(
        self,
        owner: str,
        response: dict[str, Any],
        stream: dict[str, Any],
        addition: Addition | None = None,
    ) -> bool:
        """Store the end of a response that runs; the arguments are those of `add`.

        Returns False, and changes nothing, if it has ended already or is gone.
        """
        with self._database.changing() as transaction:
            ending = _of_running(owner, response["id"]).values(response=response, stream=stream, running=None)
            if not change_rows(transaction, ending):
                return False
            same = sql.select(StoredResponse).where(*_with_id(owner, response["id"]))
            stored = transaction.scalars(same).one()
            stored.bytes = measure(stored.input, response, stream)
            if addition is not None:
                add_answer(transaction, addition)
        return True

    def get(self, owner: str, response_id: str) -> StoredResponse:
        """A response. Raises ResponseNotFound."""
        stored = self._read(owner, response_id)
        if stored.running is not None and stored.running < time.time() - LOST_AFTER_S:
            self.end_lost(stored, "failed", {"code": "server_error", "message": IS_LOST})
            stored = self._read(owner, response_id)
        return stored

    def end_lost(self, stored: StoredResponse, status: str, error: dict[str, Any] | None) -> bool:
        """End a response of which only its process knows how far it is; as `finish`."""
        response = {**stored.response, "status": status, "error": error}
        return self.finish(stored.owner, response, {"is_cut": True})

    def _read(self, owner: str, response_id: str) -> StoredResponse:
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
            .limit(EXPIRY_BATCH)
        )
        removal = sql.delete(StoredResponse).where(StoredResponse.conversation.in_(oldest))
        return self._database.remove_in_batches(removal)


def _with_id(owner: str, response_id: Any) -> tuple[sql.ColumnElement[bool], ...]:
    return StoredResponse.owner == owner, StoredResponse.id == response_id


def _of_running(owner: str, response_id: str) -> sql.Update:
    """The beginning of a change of a response that runs."""
    return sql.update(StoredResponse).where(
        *_with_id(owner, response_id), StoredResponse.running.is_not(None)
    )


def _check_size(size: int, max_bytes: int, param: str) -> None:
    if max_bytes and size > max_bytes:
        raise ResponsesTooLarge(
            f"the responses of {param} are more than {max_bytes} bytes together (--max-body and "
            "--max-body-images).",
            param,
        )


def _missing(response_id: str) -> PreviousResponseNotFound:
    return PreviousResponseNotFound(
        f"there is no response {response_id[:64]!r} to continue: it was not stored, or it has been removed."
    )
