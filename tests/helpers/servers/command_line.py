"""Runs `tritonchat` in this process, without the second that a process needs to import what it uses."""

import io
import os
import signal
import subprocess
import sys
from unittest import mock

from triton_server.cli.tritonchat import main


def run_command(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The exit status and the output of `tritonchat` with these arguments and environment variables."""
    output, errors = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin)),
        "stdout": io.TextIOWrapper(output, "utf-8", write_through=True),
        "stderr": io.TextIOWrapper(errors, "utf-8", write_through=True),
    }
    status = 0
    # A command may handle signals in its own way, until its process ends.
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with (
        mock.patch.multiple(sys, argv=["tritonchat", *arguments], **streams),
        mock.patch.dict(os.environ, environment),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return subprocess.CompletedProcess(arguments, status, output.getvalue(), errors.getvalue())
