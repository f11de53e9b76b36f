"""What can go wrong, in words for the person who asked.

Every message is one sentence that names the limit and what to do. `type` is the stable name that
travels to clients in `details.error.type`.
"""


class TritonchatError(Exception):
    """The base of every error raised on purpose. `partial` is what had been answered when it happened."""

    type = "internal"
    partial = ""


class ModelError(TritonchatError):
    """A model folder that cannot be served: missing, damaged, or of an unknown kind."""

    type = "model"


class InvalidRequest(TritonchatError):
    """A request that can never succeed as it is."""

    type = "invalid_request"


class PromptTooLong(InvalidRequest):
    """A prompt that leaves no room for an answer in the model's context."""

    type = "prompt_too_long"


class QueueFull(TritonchatError):
    """The server has as many requests waiting as it accepts."""

    type = "queue_full"


class NoMemory(TritonchatError):
    """A request that would need more KV memory than the server has in all."""

    type = "no_memory"


class ShuttingDown(TritonchatError):
    """The server is stopping and takes no new requests."""

    type = "shutting_down"


class RequestTimeout(TritonchatError):
    """A request that ran out of its `timeout_s`."""

    type = "timeout"
