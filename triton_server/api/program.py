"""What `python -m triton_server.api` does: run the HTTP service, with settings from the environment."""

import os
import sys
from typing import Any

import uvicorn

from model_core.errors import TritonchatError
from model_core.memory import freeze_objects

from . import logs
from .app import create_app
from .connection import connection_factory
from .metrics import metrics_of
from .settings import ServiceSettings

_GRACE_S = 5  # for running answers, when the service is stopped


def uvicorn_options(settings: ServiceSettings) -> dict[str, Any]:
    """The arguments of uvicorn.Config for the service. Raises TritonchatError."""
    app = create_app(settings)
    return {
        "app": app,
        "host": settings.host,
        "port": settings.port,
        "http": connection_factory(settings.client_timeout_s, metrics_of(app)),
        "ws": "none",
        "access_log": False,  # logs.py has a line for each request
        "log_config": None,
        "log_level": "warning",
        "server_header": False,
        # uvicorn would believe X-Forwarded-For from 127.0.0.1; here only the proxies that the operator names.
        "proxy_headers": "FORWARDED_ALLOW_IPS" in os.environ,
        "ssl_certfile": settings.tls_certificate,
        "ssl_keyfile": settings.tls_key,
        "timeout_graceful_shutdown": _GRACE_S,
    }


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    settings = ServiceSettings()
    logs.configure(settings)
    try:
        options = uvicorn_options(settings)
    except TritonchatError as error:
        sys.exit(f"tritonchat: {error}")
    freeze_objects()
    uvicorn.run(**options)
