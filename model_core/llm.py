"""`LLM`: a model with its tokenizer and engine, as one object."""

import logging
import os
import queue
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .answer_parser import AnswerParser
from .chat import ChatModel, ChatOptions, PreparedChat, parse_completion
from .chat_template import ChatPrompt
from .choices import KV_CACHE_DTYPES
from .config import read_config, read_generation_defaults
from .engine import Engine
from .errors import InvalidRequest, ModelError, NoMemory
from .events import Event, Text
from .hub import embedded_model, fetch_model
from .kernels import show_compilation
from .kv_cache import PAGE, Batch, KVCache, KVGroup
from .loader import load_model
from .messages import DEFAULT_FIELDS, ChatFields, Message, parse_messages
from .request import AnswerPlan, Completion, Delta, DeltaCallback, join_deltas
from .resources import available_memory, default_threads
from .rwkv_tokenizer import VOCABULARY_NAME, RwkvTokenizer
from .sampler import compile_sampling
from .sampling import SamplingParams
from .scheduler import STEP_TOKENS, Limits
from .state import StateCache, state_offsets
from .tokenizer import AnyTokenizer, Tokenizer

LOGGER = logging.getLogger(__name__)
MAX_SNAPSHOTS = 64  # copies of recurrent states in the prefix cache
Messages = Sequence[Mapping[str, Any] | Message]
Params = SamplingParams | Sequence[SamplingParams] | None


@dataclass(frozen=True)
class _Job:
    """An answer to make. An answer to a conversation has a plan, and a parser of its text."""

    prompt: list[int]
    params: SamplingParams
    plan: AnswerPlan | None = None
    parser: AnswerParser | None = None


