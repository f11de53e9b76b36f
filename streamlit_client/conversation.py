"""A conversation: its turns with their requests and answers, and descriptions of them for a person.

This module does not use Streamlit, so that an answer goes on while Streamlit runs the page's script again.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from model_core.errors import (
    ModelUnavailable,
    PromptTooLong,
    QueueFull,
    RequestTimeout,
    ShuttingDown,
    TritonchatError,
)
from model_core.events import ToolCallDelta
from model_core.messages import ToolCall, join_tool_calls
from triton_server.client import Answer, ChatClient
from triton_server.contract import Prompt
from triton_server.wire import ServerUnavailable

from .markdown import escape, sanitize

LOGGER = logging.getLogger(__name__)

# `stop` waits at most so many seconds for the last text and the statistics of an answer.
_STOP_TIMEOUT_S = 2.0
# If no page has waited for an answer for so many seconds, its visitor has left, and the answer is cancelled.
_ABANDON_AFTER_S = 10.0
_PROGRESS_S = 0.3  # from one look at the progress of loading to the next

_EXPLANATIONS: dict[type[TritonchatError], str] = {
    ServerUnavailable: "The server does not answer. It may be starting, or it was stopped.",
    ModelUnavailable: "The model could not be loaded. A later message tries it again.",
    PromptTooLong: "This message is too long for the model.",
    QueueFull: "The server is busy with other requests.",
    ShuttingDown: "The server is stopping and accepts no more requests.",
    RequestTimeout: "The answer took too long and was cut off.",
}


# Makes the prompt for an answer, for a model that answers conversations (True) or continues texts (False).
PromptBuilder = Callable[[bool], Prompt]


@dataclass(eq=False)
class Turn:
    """A question and its answer, which a thread receives.

    `text`, `reasoning` and `tool_calls` keep what was received so far, also after an error. If
    `is_continuation`, the answer continues the text of the question. `progress` is that of the model while it
    is being loaded, from 0 to 1.
    """

    question: str
    parameters: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    reasoning: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    answer: Answer | None = None
    error: Exception | None = None
    is_stopped: bool = False
    is_started: bool = False
    is_continuation: bool = False
    progress: float | None = None
    finished: threading.Event = field(default_factory=threading.Event)
    _last_wait: float = field(init=False, repr=False)
    _client: ChatClient = field(init=False, repr=False)

    @property
    def markdown(self) -> str:
        """The answer as safe Markdown."""
        return sanitize(self.question + self.text if self.is_continuation and self.text else self.text)

    @property
    def has_answer(self) -> bool:
        """Whether there is more than reasoning."""
        return bool(self.text or self.tool_calls)

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

        `model` is the entry of the model in the `models` of `ChatClient.stats`.
        """
        self.is_started, self._last_wait, self._client = True, time.monotonic(), client
        self.parameters = {**parameters, "model": model["name"], "request_id": uuid.uuid4().hex}
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
            if not self.finished.is_set():  # the person may have stopped it
                self._receive(build(description["chat_template"]))
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("An answer could not be received")
            if not self.is_stopped:
                self.error = error
        finally:
            self.finished.set()

    def _receive(self, prompt: Prompt) -> None:
        self.is_continuation = isinstance(prompt, str)
        calls: list[ToolCallDelta] = []
        with self._client.stream(prompt, **self.parameters) as stream:
            for event in stream.events:
                self.text, self.reasoning = stream.text, stream.reasoning
                if isinstance(event, ToolCallDelta):
                    calls.append(event)
                    self.tool_calls = join_tool_calls(calls)
                # `stop` sets `finished` too, perhaps before the server has received the request.
                if self._is_abandoned() or self.finished.is_set():
                    break
        self.answer = stream.answer

    def _is_abandoned(self) -> bool:
        return time.monotonic() - self._last_wait > _ABANDON_AFTER_S

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


def build_prompt(turns: Sequence[Turn], system: str, is_chat_model: bool) -> Prompt:
    """The prompt for an answer to the last of `turns`.

    For a chat model, it has all turns except those without a text as answer; the model's template decides
    whether their reasoning is repeated. For any other model, it is the last question as a text to continue.
    """
    if not is_chat_model:
        return turns[-1].question
    messages = [{"role": "system", "content": system.strip()}] if system.strip() else []
    for turn in turns[:-1]:
        if turn.text:
            answer = {"role": "assistant", "content": turn.text}
            if turn.reasoning:
                answer["reasoning"] = turn.reasoning
            messages += [{"role": "user", "content": turn.question}, answer]
    return [*messages, {"role": "user", "content": turns[-1].question}]


def describe_progress(turn: Turn) -> str:
    """What a running answer is doing."""
    if turn.progress is not None:
        return f"loading {escape(turn.parameters['model'])}, {turn.progress:.0%} …"
    if turn.has_answer:
        return "answering …"
    return "thinking …" if turn.reasoning else "waiting for the first word …"


def format_statistics(turn: Turn) -> str:
    """The speed of an answer, its number of tokens, and why it ended."""
    parts = []
    if turn.answer is not None:
        usage, timings = turn.answer.usage, turn.answer.timings
        out, first, total = usage["completion_tokens"], timings["first_token"], timings["total"]
        if first is not None and out > 1 and total > first:
            parts.append(f"{(out - 1) / (total - first):.0f} tokens/s")
        if first is not None:
            parts.append(f"first token after {_format_duration(first)}")
        parts.append(f"{usage['prompt_tokens']} tokens in, {out} out")
        parts.append(f"seed {turn.answer.seed}")
    parts.append(_describe_end(turn))
    return " · ".join(parts)


def describe_truncation(turn: Turn) -> str:
    """A sentence about the messages that a long conversation has lost; empty if it has all."""
    count = 0 if turn.answer is None else turn.answer.usage["truncated_messages"]
    return f"The first {count} messages were left out: the conversation is too long." if count else ""


def _format_duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _describe_end(turn: Turn) -> str:
    reason = "cancelled" if turn.answer is None else turn.answer.finish_reason
    if reason in ("stop", "tool_calls"):
        return "complete"
    if reason == "length":
        is_context_full = turn.answer.usage["completion_tokens"] < turn.parameters["max_tokens"]
        return "cut: the context is full" if is_context_full else "cut at max tokens"
    return "stopped by you" if turn.is_stopped else "cut off"


def describe_error(error: Exception) -> str:
    """An error as Markdown: first an explanation, if there is one, then the server's message."""
    explanation = next((text for kind, text in _EXPLANATIONS.items() if isinstance(error, kind)), None)
    message = str(error)[:500]
    details = escape(message[:1].upper() + message[1:])
    return details if explanation is None else f"{explanation}\n\n:small[{details}]"
