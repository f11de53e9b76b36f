"""The asyncio client of a tritonchat server: one connection, many streams."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import grpc
import tritonclient.grpc.aio as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError
from model_core.events import Event

from . import wire
from .answer_streams import AnswerReader, Feed, open_stream
from .contract import CHAT_CONTROL, EMBED, HEALTH, Prompt
from .json_tensors import encode, encode_padded
from .wire import ServerUnavailable

# What a request may ask for that makes its answer large.
_LARGE_PARTS = ("logprobs", "prompt_logprobs", "return_token_ids", "choices")
_END_WAIT_S, _END_ATTEMPTS = 1.0, 5  # for a stream that nobody reads to end


class AsyncChatClient:
    """A connection to a server, for one event loop. Create it in a coroutine of this loop."""

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

    async def close(self) -> None:
        """Close the connection. The server cancels the requests that still run on it."""
        self._is_closed = True
        if self._feed is not None and not self._feed.has_ended:
            with suppress(TritonchatError):  # the server ends it, see _end_stream
                await self._control({"cancel": self._feed.name}, _END_WAIT_S)
            await self._feed.wait(_END_WAIT_S)
        await self._triton.close()

    async def stats(self) -> dict[str, Any]:
        """Return the state of the server: `model` (name, limits, ...), `running`, `waiting`, totals."""
        return await self._control({"stats": True})

    async def load_adapter(self, name: str, folder: str) -> str:
        """Begin to load an adapter of the server's machine: "ready", or "loading" until a later call."""
        return (await self._control({"load_adapter": name, "folder": folder}))["state"]

    async def drop_adapter(self, name: str) -> None:
        """Let no new request choose an adapter."""
        await self._control({"drop_adapter": name})

    async def tokenize(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return the `token_ids` of a text or a conversation, and more; contract.py describes all fields."""
        return await self._control({"tokenize": prompt, **fields}, wire.TOKENS_TIMEOUT_S)

    async def detokenize(self, token_ids: list[int], model: str | None = None) -> str:
        """Return the text of token ids, names of special tokens included."""
        command = {"detokenize": token_ids, "model": model}
        return (await self._control(command, wire.TOKENS_TIMEOUT_S))["text"]

    async def save_prompt(
        self, name: str, messages: Prompt, parameters: dict[str, Any], model: str
    ) -> dict[str, Any] | None:
        """Begin to save a prompt. Returns what `list_prompts` says of it, or None until a later call."""
        command = {"save_prompt": name, "messages": messages, "parameters": parameters, "model": model}
        return (await self._control(command)).get("prompt")

    async def list_prompts(self, model: str) -> list[dict[str, Any]]:
        """The saved prompts of a model."""
        return (await self._control({"prompts": True, "model": model}))["prompts"]

    async def show_prompt(self, name: str, model: str) -> dict[str, Any]:
        """A saved prompt with what it was made from."""
        return (await self._control({"prompt": name, "model": model}))["prompt"]

    async def delete_prompt(self, name: str, model: str) -> None:
        """Delete a saved prompt."""
        await self._control({"delete_prompt": name, "model": model})

    async def forget(self, cache_salt: str) -> None:
        """Delete what the prefix cache on disk has of requests with this salt."""
        await self._control({"forget": cache_salt})

    async def metrics(self, with_vllm_names: bool = False) -> str:
        """Return the engine's metrics in Prometheus' text format, with vLLM's names, too, if wanted."""
        return (await self._control({"metrics": "vllm" if with_vllm_names else True}))["metrics"]

    async def cancel(self, request_id: str) -> bool:
        """Cancel a request. Its text so far is still delivered. False if the server has no such request."""
        return bool((await self._control({"cancel": request_id}))["cancelled"])

    async def health(self, timeout_s: float = wire.CONTROL_TIMEOUT_S) -> str:
        """Return "ready", or the reason why the server accepts no requests."""
        return (await self._control(HEALTH, timeout_s))["health"]

    async def embed(
        self, texts: Sequence[str] | Sequence[Sequence[int]], parameters: dict[str, Any]
    ) -> wire.Vectors:
        """Return the embeddings or scores of texts, as `ChatClient.embed` does.

        Leaving early (a cancelled task) cancels the request. Raises as `stream`.
        """
        request_id = str(parameters.setdefault("request_id", uuid.uuid4().hex))
        arrays = {"texts": encode_padded(list(texts)), "parameters": encode_padded(parameters)}
        inputs = wire.create_inputs({name: array[None] for name, array in arrays.items()})
        call = asyncio.ensure_future(self._triton.infer(EMBED, inputs))
        try:
            return wire.parse_vectors(await asyncio.shield(call))
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        except asyncio.CancelledError:
            if self._is_closed:  # gRPC cancels the calls of a closed connection
                raise ServerUnavailable("the connection to the server was closed.") from None
            self._keep(asyncio.create_task(self._end_call(call, request_id)))
            raise

    async def _end_call(self, call: asyncio.Future, request_id: str) -> None:
        """End a call whose result nobody wants. The engine ends it; see `_end_stream`."""
        with suppress(TritonchatError):
            await self._control({"cancel": request_id}, _END_WAIT_S)
        with suppress(Exception):
            await call

    def _keep(self, task: asyncio.Task) -> None:
        """Keep a task that nobody waits for until it ends."""
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def stream(self, messages: Prompt, parameters: dict[str, Any]) -> AsyncIterator[Event]:
        """Yield the events of the answer while the server generates it. The last one is Done.

        Leaving early (aclose, a cancelled task) cancels the request: the server stops within a second.

        Raises:
            TritonchatError: the request was refused or failed; the class names the reason.
            ServerUnavailable: no server answers.
        """
        request_id = str(parameters.setdefault("request_id", uuid.uuid4().hex))
        reader = self._start(messages, parameters, request_id)
        text, details = "", {}  # the text so far, and the details of the last piece
        last_events: list[Event] = []
        try:
            async for new_text, details in reader:
                text += new_text
                events = wire.make_events(new_text, details)
                if "finish_reason" in details or "error" in details:
                    last_events = events  # for a caller that leaves now, after Triton has ended the stream
                    continue
                for event in events:
                    yield event
            if "finish_reason" not in details and "error" not in details:
                raise ServerUnavailable(f"the server at {self.url} broke off the answer.")
            for event in last_events:
                yield event
            wire.raise_if_error(details, text)
        except (grpc.RpcError, InferenceServerException) as error:
            raise wire.translate_error(error, self.url, text) from error
        except asyncio.CancelledError:
            if self._is_closed:  # gRPC cancels the calls of a closed connection
                raise ServerUnavailable("the connection to the server was closed.") from None
            raise
        finally:
            if not reader.has_ended:
                self._keep(asyncio.create_task(self._end_stream(reader, request_id)))

    def _start(self, messages: Prompt, parameters: dict[str, Any], request_id: str) -> AnswerReader:
        """Send a request for an answer, which comes in the feed as soon as that is open.

        Log probabilities are many times as large as text. They come in a stream of their own, so that what a
        caller does not read waits in Triton.
        """
        feed = self._feed
        if feed is None or feed.has_ended:
            feed = self._feed = Feed(self._triton)
        is_fed = feed.is_open and all(parameters.get(name) is None for name in _LARGE_PARTS)
        if is_fed:
            parameters = {**parameters, "feed": feed.name}
        arrays = {"messages": encode(messages), "parameters": encode(parameters)}
        call = open_stream(self._triton, arrays)
        return feed.carry(request_id, call) if is_fed else AnswerReader(call)

    async def _end_stream(self, reader: AnswerReader, request_id: str) -> None:
        """End a stream that nobody reads any more, and whose answer may still be running.

        Triton dies of SIGSEGV now and then if a client cancels a stream just when it sends a response. So the
        engine is asked to end the answer, and Triton ends the stream. Only if it does not, it is cancelled.
        """
        reader.discard()
        for _ in range(_END_ATTEMPTS):
            with suppress(TritonchatError):
                await self._control({"cancel": request_id}, _END_WAIT_S)
            if await reader.wait(_END_WAIT_S):
                return
        reader.cancel()

    async def _control(
        self, command: dict[str, Any], timeout_s: float = wire.CONTROL_TIMEOUT_S
    ) -> dict[str, Any]:
        inputs = wire.create_inputs({"command": encode(command)[None]})
        try:
            result = await self._triton.infer(CHAT_CONTROL, inputs, client_timeout=timeout_s)
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        return wire.parse_control_result(result)
