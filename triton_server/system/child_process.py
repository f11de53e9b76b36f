"""A child process: how to start it, wait until it is up, and end it with all that it has started."""

import os
import signal
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from model_core.errors import TritonchatError

_START_S = 120.0
_GRACE_S = 10.0
_POLL_S = 0.1
GIVE_UP_STATUS = os.EX_SOFTWARE  # the exit status of a part that should not be restarted
# A child runs in a process group of its own, beside a shell that reads from a pipe. This process holds the
# other end. When it ends, in whatever way, the kernel closes the pipe, and the shell kills the group: the
# child and all processes that the child has started. (Python code between fork and exec could deadlock if
# there are threads.)
_WRAPPER = 'exec 3<&0; /bin/sh -c "read _; kill -KILL 0" <&3 3<&- >/dev/null 2>&1 & exec "$@" </dev/null 3<&-'
# The same for a child that talks to this process over its standard input and output: the pipe that the shell
# reads from is another one, whose number is the first argument. (A shell can only open numbers of one digit.)
_PIPED_WRAPPER = '/bin/sh -c "read _; kill -KILL 0" <"/dev/fd/$0" >/dev/null 2>&1 & exec "$@"'


@dataclass(frozen=True)
class ChildProcess:
    """A child process with all processes that it starts.

    `log` is None if it writes to the output of this process. `is_up` says whether it is ready for work.
    `read_error` returns the reason why it ended, if the child has written one to a file.
    """

    name: str
    process: subprocess.Popen
    log: Path | None
    is_up: Callable[[], bool]
    read_error: Callable[[], str | None] = lambda: None

    def wait_until_up(self) -> None:
        """Wait until it is up. Raises TritonchatError if that takes over two minutes."""
        end = time.monotonic() + _START_S
        while not self.is_up():
            if self.has_ended() or time.monotonic() > end:
                raise TritonchatError(self.describe_start_failure())
            time.sleep(_POLL_S)

    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def describe_start_failure(self) -> str:
        """Why it did not start, in a sentence."""
        return self.read_error() or f"{self.name} did not start; {self.log or 'the output above'} says why."

    def describe_exit(self) -> str:
        """The signal or exit status by which it ended."""
        code = self.process.returncode
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"

    def stop(self, grace_s: float = _GRACE_S) -> None:
        """End it by SIGTERM, after `grace_s` seconds by SIGKILL; kill all that it has started."""
        if not self.has_ended():
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(grace_s)
        self.kill()

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def launch(
    name: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path | None,
    is_up: Callable[[], bool],
    read_error: Callable[[], str | None] = lambda: None,
) -> ChildProcess:
    """Start a command with more environment variables. Without a `log`, it writes where this process does.

    It ends when this process ends, in whatever way, and so do all processes that it has started.
    """
    with nullcontext() if log is None else log.open("ab") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _WRAPPER, "sh", *command],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=None if log is None else subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for this process, which stops its children in order
        )
    return ChildProcess(name, process, log, is_up, read_error)


@dataclass(frozen=True)
class PipedProcess:
    """A child process that talks over pipes: `stdin`, `stdout` and `stderr` of `process`.

    `lifeline` is the end of a pipe that this process holds as long as the child may live.
    """

    process: subprocess.Popen[bytes]
    lifeline: int

    def kill(self) -> None:
        """End it at once, with all that it has started, and close the pipes."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.lifeline)


def launch_piped(
    command: Sequence[str], environment: Mapping[str, str], folder: str | None = None
) -> PipedProcess:
    """Start a command with these environment variables and no others, to talk with it over pipes.

    It ends as one of `launch` when this process ends. Raises OSError if there is no such folder; a command
    that is not there ends with status 127.
    """
    watched, lifeline = os.pipe()
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _PIPED_WRAPPER, str(watched), *command],
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(watched,),
            start_new_session=True,
            bufsize=0,
        )
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(watched)
    return PipedProcess(process, lifeline)


def is_responding(url: str) -> bool:
    """Whether a GET of a URL of this machine gives status 200."""
    # The URL is on this machine, so no proxy is used and no name in a certificate is checked.
    tls_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls_context.check_hostname, tls_context.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls_context)
    )
    try:
        with opener.open(url, timeout=10) as response:
            return response.status == 200
    except (OSError, HTTPException):  # the latter: what listens there speaks no HTTP
        return False
