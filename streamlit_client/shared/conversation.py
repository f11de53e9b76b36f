"""A turn of a conversation: a question, and its answer, which a thread receives.

This module does not use Streamlit, so that an answer goes on while Streamlit runs the page's script again.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from model_core.errors import ModelUnavailable, TritonchatError
from model_core.llm.description import ModelDescription
from model_core.requests.events import Reasoning, Text, ToolCallDelta
from model_core.requests.messages import ToolCall
from triton_server.client.chat_client import Answer, AnswerStream, ChatClient
from triton_server.contract.tensors import Prompt
from triton_server.conversations.tree import Attachment

from .receipts import ask_for_receipt, shorten_receipt

LOGGER = logging.getLogger(__name__)

# `stop` waits at most so many seconds for the last text and the statistics of an answer.
_STOP_TIMEOUT_S = 2.0
# If no page has waited for an answer for so many seconds, its visitor has left. An answer that nobody keeps
# is cancelled then.
_ABANDON_AFTER_S = 10.0
_PROGRESS_S = 0.3  # from one look at the progress of loading to the next
_KEEP_S = 2.0  # from one time that a running answer is saved to the next

# Makes the prompt for an answer, for a model that answers conversations (True) or continues texts (False).
PromptBuilder = Callable[[bool], Prompt]


@dataclass(eq=False)
class Turn:
    """A question and its answer.

    `text`, `reasoning` and `tool_calls` keep what was received so far, also after an error. If
    `is_continuation`, the answer continues the text of the question. `progress` is that of the model while it
    is being loaded, from 0 to 1. `results` are those of the tool calls, by their ids; a turn without a
    question goes on after the results of the turn before. `reasoning_s` are the seconds that the model has
    reasoned. `arrivals`: how many characters of the text had arrived after how many seconds.
    `left_out` are the oldest messages that the request lacks, because their images are too large.
    `receipt` is that of the last request for this answer, without the request itself; see receipts.py.

    `id` and `parent` are those of the turn in the store, if it is there. `keep` is called with this turn and
    False every two seconds while the answer runs, and with True once after its end. An answer with `keep`
    goes on to its end without a visitor; any other one is cancelled soon after its visitor has left.
    """

    question: str
    parameters: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    results: dict[str, str] = field(default_factory=dict)
    id: int | None = None
    parent: int | None = None
    keep: "Callable[[Turn, bool], None] | None" = None
    answer: Answer | None = None
    error: Exception | None = None
    is_stopped: bool = False
    is_started: bool = False
    is_continuation: bool = False
    progress: float | None = None
    reasoning_s: float | None = None
    arrivals: list[tuple[int, float]] = field(default_factory=list)
    left_out: int = 0
    receipt: dict[str, Any] | None = None
    finished: threading.Event = field(default_factory=threading.Event)
    _last_wait: float = field(init=False, repr=False)
    _last_keep: float = field(init=False, repr=False)
    _keeper: threading.Thread | None = field(init=False, repr=False, default=None)
    _client: ChatClient = field(init=False, repr=False)

    @property
    def shown_text(self) -> str:
        """The answer; after the question, if it continues that."""
        return self.question + self.text if self.is_continuation and self.text else self.text

    @property
    def has_answer(self) -> bool:
        """Whether there is more than reasoning."""
        return bool(self.text or self.tool_calls)

    @property
    def is_cut(self) -> bool:
        """Whether the answer has ended before its end: at a limit, by a person, or by an error."""
        return self.finished.is_set() and (
            self.answer is None or self.answer.finish_reason in ("length", "cancelled")
        )

    @property
    def is_running(self) -> bool:
        """Whether the answer has started and not ended."""
        return self.is_started and not self.finished.is_set()

    def start(
        self,
        client: ChatClient,
        build: PromptBuilder,
        parameters: dict[str, Any],
        model: Mapping[str, Any],
    ) -> None:
        """Send the request. Returns at once; `finished` is set when the answer has ended.

        `model` is the entry of the model in the `models` of `ChatClient.stats`. If there is a text already,
        `build` makes the prompt for the rest of it, and the new text follows it.
        """
        self.is_started, self._client = True, client
        self._last_wait = self._last_keep = time.monotonic()
        self.error, self.is_stopped = None, False
        self.finished.clear()
        self.parameters = {**parameters, "model": model["name"], "request_id": uuid.uuid4().hex}
        self.parameters |= limit_by_context(parameters, model["description"])
        if self.text and model["description"] and model["description"]["chat_template"]:
            self.parameters["continue_final_message"] = True
        threading.Thread(target=self._run, args=[build, model], daemon=True).start()

    def fail(self, error: Exception) -> None:
        """End a turn whose request could not be sent."""
        self.is_started, self.error = True, error
        self.finished.set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the answer has ended or the timeout is over. Returns whether the answer has ended."""
        self._last_wait = time.monotonic()
        return self.finished.wait(timeout_s)

    def stop(self) -> None:
        """Stop the answer. Waits at most _STOP_TIMEOUT_S seconds for its last text."""
        if self.is_running:
            self.is_stopped = True
            threading.Thread(target=self._cancel, daemon=True).start()
            self.finished.wait(_STOP_TIMEOUT_S)
            self.finished.set()

    def _run(self, build: PromptBuilder, model: Mapping[str, Any]) -> None:
        try:
            description = model["description"]
            if description is None:  # it was never loaded, so nobody knows yet what it does
                self._client.load(model["name"])
                description = self._follow_loading()["description"]
            elif model["state"] != "ready":  # the request itself lets the server load it
                threading.Thread(target=self._watch_loading, daemon=True).start()
            self.parameters |= limit_by_context(self.parameters, description)
            if not self.finished.is_set():  # the person may have stopped it
                prompt = build(description["chat_template"])
                if self.keep is not None:
                    self.parameters |= ask_for_receipt(self._client, description, prompt)
                self._receive(prompt)
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("An answer could not be received")
            if not self.is_stopped:
                self.error = error
        finally:
            self.finished.set()
            if self.keep is not None:
                if self._keeper is not None:
                    self._keeper.join()  # or it would replace the end by what it has
                self.keep(self, True)

    def _receive(self, prompt: Prompt) -> None:
        self.is_continuation = isinstance(prompt, str)
        text, reasoning, begin = self.text, self.reasoning, time.monotonic()
        with self._client.stream(prompt, **self.parameters) as stream:
            for event in stream.events:
                self.text, self.reasoning = text + stream.text, reasoning + stream.reasoning
                if isinstance(event, ToolCallDelta):
                    self.tool_calls = stream.parts.tool_calls
                if isinstance(event, Text):
                    self.arrivals.append((len(self.text), time.monotonic() - begin))
                if isinstance(event, Reasoning):
                    self.reasoning_s = time.monotonic() - begin
                # `stop` sets `finished` too, perhaps before the server has received the request.
                if self._is_abandoned() or self.finished.is_set():
                    break
                self._keep_sometimes()
        if stream.answer is not None:
            self.receipt = shorten_receipt(stream.answer.details.pop("receipt", None))
            if self.left_out:  # of which the server knows nothing
                stream.answer.usage["truncated_messages"] += self.left_out
            self.answer = _join(self.answer, stream, self.text) if text else stream.answer

    def _keep_sometimes(self) -> None:
        now = time.monotonic()
        if self.keep is not None and now - self._last_keep >= _KEEP_S:
            self._last_keep = now
            if self._keeper is None or not self._keeper.is_alive():
                # Not in this thread, which brings the text: the store may take a second.
                self._keeper = threading.Thread(target=self.keep, args=[self, False], daemon=True)
                self._keeper.start()

    def _is_abandoned(self) -> bool:
        return self.keep is None and time.monotonic() - self._last_wait > _ABANDON_AFTER_S

    def _follow_loading(self) -> Mapping[str, Any]:
        """Follow the progress of the model until it is loaded. Returns its entry.

        Raises TritonchatError if it cannot be loaded.
        """
        name = self.parameters["model"]
        while True:
            models = self._client.stats(model=name)["models"]
            entry = next(entry for entry in models if entry["name"] == name)
            self.progress = entry.get("progress")
            if entry["state"] == "failed":
                raise ModelUnavailable(entry["error"])
            if entry["state"] == "ready" or self.finished.wait(_PROGRESS_S):
                return entry

    def _watch_loading(self) -> None:
        with suppress(TritonchatError):  # the answer ends with the same error
            self._follow_loading()

    def _cancel(self) -> None:
        with suppress(TritonchatError):  # a server that is unavailable does not compute the answer either
            self._client.cancel(self.parameters["request_id"])


def limit_by_context(parameters: Mapping[str, Any], description: ModelDescription | None) -> dict[str, int]:
    """A limit that lets an answer fill the context, if it has none and the context is known.

    Without any, the server would take a smaller one.
    """
    if "max_tokens" in parameters or description is None or description["max_context"] is None:
        return {}
    return {"max_tokens": description["max_context"]}


def _join(earlier: Answer | None, stream: AnswerStream, text: str) -> Answer:
    """The answer after it was continued: as if one request had made all of its text."""
    answer = stream.answer
    assert answer is not None  # the stream has ended
    if earlier is None or not earlier.usage or not earlier.timings:  # its end was not kept
        return Answer(text, answer.details)
    out = earlier.usage.get("completion_tokens", 0) + answer.usage["completion_tokens"]
    usage = {**answer.usage, "prompt_tokens": earlier.usage.get("prompt_tokens", 0), "completion_tokens": out}
    first = earlier.timings.get("first_token")
    total = (earlier.timings.get("total") or 0.0) + (answer.timings["total"] or 0.0)
    timings = {**answer.timings, "first_token": first, "total": total}
    return Answer(text, {**answer.details, "usage": usage, "timings": timings})
