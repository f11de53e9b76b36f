"""The HTTP service with models of this process. It listens nowhere, and forgets what it stores at the end."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from pydantic import SecretStr

from ..api.app import create_app
from ..api.batches.calls import ServiceCaller
from ..api.settings import ServiceSettings
from ..engine.models.model_pool import ModelPool
from ..receipts.signer import ReceiptSigner
from .local_client import LocalClient


@asynccontextmanager
async def local_service(
    pool: ModelPool, max_body_bytes: int, makes_receipts: bool = False
) -> AsyncIterator[tuple[ServiceCaller, ServiceSettings]]:
    """What sends requests to the service, and its settings.

    `makes_receipts`: with a key that nobody else knows, so that receipts can be verified.
    """
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())  # nobody reads its log
    with tempfile.TemporaryDirectory(prefix="tritonchat-local-") as folder:
        database = f"sqlite:///{folder}/responses.db"
        signer = ReceiptSigner(lambda: Path(folder)) if makes_receipts else None
        service = ServiceSettings(
            database=SecretStr(database),
            max_body_bytes=max_body_bytes,
            max_body_images_bytes=max_body_bytes,
            max_messages=0,
        )
        app = create_app(service, lambda _: LocalClient(pool, database, signer))
        async with app.router.lifespan_context(app):
            caller = ServiceCaller(app, "", app.state.readiness.check)
            try:
                yield caller, service
            finally:
                await caller.close()
