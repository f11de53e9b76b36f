"""The models of the contract as KServe's protocol describes them: their tensors, and what answers."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED
from ..models.model_pool import ModelPool
from .calls import TensorRequest
from .chat_inference import ChatInference
from .embed_inference import EmbedInference
from .inference import Inference, Outputs

MAX_BATCH = 64  # rows of a request, and of requests that are answered together

Batch = list[TensorRequest]
# What answers a batch: with an output for each request, or one request by many responses.
Answer = Callable[[Batch], Awaitable[list[Outputs]]]
StreamAnswer = Callable[[Batch], AsyncIterator[list[Outputs]]]


@dataclass(frozen=True)
class TensorSpec:
    """A tensor, without the axis of rows. A size of -1 may be any."""

    name: str
    datatype: Literal["UINT8", "BYTES", "FP32"]
    dims: tuple[int, ...]
    is_optional: bool = False

    @property
    def dtype(self) -> Any:
        """Its type in NumPy, as PyTriton names it."""
        return {"UINT8": np.uint8, "BYTES": bytes, "FP32": np.float32}[self.datatype]


@dataclass(frozen=True)
class ContractModel:
    """A model of the contract.

    Attributes:
        answer: an `Answer`; of a stream, a `StreamAnswer`.
        is_stream: whether it answers one request, which has no axis of rows, by many responses.
        may_wait: whether requests may wait a moment for others, to be answered together.
    """

    name: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    answer: Any
    is_stream: bool = False
    may_wait: bool = True

    @property
    def max_rows(self) -> int:
        """Rows of a request; 0: it has no axis of rows."""
        return 0 if self.is_stream else MAX_BATCH


def list_models(pool: ModelPool, inference: Inference) -> Iterator[ContractModel]:
    """All models of a server, `chat_control` last."""
    parameters = TensorSpec("parameters", "UINT8", (-1,), is_optional=True)
    details = TensorSpec("details", "BYTES", (1,))
    inputs = (TensorSpec("messages", "UINT8", (-1,)), parameters)
    outputs = (TensorSpec("response", "BYTES", (1,)), details)
    texts = (TensorSpec("texts", "UINT8", (-1,)), parameters)
    vectors = (TensorSpec("embeddings", "FP32", (-1, -1)), details)
    for suffix, slot in zip(pool.suffixes, pool.slots, strict=False):  # without those added
        chat = ChatInference(inference, slot)
        yield ContractModel(CHAT + suffix, inputs, outputs, chat.chat)
        yield ContractModel(CHAT_STREAM + suffix, inputs, outputs, chat.chat_stream, is_stream=True)
        embeddings = EmbedInference(pool, inference.embeddings, slot, inference.image_threads)
        yield ContractModel(EMBED + suffix, texts, vectors, embeddings.embed)
    command, result = TensorSpec("command", "UINT8", (-1,)), TensorSpec("result", "BYTES", (1,))
    yield ContractModel(CHAT_CONTROL, (command,), (result,), inference.chat_control, may_wait=False)
