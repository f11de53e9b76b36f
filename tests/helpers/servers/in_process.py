"""The models of a server behind gRPC, in this process and without Triton.

For tests of what clients, dialects and commands do: a Triton of their own would take seconds to start. What
Triton and its processes do themselves (batches, queues, clients that die) needs a real one.
"""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import numpy as np
from http_service import services
from pytriton.proxy.types import Request
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import serialize_byte_tensor

from triton_server.contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED, READY
from triton_server.engine.commands.conversation_commands import ConversationCommands
from triton_server.engine.models.answer_cache import AnswerCache
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.triton.backend_reports import CALL_ID_PARAMETER
from triton_server.engine.triton.chat_inference import ChatInference
from triton_server.engine.triton.embed_inference import EmbedInference
from triton_server.engine.triton.inference import Inference
from triton_server.receipts.signer import ReceiptSigner

_THREADS = 128  # a call takes one, a stream as long as it lasts


class InferenceService(service_pb2_grpc.GRPCInferenceServiceServicer):
    """Triton's service, as far as our clients call it."""

    def __init__(
        self,
        pool: ModelPool,
        conversations: ConversationCommands,
        loop: asyncio.AbstractEventLoop,
        receipts: ReceiptSigner | None,
        answers: AnswerCache | None,
    ) -> None:
        self._loop, self._calls = loop, itertools.count()
        self.inference = Inference(pool, lambda: pool.find_fault() or READY, conversations, receipts, answers)
        self._models: dict[str, Any] = {CHAT_CONTROL: self.inference.chat_control}
        for suffix, slot in zip(pool.suffixes, pool.slots, strict=True):
            model = ChatInference(self.inference, slot)
            self._models[CHAT + suffix], self._models[CHAT_STREAM + suffix] = model.chat, model.chat_stream
            self._models[EMBED + suffix] = EmbedInference(pool, self.inference.embeddings, slot).embed

    def ModelInfer(
        self, request: service_pb2.ModelInferRequest, context: grpc.ServicerContext
    ) -> service_pb2.ModelInferResponse:
        """Answer a request of a batch of one."""

        async def answer() -> list[dict[str, np.ndarray]]:
            return await self._models[request.model_name]([self._open(request, context)])

        (outputs,) = asyncio.run_coroutine_threadsafe(answer(), self._loop).result()
        return _to_response(request, outputs)

    def ModelStreamInfer(
        self, requests: Iterator[service_pb2.ModelInferRequest], context: grpc.ServicerContext
    ) -> Iterator[service_pb2.ModelStreamInferResponse]:
        """Answer the one request of a stream, response by response."""
        request = next(requests)
        responses: AsyncGenerator[list[dict[str, np.ndarray]], None] = self._models[request.model_name](
            [self._open(request, context)]
        )

        async def next_outputs() -> list[dict[str, np.ndarray]] | None:
            return await anext(responses, None)

        try:
            while response := asyncio.run_coroutine_threadsafe(next_outputs(), self._loop).result():
                (outputs,) = response
                yield service_pb2.ModelStreamInferResponse(infer_response=_to_response(request, outputs))
        finally:  # a client that is gone reads no more
            asyncio.run_coroutine_threadsafe(responses.aclose(), self._loop)
        if request.parameters["triton_enable_empty_final_response"].bool_param:
            end = service_pb2.ModelStreamInferResponse()
            end.infer_response.parameters["triton_final_response"].bool_param = True
            yield end

    def _open(self, request: service_pb2.ModelInferRequest, context: grpc.ServicerContext) -> Request:
        """A request as PyTriton gives it to a model; it is cancelled when its client is gone."""
        call = f"call-{next(self._calls)}"
        context.add_callback(lambda: self.inference.cancel_call(call))
        data = {
            tensor.name: np.frombuffer(content, np.uint8).reshape(list(tensor.shape))
            for tensor, content in zip(request.inputs, request.raw_input_contents, strict=True)
        }
        return Request(data, {CALL_ID_PARAMETER: call})


def _to_response(
    request: service_pb2.ModelInferRequest, outputs: dict[str, np.ndarray]
) -> service_pb2.ModelInferResponse:
    response = service_pb2.ModelInferResponse(model_name=request.model_name, id=request.id)
    for name, array in outputs.items():
        is_bytes = array.dtype == object
        datatype = "BYTES" if is_bytes else "FP32"
        response.outputs.add(name=name, datatype=datatype, shape=array.shape)
        content = serialize_byte_tensor(array).item() if is_bytes else array.tobytes()
        response.raw_output_contents.append(content)
    return response


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
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="models", daemon=True)
    thread.start()
    unlimited = [(f"grpc.max_{way}_message_length", -1) for way in ("send", "receive")]
    threads = ThreadPoolExecutor(_THREADS, "grpc")
    server = grpc.server(threads, options=unlimited)
    service = InferenceService(pool, ConversationCommands(database), loop, receipts, answers)
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait()
        service.inference.cancel_all()
        service.inference.embeddings.close()
        service.inference.feeds.close()
        pool.close()
        threads.shutdown()  # waits for coroutines of the loop
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


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
