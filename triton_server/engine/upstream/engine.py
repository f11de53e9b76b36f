"""A model of another server, as the protocol wants an engine."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from typing import Any

from model_core.errors import (
    InvalidRequest,
    QueueFull,
    RequestTimeout,
    ShuttingDown,
    TritonchatError,
)
from model_core.llm.description import ModelDescription
from model_core.requests.events import Accepted, Event, Timings, Usage
from model_core.requests.messages import ChatFields
from model_core.requests.results import Completion
from model_core.requests.sampling import draw_seed

from ...contract.commands import Detokenize, TokenizeText
from ...contract.request_fields import Request
from ..models.protocol import AnswerSink, Submission
from ..models.tokens import TokenCommand, check_size
from .bodies import chat_fields, make_body, make_headers
from .chunks import ChunkReader
from .failures import unavailable
from .server import UpstreamModel, UpstreamServer

_DEFAULT_CONTEXT = 2**17  # of a server that does not say it; only to know which prompts are too long to read


class EventReader:
    """Reads an answer whose parts are lists of events, and the completion as the last one."""

    prompt: Sequence[int] | None = None  # the other server tells nothing of tokens

    def __init__(self) -> None:
        self._completion: Completion | None = None

    def read(self, parts: Sequence[list[Event] | Completion]) -> list[Event]:
        """See AnswerReader."""
        events: list[Event] = []
        for part in parts:
            if isinstance(part, Completion):
                self._completion = part
            else:
                events += part
        return events

    def finish(self) -> tuple[list[Event], Completion]:
        """See AnswerReader."""
        assert self._completion is not None  # it is the last part
        return [], self._completion


class UpstreamEngine:
    """A model of another server. It runs at most `limit` requests at a time."""

    def __init__(self, name: str, server: UpstreamServer, model: UpstreamModel, limit: int) -> None:
        """`name`: the model's name here."""
        self._name, self._server, self._model, self._limit = name, server, model, limit
        self._condition = threading.Condition()  # guards the fields below
        self._running: set[_Answer] = set()
        self._totals: Counter[str] = Counter()
        self._is_closing = False
        self._fingerprint = model.fingerprint  # as the last answer said

    @property
    def max_context(self) -> int:
        """See ModelEngine."""
        return self._model.max_context or _DEFAULT_CONTEXT

    def submit(self, request: Request, answer: AnswerSink) -> Submission:
        """See ModelEngine."""
        seed = draw_seed() if request.seed is None else request.seed
        path, body = make_body(request, self._model, seed)
        running = _Answer(self._server, self._server.url + path, body, request, answer, seed, self._end)
        answer.reader = EventReader()
        with self._condition:
            if self._is_closing:
                raise ShuttingDown("the server is stopping and takes no new requests.")
            if len(self._running) >= self._limit:
                self._totals["refusals"] += 1
                raise QueueFull(
                    f"{self._limit} requests are at the engine, which is the limit (--max-concurrency and "
                    "--max-queue together); try again in a moment."
                )
            self._running.add(running)
            self._totals["requests"] += 1
        self._server.start(running.start)
        return Submission(running.cancel, running.accepted)

    def _end(self, running: "_Answer", completion: Completion | None) -> None:
        """Count an answer that has ended; None: it was refused."""
        with self._condition:
            self._running.discard(running)
            self._fingerprint = running.fingerprint or self._fingerprint
            self._totals["refusals"] += completion is None
            if completion is not None:
                self._totals["prompt_tokens"] += completion.usage.prompt_tokens
                self._totals["completion_tokens"] += completion.usage.completion_tokens
                is_cancelled = completion.finish_reason == "cancelled" and completion.error is None
                self._totals["cancellations"] += is_cancelled
            self._condition.notify_all()

    def count(self, request: Request) -> Completion:
        """See ModelEngine."""
        if request.suffix is not None:
            raise InvalidRequest(
                "suffix is not possible: another server computes this model, and counts no such tokens.",
                "suffix",
            )
        if request.is_chat:
            body = self._chat_fields(request)
        elif isinstance(request.messages, str):
            body = {"prompt": request.messages}
        else:
            body = None
        count = len(request.messages) if body is None else self._tokenize(body)["count"]
        return Completion(
            "", [], "stop", Usage(count, 0), Timings(None, None, 0.0), request.seed or draw_seed()
        )

    def tokenize(self, command: TokenCommand) -> dict[str, Any]:
        """See ModelEngine. The text of a piece is the name of its token where the server says no more."""
        body: dict[str, Any]
        if isinstance(command, Detokenize):
            body = {"model": self._model.name, "tokens": command.detokenize}
            return {"text": self._call("/detokenize", body)["prompt"]}
        if isinstance(command, TokenizeText):
            check_size(command.tokenize, self.max_context)
            body = {"prompt": command.tokenize, "add_special_tokens": command.add_special_tokens}
            if not command.parse_special:
                if self._model.dialect != "tritonchat":
                    raise InvalidRequest(
                        "parse_special must be true: the server that computes this model always parses names "
                        "of special tokens.",
                        "parse_special",
                    )
                body["parse_special"] = False
        else:
            fields = {name: getattr(command, name) for name in ChatFields.model_fields}
            given = {name: value for name, value in fields.items() if name in command.model_fields_set}
            own = Request(messages=command.tokenize, cache_salt=command.cache_salt, **given)
            body = self._chat_fields(own)
        is_own = self._model.dialect == "tritonchat"
        if command.pieces:
            body |= {"return_token_strs": True, **({"with_pieces": True} if is_own else {})}
        result = self._tokenize(body)
        tokens = result["tokens"]
        ids = [token["id"] if isinstance(token, dict) else token for token in tokens]
        answer: dict[str, Any] = {
            "token_ids": ids,
            "max_context": result.get("max_model_len") or self.max_context,
        }
        if command.pieces:
            answer["pieces"] = [
                _make_piece(name, token)
                for name, token in zip(result.get("token_strs") or ids, tokens, strict=True)
            ]
        if not isinstance(command, TokenizeText):
            if is_own:
                written = self._call("/apply-template", {**body, "model": self._model.name})
            else:
                written = self._call("/detokenize", {"model": self._model.name, "tokens": ids})
            answer["text"] = written["prompt"]
        return answer

    def _chat_fields(self, request: Request) -> dict[str, Any]:
        """What makes the prompt of a conversation. A server of our own keeps its images by their salt."""
        salt = {"cache_salt": request.cache_salt} if self._model.dialect == "tritonchat" else {}
        return chat_fields(request, self._model.dialect) | salt

    def _tokenize(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._call("/tokenize", {"model": self._model.name, **body})

    def _call(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What a route says that only vLLM and tritonchat have. Raises TritonchatError."""
        if self._model.dialect == "openai":
            raise InvalidRequest(
                "the engine of this model is another server, which tells nothing of tokens.", "model"
            )
        return self._server.call(self._server.fetch("POST", self._server.root + path, body))

    def fingerprint(self, adapter: str | None) -> str | None:
        """See ModelEngine. It is what the other server has said."""
        return self._fingerprint

    def made_of(self, adapter: str | None) -> dict[str, Any] | None:
        """See ModelEngine. The other server tells nothing of it."""
        return None

    def describe(self) -> ModelDescription:
        """See ModelEngine. The other server tells nothing of its weights, its limits and its defaults."""
        return {
            "name": self._name,
            "family": self._model.dialect,
            "engine": self._server.url,
            "file_format": None,
            "parameters": None,
            "weights": None,
            "weight_bytes": None,
            "tasks": ["generate"],
            "embedding": None,
            "layers": None,
            "vocab_size": None,
            "max_context": self._model.max_context,
            "max_concurrency": None,
            "max_queue": None,
            "kv_cache_memory": None,
            "arithmetic": None,
            "tiles": None,
            "kv_cache_dtype": None,
            "threads": None,
            "chat_template": True,
            "enable_thinking": None,
            "tokenizer": True,
            "counts_tokens": self._model.dialect != "openai",
            "vision": None,
            "sampling": None,
        }

    def stats(self) -> dict[str, Any]:
        """See ModelEngine."""
        with self._condition:
            received = sum(answer.tokens for answer in self._running)
            totals = {**self._totals, "completion_tokens": self._totals["completion_tokens"] + received}
            return {
                "alive": self._server.is_alive(),
                "running": len(self._running),
                "waiting": 0,
                "totals": totals,
            }

    def find_fault(self) -> str | None:
        """See ModelEngine."""
        return self._server.fault

    def close(self, grace_s: float = 0.0) -> None:
        """See ModelEngine."""
        with self._condition:
            self._is_closing = True
            self._condition.wait_for(lambda: not self._running, grace_s)
            for answer in self._running:
                answer.cancel()


def _make_piece(name: Any, token: Any) -> dict[str, Any]:
    piece = token["piece"] if isinstance(token, dict) else str(name)
    if isinstance(piece, list):
        text = bytes(piece).decode(errors="replace")
        return {"name": str(name), "text": text, "bytes": piece}
    return {"name": str(name), "text": piece}


class _Answer:
    """An answer on its way from the other server. `tokens`: that have come, about."""

    def __init__(
        self,
        server: UpstreamServer,
        url: str,
        body: dict[str, Any],
        request: Request,
        sink: AnswerSink,
        seed: int,
        on_end: Callable[["_Answer", Completion | None], None],
    ) -> None:
        self.accepted: Future[None] = Future()
        self.tokens = 0
        self._server, self._url, self._body, self._sink, self._seed = server, url, body, sink, seed
        self._headers, self._timeout_s, self._on_end = make_headers(request), request.timeout_s, on_end
        self._reader = ChunkReader(bool(request.return_token_ids), bool(request.echo))
        self._first_token_time: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_cancelled = self._has_ended = False

    @property
    def fingerprint(self) -> str | None:
        """What the other server has said of its model."""
        return self._reader.fingerprint

    def start(self) -> None:
        """Send the request; called in the server's event loop, as the methods below."""
        self._task = asyncio.create_task(self._receive())
        self._task.add_done_callback(self._finish)
        if self._is_cancelled:
            self._task.cancel()

    def cancel(self) -> bool:
        """See Submission; called by any thread."""
        was_running = not self._has_ended  # the loop may end it before this thread goes on
        self._is_cancelled = True
        self._server.start(lambda: self._task and self._task.cancel())
        return was_running

    async def _receive(self) -> None:
        """Receive the answer. Raises TritonchatError."""
        try:
            await asyncio.wait_for(self._receive_chunks(), self._timeout_s)
        except asyncio.TimeoutError:
            raise RequestTimeout(
                f"the request's timeout_s of {self._timeout_s:g} s passed before it was finished."
            ) from None

    async def _receive_chunks(self) -> None:
        if not self._body.get("stream"):
            self._take(await self._server.fetch("POST", self._url, self._body, self._headers))
            self.accepted.set_result(None)
            return
        async with aclosing(self._server.stream(self._url, self._body, self._headers)) as chunks:
            async for chunk in chunks:
                if chunk:
                    self._take(chunk)
                else:
                    self.accepted.set_result(None)
        if self._reader.finish_reason is None:
            raise unavailable(self._server.url, "broke off the answer")

    def _take(self, chunk: dict[str, Any]) -> None:
        """Pass a chunk on. Raises TritonchatError for one that is not of OpenAI's form."""
        try:
            events = self._reader.read(chunk)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise unavailable(self._server.url, "sent an answer that is not of OpenAI's form") from error
        if any(not isinstance(event, Accepted) for event in events):
            self.tokens += 1
            if self._first_token_time is None:
                self._first_token_time = time.monotonic()
        if events:
            self._sink.add(events)

    def _finish(self, task: asyncio.Task[None]) -> None:
        """End the answer."""
        error: TritonchatError | None = None
        if not task.cancelled() and (failure := task.exception()) is not None:
            error = (
                failure
                if isinstance(failure, TritonchatError)
                else TritonchatError(
                    f"the answer of the engine could not be read ({type(failure).__name__})."
                )
            )
        self._has_ended = True
        if error is not None and not self.accepted.done():
            self._on_end(self, None)
            self.accepted.set_exception(error)
            return
        completion = self._make_completion(error, task.cancelled())
        self._on_end(self, completion)
        if not self.accepted.done():
            self.accepted.set_result(None)
        self._sink.finish(completion)

    def _make_completion(self, error: TritonchatError | None, is_cancelled: bool) -> Completion:
        reader, start, first = self._reader, self._sink.arrival_time, self._first_token_time
        is_cut_off = is_cancelled or error is not None
        return Completion(
            text="",
            token_ids=[],
            finish_reason="cancelled" if is_cut_off else reader.finish_reason or "stop",
            usage=reader.usage,
            timings=Timings(None, None if first is None else first - start, time.monotonic() - start),
            seed=self._seed if reader.seed is None else reader.seed,
            stop_string=reader.stop_string,
            error=error,
        )
