"""The tables of the present version. schema.py creates them, and migrations/versions upgrades older ones."""

from typing import Any

import sqlalchemy as sql
from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String, UniqueConstraint, orm
from sqlalchemy.orm import Mapped, mapped_column

Blob = bytes  # in classes with a column of that name


class Base(orm.DeclarativeBase):
    """The base class of the tables."""

    # Texts are stored as JSON, because they may contain NUL, and PostgreSQL's text may not.
    type_annotation_map = {  # noqa: RUF012 - as SQLAlchemy asks
        dict[str, Any]: JSON,
        list[dict[str, Any]]: JSON,
        list[str]: JSON,
        float: sql.Double,
    }


class Session(Base):
    """A conversation, as it was when it was read. Times are in seconds since 1970.

    Attributes:
        version: grows with every change that matters to an answer; see store.py.
        bytes: the size with its turns, as limits.py counts it.
        title: None until the first question. `search_title` is the same in the form of search.py.
        deleted: when it was deleted, so that it can still be restored; None: it was not.
        head: the id of the turn whose path is shown; None: no turn.
        last_turn: the largest id that a turn of it ever had.
        tree: all turns.
    """

    __tablename__ = "sessions"
    # AUTOINCREMENT never uses a key again, so what was created later has a larger one.
    __table_args__ = (
        UniqueConstraint("owner", "id"),
        Index("sessions_newest", "owner", "key"),
        Index("sessions_sizes", "owner", "bytes"),
        Index("sessions_oldest", "updated"),
        Index("sessions_recent", "owner", "pinned", "updated", "key"),
        {"sqlite_autoincrement": True},
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    system: Mapped[str | None] = mapped_column(JSON(none_as_null=True))
    parameters: Mapped[dict[str, Any]]
    created: Mapped[float]
    updated: Mapped[float]
    version: Mapped[int]
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    title: Mapped[str | None] = mapped_column(JSON(none_as_null=True))
    search_title: Mapped[str | None] = mapped_column(sql.Text)
    pinned: Mapped[bool] = mapped_column(server_default=sql.false())
    deleted: Mapped[float | None]
    head: Mapped[int | None]
    last_turn: Mapped[int] = mapped_column(server_default="0")
    tree: Mapped[list["StoredTurn"]] = orm.relationship(order_by="StoredTurn.id", lazy="raise", viewonly=True)


class StoredTurn(Base):
    """A question and its answer. The fields of `tree.Turn` mean the same here.

    `number` counts the turns of the path from the root to this one, from 1.
    """

    __tablename__ = "turns"

    session_key: Mapped[int] = mapped_column(ForeignKey("sessions.key", ondelete="CASCADE"), primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True)
    parent: Mapped[int | None]
    number: Mapped[int]
    question: Mapped[str] = mapped_column(JSON)
    answer: Mapped[str] = mapped_column(JSON)
    reasoning: Mapped[str | None] = mapped_column(JSON(none_as_null=True))
    tool_calls: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    finish_reason: Mapped[str | None] = mapped_column(String(16))
    usage: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    timings: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    parameters: Mapped[dict[str, Any]]
    rating: Mapped[int] = mapped_column(server_default="0")
    receipt: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    attachments: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    created: Mapped[float]


class SearchText(Base):
    """The text of a turn in the form in which search.py compares texts. It is removed with its turn.

    In SQLite, triggers keep an index of it, `search_index` (migrations/versions/0005_search.py).
    """

    __tablename__ = "search_texts"
    __table_args__ = (
        UniqueConstraint("session_key", "turn"),
        sql.ForeignKeyConstraint(
            ["session_key", "turn"], ["turns.session_key", "turns.id"], ondelete="CASCADE"
        ),
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    session_key: Mapped[int]
    turn: Mapped[int]
    text: Mapped[str] = mapped_column(sql.Text)


class Document(Base):
    """A JSON value under a name, such as a preset of settings. `updated` is in seconds since 1970."""

    __tablename__ = "documents"

    owner: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON, nullable=False)
    updated: Mapped[float]
    bytes: Mapped[int] = mapped_column(BigInteger)


class Vote(Base):
    """A vote on two answers, as the page describes it. `created` is in seconds since 1970."""

    __tablename__ = "votes"
    __table_args__ = (Index("votes_of_owner", "owner", "key"),)

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    vote: Mapped[dict[str, Any]]
    created: Mapped[float]
    bytes: Mapped[int] = mapped_column(BigInteger)


class StoredResponse(Base):
    """A response of OpenAI's Responses API with its input, both as clients see them.

    `previous` is the id of the response that it continues. `conversation` is the id of the first response of
    this chain, which all that continue it have in common. Times are in seconds since 1970.

    Attributes:
        stream: how the answer came in events (api/responses/replay.py); None: in one piece.
        running: when the process that computes it has last said so; None: it has ended.
    """

    __tablename__ = "responses"
    __table_args__ = (
        UniqueConstraint("owner", "id"),
        Index("responses_sizes", "owner", "bytes"),
        Index("responses_oldest", "conversation", "created"),
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    previous: Mapped[str | None] = mapped_column(String(64))
    conversation: Mapped[str] = mapped_column(String(64))
    input: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    response: Mapped[dict[str, Any]]
    created: Mapped[float]
    bytes: Mapped[int] = mapped_column(BigInteger)  # as limits.py counts it
    stream: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    running: Mapped[float | None]

    @property
    def items(self) -> list[dict[str, Any]]:
        """Those of the input, and then those of the output."""
        return [*self.input, *self.response["output"]]


class ItemConversation(Base):
    """A conversation of OpenAI's Conversations API: a list of items. Times are in seconds since 1970.

    Attributes:
        labels: its `metadata`, which is another thing in SQLAlchemy.
        version: grows whenever items come or go.
        bytes: the size with its items, as limits.py counts it.
    """

    __tablename__ = "item_conversations"
    __table_args__ = (
        UniqueConstraint("owner", "id"),
        Index("item_conversations_sizes", "owner", "bytes"),
        Index("item_conversations_oldest", "updated"),
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    labels: Mapped[dict[str, Any]]
    created: Mapped[float]
    updated: Mapped[float]
    version: Mapped[int]
    bytes: Mapped[int] = mapped_column(BigInteger)


class ConversationItem(Base):
    """An item of a conversation, as clients see it. Items that were added later have larger keys."""

    __tablename__ = "conversation_items"
    __table_args__ = (UniqueConstraint("conversation_key", "id"), {"sqlite_autoincrement": True})

    key: Mapped[int] = mapped_column(primary_key=True)
    conversation_key: Mapped[int] = mapped_column(ForeignKey("item_conversations.key", ondelete="CASCADE"))
    id: Mapped[str] = mapped_column(String(64))
    item: Mapped[dict[str, Any]]
    bytes: Mapped[int] = mapped_column(BigInteger)


class StoredFile(Base):
    """A file of OpenAI's Files API, whose bytes are on disk (files.py).

    `created` and `expires` are in seconds since 1970; None: it does not expire. `bytes` is its size.
    """

    __tablename__ = "files"
    __table_args__ = (UniqueConstraint("id"), Index("files_sizes", "owner", "bytes"))

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    purpose: Mapped[str] = mapped_column(String(32))
    filename: Mapped[str] = mapped_column(JSON)
    bytes: Mapped[int] = mapped_column(BigInteger)
    created: Mapped[float]
    expires: Mapped[float | None]


class StoredBatch(Base):
    """A batch of OpenAI's Batch API, as clients see it, with what they do not see.

    Attributes:
        is_open: whether it has not ended yet.
        input_file, output_file, error_file: the ids of its files; the last two have rows at its end.
        output_expiry_s: after how many seconds the last two expire; None: never.
        created: in seconds since 1970.
    """

    __tablename__ = "batches"
    __table_args__ = (
        UniqueConstraint("id"),
        Index("batches_of_owner", "owner", "key"),
        Index("batches_open", "is_open"),
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    is_open: Mapped[bool]
    input_file: Mapped[str] = mapped_column(String(64))
    output_file: Mapped[str] = mapped_column(String(64))
    error_file: Mapped[str] = mapped_column(String(64))
    output_expiry_s: Mapped[float | None]
    batch: Mapped[dict[str, Any]]
    created: Mapped[float]


class Collection(Base):
    """A collection of files that is searched: OpenAI's vector store. Times are in seconds since 1970.

    Attributes:
        labels: its `metadata`, which is another thing in SQLAlchemy.
        expiry_days: after so many days without a use it is removed; None: never.
        embedder: the name of the model that makes its vectors.
        version: grows whenever what can be found changes.
    """

    __tablename__ = "collections"
    __table_args__ = (
        UniqueConstraint("id"),
        Index("collections_of_owner", "owner", "key"),
        {"sqlite_autoincrement": True},
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    id: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(JSON)
    labels: Mapped[dict[str, Any]]
    created: Mapped[float]
    used: Mapped[float]
    expiry_days: Mapped[int | None]
    embedder: Mapped[str] = mapped_column(JSON)
    version: Mapped[int] = mapped_column(server_default="0")


class CollectionFile(Base):
    """A file of a collection: how far it is, and the vectors of its chunks.

    Attributes:
        status: "in_progress", "completed", "cancelled" or "failed"; `error` says why it has failed.
        chunking: how it is to be cut, as clients see it.
        batch: the id of the batch with which it came; None: it came alone.
        bytes: of its chunks and vectors.
        noted: when a service that has its bytes noted that last, while it is in progress.
        fingerprint: of the model that has made the vectors.
        dimensions, vectors: of its chunks, in the order of their numbers (collections/vectors.py).
    """

    __tablename__ = "collection_files"
    __table_args__ = (
        UniqueConstraint("collection_key", "file_id"),
        Index("collection_files_status", "status"),
        Index("collection_files_id", "file_id"),
        {"sqlite_autoincrement": True},
    )

    key: Mapped[int] = mapped_column(primary_key=True)
    collection_key: Mapped[int] = mapped_column(ForeignKey("collections.key", ondelete="CASCADE"))
    file_id: Mapped[str] = mapped_column(String(64))
    filename: Mapped[str] = mapped_column(JSON)
    status: Mapped[str] = mapped_column(String(16))
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    attributes: Mapped[dict[str, Any]]
    chunking: Mapped[dict[str, Any]]
    batch: Mapped[str | None] = mapped_column(String(64))
    bytes: Mapped[int] = mapped_column(BigInteger)
    created: Mapped[float]
    noted: Mapped[float]
    fingerprint: Mapped[str | None] = mapped_column(String(128))
    dimensions: Mapped[int | None]
    vectors: Mapped[Blob | None] = mapped_column(sql.LargeBinary, deferred=True)


class CollectionChunk(Base):
    """A chunk of a file of a collection: its text, and where in the file it is."""

    __tablename__ = "collection_chunks"

    file_key: Mapped[int] = mapped_column(
        ForeignKey("collection_files.key", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(JSON)
    text: Mapped[str] = mapped_column(JSON)


class KeyHolder(Base):
    """A name that has API keys, and what its keys may do. Limits of 0 are none. Times are as in Session.

    Attributes:
        revoked: when all its keys were revoked; None: they were not.
        models: the names of the models that it may use; None: all.
        requests_left, tokens_left: of the limits of a minute, at the time `counted`; None: all.
    """

    __tablename__ = "key_holders"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    created: Mapped[float]
    revoked: Mapped[float | None]
    models: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    requests_per_minute: Mapped[int] = mapped_column(BigInteger)
    tokens_per_minute: Mapped[int] = mapped_column(BigInteger)
    requests_per_day: Mapped[int] = mapped_column(BigInteger)
    tokens_per_day: Mapped[int] = mapped_column(BigInteger)
    requests_left: Mapped[float | None]
    tokens_left: Mapped[float | None]
    counted: Mapped[float | None]


class StoredKey(Base):
    """An API key, of which only the hash is stored: SHA-256, in hexadecimal digits.

    It is not valid from the time `expires` on; None: always.
    """

    __tablename__ = "api_keys"
    __table_args__ = (Index("api_keys_of_holder", "name"),)

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), ForeignKey("key_holders.name", ondelete="CASCADE"))
    created: Mapped[float]
    expires: Mapped[float | None]


class KeyUsage(Base):
    """What the keys of a name have used on a day, which is counted in UTC from 1970-01-01."""

    __tablename__ = "key_usage"
    __table_args__ = (Index("key_usage_days", "day"),)

    name: Mapped[str] = mapped_column(
        String(64), ForeignKey("key_holders.name", ondelete="CASCADE"), primary_key=True
    )
    day: Mapped[int] = mapped_column(primary_key=True)
    requests: Mapped[int] = mapped_column(BigInteger)
    prompt_tokens: Mapped[int] = mapped_column(BigInteger)
    completion_tokens: Mapped[int] = mapped_column(BigInteger)
