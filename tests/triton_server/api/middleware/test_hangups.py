"""Clients that disappear: their requests are cancelled, and other clients notice nothing."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import tritonclient.grpc as triton
from conftest import Server
from support import wait_until

from triton_server.client import ChatClient
from triton_server.contract import wire
from triton_server.contract.json_tensors import encode

STREAMS = 32
PROMPT = "Once upon a time"
LONG = {"max_tokens": 40_000}  # of the endless model: minutes
# This program uses PyTriton's clients, because the server must notice this with every Triton client.
CLIENT = f"""
import json, sys, threading
import numpy as np
from pytriton.client import DecoupledModelClient, ModelClient

messages = np.frombuffer(json.dumps({PROMPT!r}).encode(), np.uint8)
parameters = np.frombuffer(json.dumps({LONG!r}).encode(), np.uint8)

def stream():
    with DecoupledModelClient(sys.argv[1], "chat_stream") as client:
        for _ in client.infer_sample(messages, parameters):
            pass

if sys.argv[2] == "chat_stream":
    for _ in range({STREAMS}):
        threading.Thread(target=stream).start()
else:
    with ModelClient(sys.argv[1], "chat") as client:
        client.infer_batch(np.stack([messages] * {STREAMS}), np.stack([parameters] * {STREAMS}))
"""


@contextlib.contextmanager
def expect_cancellation(client: ChatClient) -> Iterator[None]:
    """Check that every request that starts in the block is cancelled: none can end by itself."""

    def is_idle() -> bool:
        stats.update(client.stats())
        return stats["running"] == stats["waiting"] == 0

    stats: dict[str, Any] = {}
    wait_until(is_idle)
    before = stats["totals"]
    yield
    wait_until(is_idle)
    cancelled, started = (stats["totals"][name] - before[name] for name in ("cancellations", "requests"))
    assert cancelled == started


def count_requests(client: ChatClient) -> int:
    """The requests that run or wait."""
    stats = client.stats()
    return stats["running"] + stats["waiting"]


def open_stream(server: Server) -> triton.InferenceServerClient:
    """Start a long stream and do not read it."""
    triton_client = triton.InferenceServerClient(**wire.parse_endpoint(server.grpc_url).client_arguments())
    triton_client.start_stream(lambda result, error: None)
    arrays = {"messages": encode(PROMPT), "parameters": encode(LONG)}
    triton_client.async_stream_infer("chat_stream", wire.create_inputs(arrays))
    return triton_client


@pytest.fixture
def endless_client(endless: Server) -> Iterator[ChatClient]:
    """A client of the server with the endless model."""
    with ChatClient(endless.grpc_url) as connected:
        yield connected


@pytest.mark.parametrize("model", ["chat_stream", "chat"])
def test_answers_of_a_killed_client_are_cancelled(
    endless: Server, endless_client: ChatClient, model: str
) -> None:
    with expect_cancellation(endless_client):
        command = [sys.executable, "-c", CLIENT, f"grpc://{endless.grpc_url}", model]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            wait_until(lambda: count_requests(endless_client) == STREAMS)
            process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("count", [0, 1, STREAMS])
@pytest.mark.parametrize("closes_channel", [True, False])
def test_abandoned_streams_are_cancelled(
    endless: Server, endless_client: ChatClient, count: int, closes_channel: bool
) -> None:
    """The clients leave when the engine has `count` of their requests; the others are under way to it."""
    with expect_cancellation(endless_client):
        streams = [open_stream(endless) for _ in range(STREAMS)]
        wait_until(lambda: count_requests(endless_client) >= count)
        for stream in streams:
            if closes_channel:
                stream._channel.close()
            else:
                stream.stop_stream(cancel_requests=True)
                stream.close()


def test_other_answers_are_unchanged_when_clients_leave(endless: Server, endless_client: ChatClient) -> None:
    params = {"max_tokens": 300, "seed": 1}
    expected = endless_client.chat(PROMPT, **params).text
    with endless_client.stream(PROMPT, **params) as stream:
        deltas = iter(stream)
        next(deltas)
        for _ in range(8):
            open_stream(endless).stop_stream(cancel_requests=True)
        for _ in deltas:
            pass
        assert stream.text == expected
