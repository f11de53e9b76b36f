"""Helpers for tests of running servers."""

import itertools
import os
import random
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

from model_core import LLM
from triton_server.engine.models.local_engine import LocalEngine
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.models.model_slot import ModelSlot

# Whether to run all of what is otherwise tested with a part that takes the same ways.
RUNS_ALL = os.environ.get("FULL_TESTS") == "1"

# Below the ports that the kernel gives to outgoing connections, and from another number in each process that
# runs tests: so nobody else takes a port between its choice here and its use.
_PORTS = itertools.count(random.SystemRandom().randrange(10_000, 30_000))


def free_port() -> int:
    """A TCP port on which nothing listens, another one at each call."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds, at most two minutes.

    The longer it takes, the more rarely it asks, because many a condition asks a server.
    """
    start = time.monotonic()
    while not condition():
        waited_s = time.monotonic() - start
        assert waited_s < 120, "the condition did not hold within two minutes"
        time.sleep(min(0.1, max(0.01, waited_s / 10)))


def family(process: subprocess.Popen | psutil.Process) -> list[psutil.Process]:
    """A process and all its descendants."""
    root = psutil.Process(process.pid)
    return [root, *root.children(recursive=True)]


def have_ended(processes: list[psutil.Process]) -> bool:
    """Whether all of them have ended."""
    return not any(is_alive(process) for process in processes)


def is_alive(process: psutil.Process) -> bool:
    """Whether it runs: it exists and is no zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pool_of(llm: LLM) -> ModelPool:
    """The pool of a server whose only model is loaded."""
    pool = ModelPool([ModelSlot(llm.name, lambda on_progress: LocalEngine(llm))])
    pool.load_all()
    return pool
