"""model_core behind NVIDIA Triton: the three models of the contract, bound through PyTriton."""

import asyncio
import json
import logging
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from pytriton.model_config import DynamicBatcher, ModelConfig, QueuePolicy, Tensor
from pytriton.triton import Triton, TritonConfig

from model_core import LLM
from model_core.errors import InvalidRequest, TritonchatError
from model_core.request import Completion, Deliver, Piece

from . import contract
from .contract import CHAT, CHAT_CONTROL, CHAT_STREAM
from .machine import use_libpython
from .telemetry import Telemetry
from .tls import Tls
from .wire import KEEPALIVE_MS

LOGGER = logging.getLogger(__name__)

# A plain model runs one batch at a time per instance and answers when the longest is done, so that a
# second instance keeps short answers from waiting behind a long one. Each costs a process of 45 MB, and
# two seconds when the server stops.
CHAT_INSTANCES = 2
MAX_BATCH = 64
START_ATTEMPTS = 4
# How long the last pieces may take through Triton when it stops.
HAND_OVER_S = 5.0
# How long Triton waits for company for a request; less than a token of any model that needs it.
BATCH_DELAY_US = 2000
# A response costs about a millisecond of processor. So a stream sends no more often than anybody reads,
# and all streams together no more than this many a second: a twentieth of all cores.
STREAM_INTERVAL_S = 0.03
RESPONSES_PER_SECOND = 50 * (os.cpu_count() or 1)


@dataclass(frozen=True)
class Address:
    """Where Triton listens."""

    host: str = "127.0.0.1"
    grpc_port: int = 8001
    http_port: int = 8000
    metrics_port: int = 8002
    tls: Tls | None = None  # for gRPC


