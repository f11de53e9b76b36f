"""The HTTP service stores only the part of a stream that it has not sent."""

from collections.abc import Callable
from typing import Any

from http_service import CHAT, HELLO, Service, posted
from support import wait_until

from triton_server.client import ChatClient

MIB = 2**20


def test_stream_stores_no_log_probabilities(start: Callable[..., Service], client: ChatClient) -> None:
    """24 answers of 600 tokens with 20 alternatives each: 30 MB of events, far more as objects."""
    service = start(process=True, client_timeout_s=120)
    body: dict[str, Any] = {**HELLO, "max_tokens": 600, "n": 24, "ignore_eos": True}
    body |= {"stream": True, "logprobs": True, "top_logprobs": 20}
    service.ask()  # now everything that each request needs is in memory
    before = service.process.memory_info().rss
    highest = received = 0
    with service.connect(posted(CHAT, body)) as connection:
        while data := connection.recv(65536):
            received += len(data)
            highest = max(highest, service.process.memory_info().rss)
            if data.endswith(b"0\r\n\r\n"):
                break
    assert received > 15 * MIB

    assert highest - before < 40 * MIB
    wait_until(lambda: client.stats()["running"] == 0)
