"""Start the HTTP service as a separate process."""

import sys
from pathlib import Path

from ..system.child_process import ChildProcess, is_responding, launch
from ..system.hosts import join_port, reachable_address
from .settings import ServiceSettings


def launch_api(settings: ServiceSettings, log: Path | None) -> ChildProcess:
    """Start the service. `log`: a file for its output; None: this process's standard error."""
    scheme = "https" if settings.tls_cert else "http"
    url = f"{scheme}://{join_port(reachable_address(settings.host), settings.api_port)}/healthz"
    return launch(
        "the HTTP service",
        [sys.executable, "-m", "triton_server.api"],
        settings.to_environment(),
        log,
        is_up=lambda: is_responding(url),
    )
