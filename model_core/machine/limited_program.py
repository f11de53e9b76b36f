"""What runs in a process with limits (limited_process.py): it answers requests, one at a time.

Standard input is a socket. Each message on it is 4 bytes with the length of the rest, little-endian, and the
rest. The arguments are the id of the parent, and its import path. A program is started by its path, and
imports little: this package as a whole takes seconds.
"""

import os
import resource
import select
import signal
import sys
from collections.abc import Callable

_PARENT_CHECK_MS = 1000
_SOCKET = 0


def serve(handle: Callable[[bytes], bytes], memory: int, time_limit: Callable[[bytes], float]) -> None:
    """Answer the requests of the parent until it closes the socket or ends.

    Args:
        handle: a request -> its reply.
        memory: bytes of address space that the process may have.
        time_limit: a request -> seconds of processor time. When they are over, a signal ends the process,
            whatever it is doing.
    """
    hard_limit = resource.getrlimit(resource.RLIMIT_AS)[1]  # that the parent has
    limit = memory if hard_limit == resource.RLIM_INFINITY else min(memory, hard_limit)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    parent = int(sys.argv[1])
    while True:
        signal.setitimer(signal.ITIMER_PROF, 0)
        request = _receive(parent)
        if request is None:
            return
        signal.setitimer(signal.ITIMER_PROF, time_limit(request))
        reply = handle(request)
        _send(len(reply).to_bytes(4, "little") + reply)


def _receive(parent: int) -> bytes | None:
    """The next request; None when the parent has ended."""
    poll = select.poll()
    poll.register(_SOCKET, select.POLLIN)
    while not poll.poll(_PARENT_CHECK_MS):
        if os.getppid() != parent:  # another process may have inherited the parent's end of the socket
            return None
    size = _read(4)
    return size and _read(int.from_bytes(size, "little"))


def _read(size: int) -> bytes | None:
    parts = []
    while size:
        part = os.read(_SOCKET, min(size, 2**20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(data: bytes) -> None:
    while data:
        data = data[os.write(_SOCKET, data) :]
