"""The Triton model `embed`. It passes requests for embeddings and scores to the queue, and vectors back."""

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from model_core import LLM
from model_core.embeddings.embedder import PreparedTexts
from model_core.errors import InvalidRequest, RequestTimeout, TritonchatError
from model_core.requests.messages import ImageUrlPart, Message

from ...contract.codec import describe_error, encode_failure
from ...contract.embedding_fields import EmbeddingRequest
from ...contract.image_bytes import MAX_IMAGES_BYTES, count_image_bytes
from ...contract.json_tensors import decode
from ...tracing.spans import describe_request, start_span
from ..models.embedding_queue import EmbeddingQueue
from ..models.local_engine import require_llm
from ..models.model_pool import ModelPool
from ..models.model_slot import ModelSlot
from ..models.request_parser import has_images, parse_parameters, split_rows
from .calls import Call, TensorRequest, read_call

LOGGER = logging.getLogger(__name__)

_MAX_TEXT_BYTES = 2**24  # of the tensor `texts`
_FAILED = np.zeros((1, 1), np.float32)  # PyTriton cannot transfer an empty array

Outputs = dict[str, np.ndarray]
Kind = TypeVar("Kind")


class EmbedInference:
    """The Triton model `embed` of one model."""

    def __init__(
        self, pool: ModelPool, queue: EmbeddingQueue, model: ModelSlot, image_threads: Executor
    ) -> None:
        """`model` answers the requests that name no other one; the first model leaves those that it cannot
        answer to the next one that can. `image_threads`: read those with images.
        """
        self._pool, self._queue, self._model = pool, queue, model
        self._image_threads = image_threads

    async def embed(self, requests: list[TensorRequest]) -> list[Outputs]:
        """Compute all rows of all requests of a batch together; a malformed row fails alone."""
        rows = [
            [(read_call(request), *row) for row in split_rows(request.data, "texts")] for request in requests
        ]
        results = iter(await asyncio.gather(*(self._answer(*row) for row in chain.from_iterable(rows))))
        return [_join_rows([next(results) for _ in request_rows]) for request_rows in rows]

    async def _answer(
        self, call: Call, texts: np.ndarray | None, parameters: np.ndarray | None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """The vectors of a row and their details. The details of a row that failed have the error."""
        slot, span = self._model, None
        try:
            values = parse_parameters(parameters, "texts")
            parent = values.get("traceparent", call.parent)
            span = start_span("embeddings", "SERVER", parent if isinstance(parent, str) else None)
            if slot is self._pool.slots[0]:
                slot = self._pool.find_first("embed" if values.get("query") is None else "score")
            slot = self._pool.resolve_model(values.get("model"), slot)
            if values.get("model") in slot.adapters.folders:
                raise InvalidRequest(f"adapters make no embeddings; name the model {slot.name}.", "model")
            vectors, details = await self._compute(slot, call, texts, values)
            if span is not None:
                span.rename(f"embeddings {slot.name}")
                span.note(describe_request("embeddings", values))
                span.count_tokens(details["usage"])
            return vectors, details
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("A request for embeddings failed")
            slot.metrics.count_refusal(error)
            failure = describe_error(error)
            if span is not None:
                span.fail(failure.type)
            return _FAILED, encode_failure(failure)
        finally:
            if span is not None:
                span.end()

    async def _compute(
        self, slot: ModelSlot, call: Call, texts: np.ndarray | None, values: dict[str, Any]
    ) -> tuple[np.ndarray, dict[str, Any]]:
        start, loop, limit_s = time.monotonic(), asyncio.get_running_loop(), call.timeout_s
        model = slot.acquire()
        try:
            with self._queue.open({call.id, str(values.get("request_id"))}) as task:
                llm = require_llm(await _wait(model, start, limit_s))
                # In a thread: the tokenizer may take time, and other requests share this loop.
                threads = self._image_threads if has_images(texts) else None
                prepared = await loop.run_in_executor(threads, _prepare, llm, texts, values)
                self._queue.start(task, llm.embedder, prepared)
                vectors = await _wait(task.future, start, limit_s)
        finally:
            slot.release()
        images = sum(prepared.image_tokens)
        total, tokens = time.monotonic() - start, sum(len(text.tokens) for text in prepared.texts)
        slot.metrics.count_embeddings(len(vectors), tokens, total)
        details = {
            "usage": {"prompt_tokens": tokens, **({"image_tokens": images} if images else {})},
            "rows": len(vectors),
            "timings": {"total": total},
            "model": slot.name,
            "is_sparse": llm.embedder.is_sparse,
        }
        return vectors, details


async def _wait(future: Future[Kind], start: float, limit_s: float | None) -> Kind:
    """The result of a future, which goes on if the limit, counted from `start`, is over: RequestTimeout."""
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody may read it
    rest_s = None if limit_s is None else max(0.0, start + limit_s - time.monotonic())
    try:
        return await asyncio.wait_for(asyncio.shield(waiting), rest_s)
    except asyncio.TimeoutError as error:
        if waiting.done():
            return waiting.result()
        message = f"the request's timeout of {limit_s:g} s passed before it was finished."
        raise RequestTimeout(message, "timeout") from error


def _prepare(llm: LLM, texts: np.ndarray | None, values: dict[str, Any]) -> PreparedTexts:
    """Parse a request, and make tokens of its texts. Raises InvalidRequest or PromptTooLong."""
    if texts is None:
        raise InvalidRequest("the input texts is missing.", "texts")
    image_bytes = count_image_bytes(texts.tobytes()) if texts.size > _MAX_TEXT_BYTES else 0
    _check_size(texts.size - image_bytes)
    if image_bytes > MAX_IMAGES_BYTES:
        raise InvalidRequest(
            f"texts has images of {image_bytes} bytes; at most {MAX_IMAGES_BYTES} are read.", "texts"
        )
    request = EmbeddingRequest(texts=decode(texts, "texts"), **values)
    inputs: Any = request.inputs()
    if request.query is not None:
        _check_size(texts.size)
        return llm.embedder.prepare_documents(request.queries(), inputs, request.score_params())
    if image_bytes:
        parts = [part for item in request.texts if isinstance(item, Message) for part in item.images]
        _check_size(
            texts.size - sum(len(p.image_url.url or "") for p in parts if isinstance(p, ImageUrlPart))
        )
    params = request.embedding_params()
    return llm.embedder.prepare_inputs(inputs, params, request.cache_salt or "")


def _check_size(size: int) -> None:
    """Raises InvalidRequest for too many bytes of texts."""
    if size > _MAX_TEXT_BYTES:
        raise InvalidRequest(
            f"texts has {size} bytes; at most {_MAX_TEXT_BYTES} are allowed; send several requests.",
            "texts",
        )


def _join_rows(results: Sequence[tuple[np.ndarray, dict[str, Any]]]) -> Outputs:
    """The results of a request's rows as its outputs. Rows with fewer vectors, or shorter ones, get zeros."""
    shape = np.max([vectors.shape for vectors, _ in results], axis=0)
    padded = [
        np.pad(vectors, [(0, size - own) for size, own in zip(shape, vectors.shape, strict=True)])
        for vectors, _ in results
    ]
    details = [np.array([json.dumps(details).encode()], dtype=object) for _, details in results]
    return {"embeddings": np.stack(padded), "details": np.stack(details)}
