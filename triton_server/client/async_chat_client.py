"""The asyncio client of a tritonchat server: one connection, many streams."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import grpc
import numpy as np
import tritonclient.grpc.aio as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError
from model_core.requests.events import Done, Event, Failed

from ..contract import wire
from ..contract.calls import name_triton_models
from ..contract.codec import decode_piece, make_error
from ..contract.commands import COMMANDS, CONTROL_TIMEOUT_S
from ..contract.json_tensors import encode, encode_padded
from ..contract.tensors import CHAT_CONTROL, EMBED, EmbeddingInputs, Prompt
from ..contract.wire import ServerUnavailable
from ..tracing.spans import SPAN, Span, as_part, describe_request, name_operation
from .answer_streams import AnswerReader, Feed, open_stream
from .caller import CALLER, Caller

# What a request may ask for that makes its answer large.
_LARGE_PARTS = ("logprobs", "prompt_logprobs", "return_token_ids", "choices")
_END_WAIT_S, _END_ATTEMPTS = 1.0, 5  # for a stream that nobody reads to end


class AsyncChatClient:
    """A connection to a server, for one event loop. Create it in a coroutine of this loop.

    Each call is for the CALLER of its task (caller.py), and raises what that raises.
    """

    def __init__(self, url: str = "127.0.0.1:8001") -> None:
        """`url` is the server's gRPC endpoint, in a form of `wire.parse_endpoint`. This sends nothing yet.

        Raises InvalidRequest for any other address.
        """
        endpoint = wire.parse_endpoint(url)
        self.url = endpoint.address
        self._triton = triton.InferenceServerClient(**endpoint.client_arguments())
        self._is_closed = False
        self._feed: Feed | None = None
        self._ending: set[asyncio.Task] = set()  # see _keep

    @property
    def triton(self) -> triton.InferenceServerClient:
        """Triton's own client, for what Triton says of itself and of its models."""
        return self._triton

    async def close(self) -> None:
        """Close the connection. The server cancels the requests that still run on it."""
        self._is_closed = True
        if self._feed is not None and not self._feed.has_ended:
            with suppress(TritonchatError):  # the server ends it, see _end_stream
                await self.cancel(self._feed.name, _END_WAIT_S)
            await self._feed.wait(_END_WAIT_S)
        await self._triton.close()

    async def cancel(self, request_id: str, timeout_s: float = CONTROL_TIMEOUT_S) -> bool:
        """Cancel a request. Its text so far is still delivered. False if the server has no such request."""
        return await self._ask("cancel", request_id, timeout_s)

    async def stats(self, timeout_s: float = CONTROL_TIMEOUT_S, model: str | None = None) -> dict[str, Any]:
        """Return the state of the server: `models`, and of one model `running`, `waiting`, totals, ...

        `model`: which one; None: the first. Its description, `model`, is None until it was loaded once.
        """
        return await self._ask("stats", True, timeout_s, model=model)

    async def list_triton_models(self) -> list[str]:
        """Return the names of the Triton models, `chat_control` last."""
        return name_triton_models(await self.stats())

    async def load(self, model: str) -> dict[str, Any]:
        """Let the server begin to load a model. Returns its entry in the `models` of `stats` at once."""
        return await self._ask("load", model)

    async def recommend(self) -> dict[str, Any]:
        """Published models that fit the server's machine, as `commands.Recommend` says."""
        return await self._ask("recommend")

    async def get_model(self, name: str) -> dict[str, Any]:
        """Begin to download one of them to the server's machine, and load it (--allow-pull)."""
        return await self._ask("get_model", name)

    async def load_adapter(self, name: str, folder: str) -> str:
        """Begin to load an adapter of the server's machine: "ready", or "loading" until a later call."""
        return await self._ask("load_adapter", name, folder=folder)

    async def drop_adapter(self, name: str) -> None:
        """Let no new request choose an adapter."""
        await self._ask("drop_adapter", name)

    async def tokenize(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return the `token_ids` of a text or a conversation, and more, see docs/commands.md."""
        return await self._ask("tokenize", prompt, **fields)

    async def detokenize(self, token_ids: list[int], model: str | None = None) -> str:
        """Return the text of token ids, names of special tokens included."""
        return await self._ask("detokenize", token_ids, model=model)

    async def show_tokenizer(self, model: str | None = None) -> dict[str, Any]:
        """Return the `special_tokens` and the `chat_template` of a model, and whether it can `infill`."""
        return await self._ask("tokenizer", model=model)

    async def show_origin(self, model: str | None = None) -> dict[str, Any] | None:
        """Return what the fingerprint of a model or an adapter is made of; None if it is not known."""
        return await self._ask("origin", model=model)

    async def show_receipt_key(self) -> dict[str, Any]:
        """Return the public key of the server's receipts, as a set of keys (RFC 7517)."""
        return await self._ask("receipt_key")

    async def save_prompt(
        self, name: str, messages: Prompt, model: str | None = None, **parameters: Any
    ) -> dict[str, Any] | None:
        """Begin to save a prompt. Returns what `list_prompts` says of it, or None until a later call."""
        saved = await self._ask("save_prompt", name, messages=messages, parameters=parameters, model=model)
        return saved.get("prompt")

    async def list_prompts(self, model: str | None = None) -> list[dict[str, Any]]:
        """The saved prompts of a model: name, tokens, bytes, created, last_used."""
        return await self._ask("prompts", model=model)

    async def show_prompt(self, name: str, model: str | None = None) -> dict[str, Any]:
        """A saved prompt, with the `messages` and `parameters` that it was made from."""
        return await self._ask("prompt", name, model=model)

    async def delete_prompt(self, name: str, model: str | None = None) -> None:
        """Delete a saved prompt."""
        await self._ask("delete_prompt", name, model=model)

    async def forget(self, cache_salt: str) -> None:
        """Delete what the prefix cache, on disk and in memory, and that of answers have of a salt."""
        await self._ask("forget", cache_salt)

    async def live(self, model: str | None = None, with_tree: bool = False) -> dict[str, Any]:
        """Return what a model's engine does: its last steps, its running requests, its KV memory."""
        return await self._ask("live", model=model, tree=with_tree)

    async def profile(self, load: str, model: str | None = None) -> dict[str, Any]:
        """Return where the time of a step goes; docs/commands.md names the loads."""
        return await self._ask("profile", load, model=model)

    async def explain(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return how the model computes a short prompt; docs/commands.md describes the fields."""
        return await self._ask("explain", prompt, **fields)

    async def metrics(self) -> str:
        """Return the engine's metrics in Prometheus' text format, under vLLM's names, too."""
        return await self._ask("metrics")

    async def health(self, timeout_s: float = CONTROL_TIMEOUT_S) -> str:
        """Return "ready", or the reason why the server accepts no requests."""
        return await self._ask("health", True, timeout_s)

    async def embed(self, texts: EmbeddingInputs, parameters: dict[str, Any]) -> wire.Vectors:
        """Return the embeddings or scores of texts, as `ChatClient.embed` does.

        Leaving early (a cancelled task) cancels the request. Raises as `stream`.
        """
        caller, span = CALLER.get(), SPAN.get()
        await caller.check_model(parameters.get("model"))
        request_id = str(parameters.setdefault("request_id", uuid.uuid4().hex))
        if span is not None:
            span.note(describe_request("embeddings", parameters))
        arrays = {"texts": encode_padded(list(texts)), "parameters": encode_padded(as_part(parameters, span))}
        rows = {name: array[None] for name, array in arrays.items()}
        vectors = wire.parse_vectors(await self.infer(EMBED, rows, [request_id]))
        caller.count_tokens({"prompt_tokens": vectors.prompt_tokens})
        if span is not None:
            span.count_tokens({"prompt_tokens": vectors.prompt_tokens})
        return vectors

    async def infer(
        self,
        model: str,
        arrays: dict[str, np.ndarray],
        request_ids: Sequence[str],
        timeout_us: int | None = None,
    ) -> Any:
        """Return the result (tritonclient's InferResult) of a Triton model that does not stream.

        `arrays`: UINT8, with a row for each request, whose `parameters` have these ids. `timeout_us`: the
        request parameter `timeout` of Triton. Leaving early (a cancelled task) cancels the requests.
        Raises as `stream`.
        """
        inputs = wire.create_inputs(arrays)
        call = asyncio.ensure_future(self._triton.infer(model, inputs, timeout=timeout_us))
        try:
            return await asyncio.shield(call)
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        except asyncio.CancelledError:
            if self._is_closed:  # gRPC cancels the calls of a closed connection
                raise ServerUnavailable("the connection to the server was closed.") from None
            self._keep(asyncio.create_task(self._end_call(call, request_ids)))
            raise

    async def _end_call(self, call: asyncio.Future, request_ids: Sequence[str]) -> None:
        """End a call whose result nobody wants. The engine ends it; see `_end_stream`."""
        for request_id in request_ids:
            with suppress(TritonchatError):
                await self.cancel(request_id, _END_WAIT_S)
        with suppress(Exception):
            await call

    def _keep(self, task: asyncio.Task) -> None:
        """Keep a task that nobody waits for until it ends."""
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def stream(self, messages: Prompt, parameters: dict[str, Any]) -> AsyncIterator[Event]:
        """Yield the events of the answer while the server generates it. The last one is Done.

        Leaving early (aclose, a cancelled task) cancels the request: the server stops within a second.
        Its tokens are counted when it has ended in the server, also if nobody reads it any more.

        Raises:
            TritonchatError: the request was refused or failed; the class names the reason.
            ServerUnavailable: no server answers.
        """
        caller, span = CALLER.get(), SPAN.get()
        await caller.check_model(parameters.get("model"))
        request_id = str(parameters.setdefault("request_id", uuid.uuid4().hex))
        if span is not None:
            span.note(describe_request(name_operation(messages), parameters))
        reader = self._start(messages, as_part(parameters, span), request_id)
        text, last_events = "", list[Event]()
        try:
            async for piece in reader:
                text += piece[0]
                events = decode_piece(*piece)
                if events and isinstance(events[-1], Done | Failed):
                    last_events = events  # for a caller that leaves now, after Triton has ended the stream
                    continue
                for event in events:
                    yield event
            if not last_events:
                raise ServerUnavailable(f"the server at {self.url} broke off the answer.")
            _note_end(last_events, caller, span)
            for event in last_events:
                if isinstance(event, Failed):
                    raise make_error(event, text)
                yield event
        except TritonchatError as error:
            _note_error(error, span)
            raise
        except (grpc.RpcError, InferenceServerException) as error:
            failure = wire.translate_error(error, self.url, text)
            _note_error(failure, span)
            raise failure from error
        except asyncio.CancelledError:
            if self._is_closed:  # gRPC cancels the calls of a closed connection
                raise ServerUnavailable("the connection to the server was closed.") from None
            raise
        finally:
            if not reader.has_ended:
                self._keep(asyncio.create_task(self._end_stream(reader, request_id, caller)))

    def _start(self, messages: Prompt, parameters: dict[str, Any], request_id: str) -> AnswerReader:
        """Send a request for an answer, which comes in the feed as soon as that is open.

        Log probabilities are many times as large as text. They come in a stream of their own, so that what a
        caller does not read waits in Triton.
        """
        feed = self._feed
        if feed is None or feed.has_ended:
            feed = self._feed = Feed(self._triton)
        is_large = parameters.get("receipt") == "whole" or any(
            parameters.get(name) is not None for name in _LARGE_PARTS
        )
        is_fed = feed.is_open and not is_large
        if is_fed:
            parameters = {**parameters, "feed": feed.name}
        arrays = {"messages": encode(messages), "parameters": encode(parameters)}
        call = open_stream(self._triton, arrays)
        return feed.carry(request_id, call) if is_fed else AnswerReader(call)

    async def _end_stream(self, reader: AnswerReader, request_id: str, caller: Caller) -> None:
        """End a stream that nobody reads any more, and whose answer may still be running.

        Triton dies of SIGSEGV now and then if a client cancels a stream just when it sends a response. So the
        engine is asked to end the answer, and Triton ends the stream. Only if it does not, it is cancelled.
        """
        reader.discard()
        for _ in range(_END_ATTEMPTS):
            with suppress(TritonchatError):
                await self.cancel(request_id, _END_WAIT_S)
            if await reader.wait(_END_WAIT_S):
                if reader.last_piece is not None:
                    _note_end(decode_piece(*reader.last_piece), caller)
                return
        reader.cancel()

    async def _ask(
        self, name: str, about: Any = True, timeout_s: float | None = None, /, **fields: Any
    ) -> Any:
        """What the server answers to a command of contract/commands.py."""
        command = COMMANDS[name]
        if command.concerns == "all models":
            CALLER.get().check_all_models()
        elif command.concerns == "a model":
            await CALLER.get().check_model(about if name == "load" else fields.get("model"))
        inputs = wire.create_inputs({"command": encode({name: about, **fields})[None]})
        try:
            call = self._triton.infer(CHAT_CONTROL, inputs, client_timeout=timeout_s or command.timeout_s)
            return command.read_result(wire.parse_control_result(await call))
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error


def _note_error(error: TritonchatError, span: Span | None) -> None:
    """Tell the span of a response why an answer in it fails."""
    if span is not None:
        span.answer_error = error.type


def _note_end(events: Sequence[Event], caller: Caller, span: Span | None = None) -> None:
    """Count the tokens of an answer for its caller, as its last events tell them, and tell its span."""
    for event in events:
        done = event.done if isinstance(event, Failed) else event
        if isinstance(done, Done):
            caller.count_tokens(done.usage.counts)
            if span is not None:
                span.count_tokens(done.usage.counts)
                span.note_end(done.finish_reason, done.model)
