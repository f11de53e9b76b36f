"""`python -m triton_server.api`: the HTTP service, with the settings that its environment has."""

import os

import uvicorn

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
    app = create_app(settings)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=connections(settings.send_timeout_s, meters_of(app)),
        ws="none",
        access_log=False,  # logs.py has a line for each request
        log_config=None,
        log_level="warning",
        server_header=False,
        # By default uvicorn takes the word of whoever is on this machine for where a request came from.
        proxy_headers="FORWARDED_ALLOW_IPS" in os.environ,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=_GRACE_S,
    )


if __name__ == "__main__":
    main()
