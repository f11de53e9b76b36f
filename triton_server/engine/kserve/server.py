"""Serves the models of the contract over gRPC from this process: `Deployment` without Triton."""

import asyncio
import logging
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

import grpc
from prometheus_client import CollectorRegistry, start_http_server

from model_core.errors import TritonchatError

from ...contract.grpc_service import add_reflection
from ...contract.tensors import READY
from ...contract.wire import KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS
from ...receipts.signer import ReceiptSigner
from ...system.hosts import join_port
from ...system.tls import TlsFiles
from ..commands.conversation_commands import ConversationCommands
from ..models.answer_cache import AnswerCache
from ..models.model_pool import ModelPool
from ..serving.address import Address
from ..serving.inference import Inference
from ..serving.models import list_models
from .handlers import Handlers
from .service import InferenceService
from .statistics import CountsCollector

if TYPE_CHECKING:
    from wsgiref.simple_server import WSGIServer

LOGGER = logging.getLogger(__name__)

# As Triton: no message may be larger. Each model has limits of its own for what it reads.
MAX_MESSAGE_BYTES = 2**31 - 1
# The loop is asked at each `find_fault` whether it runs. A busy machine may hold it up for a while.
MAX_FAILURES = 60
_STOP_S = 2.0  # for calls that run when the answers have ended
_END_S = 3 * _STOP_S  # for the loop to end
_OPTIONS = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
    # By default, gRPC closes connections of clients that ping more often than every five minutes.
    ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
    ("grpc.so_reuseport", 0),
]


class GrpcServer:
    """A gRPC server for the models of a pool, in a thread of its own. Call `start`; `drain`, then `stop`."""

    def __init__(
        self,
        pool: ModelPool,
        address: Address,
        grace_s: float = 20.0,
        conversations: ConversationCommands | None = None,
        receipts: ReceiptSigner | None = None,
        answers: AnswerCache | None = None,
    ) -> None:
        """`address`: port 0 is any that is free. The others: see Deployment."""
        self._pool, self._address, self._grace_s = pool, address, grace_s
        self.inference = Inference(
            pool, self.health, conversations or ConversationCommands(), receipts, answers
        )
        self._service = InferenceService(
            list(list_models(pool, self.inference)), self.inference.cancel_call, self.health
        )
        self._is_draining = False
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="grpc", daemon=True)
        self._started: Future[int] = Future()
        self._metrics: WSGIServer | None = None
        self._beat, self._failures = True, 0  # whether the loop has answered; how often it has not, in a row

    def start(self) -> int:
        """Listen. Returns the port of gRPC. Raises TritonchatError if a port cannot be used."""
        self._thread.start()
        port = self._started.result()
        registry = CollectorRegistry()
        registry.register(CountsCollector(self._service.counts))
        host, metrics_port = self._address.host, self._address.metrics_port
        try:
            self._metrics, _ = start_http_server(metrics_port, host, registry)
        except OSError as error:
            self.stop()
            raise TritonchatError(f"port {metrics_port} cannot be used: {error.strerror}.") from error
        return port

    def health(self) -> str:
        """contract.READY, or the reason why no requests are accepted."""
        if self._is_draining:
            return "the server is stopping"
        return self._pool.find_fault() or READY

    def is_engine_alive(self) -> bool:
        """Whether the engines of all models that are loaded run."""
        return self._pool.is_alive()

    def find_fault(self) -> str | None:
        """The fault that only another process can repair, in a few words; None if there is none.

        To be called at intervals. It counts how often the loop has not run between two calls, rather than
        seconds: a process that was stopped for a while has no fault.
        """
        if not self._thread.is_alive():
            return "the thread that answers gRPC ended"
        self._failures = 0 if self._beat else self._failures + 1
        if self._beat:
            self._beat = False
            self._loop.call_soon_threadsafe(self._set_beat)
        return "gRPC does not answer" if self._failures >= MAX_FAILURES else None

    def drain(self) -> None:
        """Refuse new requests, and give the running answers `grace_s` seconds to end."""
        self._is_draining = True
        self.inference.drain(self._grace_s)

    def stop(self) -> None:
        """Stop the engines and the server; running answers are cut off."""
        self._is_draining = True
        self.inference.close()
        if self._metrics is not None:  # that takes half a second, and nobody waits for it
            threading.Thread(target=_stop_metrics, args=[self._metrics], daemon=True).start()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_END_S)  # one that hangs ends with the process

    def _set_beat(self) -> None:
        self._beat = True

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:
            if not self._started.done():
                self._started.set_exception(error)
            else:
                LOGGER.exception("gRPC failed")
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _serve(self) -> None:
        """Listen until `stop`. Raises TritonchatError if the port cannot be used."""
        server = grpc.aio.server(options=_OPTIONS)
        server.add_generic_rpc_handlers((Handlers(self._service, self.health),))
        add_reflection(server)
        place = join_port(self._address.host, self._address.grpc_port)
        try:
            if self._address.tls is None:
                port = server.add_insecure_port(place)
            else:
                port = server.add_secure_port(place, _make_credentials(self._address.tls))
        except RuntimeError as error:
            raise TritonchatError(f"gRPC cannot listen at {place}: {error}") from error
        await server.start()
        self._started.set_result(port)
        await self._stopping.wait()
        await server.stop(_STOP_S)
        await self._service.stop(_STOP_S)


def _make_credentials(tls: TlsFiles) -> grpc.ServerCredentials:
    return grpc.ssl_server_credentials([(tls.key.read_bytes(), tls.certificate.read_bytes())])


def _stop_metrics(metrics: "WSGIServer") -> None:
    metrics.shutdown()
    metrics.server_close()
