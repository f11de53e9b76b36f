"""What our clients of Triton's gRPC share: the channel, tensors out and in, errors as exceptions."""

import json
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

from model_core import errors
from model_core.errors import InvalidRequest, QueueFull, TritonchatError

CONTROL_S = 10.0  # a command that takes longer than this finds no server
KEEPALIVE_MS = 20_000  # a connection that is silent for so long is asked whether anybody is there
# Notice within seconds a server that has vanished without a word, and one that is back.
_CHANNEL = [
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.enable_http_proxy", 0),  # one for the web knows no way to a server on this machine
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
]
_ABSENT = ("UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED")


class ServerUnavailable(TritonchatError):
    """Nothing answers at the server's address, or it went away in the middle."""

    type = "server_unavailable"


_ERRORS = {
    kind.type: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
}


@dataclass(frozen=True)
class Endpoint:
    """Where a server's gRPC endpoint is, and how to know that it is the right one."""

    address: str
    credentials: grpc.ChannelCredentials | None = None
    name: str | None = None  # that the certificate must have, where it is not the address's

    def arguments(self) -> dict[str, Any]:
        """Those of tritonclient's clients, plain or asyncio."""
        override = [("grpc.ssl_target_name_override", self.name)] if self.name else []
        return {"url": self.address, "creds": self.credentials, "channel_args": [*_CHANNEL, *override]}


def endpoint(url: str) -> Endpoint:
    """What an address means.

    host:port is a server without TLS, grpcs://host:port one with TLS. Behind it, ?roots=FILE names the PEM
    file to check its certificate against, and &name=NAME the name that it must have.

    Raises InvalidRequest for the address of anything else.
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


def inputs(arrays: dict[str, np.ndarray]) -> list[triton.InferInput]:
    """UINT8 tensors to send."""
    tensors = []
    for name, array in arrays.items():
        tensor = triton.InferInput(name, list(array.shape), "UINT8")
        tensor.set_data_from_numpy(array)
        tensors.append(tensor)
    return tensors


def text(result: triton.InferResult, name: str) -> str:
    """The one string of the BYTES tensor `name`."""
    response = result.get_response()
    index = [output.name for output in response.outputs].index(name)
    return response.raw_output_contents[index][4:].decode()  # its length comes first, in four bytes


def raise_failure(details: dict[str, Any], partial: str = "") -> None:
    """Raise what `details` says went wrong, if anything did."""
    failure = details.get("error")
    if failure is not None:
        error = _ERRORS.get(failure["type"], TritonchatError)(failure["message"])
        error.partial = partial
        raise error


def control_result(result: triton.InferResult) -> dict[str, Any]:
    """What a command gave. Raises what went wrong."""
    value = json.loads(text(result, "result"))
    raise_failure(value)
    return value


def away(url: str) -> ServerUnavailable:
    """The error of a server that does not answer."""
    return ServerUnavailable(f"no tritonchat server answers at {url}; start one with `tritonchat serve`.")


def translated(
    error: InferenceServerException | grpc.RpcError, url: str, partial: str = ""
) -> TritonchatError:
    """An error of Triton's or of gRPC's as one of ours."""
    if isinstance(error, grpc.RpcError):
        status, message = str(error.code()), str(error.details())
    else:
        status, message = str(error.status() or ""), str(error.message())
    if "maximum queue size" in message:
        ours: TritonchatError = QueueFull("the server is full (--max-queue); try again in a moment.")
    elif any(sign in status for sign in _ABSENT) or "no longer in valid state" in message:
        ours = away(url)
    else:
        ours = TritonchatError(message)
    ours.partial = partial
    return ours
