"""Parts of the service that run as processes of their own, beside the server."""

import ctypes
import os
import signal
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from model_core import TritonchatError

_START_S = 60.0
_GRACE_S = 10.0


@dataclass(frozen=True)
class Child:
    """A process of ours. `log` is None where it writes to our standard error; the URL `probe` answers once it
    is up.
    """

    name: str
    process: subprocess.Popen
    log: Path | None
    probe: str

    def wait_until_up(self) -> None:
        """Wait until it answers. Raises TritonchatError if it does not come up."""
        end = time.monotonic() + _START_S
        while not _answers(self.probe):
            if self.process.poll() is not None or time.monotonic() > end:
                raise TritonchatError(f"{self.name} did not start; {self.log or 'its log'} says why.")
            time.sleep(0.1)

    def insist(self) -> None:
        """Raises TritonchatError if it has ended."""
        if self.process.poll() is not None:
            raise TritonchatError(f"{self.name} stopped by itself; {self.log or 'its log'} may say why.")

    def stop(self) -> None:
        """End it, gently at first."""
        self.process.terminate()
        try:
            self.process.wait(timeout=_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def launch(
    name: str, command: Sequence[str], environment: Mapping[str, str], log: Path | None, probe: str
) -> Child:
    """Start a part, with variables beside ours; without a file for its log, that is our standard error.

    It ends with this process, however this one ends.
    """
    with nullcontext(sys.stderr) if log is None else log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us; the part goes when answers have ended
            preexec_fn=_end_with_parent,
        )
    return Child(name, process, log, probe)


def _answers(url: str) -> bool:
    # No proxy and no names in certificates: they are for the web, and this is this machine.
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting)
    )
    try:
        with opener.open(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


def _end_with_parent() -> None:
    """Ask the kernel to end this process when its parent dies, however it dies (prctl(2))."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
