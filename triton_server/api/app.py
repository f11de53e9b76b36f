"""The HTTP service as an ASGI application."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Security
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline

from ..client import AsyncChatClient
from ..collections.search import CollectionSearch
from ..collections.store import CollectionStore
from ..collections.tasks import TaskStore
from ..conversations.api_keys.store import KeyStore
from ..conversations.api_keys.usage import KeyCounts
from ..conversations.batches import BatchStore
from ..conversations.database import find_url
from ..conversations.files import STRAY_AGE_S, FileStore, files_folder
from ..conversations.items import ItemStore
from ..conversations.limits import SessionLimits
from ..conversations.responses import ResponseStore
from ..conversations.store import ConversationStore
from ..conversations.transactions import Database
from ..tracing.export import exported_spans
from . import errors
from .anthropic import routes as anthropic
from .batches import file_routes
from .batches import routes as batches
from .batches.runner import BatchRunner
from .conversations import routes as item_conversations
from .extras import (
    adapters,
    choose,
    discovery,
    health,
    models,
    prompts,
    receipts,
    rerank,
    sparse,
    stream,
    tokens,
)
from .extras.health import Readiness
from .images.resolve import make_fetcher
from .kserve import generate as kserve_generate
from .kserve import inference as kserve
from .kserve import models as kserve_models
from .llamacpp import embeddings as llamacpp_embeddings
from .llamacpp import routes as llamacpp
from .llamacpp import server_state
from .mcp_tools.config import read_config
from .mcp_tools.servers import Limits, ToolServers
from .middleware import access, logs, traces
from .middleware.access import DOCS_ASSETS_PATH
from .middleware.metrics import metrics_of
from .middleware.plain_clients import PlainClients
from .middleware.stored_keys import StoredKeys
from .ollama import answers as ollama
from .ollama import embeddings as ollama_embeddings
from .ollama import models as ollama_models
from .ollama import pull as ollama_pull
from .openai import embeddings
from .openai import routes as openai
from .responses import routes as responses
from .responses.background import BackgroundResponses
from .served_models import ServedModels
from .sessions import conversations, plain_text_routes
from .sessions import routes as sessions
from .sessions.store_calls import remove_expired
from .settings import ServiceSettings
from .vector_stores import file_routes as store_files
from .vector_stores import routes as vector_stores
from .vector_stores.indexer import Indexer

LOGGER = logging.getLogger(__name__)

_DESCRIPTION = """
A language model with OpenAI's API, Anthropic's Messages API, Ollama's and llama.cpp's APIs, KServe's
protocol, sessions that store conversations, and a plain text stream.

