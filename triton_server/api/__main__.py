"""`python -m triton_server.api`: the HTTP service, with the settings that its environment has."""

import os
import sys

import uvicorn

from model_core import TritonchatError

from . import logs
from .app import create_app
from .connection import connections
from .meters import meters_of
from .settings import Settings

_GRACE_S = 5  # for answers under way, when the service is stopped


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    settings = Settings.from_environment()
    logs.configure(settings)
    try:
        app = create_app(settings)
    except TritonchatError as error:
        sys.exit(f"tritonchat: {error}")
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=connections(settings.client_timeout_s, meters_of(app)),
        ws="none",
        access_log=False,  # logs.py has a line for each request
        log_config=None,
        log_level="warning",
        server_header=False,
        # uvicorn would believe X-Forwarded-For from 127.0.0.1; here only the proxies that the operator names.
        proxy_headers="FORWARDED_ALLOW_IPS" in os.environ,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=_GRACE_S,
    )


if __name__ == "__main__":
    main()
