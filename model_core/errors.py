"""The errors that are raised on purpose.

Every message is one sentence that names the limit and says what to do. `type` is a stable name, which clients
get in `details.error.type`. `status` is the HTTP status with the same meaning.
"""

import errno


class TritonchatError(Exception):
    """The base of all errors raised on purpose.

    Attributes:
        param: the parameter that is wrong, such as `temperature` or `messages[0].role`, if it is one.
        partial: the text of the answer until the error.
        retry_after_s: when to try again, if that is known.
    """

    type = "internal"
    status = 500
    partial = ""
    retry_after_s: int | None = None

    def __init__(self, message: str = "", param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


def capitalize_sentence(message: str) -> str:
    """The message with a capital letter, unless it begins with the name of a field or a file."""
    first = message.partition(" ")[0].rstrip(",;:")
    return message[:1].upper() + message[1:] if first.isalpha() else message


class ModelError(TritonchatError):
    """A model folder that cannot be loaded: missing, damaged, or of an unknown family."""

    type = "model"


class InvalidRequest(TritonchatError):
    """A request that cannot succeed without a change."""

    type = "invalid_request"
    status = 400


class NotAllowed(TritonchatError):
    """A request that this server does not allow to anybody."""

    type = "not_allowed"
    status = 403


class ModelNotFound(InvalidRequest):
    """A request for a model that the server does not have."""

    type = "model_not_found"
    status = 404


class PromptNotFound(InvalidRequest):
    """A saved prompt that the server does not have."""

    type = "prompt_not_found"
    status = 404


class ModelUnavailable(TritonchatError):
    """A request for a model that the server has, but could not load."""

    type = "model_unavailable"
    status = 503


class PromptTooLong(InvalidRequest):
    """A prompt that leaves no room for an answer in the maximum context."""

    type = "prompt_too_long"


class QueueFull(TritonchatError):
    """The queue of waiting requests is full."""

    type = "queue_full"
    status = 429


class NoMemory(TritonchatError):
    """There is no memory for a model, or for a request that may need more KV memory than the server has."""

    type = "no_memory"
    status = 400


def is_memory_refusal(error: BaseException) -> bool:
    """Whether the system has refused memory, for an array, a file to be mapped, a thread or a process."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    text = str(error)
    no_thread = isinstance(error, RuntimeError) and text == "can't start new thread"
    no_library = isinstance(error, ImportError) and ("map segment" in text or "allocate memory" in text)
    return isinstance(error, MemoryError) or no_thread or no_library


class ShuttingDown(TritonchatError):
    """The server is stopping and takes no new requests."""

    type = "shutting_down"
    status = 503


class PromptFileError(InvalidRequest):
    """A file of a saved prompt that cannot be used: damaged, or computed by another model."""

    type = "prompt_file"


class PromptReplaced(PromptFileError):
    """A file of a saved prompt that has become that of another prompt."""


class StorageError(TritonchatError):
    """A file that cannot be written, for example because the disk is full."""

    type = "storage"
    status = 507


class RequestCancelled(TritonchatError):
    """A request that was cancelled, and whose results so far are of no use."""

    type = "cancelled"
    status = 499  # as nginx logs it


class RequestTimeout(TritonchatError):
    """A request whose `timeout_s` is over."""

    type = "timeout"
    status = 408


class NotFinite(TritonchatError):
    """A model that computed numbers that are infinite or not a number."""

    def __init__(self) -> None:
        super().__init__("the model computed numbers that are not finite; its weights may be damaged.")