Errors are `{"error": {"message", "type", "param", "code"}}`, on Anthropic's routes
`{"type": "error", "error": {"type", "message", "details"}, "request_id"}`, on Ollama's and
KServe's `{"error": message}`, on llama.cpp's `{"error": {"code", "message", "type", "param"}}`.
The routes of sessions refuse unknown fields (400); the others name those that they ignore in a header
(`X-Ignored-Fields`).
"""


def create_app(
    settings: ServiceSettings, connect: Callable[[str], AsyncChatClient] = AsyncChatClient
) -> FastAPI:
    """Create the application. It connects to Triton when it starts, and to the database at the first use.

    Its state has `settings`, the `triton_client`, `served_models`, `readiness`, the stores of
    `conversations`, `responses`, `items`, `files`, `batches` and `collections`, the `collection_search`, the
    responses in the `background`, the `batch_runner`, the `indexer`, the `tool_servers`, the
    `image_fetcher`, the running `pulls`, the `answer_slots`, and `metrics`. Raises TritonchatError.
    """
    url = find_url(settings.database)
    database = Database(url, settings.keys.names)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        client = connect(settings.server)
        app.state.triton_client = client
        app.state.served_models, app.state.readiness = ServedModels(client), Readiness(client)
        removals = (
            ("sessions", settings.session_expiry_s, app.state.conversations.remove_expired),
            ("conversations of items", settings.session_expiry_s, app.state.items.remove_expired),
            ("responses", settings.response_expiry_s, app.state.responses.remove_expired),
            ("batches", settings.file_expiry_s, app.state.batches.remove_expired),
            ("files", STRAY_AGE_S, app.state.files.remove_expired),
            ("vector stores", STRAY_AGE_S, app.state.collections.remove_expired),
        )
        tasks = [asyncio.create_task(remove_expired(*removal)) for removal in removals if removal[1]]
        if stored_keys is not None:
            await stored_keys.refresh()
            tasks.append(asyncio.create_task(stored_keys.run()))
        stores = app.state.files, app.state.batches
        runner = BatchRunner(app, stores, settings, client, app.state.readiness)
        app.state.batch_runner = runner
        tasks.append(asyncio.create_task(runner.run()))
        kept = app.state.files, TaskStore(database, limits)
        app.state.indexer = Indexer(app, kept, client, app.state.served_models, app.state.readiness)
        tasks.append(asyncio.create_task(app.state.indexer.run()))
        app.state.tool_servers.start()
        try:
            with exported_spans(settings.otlp_endpoint, "http"):
                yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await app.state.background.close()
            await app.state.tool_servers.stop()
            await sessions.wait_for_requests(app.state.conversations)
            await client.close()
            if stored_keys is not None:
                await stored_keys.write()
            database.close()
            logs.flush()

    app = FastAPIOffline(  # /docs loads its scripts from this service, not from a CDN
        title="tritonchat",
        description=_DESCRIPTION,
        version=version("tritonchat"),
        lifespan=lifespan,
        redoc_url=None,
        strict_content_type=False,  # a body without Content-Type is JSON; access.py refuses foreign web pages
        static_url=DOCS_ASSETS_PATH,
        # access.py checks the keys. With this, /docs has a field to enter one.
        dependencies=[Security(HTTPBearer(auto_error=False))] if settings.has_keys else None,
    )
    app.openapi = lambda: _describe_api(app)  # type: ignore[method-assign]  # as FastAPI says
    limits = SessionLimits(settings.max_sessions, settings.max_session_bytes)
    app.state.settings, app.state.conversations = settings, ConversationStore(database, limits)
    stored_keys = None
    if settings.stored_keys:
        stored_keys = StoredKeys(KeyStore(database), KeyCounts(database), metrics_of(app))
    app.state.responses, app.state.items = ResponseStore(database, limits), ItemStore(database, limits)
    app.state.background = BackgroundResponses(app.state.responses)
    app.state.files = FileStore(database, limits, files_folder(url))
    app.state.batches = BatchStore(database, limits)
    app.state.collections = CollectionStore(database, limits)
    app.state.collection_search = CollectionSearch(database)
    app.state.pulls = asyncio.Semaphore(ollama_pull.MAX_PULLS)
    app.state.tool_servers, app.state.image_fetcher = _find_tool_servers(settings), make_fetcher(settings)
    answers = (openai, choose, embeddings, rerank, sparse, anthropic, llamacpp, stream, tokens)
    llamacpps = (llamacpp_embeddings, server_state)
    ollamas = (ollama, ollama_embeddings, ollama_models, ollama_pull)
    for module in (
        models,
        *answers,
        responses,
        item_conversations,
        *ollamas,
        kserve_models,
        kserve,
        kserve_generate,
        sessions,
        plain_text_routes,
        conversations,
        adapters,
        prompts,
        receipts,
        file_routes,
        batches,
        vector_stores,
        store_files,
        health,
        discovery,
        *llamacpps,
    ):
        app.include_router(module.router)
    errors.install(app)
    app.add_middleware(PlainClients)
    access.install(app, settings, stored_keys)
    logs.install(app, settings)  # after those, so that it logs what they refuse
    traces.install(app, settings)
    return app


def _find_tool_servers(settings: ServiceSettings) -> ToolServers:
    entries = [] if settings.mcp_config is None else read_config(settings.mcp_config)
    for entry in entries:
        if entry.ignored:
            names = ", ".join(entry.ignored)
            LOGGER.warning("MCP server %s: these fields have no effect: %s", entry.label, names)
    times = settings.mcp_call_time_s, settings.mcp_total_time_s
    return ToolServers(entries, Limits(settings.mcp_max_rounds, *times, settings.mcp_max_result))


def _describe_api(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, without the errors of status 422 that FastAPI adds: errors.py sends 400."""
    if app.openapi_schema is None:
        description = FastAPI.openapi(app)
        for path in description["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            description["components"]["schemas"].pop(name, None)
        description["components"]["schemas"].update(kserve.DEFINITIONS)
    assert app.openapi_schema is not None  # FastAPI.openapi has set it
    return app.openapi_schema
