"""The HTTP service as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Security
from fastapi.security import HTTPBearer

from ..async_client import AsyncChatClient
from . import access, errors, health, logs, old_sessions, openai, sessions, stream
from .database import default_url
from .health import Readiness
from .served import ServedModel
from .settings import Settings
from .store import Store

_DESCRIPTION = """
A language model behind OpenAI's API, behind sessions that remember, and behind one plain stream.

Errors are `{"error": {"message", "type", "param", "code"}}`. Unknown fields are ignored by
OpenAI's routes and /stream, and refused (422) by sessions.
"""


def create_app(settings: Settings) -> FastAPI:
    """The application. It connects to the server when it starts, and to the database when it is first used.

    Its state has the `settings`, the `client` of the server with its `served_model` and `readiness`, the
    `store` of sessions, the `answers` under way and the `meters`.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        client = AsyncChatClient(settings.server)
        app.state.client = client
        app.state.served_model, app.state.readiness = ServedModel(client), Readiness(client)
        try:
            yield
        finally:
            await sessions.settle(app.state.store)
            await client.close()
            app.state.store.close()

    app = FastAPI(
        title="tritonchat",
        description=_DESCRIPTION,
        version=version("tritonchat"),
        lifespan=lifespan,
        redoc_url=None,
        # access.py looks at keys; this tells /docs where to ask for one.
        dependencies=[Security(HTTPBearer(auto_error=False))] if settings.api_keys else None,
    )
    app.state.settings, app.state.store = settings, Store(settings.database or default_url())
    for module in (openai, stream, sessions, old_sessions, health):
        app.include_router(module.router)
    errors.install(app)
    access.install(app, settings)
    logs.install(app, settings)  # last, so that it sees what the others refuse
    return app
