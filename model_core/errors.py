"""The errors that are raised on purpose.

Every message is one sentence that names the limit and says what to do. `type` is a stable name, which clients
get in `details.error.type`.
"""


class TritonchatError(Exception):
    """The base of all errors raised on purpose. `partial` is the text of the answer until the error."""

    type = "internal"
    partial = ""


class ModelError(TritonchatError):
    """A model folder that cannot be loaded: missing, damaged, or of an unknown family."""

    type = "model"


class InvalidRequest(TritonchatError):
    """A request that cannot succeed without a change."""

    type = "invalid_request"


class PromptTooLong(InvalidRequest):
    """A prompt that leaves no room for an answer in the maximum context."""

    type = "prompt_too_long"


class QueueFull(TritonchatError):
    """The queue of waiting requests is full."""

    type = "queue_full"


class NoMemory(TritonchatError):
    """A request that may need more KV memory than the server has."""

    type = "no_memory"


class ShuttingDown(TritonchatError):
    """The server is stopping and takes no new requests."""

    type = "shutting_down"


class RequestTimeout(TritonchatError):
    """A request whose `timeout_s` is over."""

    type = "timeout"