class LLM:
    """A language model that is ready to answer. `LLM()` is the embedded model. `close` ends it."""

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        weights: str = "auto",
        threads: int | None = None,
        max_context: int | None = None,
        kv_cache_memory: int | None = None,
        kv_cache_dtype: str = "float32",
        max_concurrency: int = 64,
        max_queue: int = 256,
        speculate: int = 0,
    ) -> None:
        """Load a model.

        Args:
            model: a folder in Hugging Face layout, a name on the hub, or None for the embedded model.
            weights: auto (as stored), float32, bfloat16, float16, int8 or int4 (rounded while loading).
            threads: threads for the arithmetic; None: all cores this process may use, one for a tiny model.
            max_context: positions a request may have, up to the model's own limit; None: this limit.
            kv_cache_memory: bytes of KV memory; None: a quarter of the memory that is free.
            kv_cache_dtype: float32; or float16 or int8, with half or a quarter of the memory, less exact.
            max_concurrency: requests computed together.
            max_queue: requests that may wait beyond those.
            speculate: draft up to this many tokens ahead from the request's own text; changes no answer.
                Models with recurrent layers do not draft, because their states cannot go back.

        Raises:
            ModelError: the folder, a file in it or an argument is wrong.
            NoMemory: the machine does not have `kv_cache_memory`.
        """
        if kv_cache_dtype not in KV_CACHE_DTYPES:
            raise ModelError(f"the KV cache cannot be '{kv_cache_dtype}', only {', '.join(KV_CACHE_DTYPES)}.")
        folder = embedded_model() if model is None else fetch_model(model)
        self.name = (
            "embedded" if model is None else str(model) if not os.path.isdir(model) else folder.resolve().name
        )
        self.model = load_model(folder, weights)
        self.model.set_threads(threads or default_threads(self.model.weight_bytes))
        config = self.model.config
        max_context = min(max_context or config.max_context, config.max_context)
        self.tokenizer = read_tokenizer(folder, max_context)
        self.defaults = read_generation_defaults(folder, read_config(folder))
        try:
            SamplingParams().with_defaults(self.defaults)
        except InvalidRequest as error:
            raise ModelError(
                f"{folder / 'generation_config.json'} recommends what is not possible: {error}"
            ) from error
        eos = set(self.defaults.eos_token_ids)
        if self.tokenizer is not None and self.tokenizer.eos_token_id is not None:
            eos.add(self.tokenizer.eos_token_id)
        limits = Limits(
            max_context=max_context,
            max_concurrency=max_concurrency,
            max_queue=max_queue,
            kv_cache_memory=kv_cache_memory or available_memory() // 4,
        )
        self.kv_cache_dtype = kv_cache_dtype
        self._chat_model: ChatModel | None = None  # from the first conversation on
        limits, states = create_states(self.model.tape.states, limits)
        cache = create_kv_cache(self.model.kv_groups, limits.kv_cache_memory, kv_cache_dtype, states)
        with show_compilation():
            self.logits([0])
            compile_sampling()
        self.engine = Engine(self.model, self.tokenizer, frozenset(eos), cache, limits, speculate)

    def close(self) -> None:
        """Cancel all requests, and end the threads and the process of the chat template."""
        self.engine.close()
        self.model.set_threads(1)
        if self.tokenizer is not None:
            self.tokenizer.close()

    def __enter__(self) -> "LLM":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def describe(self) -> dict[str, Any]:
        """The model's name, family, sizes, limits, and its default `sampling` parameters.

        `enable_thinking` is the default of this field; None if the model reasons always or never.
        """
        config, limits = self.model.config, self.engine.limits
        sampling = asdict(self.defaults)
        del sampling["eos_token_ids"]
        template = None if self.tokenizer is None else self.tokenizer.chat_template
        return {
            "name": self.name,
            "family": config.family,
            "weights": self.model.weight_dtype,
            "weight_bytes": self.model.weight_bytes,
            "layers": config.layers,
            "vocab_size": config.vocab_size,
            "max_context": limits.max_context,
            "max_concurrency": limits.max_concurrency,
            "max_queue": limits.max_queue,
            "kv_cache_memory": limits.kv_cache_memory,
            "kv_cache_dtype": self.kv_cache_dtype,
            "threads": self.model.threads,
            "chat_template": template is not None,
            "enable_thinking": None if template is None else template.enable_thinking,
            "tokenizer": self.tokenizer is not None,
            "sampling": sampling,
        }

    def logits(self, tokens: Sequence[int]) -> np.ndarray:
        """Logits after each of the tokens: float32 [len(tokens), vocabulary]. Raises InvalidRequest."""
        if not tokens or not all(0 <= token < self.model.config.vocab_size for token in tokens):
            raise InvalidRequest("logits() needs token ids within the model's vocabulary, at least one.")
        groups, shapes = self.model.kv_groups, self.model.tape.states
        shape = (len(groups), 1, -(-len(tokens) // PAGE))
        pages = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        cache = KVCache(groups, pages.size, self.kv_cache_dtype, StateCache(shapes, 1) if shapes else None)
        parts = []
        for start in range(0, len(tokens), STEP_TOKENS):  # chunks, which need no more memory than a step
            chunk = np.array(tokens[start : start + STEP_TOKENS], np.int32)
            rows = np.arange(len(chunk), dtype=np.int32)
            batch = Batch(chunk, rows + np.int32(start), np.array([0, len(chunk)], np.int32), pages, rows)
            parts.append(self.model.forward(batch, cache))
        return np.concatenate(parts)

    def encode(self, prompt: str | Sequence[int]) -> list[int]:
        """The token ids of a raw prompt. Raises InvalidRequest for text if there is no tokenizer."""
        if not isinstance(prompt, str):
            return list(prompt)
        return self._require_tokenizer().encode(prompt)

    def encode_chat(self, messages: Messages, fields: ChatFields = DEFAULT_FIELDS) -> ChatPrompt:
        """The prompt for the next answer to a conversation. Raises InvalidRequest."""
        return self._require_chat_model().encode(parse_messages(list(messages)), fields)

    def prepare_chat(self, messages: Messages, fields: ChatFields, params: SamplingParams) -> PreparedChat:
        """The prompt for the next answer to a conversation, and how this answer is made and read.

        The defaults of `params` must be filled in. Raises InvalidRequest.
        """
        return self._require_chat_model().prepare(parse_messages(list(messages)), fields, params)

    def generate(
        self,
        prompts: str | Sequence[int] | Sequence[str] | Sequence[Sequence[int]],
        params: Params = None,
    ) -> Completion | list[Completion]:
        """Continue one raw prompt, or many together; a prompt is text or token ids.

        `params` are for all prompts, or a list with one for each. Returns a completion, or a list of
        completions in the order of the prompts. Prompts that the queue has no room for are submitted when
        others finish.

        Raises:
            TritonchatError: a prompt was refused, or its computation failed.
        """
        is_single = isinstance(prompts, str) or (len(prompts) > 0 and isinstance(prompts[0], int))
        batch = [prompts] if is_single else prompts
        all_params = self._fill_all_defaults(params, len(batch))
        jobs = [_Job(self.encode(prompt), item) for prompt, item in zip(batch, all_params, strict=True)]
        completions = self._complete_all(jobs)
        return completions[0] if is_single else completions

    def chat(
        self, messages: Messages | Sequence[Messages], params: Params = None, **options: Any
    ) -> Completion | list[Completion]:
        """Answer one conversation, or many together. Parameters and errors are those of `generate`.

        `options` are the fields of `ChatFields` (messages.py), such as `tools` and `truncation`.
        """
        is_single = not messages or isinstance(messages[0], Mapping | Message)
        batch = [messages] if is_single else messages
        all_params, fields = self._fill_all_defaults(params, len(batch)), ChatOptions(**options)
        jobs = [self._make_job(item, fields, p) for item, p in zip(batch, all_params, strict=True)]
        completions = self._complete_all(jobs)
        return completions[0] if is_single else completions

    def stream(self, prompt: str | Sequence[int], params: SamplingParams | None = None) -> Iterator[str]:
        """Continue a raw prompt, and yield the text as it is made; leaving the loop cancels the rest.

        Raises as `generate`.
        """
        events = self._stream(_Job(self.encode(prompt), self._fill_defaults(params)))
        return (event.text for event in events if isinstance(event, Text))

    def stream_chat(
        self, messages: Messages, params: SamplingParams | None = None, **options: Any
    ) -> Iterator[str]:
        """Answer a conversation, and yield the text as it is made; leaving the loop cancels the rest.

        Raises as `generate`. `options` are those of `chat`.
        """
        events = self.stream_chat_events(messages, params, **options)
        return (event.text for event in events if isinstance(event, Text))

    def stream_chat_events(
        self, messages: Messages, params: SamplingParams | None = None, **options: Any
    ) -> Iterator[Event]:
        """As `stream_chat`, but yields the events `Text`, `Reasoning` and `ToolCallDelta` (events.py)."""
        return self._stream(self._make_job(messages, ChatOptions(**options), self._fill_defaults(params)))

    def _require_tokenizer(self) -> AnyTokenizer:
        if self.tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self.tokenizer

    def _require_chat_model(self) -> ChatModel:
        if self._chat_model is None:
            self._chat_model = ChatModel(self._require_tokenizer(), self.engine.limits.max_context)
        return self._chat_model

    def _fill_defaults(self, params: SamplingParams | None) -> SamplingParams:
        return (params or SamplingParams()).with_defaults(self.defaults)

    def _fill_all_defaults(self, params: Params, count: int) -> list[SamplingParams]:
        """The parameters of `count` prompts."""
        is_shared = params is None or isinstance(params, SamplingParams)
        all_params = [params] * count if is_shared else params
        if len(all_params) != count:
            raise InvalidRequest(f"{count} prompts came with parameters for {len(all_params)}.")
        return [self._fill_defaults(item) for item in all_params]

    def _make_job(self, messages: Messages, fields: ChatFields, params: SamplingParams) -> _Job:
        prepared = self.prepare_chat(messages, fields, params)
        return _Job(prepared.prompt.token_ids, params, prepared.plan, prepared.parser)

    def _complete_all(self, jobs: list[_Job]) -> list[Completion]:
        deltas: list[list[Delta]] = [[] for _ in jobs]
        finished: queue.SimpleQueue[None] = queue.SimpleQueue()

        def make_callback(index: int) -> DeltaCallback:
            def on_delta(delta: Delta) -> None:
                deltas[index].append(delta)
                if delta.completion is not None:
                    finished.put(None)

            return on_delta

        ids = [uuid.uuid4().hex for _ in jobs]
        max_pending = self.engine.limits.max_queue or 1  # at a time; more could be refused
        try:
            for index, (job, request_id) in enumerate(zip(jobs, ids, strict=True)):
                if index >= max_pending:
                    finished.get()
                callback = make_callback(index)
                self.engine.submit(job.prompt, job.params, callback, request_id, plan=job.plan)
            for _ in range(min(max_pending, len(jobs))):
                finished.get()
        except BaseException:
            for request_id in ids:
                self.engine.cancel(request_id)
            raise
        completions = [join_deltas(answer) for answer in deltas]
        for completion in completions:
            if completion.error is not None:
                raise completion.error
        return [
            completion if job.parser is None else parse_completion(completion, job.parser)
            for job, completion in zip(jobs, completions, strict=True)
        ]

    def _stream(self, job: _Job) -> Iterator[Event]:
        deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
        request_id = self.engine.submit(job.prompt, job.params, deltas.put, plan=job.plan)
        try:
            while True:
                delta = deltas.get()
                if job.parser is not None:
                    yield from job.parser.push(delta.text)
                elif delta.text:
                    yield Text(delta.text)
                if delta.completion is not None:
                    if job.parser is not None:
                        yield from job.parser.finish()
                    if delta.completion.error is not None:
                        raise delta.completion.error
                    return
        finally:
            self.engine.cancel(request_id)


def read_tokenizer(folder: Path, max_context: int) -> AnyTokenizer | None:
    """The tokenizer in a model folder, None if there is none. Raises ModelError if it is damaged."""
    if os.path.isfile(folder / "tokenizer.json"):
        return Tokenizer(folder, max_context)
    if os.path.isfile(folder / VOCABULARY_NAME):
        return RwkvTokenizer(folder, max_context)
    return None


def create_kv_cache(
    groups: Sequence[KVGroup], memory: int, dtype: str, states: StateCache | None = None
) -> KVCache:
    """A KV cache of `memory` bytes, those of its states included. Raises NoMemory."""
    page_memory = memory if states is None else memory - states.memory.nbytes
    try:
        return KVCache(groups, page_memory // KVCache.bytes_per_page(groups, dtype), dtype, states)
    except (OSError, ValueError, OverflowError) as error:  # too much, or too large a number
        raise NoMemory(
            f"the machine has no {memory / 2**30:.3g} GiB for the KV cache; "
            "start with a smaller --kv-cache-memory."
        ) from error


def create_states(shapes: Sequence[tuple[int, ...]], limits: Limits) -> tuple[Limits, StateCache | None]:
    """The slots for the recurrent states of a model, None if it has none, and the limits that fit them.

    Slots take at most half of the KV memory. If there are more requests than that, fewer run together. What
    is left of the half is for the copies of the prefix cache. Raises NoMemory.
    """
    if not shapes:
        return limits, None
    slot_bytes = state_offsets(shapes)[1]
    room = limits.kv_cache_memory // 2 // slot_bytes
    slots = min(limits.max_concurrency, room)
    if not slots:
        raise NoMemory(
            f"a sequence has {slot_bytes / 2**20:.3g} MiB of recurrent state, which takes more than half of "
            "the KV memory; start with a larger --kv-cache-memory."
        )
    if slots < limits.max_concurrency:
        LOGGER.warning(
            "Only %d requests are computed together, not %d: each has %.3g MiB of recurrent state. A larger "
            "--kv-cache-memory has room for more.",
            slots,
            limits.max_concurrency,
            slot_bytes / 2**20,
        )
    try:
        return replace(limits, max_concurrency=slots), StateCache(
            shapes, slots, min(MAX_SNAPSHOTS, room - slots)
        )
    except (OSError, ValueError, OverflowError) as error:
        raise NoMemory(
            f"the machine has no {slots * slot_bytes / 2**30:.3g} GiB for recurrent states; start with a "
            "smaller --kv-cache-memory or --max-concurrency."
        ) from error
