"""Checks at intervals whether Triton's models respond: a process may hang without having ended.

A check must not harm a process that is only held up, as on a busy machine. Triton gives a request up if its
model's process does not run for a second, and crashes when the process then answers. So a request is sent
only right after the process has reported that it runs.
"""

import queue
import threading
import time
from collections.abc import Sequence
from contextlib import closing

import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError

from ...client import ChatClient
from ...contract import wire
from ...contract.json_tensors import encode
from ...contract.tensors import CHAT_CONTROL, HEALTH
from .backend_reports import BackendReports

CHECK_INTERVAL_S = 2.0
# The time limit of a check, and of the report before it. A busy server needs a second or two.
CHECK_TIMEOUT_S = 10.0
MAX_FAILURES = 3  # after so many in a row, Triton is restarted


class ModelWatch:
    """Checks all models in a thread: that their processes run, and that those with a health check respond."""

    def __init__(
        self, url: str, reports: BackendReports, streams: Sequence[str], others: Sequence[str]
    ) -> None:
        """`url` is Triton's gRPC endpoint, as `wire.parse_endpoint` reads it.

        `streams`, `others`: the models beside `chat_control`, those that stream and those that do not.
        """
        self._url, self._reports, self._streams = url, reports, streams
        self._failures = dict.fromkeys((CHAT_CONTROL, *streams, *others), 0)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch-models", daemon=True)
        self._thread.start()

    def unresponsive_model(self, min_failures: int = 1) -> str | None:
        """A model whose last `min_failures` checks or more have failed; None if there is none."""
        return next((model for model, count in self._failures.items() if count >= min_failures), None)

    def stop(self) -> None:
        """Stop checking. Does not wait for a running check."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(CHECK_INTERVAL_S):
            for model in self._failures:
                self._failures[model] = 0 if self._responds(model) else self._failures[model] + 1

    def _responds(self, model: str) -> bool:
        if not self._reports.wait_for(model, CHECK_TIMEOUT_S):
            return False
        if model in self._streams:
            return stream_responds(self._url, model, CHECK_TIMEOUT_S)
        return model != CHAT_CONTROL or control_responds(self._url, CHECK_TIMEOUT_S)


def control_responds(url: str, timeout_s: float) -> bool:
    """Whether `chat_control` responds within the timeout."""
    with ChatClient(url) as client:
        try:
            client.health(timeout_s)
        except TritonchatError:
            return False
        return True


def stream_responds(url: str, model: str, timeout_s: float) -> bool:
    """Whether a model that streams responds within the timeout. No engine takes part in it."""
    responses: queue.SimpleQueue = queue.SimpleQueue()
    end, has_ended = time.monotonic() + timeout_s, False
    with closing(triton.InferenceServerClient(**wire.parse_endpoint(url).client_arguments())) as connection:
        connection.start_stream(lambda result, error: responses.put((result, error)))
        try:
            connection.async_stream_infer(
                model,
                wire.create_inputs({"messages": encode(HEALTH)}),
                enable_empty_final_response=True,
            )
            while not has_ended:
                result, error = responses.get(timeout=max(0.0, end - time.monotonic()))
                if error is not None:
                    break
                has_ended = wire.is_final(result)
        except (InferenceServerException, queue.Empty):
            pass
        finally:
            # Without cancelling, it waits for the end of the stream, however long that takes.
            connection.stop_stream(cancel_requests=not has_ended)
    return has_ended
