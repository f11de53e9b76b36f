"""The errors of the store. Each names the reason in one sentence, and has the HTTP status for it."""

from model_core.errors import TritonchatError


class StoreRefusal(TritonchatError):
    """The base of the errors of the store. After `retry_after_s` seconds, the request may succeed."""

    retry_after_s: int | None = None


class StoreError(StoreRefusal):
    """The database cannot be used: it does not answer, is damaged, or belongs to another program."""

    type = "database"
    status = 503


class StoreConflict(StoreRefusal):
    """Others have changed what a transaction has read."""

    type = "conflict"
    status = 409


class SessionNotFound(StoreRefusal):
    """The owner has no session with this id."""

    type = "session_not_found"
    status = 404

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is no session {session_id}; POST /sessions makes one.")


class SessionExists(StoreRefusal):
    """The owner already has a session with this id."""

    type = "session_exists"
    status = 409

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is a session {session_id} already; go on with it, or choose another id.")


class SessionBusy(StoreRefusal):
    """Another request uses the session, or has changed it since it was read."""

    type = "session_busy"
    status = 409
    retry_after_s = 1

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"another request works on session {session_id}; repeat this one when that has ended."
        )


class SessionsFull(StoreRefusal):
    """The owner has reached the limit for sessions, responses or others, or for their size."""

    type = "sessions_full"
    status = 403


class ConversationNotFound(StoreRefusal):
    """The owner has no conversation with this id, or it has been deleted."""

    type = "conversation_not_found"
    status = 404


class TurnNotFound(StoreRefusal):
    """The conversation has no turn with this id."""

    type = "turn_not_found"
    status = 404


class DocumentNotFound(StoreRefusal):
    """The owner has no document with this name."""

    type = "document_not_found"
    status = 404


class ResponseNotFound(StoreRefusal):
    """The owner has no response with this id."""

    type = "response_not_found"
    status = 404

    def __init__(self, response_id: str) -> None:
        super().__init__(
            f"there is no response {response_id[:64]!r}: it was not stored, or it has been removed.",
            "response_id",
        )


class PreviousResponseNotFound(StoreRefusal):
    """The owner has no response with this id, which another one is to continue."""

    type = "previous_response_not_found"
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message, "previous_response_id")


class PreviousResponseNotComplete(StoreRefusal):
    """The response that another one is to continue still runs, or has failed or was cancelled."""

    type = "previous_response_not_complete"
    status = 400

    def __init__(self, response_id: str, status: str) -> None:
        super().__init__(
            f"the response {response_id[:64]} is {status}; only one that has ended with an answer can be "
            "continued.",
            "previous_response_id",
        )


class ConversationLocked(StoreRefusal):
    """Another request works on the conversation, or has changed it since it was read."""

    type = "conversation_locked"
    status = 409
    retry_after_s = 1

    def __init__(self, conversation_id: str) -> None:
        super().__init__(
            f"another request works on conversation {conversation_id}; repeat this one when that has ended."
        )


class ItemNotFound(StoreRefusal):
    """The conversation has no item with this id."""

    type = "item_not_found"
    status = 404


class ItemExists(StoreRefusal):
    """The conversation already has an item with this id."""

    type = "item_exists"
    status = 400

    def __init__(self, item_id: str) -> None:
        super().__init__(f"the conversation has an item {item_id} already; leave its id out.", "items")


class ResponsesTooLarge(StoreRefusal):
    """The stored responses or items that a request needs are too large together."""

    type = "too_large"
    status = 413


class FileNotFound(StoreRefusal):
    """The owner has no file with this id."""

    type = "file_not_found"
    status = 404

    def __init__(self, file_id: str, param: str = "file_id") -> None:
        super().__init__(f"there is no file {file_id[:64]!r}: it was removed, or never uploaded.", param)


class FileInUse(StoreRefusal):
    """A batch that has not ended reads the file."""

    type = "file_in_use"
    status = 409


class BatchNotFound(StoreRefusal):
    """The owner has no batch with this id."""

    type = "batch_not_found"
    status = 404

    def __init__(self, batch_id: str, param: str = "batch_id") -> None:
        super().__init__(f"there is no batch {batch_id[:64]!r} here.", param)


class BatchEnded(StoreRefusal):
    """The batch has ended, so it cannot be cancelled."""

    type = "batch_ended"
    status = 409


class TooManyBatches(StoreRefusal):
    """The owner has as many batches that have not ended as the service takes."""

    type = "too_many_batches"
    status = 429
    retry_after_s = 60


class CollectionNotFound(StoreRefusal):
    """The owner has no collection with this id."""

    type = "vector_store_not_found"
    status = 404

    def __init__(self, collection_id: str, param: str = "vector_store_id") -> None:
        super().__init__(
            f"there is no vector store {collection_id[:64]!r}: it was removed, or never created.", param
        )


class CollectionFileNotFound(StoreRefusal):
    """The collection has no file with this id, or no batch of files."""

    type = "vector_store_file_not_found"
    status = 404


class CollectionFull(StoreRefusal):
    """The collection has as many files or chunks as a collection may have."""

    type = "vector_store_full"
    status = 400


# Those that clients of the gRPC interface get.
STORE_ERRORS = (
    StoreError,
    StoreConflict,
    SessionsFull,
    ConversationNotFound,
    TurnNotFound,
    DocumentNotFound,
    CollectionNotFound,
    CollectionFileNotFound,
    CollectionFull,
)
