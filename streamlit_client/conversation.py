"""A conversation: its turns, what is sent for them, what comes back, in words for a person.

Knows nothing of Streamlit, so that an answer goes on however often its page is drawn anew.
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from model_core.errors import PromptTooLong, QueueFull, RequestTimeout, ShuttingDown, TritonchatError
from triton_server.client import Answer, AnswerStream, ChatClient, Messages, ServerUnavailable

LOGGER = logging.getLogger(__name__)

# How long a stopped answer may take to hand over its last words and its figures.
_STOP_GRACE_S = 2.0
# An answer that no page waits for any more, because its visitor left, is not worth its tokens.
_ABANDONED_S = 10.0

_IN_PLAIN_WORDS: dict[type[TritonchatError], str] = {
    ServerUnavailable: "The server does not answer. It may be starting, or it was stopped.",
    PromptTooLong: "This conversation is too long for the model.",
    QueueFull: "The server is busy with other questions.",
    ShuttingDown: "The server is stopping and takes no more questions.",
    RequestTimeout: "The answer took too long and was cut off.",
}


@dataclass(eq=False)
class Turn:
    """A question and its answer, which a thread of its own fills in while it comes.

    Whatever ends the answer, `text` keeps what has come of it. One that `continues` goes on from the
    question's last word.
    """

    question: str
    parameters: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    answer: Answer | None = None
    error: Exception | None = None
    stopped: bool = False
    begun: bool = False
    continues: bool = False
    finished: threading.Event = field(default_factory=threading.Event)
    _awaited: float = field(init=False, repr=False)
    _client: ChatClient = field(init=False, repr=False)
    _stream: AnswerStream = field(init=False, repr=False)

    @property
    def shown(self) -> str:
        """The answer as Markdown for the page."""
        return as_markdown(self.question + self.text if self.continues and self.text else self.text)

    @property
    def running(self) -> bool:
        """Whether the answer is on its way."""
        return self.begun and not self.finished.is_set()

    def begin(self, client: ChatClient, prompt: Messages, parameters: dict[str, Any]) -> None:
        """Ask the server. Returns at once; `finished` is set when there is no more to come."""
        self.begun, self.continues, self.parameters = True, isinstance(prompt, str), parameters
        self._awaited = time.monotonic()
        self._client, self._stream = client, client.stream(prompt, **parameters)
        threading.Thread(target=self._receive, args=[self._stream], daemon=True).start()

    def fail(self, error: Exception) -> None:
        """End a turn that could not be asked."""
        self.begun, self.error = True, error
        self.finished.set()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the answer or of the timeout; whether the answer has ended."""
        self._awaited = time.monotonic()
        return self.finished.wait(timeout_s)

    def stop(self) -> None:
        """End the answer where it is. Waits a moment for its last words, not for a server that hangs."""
        if self.running:
            self.stopped = True
            threading.Thread(target=self._cancel, daemon=True).start()
            self.finished.wait(_STOP_GRACE_S)
            self.finished.set()

    def _receive(self, stream: AnswerStream) -> None:
        try:
            with stream:
                for _ in stream:
                    self.text = stream.text
                    abandoned = time.monotonic() - self._awaited > _ABANDONED_S
                    # Or finished by `stop`, before the server knew of the request.
                    if abandoned or self.finished.is_set():
                        break
            self.answer = stream.answer
        except Exception as error:
            if not isinstance(error, TritonchatError):
                LOGGER.exception("An answer could not be received")
            if not self.stopped:
                self.error = error
        finally:
            self.finished.set()

    def _cancel(self) -> None:
        with suppress(TritonchatError):  # away, so it runs no more either
            self._client.cancel(self._stream.request_id)


def prompt_for(turns: Sequence[Turn], system: str, chat: bool) -> Messages:
    """What is sent to have the last of `turns` answered.

    A chat model gets the conversation so far, without turns that never had an answer. Any other model
    gets the bare text to continue.
    """
    if not chat:
        return turns[-1].question
    messages = [{"role": "system", "content": system.strip()}] if system.strip() else []
    for turn in turns[:-1]:
        if turn.text:
            messages.append({"role": "user", "content": turn.question})
            messages.append({"role": "assistant", "content": turn.text})
    return [*messages, {"role": "user", "content": turns[-1].question}]


def figures(turn: Turn) -> str:
    """How fast an answer came, what it took, and why it ended."""
    parts = []
    if turn.answer is not None:
        usage, timings = turn.answer.usage, turn.answer.timings
        out, first, total = usage["completion_tokens"], timings["first_token"], timings["total"]
        if first is not None and out > 1 and total > first:
            parts.append(f"{(out - 1) / (total - first):.0f} tokens/s")
        if first is not None:
            parts.append(f"first token after {_duration(first)}")
        parts.append(f"{usage['prompt_tokens']} tokens in, {out} out")
    parts.append(f"seed {turn.parameters['seed']}")
    parts.append(_ending(turn))
    return " · ".join(parts)


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _ending(turn: Turn) -> str:
    reason = "cancelled" if turn.answer is None else turn.answer.finish_reason
    if reason == "stop":
        return "complete"
    if reason == "length":
        full = turn.answer.usage["completion_tokens"] < turn.parameters["max_tokens"]
        return "cut where the context is full" if full else "cut at max tokens"
    return "stopped by you" if turn.stopped else "cut off"


def in_plain_words(error: Exception) -> str:
    """What went wrong, as Markdown: for a person first, then what the server said."""
    plain = next((words for kind, words in _IN_PLAIN_WORDS.items() if isinstance(error, kind)), None)
    message = str(error)[:500]
    said = _outside_code(literal, message[:1].upper() + message[1:])
    return said if plain is None else f"{plain}\n\n:small[{said}]"


def literal(text: str) -> str:
    """Text as Markdown that shows it as it is."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


# A block between fences, closed or not yet, or a span between backticks on one line (CommonMark 0.31).
_CODE = re.compile(
    r"^ {0,3}(?P<fence>`{3,})[^`\n]*$.*?(?:^ {0,3}(?P=fence)`*[ \t]*$|\Z)"
    r"|(?<![\\`])(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)


def as_markdown(text: str) -> str:
    """A model's text as Markdown for the page.

    Outside of code, lines end where the model ended them, a dollar is a dollar, and no image is loaded:
    its address could carry the conversation to a stranger.
    """
    return _outside_code(_prose, text)


def _outside_code(change: Callable[[str], str], text: str) -> str:
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [change(text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, change(text[end:])])


def _prose(text: str) -> str:
    text = re.sub(r"(?<![\\$])\$(?!\$)", r"\\$", text)
    return text.replace("![", r"!\[").replace("\n", "  \n")
