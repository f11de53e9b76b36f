"""The Python client of a tritonchat server, over gRPC.

    with ChatClient() as client:
        print(client.chat([{"role": "user", "content": "Hello"}]).text)
        with client.stream("Once upon a time", max_tokens=100) as stream:
            for piece in stream:
                print(piece, end="", flush=True)

Parameters are the fields of `model_core.SamplingParams`, and `model`, the name of one of several. A refused
request raises a class of `model_core.errors` that names the reason. ServerUnavailable means that no server
answers.
"""

import contextlib
import queue
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np
import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError
from model_core.events import Event, Text, ToolCallDelta
from model_core.messages import ToolCall, join_tool_calls

from . import wire
from .contract import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED, HEALTH, READY, Prompt
from .conversation_client import Conversations
from .json_tensors import encode, encode_padded
from .wire import ServerUnavailable

_LISTS = {
    "logprobs",
    "prompt_logprobs",
    "token_ids",
    "prompt_token_ids",
    "tool_calls",
}  # in `details`: each response of a stream has its part of them


@dataclass(frozen=True)
class Answer:
    """A finished answer: its text, and its `details` as contract.py describes them."""

    text: str
    details: dict[str, Any]

    @property
    def finish_reason(self) -> str:
        """`stop`, `length`, `tool_calls` or `cancelled`."""
        return self.details["finish_reason"]

    @property
    def reasoning(self) -> str:
        """What the model thought before it answered; "" if it did not."""
        return self.details.get("reasoning", "")

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The calls of tools that the model asks for."""
        return join_tool_calls(ToolCallDelta(**part) for part in self.details.get("tool_calls", ()))

    @property
    def seed(self) -> int:
        """The seed that was used, whether the request gave it or not."""
        return self.details["seed"]

    @property
    def usage(self) -> dict[str, int]:
        """`prompt_tokens`, `completion_tokens`, and more, see contract.py."""
        return self.details["usage"]

    @property
    def timings(self) -> dict[str, float | None]:
        """Seconds: `queue`, `first_token`, `total`."""
        return self.details["timings"]


_END_WAIT_S, _END_ATTEMPTS = 1.0, 3  # for a stream that nobody reads to end


class ChatClient:
    """A connection to a server. Its methods may be called from several threads."""

    def __init__(self, url: str = "127.0.0.1:8001") -> None:
        """`url` is the server's gRPC endpoint, in a form of `wire.parse_endpoint`. This sends nothing yet.

        Raises InvalidRequest for any other address.
        """
        self.endpoint = wire.parse_endpoint(url)
        self.url = self.endpoint.address
        self._triton = triton.InferenceServerClient(**self.endpoint.client_arguments())

    def close(self) -> None:
        """Close the connection."""
        self._triton.close()

    def __enter__(self) -> "ChatClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def chat(self, messages: Prompt, **parameters: Any) -> Answer:
        """Return the complete answer to a conversation, or the complete continuation of a raw prompt.

        Triton joins requests that come at the same time to a batch, whose answers come when the longest has
        ended. Batches do not wait for each other.

        Raises:
            TritonchatError: the request was refused or failed; the class names the reason.
            ServerUnavailable: no server answers.
        """
        request_id = parameters.setdefault("request_id", uuid.uuid4().hex)
        arrays = {"messages": encode_padded(messages), "parameters": encode_padded(parameters)}
        text, details = wire.parse_response(self._infer(CHAT, arrays, request_id))
        wire.raise_if_error(details, text)
        return Answer(text, details)

    def choose(self, messages: Prompt, answers: Sequence[str], **parameters: Any) -> list[dict[str, Any]]:
        """Return how likely the model would give each of the answers, in their order.

        Each has the fields `text`, `rank`, `perplexity` and more, see contract.py. `calibrate=True` is one of
        the parameters. Raises as `chat`.
        """
        return self.chat(messages, choices=list(answers), **parameters).details["choices"]

    def stream(self, messages: Prompt, **parameters: Any) -> "AnswerStream":
        """Return an iterator over the deltas of the answer.

        Use it in a `with` block, so that leaving early cancels the request.
        """
        return AnswerStream(self, messages, parameters)

    def embed(self, texts: Sequence[str] | Sequence[Sequence[int]], **parameters: Any) -> wire.Vectors:
        """Return the embeddings of texts, or of lists of token ids: `vectors` float32 [texts, dimensions].

        Parameters are the fields of `embedding_request.EmbeddingRequest`. Requests that come at the same time
        are computed together. Raises as `chat`.
        """
        request_id = parameters.setdefault("request_id", uuid.uuid4().hex)
        arrays = {"texts": encode_padded(list(texts)), "parameters": encode_padded(parameters)}
        return wire.parse_vectors(self._infer(EMBED, arrays, request_id))

    def score(self, query: str, documents: Sequence[str], **parameters: Any) -> list[float]:
        """Return how well each document answers the query; the model must be a reranker. Raises as `chat`."""
        return self.embed(documents, query=query, **parameters).vectors[:, 0].tolist()

    def cancel(self, request_id: str) -> bool:
        """Cancel a request. Its text so far is still delivered. False if the server has no such request."""
        return bool(self._control({"cancel": request_id})["cancelled"])

    def stats(self, timeout_s: float = wire.CONTROL_TIMEOUT_S, model: str | None = None) -> dict[str, Any]:
        """Return the state of the server: `models`, and of one model `running`, `waiting`, totals, ...

        `model`: which one; None: the first. Its description, `model`, is None until it was loaded once.
        """
        return self._control({"stats": True} | ({} if model is None else {"model": model}), timeout_s)

    def load(self, model: str) -> dict[str, Any]:
        """Let the server begin to load a model. Returns its entry in the `models` of `stats` at once."""
        return self._control({"load": model})["model"]

    def load_adapter(self, name: str, folder: str) -> str:
        """Begin to load an adapter of the server's machine: "ready", or "loading" until a later call."""
        return self._control({"load_adapter": name, "folder": folder})["state"]

    def drop_adapter(self, name: str) -> None:
        """Let no new request choose an adapter."""
        self._control({"drop_adapter": name})

    def tokenize(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return the `token_ids` of a text or a conversation, and more; contract.py describes all fields."""
        return self._control({"tokenize": prompt, **fields}, wire.TOKENS_TIMEOUT_S)

    def detokenize(self, token_ids: list[int], model: str | None = None) -> str:
        """Return the text of token ids, names of special tokens included."""
        return self._control({"detokenize": token_ids, "model": model}, wire.TOKENS_TIMEOUT_S)["text"]

    def save_prompt(self, name: str, messages: Prompt, **parameters: Any) -> dict[str, Any] | None:
        """Begin to save a prompt of the first model.

        Returns what `list_prompts` says of it, or None until a later call.
        """
        command = {"save_prompt": name, "messages": messages, "parameters": parameters}
        return self._control(command).get("prompt")

    def list_prompts(self) -> list[dict[str, Any]]:
        """The saved prompts of the first model: name, tokens, bytes, created, last_used."""
        return self._control({"prompts": True})["prompts"]

    def show_prompt(self, name: str) -> dict[str, Any]:
        """A saved prompt of the first model, with the `messages` and `parameters` that it was made from."""
        return self._control({"prompt": name})["prompt"]

    def delete_prompt(self, name: str) -> None:
        """Delete a saved prompt of the first model."""
        self._control({"delete_prompt": name})

    def live(self, model: str | None = None, with_tree: bool = False) -> dict[str, Any]:
        """Return what a model's engine does: its last steps, its running requests, its KV memory."""
        return self._control({"live": True, "tree": with_tree, "model": model})

    def profile(self, load: str, model: str | None = None) -> dict[str, Any]:
        """Return where the time of a step goes; contract.py names the loads."""
        return self._control({"profile": load, "model": model}, wire.TOKENS_TIMEOUT_S)

    def explain(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return how the model computes a short prompt; contract.py describes the fields."""
        return self._control({"explain": prompt, **fields}, wire.TOKENS_TIMEOUT_S)

    def conversations(self, owner: str = "") -> Conversations:
        """The conversations that the server keeps for an owner, see conversation_client.py.

        "" is the person of this machine, as for an HTTP service without keys.
        """
        return Conversations(partial(self._control, timeout_s=wire.STORE_TIMEOUT_S), owner)

    def metrics(self) -> str:
        """Return the engine's metrics in Prometheus' text format."""
        return self._control({"metrics": True})["metrics"]

    def health(self, timeout_s: float = wire.CONTROL_TIMEOUT_S) -> str:
        """Return "ready", or the reason why the server accepts no requests."""
        return self._control(HEALTH, timeout_s)["health"]

    def is_ready(self) -> bool:
        """Whether the server accepts requests."""
        try:
            return self.health() == READY
        except TritonchatError:
            return False

    def _infer(self, model: str, arrays: dict[str, np.ndarray], request_id: str) -> triton.InferResult:
        """The response of a model that does not stream. Cancels the request if nobody waits for it."""
        try:
            return self._triton.infer(model, wire.create_inputs({k: v[None] for k, v in arrays.items()}))
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        except BaseException:  # such as KeyboardInterrupt: the answer is not needed any more
            with contextlib.suppress(TritonchatError):
                self.cancel(request_id)
            raise

    def _control(self, command: dict[str, Any], timeout_s: float = wire.CONTROL_TIMEOUT_S) -> dict[str, Any]:
        try:
            inputs = wire.create_inputs({"command": encode(command)[None]})
            result = self._triton.infer(CHAT_CONTROL, inputs, client_timeout=timeout_s)
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        return wire.parse_control_result(result)


class AnswerStream:
    """A streamed answer: iterate over its text as it comes, or over `events`, then read `answer`.

    The iteration sends the request. Closing the stream early cancels the request: the server stops within a
    second.

    Attributes:
        request_id: the id of the request, for `ChatClient.cancel`.
        text, reasoning: what has come so far.
        answer: the finished answer, with all log probabilities if the request asks for them; None before.
        events: iterates over the events of the answer: its text, its reasoning, its tool calls, ...
    """

    def __init__(self, client: ChatClient, messages: Prompt, parameters: dict[str, Any]) -> None:
        self.request_id: str = parameters.setdefault("request_id", uuid.uuid4().hex)
        self.text = self.reasoning = ""
        self.answer: Answer | None = None
        self._client, self._messages, self._parameters = client, messages, parameters
        self.events: Iterator[Event] = self._run()

    def __iter__(self) -> Iterator[str]:
        return (event.text for event in self.events if isinstance(event, Text) and event.text)

    def __enter__(self) -> "AnswerStream":
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Cancel the request if it is not finished. `text` keeps the text so far."""
        self.events.close()

    def _run(self) -> Iterator[Event]:
        # A client of tritonclient can have only one stream. gRPC shares the channel below it.
        connection = triton.InferenceServerClient(**self._client.endpoint.client_arguments())
        responses: queue.SimpleQueue = queue.SimpleQueue()
        arrays = {"messages": encode(self._messages), "parameters": encode(self._parameters)}
        details: dict[str, Any] = {}  # of the last response
        lists: defaultdict[str, list[Any]] = defaultdict(list)  # those of `_LISTS`, from all responses
        is_open = True  # until Triton sends its final response
        try:
            connection.start_stream(lambda result, error: responses.put((result, error)))
            try:
                connection.async_stream_infer(
                    CHAT_STREAM, wire.create_inputs(arrays), enable_empty_final_response=True
                )
            except InferenceServerException as error:
                responses.put((None, error))  # after the responses that the callback has received
            while is_open:
                result, error = responses.get()
                if error is not None:
                    is_open = False
                    raise wire.translate_error(error, self._client.url, self.text)
                is_open = not wire.is_final(result)
                if is_open:
                    text, details = wire.parse_response(result)
                    self.text += text
                    self.reasoning += details.get("reasoning", "")
                    for name in _LISTS & details.keys():
                        lists[name] += details[name]
                    yield from wire.make_events(text, details)
            wire.raise_if_error(details, self.text)
            if "finish_reason" not in details:
                raise ServerUnavailable(f"the server at {self._client.url} broke off the answer.")
            if self.reasoning:
                details["reasoning"] = self.reasoning
            self.answer = Answer(self.text, {**details, **lists})
        finally:
            is_open = is_open and not self._end(responses)
            connection.stop_stream(cancel_requests=is_open)
            connection.close()

    def _end(self, responses: queue.SimpleQueue) -> bool:
        """End the answer before its stream is closed; whether Triton has ended the stream.

        Triton dies of SIGSEGV now and then if a client cancels a stream just when it sends a response. So the
        engine is asked to end the answer, and Triton ends the stream.
        """
        for _ in range(_END_ATTEMPTS):
            with contextlib.suppress(TritonchatError):
                self._client._control({"cancel": self.request_id}, _END_WAIT_S)
            with contextlib.suppress(queue.Empty):
                while True:
                    result, error = responses.get(timeout=_END_WAIT_S)
                    if error is not None or wire.is_final(result):
                        return True
        return False
