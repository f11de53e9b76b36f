"""Helpers for tests of running servers."""

import socket
import subprocess
import time
from collections.abc import Callable

import psutil


def free_port() -> int:
    """A TCP port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds, at most a minute."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "the condition did not hold within a minute"
        time.sleep(0.02)


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
