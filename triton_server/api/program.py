"""What `python -m triton_server.api` does: run the HTTP service, with settings from the environment."""

import sys
from typing import Any

from model_core.errors import TritonchatError
from model_core.machine.memory import freeze_objects

from ..system.hosts import believes_proxies
from ..system.http_protocol import serve
from .app import create_app
from .middleware import logs
from .middleware.connection import connection_factory
from .middleware.metrics import metrics_of
from .settings import ServiceSettings

_GRACE_S = 5  # for running answers, when the service is stopped


def uvicorn_options(settings: ServiceSettings) -> dict[str, Any]:
    """The arguments of uvicorn.Config for the service. Raises TritonchatError."""
    app = create_app(settings)
    return {
        "app": app,
        "host": settings.host,
        "port": settings.api_port,
        "http": connection_factory(settings.client_timeout_s, metrics_of(app)),
        "ws": "none",
        "access_log": False,  # logs.py has a line for each request
        "log_config": None,
        "log_level": "warning",
        "server_header": False,
        "proxy_headers": believes_proxies(),
        "ssl_certfile": settings.tls_cert,
        "ssl_keyfile": settings.tls_key,
        "timeout_keep_alive": settings.keep_alive_timeout_s,
        "timeout_graceful_shutdown": _GRACE_S,
    }


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    settings = ServiceSettings.from_environment()
    logs.configure(settings)
    try:
        options = uvicorn_options(settings)
    except TritonchatError as error:
        sys.exit(f"tritonchat: {error}")
    freeze_objects()
    serve(() if settings.ollama_port is None else (settings.ollama_port,), **options)
