"""Shared parts of the gRPC clients: channel options, tensors to send and to read, errors as exceptions."""

import json
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import InvalidRequest, QueueFull, TritonchatError

from .codec import Piece, ServerUnavailable, raise_if_error, read_details

# Client and server ping a connection that was silent for the first of these times, and close it if no reply
# comes within the second.
KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS = 20_000, 30_000
# Detect within a minute that the server's machine or network has failed, and soon that a server is back.
_CHANNEL_OPTIONS = [
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.enable_http_proxy", 0),  # a web proxy cannot reach a server on this machine
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
]
# gRPC's status if no server answers.
UNAVAILABLE_STATUSES = ("UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED")
# Parts of Triton's messages while it starts or stops, or when a model's process has died. Errors of streams
# have no status.
NOT_READY_MESSAGES = (
    "unknown model",
    "not at ready state",
    "not ready",
    "no available versions",
    "stopped accepting",
    "is stopping",
    "not healthy",
)
# Messages of gRPC for a server that ends during a request. The second comes while the request is being sent.
ENDED_MESSAGES = ("no longer in valid state", "Internal error from Core")


@dataclass(frozen=True)
class Vectors:
    """Embeddings or scores, float32 [texts, dimensions or 1], and `details` (contract/tensors.py)."""

    vectors: np.ndarray
    details: dict[str, Any]

    @property
    def prompt_tokens(self) -> int:
        """Tokens of all texts, special ones included."""
        return self.details["usage"]["prompt_tokens"]

    @property
    def image_tokens(self) -> int:
        """How many of them are rows of images."""
        return self.details["usage"].get("image_tokens", 0)


@dataclass(frozen=True)
class Endpoint:
    """The address of a server's gRPC endpoint, and what TLS needs to check the server."""

    address: str
    credentials: grpc.ChannelCredentials | None = None
    name: str | None = None  # expected in the certificate; None: the name in the address

    def client_arguments(self) -> dict[str, Any]:
        """Return the arguments of tritonclient's clients, synchronous or asyncio."""
        name_option = [("grpc.ssl_target_name_override", self.name)] if self.name else []
        return {
            "url": self.address,
            "creds": self.credentials,
            "channel_args": [*_CHANNEL_OPTIONS, *name_option],
        }


def parse_endpoint(url: str) -> Endpoint:
    """Parse an address.

    host:port is a server without TLS, grpcs://host:port one with TLS. After it, ?roots=FILE names the PEM
    file of trusted certificates, and &name=NAME the name that the server's certificate must have.

    Raises InvalidRequest for any other address.
    """
    parsed = urllib.parse.urlsplit(url if "://" in url else f"grpc://{url}")
    if parsed.scheme not in ("grpc", "grpcs") or parsed.path or not parsed.netloc:
        raise InvalidRequest(f"{url} is not a gRPC address; give host:port, such as 127.0.0.1:8001.")
    if parsed.scheme == "grpc":
        return Endpoint(parsed.netloc)
    query = dict(urllib.parse.parse_qsl(parsed.query))
    try:
        roots = Path(query["roots"]).read_bytes() if "roots" in query else None
    except OSError as error:
        raise InvalidRequest(f"{query['roots']} cannot be read ({error.strerror}).") from error
    return Endpoint(parsed.netloc, grpc.ssl_channel_credentials(roots), query.get("name"))


def create_inputs(arrays: dict[str, np.ndarray]) -> list[triton.InferInput]:
    """Create UINT8 tensors to send."""
    tensors = []
    for name, array in arrays.items():
        tensor = triton.InferInput(name, list(array.shape), "UINT8")
        tensor.set_data_from_numpy(array)
        tensors.append(tensor)
    return tensors


def parse_text(result: triton.InferResult, name: str) -> str:
    """Return the only string of the BYTES tensor `name`."""
    response = result.get_response()
    index = [output.name for output in response.outputs].index(name)
    return response.raw_output_contents[index][4:].decode()  # the first four bytes are its length


def parse_vectors(result: triton.InferResult) -> Vectors:
    """Return the vectors of a response of `embed`. Raises the error that its `details` describe."""
    details = json.loads(parse_text(result, "details"))
    raise_if_error(details)
    return Vectors(result.as_numpy("embeddings")[0], details)


def parse_piece(result: triton.InferResult) -> Piece:
    """Return the piece of an answer in a response of `chat` or `chat_stream`."""
    return parse_text(result, "response"), read_details(parse_text(result, "details"))


def is_final(result: triton.InferResult) -> bool:
    """Whether this is the empty response that ends a stream of Triton."""
    return result.get_response().parameters["triton_final_response"].bool_param


def parse_control_result(result: triton.InferResult) -> dict[str, Any]:
    """Return the result of a command. Raises the error that it describes."""
    parsed = json.loads(parse_text(result, "result"))
    raise_if_error(parsed)
    return parsed


def unavailable_error(url: str) -> ServerUnavailable:
    """Return the error for a server that does not answer."""
    return ServerUnavailable(
        f"no tritonchat server answers at {url}; unless it is just starting, start one with tritonchat serve."
    )


def translate_error(
    error: InferenceServerException | grpc.RpcError, url: str, partial: str = ""
) -> TritonchatError:
    """Translate an error of Triton or gRPC to a TritonchatError. `partial` is the text that came before it.

    It is ServerUnavailable if no server answers, or while the server starts or stops.
    """
    if isinstance(error, grpc.RpcError):
        status, message = str(error.code()), str(error.details())
    else:
        status, message = str(error.status() or ""), str(error.message())
    has_ended = any(phrase in message for phrase in ENDED_MESSAGES)
    if "maximum queue size" in message:
        translated: TritonchatError = QueueFull("the server is full (--max-queue); try again in a moment.")
    elif any(phrase in message for phrase in NOT_READY_MESSAGES):
        translated = ServerUnavailable(f"the server at {url} is starting or stopping; try again in a moment.")
    elif has_ended or any(name in status for name in UNAVAILABLE_STATUSES):
        translated = unavailable_error(url)
    else:
        translated = TritonchatError(message)
    translated.partial = partial
    return translated
