"""Runs in Triton's Python backend, around PyTriton's model, and sends reports to the engine's process.

It reports requests whose client has disconnected: Triton's Python backend can ask, and PyTriton does not ask.
And it reports at intervals that this process runs. Triton loads a copy of this file beside PyTriton's model
(see `backend_reports.py`), so it imports nothing of this project.
"""

import asyncio
import json
import socket
import threading
import time
import traceback
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import triton_python_backend_utils as pb_utils

from .pytriton_model import TritonPythonModel as PyTritonModel

# The parameter of each request that holds its call id, and the socket in the workspace to which reports are
# sent: a word and the call id of a cancelled request, or the name of this model.
CALL_ID_PARAMETER = "tritonchat_call"
TIMEOUT_PARAMETER = "tritonchat_timeout_us"  # the request's own timeout, 0 if it has none
SOCKET_NAME = "reports.sock"
CANCELLED, RUNS = "cancelled", "runs"
# Seconds from one poll to the next. Asking for one request costs 0.03 ms, on a busy machine 0.3 ms.
# Polls take at most a twentieth of the time, unless they would then be too rare.
POLL_S, SLOWEST_POLL_S, POLL_SHARE = 0.25, 1.0, 20
_FAILURE = "the request failed in the server; its log says why."


class WatchedRequest:
    """A request of Triton's as PyTriton uses it, with a call id.

    Triton frees a request once it is answered; to ask about it after that would read freed memory. So
    `close`, which is called before the answer ends, waits for a running `is_cancelled`.
    """

    def __init__(self, request: Any, is_decoupled: bool) -> None:
        self.call_id = uuid4().hex
        self._request, self._is_decoupled = request, is_decoupled
        self._lock, self._is_open = threading.Lock(), True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)

    def inputs(self) -> list[Any]:
        """The input tensors as PyTriton can transfer them."""
        return [_transferable(tensor) for tensor in self._request.inputs()]

    def parameters(self) -> str:
        """The request's parameters with the call id and the timeout, as JSON.

        A client's header may be a parameter, and may have any bytes. An error here would leave all requests
        of the batch without an answer, so parameters that cannot be read are left out.
        """
        own = {CALL_ID_PARAMETER: self.call_id, TIMEOUT_PARAMETER: self._request.timeout()}
        try:
            given = json.loads(self._request.parameters())
        except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
            given = {}
        return json.dumps({**given, **own})

    def get_response_sender(self) -> "WatchedSender":
        """The sender for the responses."""
        return WatchedSender(self._request.get_response_sender(), self, self._is_decoupled)

    def is_open(self) -> bool:
        """Whether its answer has not ended."""
        return self._is_open

    def is_cancelled(self) -> bool:
        """Whether its client has disconnected before its answer has ended."""
        with self._lock:
            return self._is_open and self._request.is_cancelled()

    def close(self) -> None:
        """Mark its answer as ended."""
        with self._lock:
            self._is_open = False


class WatchedSender:
    """Sends responses, and closes the request before the last.

    A model that is not decoupled has one response, which is sent together with the final flag. Triton crashes
    at a flag that comes alone if the client of a batch has disconnected.
    """

    def __init__(self, sender: Any, request: WatchedRequest, is_decoupled: bool) -> None:
        self._sender, self._request, self._is_decoupled = sender, request, is_decoupled
        self._only_response: Any = None

    def send(self, response: Any, flags: int = 0) -> None:
        """Send a response with its flags, or the flags alone."""
        is_final = bool(flags & pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        if response is not None and response.has_error():
            response = _error_response(response.error().message())
        if not self._is_decoupled:
            self._only_response = response or self._only_response
            response = self._only_response
        if is_final:
            self._request.close()
        if is_final or self._is_decoupled:
            self._sender.send(response, flags)


class TritonPythonModel(PyTritonModel):
    """The model that Triton loads."""

    def initialize(self, args: dict[str, str]) -> None:
        """Called by Triton once, before any request."""
        config = json.loads(args["model_config"])
        # PyTriton takes every model for a decoupled one, so `execute` returns at once, and the answers come
        # later through response senders. Otherwise `execute` would last as long as the answers of a batch.
        # The next batch would wait for it, and Triton would give the batch up if this process were held up
        # for a second, as happens on a busy machine, and then crash at its late answer.
        self._is_decoupled = config.get("model_transaction_policy", {}).get("decoupled", False)
        decoupled = {**config, "model_transaction_policy": {"decoupled": True}}
        super().initialize({**args, "model_config": json.dumps(decoupled)})
        self._name = args["model_name"]
        self._address = str(Path(config["parameters"]["workspace-path"]["string_value"]) / SOCKET_NAME)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._open_requests: list[WatchedRequest] = []
        self._condition, self._is_stopping = threading.Condition(), False
        self._watcher = threading.Thread(target=self._watch, name="watch-clients", daemon=True)
        self._watcher.start()

    def execute(self, requests: list[Any]) -> None:
        """Called by Triton with each batch. The answers come later, through the requests' senders."""
        watched = [WatchedRequest(request, self._is_decoupled) for request in requests]
        with self._condition:
            self._open_requests += watched
        try:
            super().execute(watched)
        except Exception:
            for request in watched:
                request.close()
            pb_utils.Logger.log_error(traceback.format_exc())
            raise pb_utils.TritonModelException(_FAILURE) from None

    def finalize(self) -> None:
        """Called by Triton once, when the model is unloaded."""
        with self._condition:
            self._is_stopping = True
            self._condition.notify()
        self._watcher.join()
        # PyTriton's server looks once a second whether it has to stop. Cancelled, it stops at once.
        loop = self._requests_server._server.server_loop
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks()])
        super().finalize()

    def _watch(self) -> None:
        """Report requests whose client has disconnected, again and again until they are answered."""
        pause_s = POLL_S
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_stopping, timeout=pause_s)
                if self._is_stopping:
                    return
                self._open_requests = [request for request in self._open_requests if request.is_open()]
                watched = list(self._open_requests)
            self._report(RUNS, self._name)
            start = time.monotonic()
            for request in watched:
                if request.is_cancelled():
                    self._report(CANCELLED, request.call_id)
            pause_s = min(SLOWEST_POLL_S, max(POLL_S, POLL_SHARE * (time.monotonic() - start)))

    def _report(self, word: str, name: str) -> None:
        try:
            self._socket.sendto(f"{word} {name}".encode(), self._address)
        except OSError as error:  # the engine does not listen; the next poll reports it again
            pb_utils.Logger.log_verbose(f"{word} {name} was not received: {error}")


def _transferable(tensor: Any) -> Any:
    """A UINT8 tensor without the axis that `backend_reports.py` has inserted, and not empty.

    PyTriton cannot transfer an empty array. To a JSON parser, white space in as many rows is as empty.
    """
    array = tensor.as_numpy()
    if array.ndim == 3:  # [rows, 1, n]
        array = array[:, 0]
    if not array.size:
        array = np.full([max(1, size) for size in array.shape], ord(" "), np.uint8)
    return pb_utils.Tensor(tensor.name(), array)


def _error_response(reason: str) -> Any:
    """The response for an error of PyTriton's, which is a traceback: only the log gets that."""
    pb_utils.Logger.log_error(reason)
    error = pb_utils.TritonError(_FAILURE)
    return pb_utils.InferenceResponse(output_tensors=[], error=error)
