"""What tests of running servers share."""

import socket
import time
from collections.abc import Callable


def free_port() -> int:
    """A TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition: Callable[[], bool]) -> None:
    """Returns when the condition holds."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never became so"
        time.sleep(0.02)
