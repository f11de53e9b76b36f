"""What the server needs of an engine: model_core's (local_engine.py) or another server (upstream/).

Everything above stands on this: Triton's models, and with them the HTTP service, the page and the clients.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from model_core.llm.description import ModelDescription
from model_core.requests.events import Event
from model_core.requests.results import Completion

from ...contract.commands import Detokenize, TokenizeChat, TokenizeText
from ...contract.request_fields import Request


class AnswerReader(Protocol):
    """Makes events of the parts of an answer, in the form in which its engine delivers them.

    Its methods run in the event loop that sends the answer, which costs the engine no time.

    Attributes:
        prompt: the token ids of the prompt; None if they are not known.
    """

    prompt: Sequence[int] | None

    def read(self, parts: Sequence[Any]) -> list[Event]:
        """The events of new parts."""

    def finish(self) -> tuple[list[Event], Completion]:
        """The last events, and the completion, whose text is not read. There are no parts after this."""


class AnswerSink(Protocol):
    """Where an engine puts an answer. Any thread may call the methods.

    Attributes:
        reader: set by the engine before the first part.
        arrival_time: of the request, as `time.monotonic()`.
        adapter: the name of the one that the request chose. adapter_digest: which one it is; None: unknown.
    """

    reader: AnswerReader
    arrival_time: float
    adapter: str | None

    @property
    def adapter_digest(self) -> str | None: ...

    def add(self, part: Any) -> None:
        """Add a part that is not the last one."""

    def finish(self, part: Any) -> None:
        """Add the last part."""


@dataclass(frozen=True)
class Submission:
    """A request that was given to an engine.

    Attributes:
        cancel: ends it; its answer then ends as `cancelled`. False if it has ended already.
        accepted: ends when the engine has accepted it, or by the TritonchatError of a refusal, after which
            there is no answer. None: it is accepted.
    """

    cancel: Callable[[], bool]
    accepted: Future[None] | None = None


class ModelEngine(Protocol):
    """Computes the answers of one model. Any thread may call the methods."""

    @property
    def max_context(self) -> int:
        """Tokens of prompt and answer together."""

    def submit(self, request: Request, answer: AnswerSink) -> Submission:
        """Let the answer to a request, which has a `request_id`, be computed.

        Raises TritonchatError if it is refused; then there is no answer.
        """

    def count(self, request: Request) -> Completion:
        """An empty answer, whose usage has the tokens of the prompt. Raises TritonchatError."""

    def tokenize(self, command: TokenizeText | TokenizeChat | Detokenize) -> dict[str, Any]:
        """The result of such a command (contract/commands.py). Raises TritonchatError."""

    def fingerprint(self, adapter: str | None) -> str | None:
        """Of answers that an adapter changes, or the model's own; see `LLM.fingerprint`.

        None if it is not known. Raises TritonchatError for an adapter that is not loaded.
        """

    def made_of(self, adapter: str | None) -> dict[str, Any] | None:
        """What the fingerprint is made of; see `LLM.made_of`. None, and raises, as `fingerprint`."""

    def describe(self) -> ModelDescription:
        """The model's description."""

    def stats(self) -> dict[str, Any]:
        """Current numbers, as those of `Engine.stats`: `alive`, `running`, `waiting` and `totals` at least.

        Only an engine with KV memory of its own has `kv_bytes_used`, `kv_pages` and `step_sizes`.
        """

    def find_fault(self) -> str | None:
        """Why no requests are accepted at the moment, in a few words; None if they are."""

    def close(self, grace_s: float = 0.0) -> None:
        """Refuse new requests, give the others `grace_s` seconds to end, and cancel the rest."""
