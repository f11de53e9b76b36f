"""The Streamlit page as a process beside the server."""

import ctypes
import importlib.util
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from model_core import TritonchatError


def start_page(host: str, port: int, server: str, log_file: Path) -> subprocess.Popen:
    """Start the page for the server whose gRPC endpoint is `server`, and wait until it answers.

    Raises TritonchatError if it does not come up.
    """
    package = importlib.util.find_spec("streamlit_client")
    assert package is not None and package.origin is not None  # part of this distribution
    options = {
        "server.port": port,
        "server.address": host,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "theme.primaryColor": "#3b6fd4",  # Streamlit's red looks like an error around the input
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                str(Path(package.origin).with_name("page.py")),
                *flags,
            ],
            env={**os.environ, "TRITONCHAT_SERVER": server},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us; the page goes when answers have ended
            preexec_fn=_end_with_parent,
        )
    reachable = "127.0.0.1" if host in ("0.0.0.0", "") else host
    end = time.monotonic() + 60
    while not _answers(f"http://{reachable}:{port}/_stcore/health"):
        if process.poll() is not None or time.monotonic() > end:
            stop_page(process)
            raise TritonchatError(f"the page did not start; {log_file} says why.")
        time.sleep(0.1)
    return process


def stop_page(process: subprocess.Popen) -> None:
    """End the page, gently at first."""
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        # No proxy: it is for the web, and this is this machine.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


def _end_with_parent() -> None:
    """Ask the kernel to end this process when its parent dies, however it dies (prctl(2))."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