class Deployment:
    """A running Triton with an LLM behind it. `start`, then `stop`."""

    def __init__(self, llm: LLM, address: Address, folder: Path, grace_s: float = 20.0) -> None:
        """`folder` takes Triton's working files and `triton.log`; a short path, for there are sockets in it.

        `grace_s` is how long answers may go on after `stop`.
        """
        self._llm, self._address, self._folder, self._grace_s = llm, address, folder, grace_s
        self._started = time.monotonic()
        self._open = 0  # requests whose last piece has not gone out
        self._telemetry = Telemetry(llm.engine, llm.describe())
        self._triton: Triton | None = None

    def start(self) -> None:
        """Start Triton and wait until its models answer. Raises TritonchatError where it does not come up.

        The processes of a model with several instances now and then miss each other when they start: one
        connects to a socket that another has bound but does not listen on yet. So there are a few attempts.
        """
        use_libpython()
        for attempt in range(1, START_ATTEMPTS + 1):
            self._triton = self._bound(self._folder / f"triton-{attempt}")
            try:
                return self._triton.run()
            except Exception as error:
                self._triton.stop()
                if attempt == START_ATTEMPTS:
                    log = self._folder / "triton.log"
                    reason = str(error).partition("\n")[0]
                    raise TritonchatError(f"Triton did not start ({reason}); {log} may say more.") from error
                LOGGER.info("Triton did not start, trying again", exc_info=True)

    def _bound(self, workspace: Path) -> Triton:
        """A Triton with the models of the contract, not running yet."""
        address = self._address
        triton = Triton(
            config=TritonConfig(
                # Triton's HTTP has no TLS, so with TLS it stays on this machine.
                http_address=address.host if address.tls is None else "127.0.0.1",
                http_port=address.http_port,
                grpc_address=address.host,
                grpc_port=address.grpc_port,
                # By itself gRPC hangs up on clients that ask more often than every five minutes.
                grpc_http2_min_recv_ping_interval_without_data=KEEPALIVE_MS // 2,
                grpc_use_ssl=address.tls is not None,
                grpc_server_cert=address.tls and address.tls.certificate,
                grpc_server_key=address.tls and address.tls.key,
                metrics_address=address.host,
                metrics_port=address.metrics_port,
                allow_gpu_metrics=False,
                exit_timeout_secs=int(self._grace_s) + 10,
                log_file=self._folder / "triton.log",
            ),
            workspace=workspace,
        )
        inputs = [
            Tensor(name="messages", dtype=np.uint8, shape=(-1,)),
            Tensor(name="parameters", dtype=np.uint8, shape=(-1,), optional=True),
        ]
        outputs = [
            Tensor(name="response", dtype=bytes, shape=(1,)),
            Tensor(name="details", dtype=bytes, shape=(1,)),
        ]
        batcher = DynamicBatcher(
            max_queue_delay_microseconds=BATCH_DELAY_US,
            default_queue_policy=QueuePolicy(max_queue_size=max(1, self._llm.engine.limits.max_queue)),
        )
        triton.bind(
            CHAT,
            [self._chat] * CHAT_INSTANCES,
            inputs=inputs,
            outputs=outputs,
            config=ModelConfig(max_batch_size=MAX_BATCH, batcher=batcher),
        )
        triton.bind(
            CHAT_STREAM,
            self._chat_stream,
            inputs=inputs,
            outputs=outputs,
            config=ModelConfig(batching=False, decoupled=True),
        )
        triton.bind(
            CHAT_CONTROL,
            self._chat_control,
            inputs=[Tensor(name="command", dtype=np.uint8, shape=(-1,))],
            outputs=[Tensor(name="result", dtype=bytes, shape=(1,))],
            config=ModelConfig(max_batch_size=MAX_BATCH, batcher=DynamicBatcher()),
        )
        return triton

    def is_alive(self) -> bool:
        """Whether every part still works: Triton, its models, the engine."""
        return self._triton is not None and self._triton.is_alive() and self._llm.engine.stats()["alive"]

    def stop(self) -> None:
        """Take no more requests, let answers under way end within the grace, then stop everything."""
        try:
            self._llm.engine.close(self._grace_s)
        except KeyboardInterrupt:  # somebody is in a hurry
            self._llm.engine.close()
        end = time.monotonic() + HAND_OVER_S
        while self._open and time.monotonic() < end:
            time.sleep(0.01)
        if self._triton is not None:
            self._triton.stop()

    async def _chat(self, requests: list[Any]) -> list[dict[str, np.ndarray]]:
        """Answer every row of every request of a batch together; a row that is wrong fails alone."""
        rows = [_rows(request.data) for request in requests]
        answers = iter(await asyncio.gather(*(self._answer(*row) for part in rows for row in part)))
        return [_batch([next(answers) for _ in part]) for part in rows]

    async def _answer(self, messages: np.ndarray, parameters: np.ndarray | None) -> tuple[str, dict]:
        async with self._asked(messages, parameters) as answer:
            await answer.wait_for_end()
            return answer.take()

    async def _chat_stream(self, requests: list[Any]) -> AsyncIterator[list[dict[str, np.ndarray]]]:
        """Answer one request in pieces; what comes within an interval goes together."""
        (request,) = requests
        data = request.data
        async with self._asked(data["messages"], data.get("parameters")) as answer:
            ended = False
            while not ended:
                await answer.wait_for_text()
                ended = answer.has_ended
                text, details = answer.take()
                if text or ended:
                    told = json.dumps(details) if details else ""
                    yield [{"response": _bytes(text), "details": _bytes(told)}]
                if not ended:
                    await answer.wait_for_end(max(STREAM_INTERVAL_S, self._open / RESPONSES_PER_SECOND))

    @asynccontextmanager
    async def _asked(self, messages: np.ndarray, parameters: np.ndarray | None) -> AsyncIterator["_Answer"]:
        """A request on its way through the engine. What goes wrong is in the answer's details."""
        answer = _Answer(self._llm, self._telemetry)
        self._open += 1
        try:
            # In a thread: templates and tokenizers may take their time, and other streams share this loop.
            await asyncio.to_thread(self._submit, messages, parameters, answer.deliver)
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("A request failed")
            self._telemetry.refused(error)
            answer.end(contract.error_details(error))
        try:
            yield answer
        finally:
            self._open -= 1

    def _submit(self, messages: np.ndarray, parameters: np.ndarray | None, deliver: Deliver) -> None:
        """Hand a request to the engine. Raises TritonchatError if it is refused."""
        llm = self._llm
        request = contract.parse_request(messages, parameters, llm.engine.limits.max_context)
        params = request.params.with_defaults(llm.defaults)
        chat = isinstance(request.messages[0], dict)
        prompt = llm.encode_chat(request.messages) if chat else llm.encode(request.messages)
        llm.engine.submit(prompt, params, deliver, request.request_id)

    def _chat_control(self, requests: list[Any]) -> list[dict[str, np.ndarray]]:
        return [
            {"result": np.stack([_bytes(json.dumps(self._control(row))) for row in request.data["command"]])}
            for request in requests
        ]

    def _control(self, row: np.ndarray) -> dict[str, Any]:
        try:
            command = contract.decode(row, "command")
        except TritonchatError as error:
            return contract.error_details(error)
        if isinstance(command, dict) and list(command) == ["cancel"]:
            return {"cancelled": self._llm.engine.cancel(str(command["cancel"]))}
        if command == {"stats": True}:
            uptime = time.monotonic() - self._started
            return {"model": self._llm.describe(), "uptime_s": uptime, **self._llm.engine.stats()}
        if command == {"metrics": True}:
            return {"metrics": self._telemetry.render()}
        known = '{"cancel": request_id}, {"stats": true} and {"metrics": true}'
        return contract.error_details(InvalidRequest(f"unknown command; {known} are known."))


