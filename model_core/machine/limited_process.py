"""A process with limits of time and memory, for what comes from others and could loop, grow or crash."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import weakref

# Seconds until a request fails. The process ends itself after its limit of processor time, which is a longer
# time on a busy machine.
WALL_TIME_LIMIT_S = 60.0
_END_TIMEOUT_S = 1.0  # for the process to end
_MAX_REPLY_BYTES = 2**28


class TooSlow(Exception):
    """A request has taken too long. Its process has ended."""


class ProcessEnded(Exception):
    """A process has ended instead of answering a request."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


class LimitedProcess:
    """A process that runs a program with `limited_program.serve`. `end` kills it."""

    def __init__(self, program: str) -> None:
        """`program`: its path. Raises OSError if no process can be started."""
        self._socket, child_socket = socket.socketpair()
        try:
            with child_socket:
                self._process = subprocess.Popen(
                    # -I: the program imports nothing from the working folder or from its own folder.
                    [sys.executable, "-I", program, str(os.getpid()), *filter(None, sys.path)],
                    stdin=child_socket.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C must reach only the parent, which finishes its answers
                )
        except OSError:
            self._socket.close()
            raise
        self.end = weakref.finalize(self, _end_process, self._process, self._socket)

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.end.alive and self._process.poll() is None

    def request(self, data: bytes) -> bytes:
        """The reply to a request. Raises TooSlow or ProcessEnded; then the process has ended."""
        deadline = time.monotonic() + WALL_TIME_LIMIT_S
        try:
            self._socket.settimeout(WALL_TIME_LIMIT_S)
            self._socket.sendall(len(data).to_bytes(4, "little") + data)
            size = int.from_bytes(self._read(4, deadline), "little")
            if size > _MAX_REPLY_BYTES:
                raise OSError
            return self._read(size, deadline)
        except TimeoutError:
            self.end()
            raise TooSlow from None
        except OSError:  # the process has ended, or ends now
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_END_TIMEOUT_S)
            self.end()
            code = self._process.returncode
            raise (TooSlow() if code == -signal.SIGPROF else ProcessEnded(code)) from None
        except BaseException:  # Ctrl-C: nobody would read the reply
            self.end()
            raise

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            part = self._socket.recv(min(size - len(data), 2**20))
            if not part:
                raise ConnectionError
            data += part
        return bytes(data)


def _end_process(process: subprocess.Popen, connection: socket.socket) -> None:
    connection.close()
    process.kill()
    process.wait()
