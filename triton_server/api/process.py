"""The HTTP service as a process beside the server."""

import sys
from pathlib import Path

from ..child import Child, launch
from ..hosts import reachable
from .settings import Settings


def launch_api(settings: Settings, log: Path | None) -> Child:
    """Start the service; without a file, its log goes to our standard error."""
    scheme = "https" if settings.tls_certificate else "http"
    return launch(
        "the HTTP service",
        [sys.executable, "-m", "triton_server.api"],
        settings.to_environment(),
        log,
        f"{scheme}://{reachable(settings.host)}:{settings.port}/healthz",
    )
