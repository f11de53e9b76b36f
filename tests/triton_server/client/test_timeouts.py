"""Clients wait for a server as long as they are told to."""

import socket
import time

import pytest

from triton_server.client import ChatClient
from triton_server.contract.wire import ServerUnavailable


def test_a_server_that_never_answers_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        start = time.monotonic()
        with ChatClient(f"127.0.0.1:{silent.getsockname()[1]}") as client:
            with pytest.raises(ServerUnavailable):
                client.stats(timeout_s=0.2)
            assert time.monotonic() - start < 10
