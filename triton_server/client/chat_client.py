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
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

from model_core.errors import TritonchatError
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.events import Accepted, Event, Failed, Text
from model_core.requests.messages import ToolCall

from ..contract import wire
from ..contract.codec import decode_calls, decode_piece, encode_answer, raise_if_error
from ..contract.commands import COMMANDS, CONTROL_TIMEOUT_S
from ..contract.json_tensors import encode, encode_padded
from ..contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED, READY, EmbeddingInputs, Prompt
from ..contract.wire import ServerUnavailable
from .collections import Collections
from .conversations import Conversations


@dataclass(frozen=True)
class Answer:
    """A finished answer: its text, and its `details` as contract/tensors.py describes them."""

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
        return AnswerParts().add(*decode_calls(self.details)).tool_calls

    @property
    def seed(self) -> int:
        """The seed that was used, whether the request gave it or not."""
        return self.details["seed"]

    @property
    def usage(self) -> dict[str, int]:
        """`prompt_tokens`, `completion_tokens`, and more, see contract/tensors.py."""
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
        text, details = wire.parse_piece(self._infer(CHAT, arrays, request_id))
        raise_if_error(details, text)
        return Answer(text, details)

    def choose(self, messages: Prompt, answers: Sequence[str], **parameters: Any) -> list[dict[str, Any]]:
        """Return how likely the model would give each of the answers, in their order.

        Each has the fields `text`, `rank`, `perplexity` and more (contract/tensors.py). `calibrate=True` is
        one of the parameters. Raises as `chat`.
        """
        return self.chat(messages, choices=list(answers), **parameters).details["choices"]

    def stream(self, messages: Prompt, **parameters: Any) -> "AnswerStream":
        """Return an iterator over the deltas of the answer.

        Use it in a `with` block, so that leaving early cancels the request.
        """
        return AnswerStream(self, messages, parameters)

    def embed(self, texts: EmbeddingInputs, **parameters: Any) -> wire.Vectors:
        """Return the embeddings of texts, or of lists of token ids: `vectors` float32 [texts, dimensions].

        Or of the messages of one conversation, which may have images and has one vector.

        Parameters are the fields of `embedding_fields.EmbeddingRequest`. Requests that come at the same time
        are computed together. Raises as `chat`.
        """
        request_id = parameters.setdefault("request_id", uuid.uuid4().hex)
        arrays = {"texts": encode_padded(list(texts)), "parameters": encode_padded(parameters)}
        return wire.parse_vectors(self._infer(EMBED, arrays, request_id))

    def score(self, query: str, documents: Sequence[str], **parameters: Any) -> list[float]:
        """Return how well each document answers the query; the model must be a reranker. Raises as `chat`."""
        return self.embed(documents, query=query, **parameters).vectors[:, 0].tolist()

    def cancel(self, request_id: str, timeout_s: float = CONTROL_TIMEOUT_S) -> bool:
        """Cancel a request. Its text so far is still delivered. False if the server has no such request."""
        return self._ask("cancel", request_id, timeout_s)

    def stats(self, timeout_s: float = CONTROL_TIMEOUT_S, model: str | None = None) -> dict[str, Any]:
        """Return the state of the server: `models`, and of one model `running`, `waiting`, totals, ...

        `model`: which one; None: the first. Its description, `model`, is None until it was loaded once.
        """
        return self._ask("stats", True, timeout_s, model=model)

    def load(self, model: str) -> dict[str, Any]:
        """Let the server begin to load a model. Returns its entry in the `models` of `stats` at once."""
        return self._ask("load", model)

    def recommend(self) -> dict[str, Any]:
        """Published models that fit the server's machine, as `commands.Recommend` says."""
        return self._ask("recommend")

    def get_model(self, name: str) -> dict[str, Any]:
        """Begin to download one of them to the server's machine, and load it (--allow-pull)."""
        return self._ask("get_model", name)

    def load_adapter(self, name: str, folder: str) -> str:
        """Begin to load an adapter of the server's machine: "ready", or "loading" until a later call."""
        return self._ask("load_adapter", name, folder=folder)

    def drop_adapter(self, name: str) -> None:
        """Let no new request choose an adapter."""
        self._ask("drop_adapter", name)

    def tokenize(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return the `token_ids` of a text or a conversation, and more, see docs/commands.md."""
        return self._ask("tokenize", prompt, **fields)

    def detokenize(self, token_ids: list[int], model: str | None = None) -> str:
        """Return the text of token ids, names of special tokens included."""
        return self._ask("detokenize", token_ids, model=model)

    def show_tokenizer(self, model: str | None = None) -> dict[str, Any]:
        """Return the `special_tokens` and the `chat_template` of a model, and whether it can `infill`."""
        return self._ask("tokenizer", model=model)

    def show_origin(self, model: str | None = None) -> dict[str, Any] | None:
        """Return what the fingerprint of a model or an adapter is made of; None if it is not known."""
        return self._ask("origin", model=model)

    def show_receipt_key(self) -> dict[str, Any]:
        """Return the public key of the server's receipts, as a set of keys (RFC 7517)."""
        return self._ask("receipt_key")

    def save_prompt(
        self, name: str, messages: Prompt, model: str | None = None, **parameters: Any
    ) -> dict[str, Any] | None:
        """Begin to save a prompt. Returns what `list_prompts` says of it, or None until a later call."""
        saved = self._ask("save_prompt", name, messages=messages, parameters=parameters, model=model)
        return saved.get("prompt")

    def list_prompts(self, model: str | None = None) -> list[dict[str, Any]]:
        """The saved prompts of a model: name, tokens, bytes, created, last_used."""
        return self._ask("prompts", model=model)

    def show_prompt(self, name: str, model: str | None = None) -> dict[str, Any]:
        """A saved prompt, with the `messages` and `parameters` that it was made from."""
        return self._ask("prompt", name, model=model)

    def delete_prompt(self, name: str, model: str | None = None) -> None:
        """Delete a saved prompt."""
        self._ask("delete_prompt", name, model=model)

    def forget(self, cache_salt: str) -> None:
        """Delete what the prefix cache, on disk and in memory, and that of answers have of a salt."""
        self._ask("forget", cache_salt)

    def live(self, model: str | None = None, with_tree: bool = False) -> dict[str, Any]:
        """Return what a model's engine does: its last steps, its running requests, its KV memory."""
        return self._ask("live", model=model, tree=with_tree)

    def profile(self, load: str, model: str | None = None) -> dict[str, Any]:
        """Return where the time of a step goes; docs/commands.md names the loads."""
        return self._ask("profile", load, model=model)

    def explain(self, prompt: Prompt, **fields: Any) -> dict[str, Any]:
        """Return how the model computes a short prompt; docs/commands.md describes the fields."""
        return self._ask("explain", prompt, **fields)

    def conversations(self, owner: str = "") -> Conversations:
        """The conversations that the server keeps for an owner, see client/conversations.py.

        "" is the person of this machine, as for an HTTP service without keys.
        """
        return Conversations(self._ask, owner)

    def collections(self, owner: str = "") -> Collections:
        """The collections of files of an owner, see client/collections.py."""
        return Collections(self, self._ask, owner)

    def metrics(self) -> str:
        """Return the engine's metrics in Prometheus' text format, under vLLM's names, too."""
        return self._ask("metrics")

    def health(self, timeout_s: float = CONTROL_TIMEOUT_S) -> str:
        """Return "ready", or the reason why the server accepts no requests."""
        return self._ask("health", True, timeout_s)

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

    def _ask(self, name: str, about: Any = True, timeout_s: float | None = None, /, **fields: Any) -> Any:
        """What the server answers to a command of contract/commands.py."""
        command = COMMANDS[name]
        inputs = wire.create_inputs({"command": encode({name: about, **fields})[None]})
        try:
            result = self._triton.infer(CHAT_CONTROL, inputs, client_timeout=timeout_s or command.timeout_s)
        except InferenceServerException as error:
            raise wire.translate_error(error, self.url) from error
        return command.read_result(wire.parse_control_result(result))


class AnswerStream:
    """A streamed answer: iterate over its text as it comes, or over `events`, then read `answer`.

    The iteration sends the request. Closing the stream early cancels the request: the server stops within a
    second.

    Attributes:
        request_id: the id of the request, for `ChatClient.cancel`.
        parts, text, reasoning: what has come so far.
        answer: the finished answer, with all log probabilities if the request asks for them; None before.
        events: iterates over the events of the answer: its text, its reasoning, its tool calls, ...
    """

    def __init__(self, client: ChatClient, messages: Prompt, parameters: dict[str, Any]) -> None:
        self.request_id: str = parameters.setdefault("request_id", uuid.uuid4().hex)
        self.parts, self.text, self.reasoning = AnswerParts(), "", ""
        self.answer: Answer | None = None
        self._client, self._messages, self._parameters = client, messages, parameters
        self.events: Generator[Event, None, None] = self._run()

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

    def _run(self) -> Generator[Event, None, None]:
        # A client of tritonclient can have only one stream. gRPC shares the channel below it.
        connection = triton.InferenceServerClient(**self._client.endpoint.client_arguments())
        responses: queue.SimpleQueue = queue.SimpleQueue()
        arrays = {"messages": encode(self._messages), "parameters": encode(self._parameters)}
        details: dict[str, Any] = {}  # of the last response
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
                result, failure = responses.get()
                if failure is not None:
                    is_open = False
                    raise wire.translate_error(failure, self._client.url, self.text)
                is_open = not wire.is_final(result)
                if is_open:
                    text, details = wire.parse_piece(result)
                    events = decode_piece(text, details)
                    self.parts.add(*(event for event in events if not isinstance(event, Accepted)))
                    self.text, self.reasoning = self.parts.text, self.parts.reasoning
                    yield from (event for event in events if not isinstance(event, Failed))
            raise_if_error(details, self.text)
            if self.parts.end is None:
                raise ServerUnavailable(f"the server at {self._client.url} broke off the answer.")
            self.answer = Answer(self.text, details | encode_answer(self.parts)[1])
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
                self._client.cancel(self.request_id, _END_WAIT_S)
            with contextlib.suppress(queue.Empty):
                while True:
                    result, error = responses.get(timeout=_END_WAIT_S)
                    if error is not None or wire.is_final(result):
                        return True
        return False
