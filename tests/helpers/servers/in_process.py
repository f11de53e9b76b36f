"""The models of a server behind gRPC, in this process and without Triton, as with --no-triton.

For tests of what clients, dialects and commands do: a Triton of their own would take seconds to start. What
Triton and its processes do themselves (batches, queues, clients that die) needs a real one.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from http_service import services

from triton_server.engine.commands.conversation_commands import ConversationCommands
from triton_server.engine.kserve.server import GrpcServer
from triton_server.engine.models.answer_cache import AnswerCache
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.serving.address import Address
from triton_server.receipts.signer import ReceiptSigner


@contextlib.contextmanager
def served(
    pool: ModelPool,
    database: str | None = None,
    receipts: ReceiptSigner | None = None,
    answers: AnswerCache | None = None,
) -> Iterator[str]:
    """Serve models, which are closed at the end. Yields the address of their gRPC.

    `database`: of the conversations, by default those of the user.
    """
    conversations = ConversationCommands(database)
    server = GrpcServer(pool, Address(grpc_port=0, metrics_port=0), 0.0, conversations, receipts, answers)
    port = server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop()


@dataclass(frozen=True)
class Endpoints:
    """Where a server answers."""

    grpc_url: str
    api_url: str


@contextlib.contextmanager
def local_server(
    pool: ModelPool,
    folder: Path,
    receipts: ReceiptSigner | None = None,
    answers: AnswerCache | None = None,
    **settings: Any,
) -> Iterator[Endpoints]:
    """Load models and serve them, with an HTTP service. Their database and keys are in `folder`.

    `receipts`: of the answers; by default they have one if they ask for it. `answers`: keeps them.
    `settings`: of the HTTP service.
    """
    pool.load_all()
    database = f"sqlite:///{folder / 'conversations.db'}"
    with (
        served(pool, database, receipts or ReceiptSigner(lambda: folder), answers) as grpc_url,
        services(grpc_url, folder) as start,
    ):
        yield Endpoints(grpc_url, start(database=database, **settings).url)