class _Answer:
    """An answer between the engine's thread, which delivers it, and the event loop, which sends it on.

    The loop is woken only when it waits for the next text or for the end, for to wake it costs more than to
    make a token with a small model.
    """

    def __init__(self, llm: LLM, telemetry: Telemetry) -> None:
        self._llm, self._telemetry = llm, telemetry
        self._loop = asyncio.get_running_loop()
        self._pieces: list[Piece] = []  # that nobody has taken
        self._details: dict[str, Any] = {}  # once it has ended
        self._more, self._ended = asyncio.Event(), asyncio.Event()
        self._wanted = False

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing more to come."""
        return self._ended.is_set()

    def deliver(self, piece: Piece) -> None:
        """Take a piece; called by the engine's thread."""
        if piece.completion is not None:
            # Nobody may take the last piece before the end is known, which goes with it.
            self._loop.call_soon_threadsafe(self._finish, piece, piece.completion)
            return
        self._pieces.append(piece)
        if self._wanted:
            self._wanted = False
            self._loop.call_soon_threadsafe(self._more.set)

    def end(self, details: dict[str, Any]) -> None:
        """There is nothing more to come."""
        self._details = details
        self._ended.set()
        self._more.set()

    def take(self) -> tuple[str, dict[str, Any]]:
        """The text since the last time and its part of the `details`."""
        count = len(self._pieces)
        pieces = self._pieces[:count]
        del self._pieces[:count]
        asked_for = [piece.logprobs for piece in pieces if piece.logprobs is not None]
        details = self._details
        if asked_for:
            logprobs = contract.logprob_details(chain.from_iterable(asked_for), self._llm.tokenizer)
            details = {**details, "logprobs": logprobs}
        return "".join(piece.text for piece in pieces), details

    async def wait_for_text(self) -> None:
        """Wait until there is some text or the answer has ended."""
        self._more.clear()
        self._wanted = True
        if not any(piece.text for piece in self._pieces) and not self.has_ended:
            await self._more.wait()

    async def wait_for_end(self, timeout_s: float | None = None) -> None:
        """Wait until the answer has ended, or for so long."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._ended.wait(), timeout_s)

    def _finish(self, last: Piece, completion: Completion) -> None:
        self._pieces.append(last)
        self._telemetry.completed(completion)
        try:
            self.end(contract.details(completion, self._llm.name, self._llm.tokenizer))
        except Exception as error:
            LOGGER.exception("An answer could not be described")
            self.end(contract.error_details(error))


def _rows(data: dict[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray | None]]:
    parameters = data.get("parameters")
    return [(row, None if parameters is None else parameters[i]) for i, row in enumerate(data["messages"])]


def _batch(answers: list[tuple[str, dict[str, Any]]]) -> dict[str, np.ndarray]:
    return {
        "response": np.stack([_bytes(text) for text, _ in answers]),
        "details": np.stack([_bytes(json.dumps(details)) for _, details in answers]),
    }


def _bytes(text: str) -> np.ndarray:
    """Text as BYTES [1]."""
    return np.array([text.encode()], dtype=object)
