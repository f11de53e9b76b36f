"""The store of conversations of OpenAI's Conversations API: lists of items, in the form of Responses.

A conversation belongs to an owner, who alone finds it. Items are added at its end, and can be removed. The
answer to a conversation is added only if nothing else has come or gone since it was read, so each answer
follows the items that it answers.
"""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from sqlalchemy import orm
from sqlalchemy.exc import IntegrityError

from ..contract.conversation_errors import (
    ConversationLocked,
    ConversationNotFound,
    ItemExists,
    ItemNotFound,
    ResponsesTooLarge,
)
from .limits import SessionLimits, measure
from .tables import ConversationItem, ItemConversation
from .transactions import Database, change_rows, check_limits, remove_unchanged

_ID = re.compile("conv_[0-9a-f]{32}")
_ITEM_ID = re.compile("[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Addition:
    """Items to add to a conversation that has not changed since it was `seen`."""

    seen: ItemConversation
    items: list[dict[str, Any]]


class ItemStore:
    """The conversations of items of a database.

    The methods may be called from several threads. Each is one transaction, which is committed when the
    method returns. Each raises StoreError if the database cannot be used, ConversationNotFound for an id that
    the owner has no conversation of, and SessionsFull if the owner has reached a limit.
    """

    def __init__(self, database: Database, limits: SessionLimits) -> None:
        """`limits` are those of sessions: an owner may have as many conversations, of as many bytes."""
        self._database, self._limits = database, limits
        self._held: set[tuple[str, str]] = set()

    @contextmanager
    def hold(self, owner: str, conversation_id: str) -> Iterator[None]:
        """Reserve a conversation for one request of this event loop.

        Raises ConversationLocked if another has it.
        """
        key = (owner, conversation_id)
        if key in self._held:
            raise ConversationLocked(conversation_id[:64])
        self._held.add(key)
        try:
            yield
        finally:
            self._held.discard(key)

    def create(
        self, owner: str, conversation_id: str, labels: dict[str, Any], items: Sequence[dict[str, Any]]
    ) -> ItemConversation:
        """Store a conversation. Raises ItemExists if two of the items have one id."""
        now = time.time()
        conversation = ItemConversation(
            owner=owner,
            id=conversation_id,
            labels=labels,
            created=now,
            updated=now,
            version=1,
            bytes=measure(labels),
        )
        with self._database.changing() as transaction:
            transaction.add(conversation)
            transaction.flush()
            _add_items(transaction, conversation, items)
            self._check_limits(transaction, owner)
        return conversation

    def get(self, owner: str, conversation_id: str) -> ItemConversation:
        """A conversation, without its items."""
        with self._database.reading() as transaction:
            return _read(transaction, owner, conversation_id)

    def get_all(
        self, owner: str, conversation_id: str, max_bytes: int
    ) -> tuple[ItemConversation, list[dict[str, Any]]]:
        """A conversation and its items. Raises ResponsesTooLarge for more than `max_bytes`; 0: no limit."""
        with self._database.reading() as transaction:
            conversation = _read(transaction, owner, conversation_id)
            if max_bytes and conversation.bytes > max_bytes:
                raise ResponsesTooLarge(
                    f"the items of the conversation are more than {max_bytes} bytes together (--max-body and "
                    "--max-body-images).",
                    "conversation",
                )
            query = sql.select(ConversationItem.item).where(_of(conversation)).order_by(ConversationItem.key)
            return conversation, list(transaction.scalars(query))

    def change(self, owner: str, conversation_id: str, labels: dict[str, Any]) -> ItemConversation:
        """Replace the metadata of a conversation."""
        with self._database.changing() as transaction:
            conversation = _lock(transaction, owner, conversation_id)
            conversation.bytes += measure(labels) - measure(conversation.labels)
            conversation.labels = labels
            transaction.flush()
            self._check_limits(transaction, owner)
            return conversation

    def delete(self, owner: str, conversation_id: str) -> None:
        """Remove a conversation with its items."""
        with self._database.changing() as transaction:
            removal = sql.delete(ItemConversation).where(*_with_id(owner, conversation_id))
            if not _ID.fullmatch(conversation_id) or not change_rows(transaction, removal):
                raise _not_found(conversation_id)
        self._database.free_disk_space()

    def add(self, owner: str, conversation_id: str, items: Sequence[dict[str, Any]]) -> None:
        """Add items to a conversation. Raises ItemExists for an id that it has already."""
        with self._database.changing() as transaction:
            conversation = _lock(transaction, owner, conversation_id)
            conversation.version += 1
            _add_items(transaction, conversation, items)
            self._check_limits(transaction, owner)

    def check_addition(self, seen: ItemConversation, items: Sequence[dict[str, Any]]) -> None:
        """Raises ItemExists or SessionsFull if these items could not be added to a conversation."""
        with self._database.reading() as transaction:
            _check_ids(transaction, seen, items)
            size = sum(measure(item) for item in items)
            self._check_limits(transaction, seen.owner, size)

    def list_items(
        self, owner: str, conversation_id: str, limit: int, is_descending: bool, after: str | None
    ) -> list[dict[str, Any]]:
        """At most `limit` items of a conversation, those after the item `after`. Raises ItemNotFound."""
        order = ConversationItem.key.desc() if is_descending else ConversationItem.key.asc()
        with self._database.reading() as transaction:
            conversation = _read(transaction, owner, conversation_id)
            query = sql.select(ConversationItem.item).where(_of(conversation)).order_by(order).limit(limit)
            if after is not None:
                key = _read_item(transaction, conversation, after).key
                query = query.where(
                    ConversationItem.key < key if is_descending else ConversationItem.key > key
                )
            return list(transaction.scalars(query))

    def get_item(self, owner: str, conversation_id: str, item_id: str) -> dict[str, Any]:
        """An item of a conversation. Raises ItemNotFound."""
        with self._database.reading() as transaction:
            return _read_item(transaction, _read(transaction, owner, conversation_id), item_id).item

    def delete_item(self, owner: str, conversation_id: str, item_id: str) -> ItemConversation:
        """Remove an item of a conversation. Raises ItemNotFound."""
        with self._database.changing() as transaction:
            conversation = _lock(transaction, owner, conversation_id)
            item = _read_item(transaction, conversation, item_id)
            conversation.bytes -= item.bytes
            conversation.version += 1
            transaction.delete(item)
        return conversation

    def remove_expired(self, age_s: float) -> int:
        """Remove the conversations that have not changed for `age_s` seconds; their number.

        Those that a request of this process has reserved are not removed. A database that was not used yet is
        left alone.
        """
        if not self._database.is_ready:
            return 0
        removal = remove_unchanged(ItemConversation, age_s, list(self._held))
        return self._database.remove_in_batches(removal)

    def _check_limits(self, transaction: orm.Session, owner: str, size: int = 0) -> None:
        """Raises SessionsFull if what the owner has, and `size` more bytes, are over a limit."""
        rows = ItemConversation.owner == owner
        check_limits(transaction, self._limits, ItemConversation.bytes, rows, "conversations", (0, size))


def add_answer(transaction: orm.Session, addition: Addition) -> None:
    """Add items to a conversation in a transaction of another store.

    Raises ConversationLocked if it has changed since it was seen, or is gone.
    """
    seen = addition.seen
    update = (
        sql.update(ItemConversation)
        .where(ItemConversation.key == seen.key, ItemConversation.version == seen.version)
        .values(version=seen.version + 1)
    )
    if not change_rows(transaction, update):
        raise ConversationLocked(seen.id)
    conversation = transaction.scalars(
        sql.select(ItemConversation).where(ItemConversation.key == seen.key)
    ).one()
    _add_items(transaction, conversation, addition.items)


def _add_items(
    transaction: orm.Session, conversation: ItemConversation, items: Sequence[dict[str, Any]]
) -> None:
    _check_ids(transaction, conversation, items)
    rows = [
        ConversationItem(conversation_key=conversation.key, id=item["id"], item=item, bytes=measure(item))
        for item in items
    ]
    conversation.bytes += sum(row.bytes for row in rows)
    conversation.updated = time.time()
    for row in rows:  # one after the other, so that their keys have this order
        transaction.add(row)
        try:
            transaction.flush()
        except IntegrityError as error:
            raise ItemExists(row.id) from error


def _check_ids(
    transaction: orm.Session, conversation: ItemConversation, items: Sequence[dict[str, Any]]
) -> None:
    """Raises ItemExists if the conversation, or another of the items, has the id of one of them."""
    ids = [item["id"] for item in items]
    query = sql.select(ConversationItem.id).where(_of(conversation), ConversationItem.id.in_(ids))
    taken = set(transaction.scalars(query))
    for each in ids:
        if each in taken:
            raise ItemExists(each)
        taken.add(each)


def _read(transaction: orm.Session, owner: str, conversation_id: str) -> ItemConversation:
    query = sql.select(ItemConversation).where(*_with_id(owner, conversation_id))
    found = transaction.scalar(query) if _ID.fullmatch(conversation_id) else None
    if found is None:
        raise _not_found(conversation_id)
    return found


def _lock(transaction: orm.Session, owner: str, conversation_id: str) -> ItemConversation:
    """A conversation that is to change. Others wait for the end of the transaction."""
    if _ID.fullmatch(conversation_id):
        update = sql.update(ItemConversation).where(*_with_id(owner, conversation_id))
        transaction.execute(update.values(version=ItemConversation.version))
    return _read(transaction, owner, conversation_id)


def _read_item(transaction: orm.Session, conversation: ItemConversation, item_id: str) -> ConversationItem:
    query = sql.select(ConversationItem).where(_of(conversation), ConversationItem.id == item_id)
    found = transaction.scalar(query) if _ITEM_ID.fullmatch(item_id) else None
    if found is None:
        raise ItemNotFound(f"the conversation {conversation.id} has no item {item_id[:64]!r}.", "item_id")
    return found


def _of(conversation: ItemConversation) -> sql.ColumnElement[bool]:
    return ConversationItem.conversation_key == conversation.key


def _with_id(owner: str, conversation_id: str) -> tuple[sql.ColumnElement[bool], ...]:
    return ItemConversation.owner == owner, ItemConversation.id == conversation_id


def _not_found(conversation_id: str) -> ConversationNotFound:
    return ConversationNotFound(
        f"there is no conversation {conversation_id[:64]!r}: it was not created, or it has been removed.",
        "conversation",
    )
