"""The HTTP service as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from ..async_client import AsyncChatClient
from . import access, errors, health, logs, openai, sessions, stream
from .served import ServedModel
from .settings import Settings
from .store import Store, default_url

_DESCRIPTION = """
A language model behind OpenAI's API, behind sessions that remember, and behind one plain stream.

Errors are `{"error": {"message", "type", "param", "code"}}`. Fields that are not described are ignored.
"""


def create_app(settings: Settings) -> FastAPI:
    """The application. It connects to the server when it starts, and to the database when it is first used.

    Its state has the `settings`, the `client` of the server, the `store` of sessions and the `served_model`.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        client = AsyncChatClient(settings.server)
        app.state.client, app.state.served_model = client, ServedModel(client)
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
    )
    app.state.settings, app.state.store = settings, Store(settings.database or default_url())
    for module in (openai, stream, sessions, health):
        app.include_router(module.router)
    errors.install(app)
    access.install(app, settings)
    logs.install(app, settings)  # last, so that it sees what the others refuse
    return app
