"""`LLM`: a model with its tokenizer and engine, as one object."""

import queue
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .adapters.loading import load_adapter
from .adapters.table import NO_SLOT
from .answer_parser import AnswerParser
from .caches import create_kv_cache, create_states
from .chat import ChatModel, ChatOptions, PreparedChat, parse_completion
from .chat_template import ChatPrompt
from .choices import ARITHMETIC, KV_CACHE_DTYPES, check_weights
from .engine import Engine
from .errors import InvalidRequest, ModelError
from .estimate import MemoryFlags, check_memory
from .events import Event, Text
from .generation_defaults import read_generation_defaults
from .hub import embedded_model, fetch_model, model_name
from .kernels import show_compilation
from .kv_cache import PAGE, Batch, KVCache
from .loader import load_model
from .messages import DEFAULT_FIELDS, ChatFields, Message, parse_messages
from .model_files import ModelFiles, open_model_files
from .prompts import Prompts
from .request import AnswerPlan, Completion, Delta, DeltaCallback, join_deltas
from .resources import available_memory, default_threads
from .row_sampler import compile_sampling
from .sampling import SamplingParams
from .scheduler import STEP_TOKENS, Limits
from .state import StateCache
from .tokenizer import AnyTokenizer

Messages = Sequence[Mapping[str, Any] | Message]
Params = SamplingParams | Sequence[SamplingParams] | None
Adapters = str | Sequence[str | None] | None  # names


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
        revision: str | None = None,
        weights: str = "auto",
        arithmetic: str = "int8",
        threads: int | None = None,
        max_context: int | None = None,
        kv_cache_memory: int | None = None,
        kv_cache_dtype: str = "float32",
        max_concurrency: int = 64,
        max_queue: int = 256,
        speculate: int = 0,
        adapters: Mapping[str, str | Path] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        """Load a model.

        Args:
            model: a folder in Hugging Face layout, a name on the hub, or None for the embedded model.
            revision: a branch, tag or commit of a model on the hub; None: the branch main.
            weights: auto (as stored), float32, bfloat16, float16, int8 or int4 (rounded while loading).
            arithmetic: int8: products with integer weights round activations to 8 bits, in groups of 256 with
                a scale each. float32: they do not, which is more exact, and slower.
            threads: threads for the arithmetic; None: all cores this process may use, one for a tiny model.
            max_context: positions a request may have, up to the model's own limit; None: this limit.
            kv_cache_memory: bytes of KV memory; None: a quarter of the memory that is free.
            kv_cache_dtype: float32; or float16 or int8, with half or a quarter of the memory, less exact.
            max_concurrency: requests computed together.
            max_queue: requests that may wait beyond those.
            speculate: draft up to this many tokens ahead from the request's own text; changes no answer.
                Models with recurrent layers do not draft, because their states cannot go back.
            adapters: name -> folder, for `load_adapter`.
            on_progress: called with the part of the weights that is loaded, from 0 to 1.

        Raises:
            ModelError: the folder, a file in it or an argument is wrong.
            NoMemory: the machine does not have the memory for the model, or `kv_cache_memory`.
        """
        if arithmetic not in ARITHMETIC:
            raise ModelError(f"arithmetic '{arithmetic}' is not known; {', '.join(ARITHMETIC)} are.")
        if kv_cache_dtype not in KV_CACHE_DTYPES:
            raise ModelError(f"the KV cache cannot be '{kv_cache_dtype}', only {', '.join(KV_CACHE_DTYPES)}.")
        check_weights(weights)
        self.name = model_name(model)
        flags = MemoryFlags(weights, max_context, kv_cache_memory, kv_cache_dtype)

        def check(files: ModelFiles) -> None:
            check_memory(self.name, files, flags, available_memory())

        path = embedded_model() if model is None else fetch_model(model, revision, check)
        files = open_model_files(path)
        check(files)
        self.model = load_model(files, weights, on_progress=on_progress, arithmetic=arithmetic)
        self.model.set_threads(threads or default_threads(self.model.weight_bytes))
        config = self.model.config
        max_context = min(max_context or config.max_context, config.max_context)
        self.tokenizer = files.open_tokenizer(max_context)
        self.defaults = read_generation_defaults(files)
        try:
            SamplingParams().with_defaults(self.defaults)
        except InvalidRequest as error:
            raise ModelError(
                f"{files.named('generation_config.json')} recommends what is not possible: {error}"
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
        for name, adapter in (adapters or {}).items():
            self.load_adapter(name, adapter)
        with show_compilation():
            self.logits([0])
            compile_sampling()
        self.engine = Engine(self.model, self.tokenizer, frozenset(eos), cache, limits, speculate)
        self.prompts = Prompts(self.engine, self.model, cache, self.encode, self._fill_defaults)

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

    def load_adapter(self, name: str, folder: str | Path) -> None:
        """Let requests choose the adapter in a folder in PEFT's layout (LoRA) by this name.

        Raises ModelError if it is damaged or for another model, InvalidRequest if the name is taken, or
        NoMemory. Other requests go on meanwhile.
        """
        load_adapter(self.model, name, folder)

    def drop_adapter(self, name: str) -> None:
        """Let no new request choose an adapter; its memory is free when its last request has ended.

        Raises InvalidRequest if there is none of this name.
        """
        self.model.adapters.drop(name)

    def logits(self, tokens: Sequence[int], adapter: str | None = None) -> np.ndarray:
        """Logits after each of the tokens: float32 [len(tokens), vocabulary]. Raises InvalidRequest."""
        if not tokens or not all(0 <= token < self.model.config.vocab_size for token in tokens):
            raise InvalidRequest("logits() needs token ids within the model's vocabulary, at least one.")
        groups, shapes = self.model.kv_groups, self.model.tape.states
        shape = (len(groups), 1, -(-len(tokens) // PAGE))
        pages = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        cache = KVCache(groups, pages.size, self.kv_cache_dtype, StateCache(shapes, 1) if shapes else None)
        parts, loaded = [], self.model.adapters.acquire(adapter)
        slot = np.int32([NO_SLOT if loaded is None else loaded.slot])
        try:
            for start in range(0, len(tokens), STEP_TOKENS):  # chunks, which need no more memory than a step
                chunk = np.array(tokens[start : start + STEP_TOKENS], np.int32)
                rows = np.arange(len(chunk), dtype=np.int32)
                starts = np.array([0, len(chunk)], np.int32)
                batch = Batch(chunk, rows + np.int32(start), starts, pages, rows, adapters=slot)
                parts.append(self.model.forward(batch, cache))
        finally:
            self.model.adapters.release(loaded)
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
        adapter: Adapters = None,
    ) -> Completion | list[Completion]:
        """Continue one raw prompt, or many together; a prompt is text or token ids.

        `params` are for all prompts, or a list with one for each. So is `adapter`, the name of a loaded one,
        or None. Returns a completion, or a list of completions in the order of the prompts. Prompts that the
        queue has no room for are submitted when others finish.

        Raises:
            TritonchatError: a prompt was refused, or its computation failed.
        """
        is_single = isinstance(prompts, str) or (len(prompts) > 0 and isinstance(prompts[0], int))
        batch = [prompts] if is_single else prompts
        all_params = self._fill_all_defaults(params, len(batch))
        jobs = [_Job(self.encode(prompt), item) for prompt, item in zip(batch, all_params, strict=True)]
        completions = self._complete_all(jobs, adapter)
        return completions[0] if is_single else completions

    def chat(
        self,
        messages: Messages | Sequence[Messages],
        params: Params = None,
        adapter: Adapters = None,
        **options: Any,
    ) -> Completion | list[Completion]:
        """Answer one conversation, or many together. Parameters and errors are those of `generate`.

        `options` are the fields of `ChatFields` (messages.py), such as `tools` and `truncation`.
        """
        is_single = not messages or isinstance(messages[0], Mapping | Message)
        batch = [messages] if is_single else messages
        all_params, fields = self._fill_all_defaults(params, len(batch)), ChatOptions(**options)
        jobs = [self._make_job(item, fields, p) for item, p in zip(batch, all_params, strict=True)]
        completions = self._complete_all(jobs, adapter)
        return completions[0] if is_single else completions

    def stream(
        self,
        prompt: str | Sequence[int],
        params: SamplingParams | None = None,
        adapter: str | None = None,
    ) -> Iterator[str]:
        """Continue a raw prompt, and yield the text as it is made; leaving the loop cancels the rest.

        Raises as `generate`.
        """
        events = self._stream(_Job(self.encode(prompt), self._fill_defaults(params)), adapter)
        return (event.text for event in events if isinstance(event, Text))

    def stream_chat(
        self,
        messages: Messages,
        params: SamplingParams | None = None,
        adapter: str | None = None,
        **options: Any,
    ) -> Iterator[str]:
        """Answer a conversation, and yield the text as it is made; leaving the loop cancels the rest.

        Raises as `generate`. `options` are those of `chat`.
        """
        events = self.stream_chat_events(messages, params, adapter, **options)
        return (event.text for event in events if isinstance(event, Text))

    def stream_chat_events(
        self,
        messages: Messages,
        params: SamplingParams | None = None,
        adapter: str | None = None,
        **options: Any,
    ) -> Iterator[Event]:
        """As `stream_chat`, but yields the events `Text`, `Reasoning` and `ToolCallDelta` (events.py)."""
        job = self._make_job(messages, ChatOptions(**options), self._fill_defaults(params))
        return self._stream(job, adapter)

    def _require_tokenizer(self) -> AnyTokenizer:
        if self.tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self.tokenizer

    def _require_chat_model(self) -> ChatModel:
        if self._chat_model is None:
            engine = self.engine
            self._chat_model = ChatModel(
                self._require_tokenizer(), engine.limits.max_context, engine.grammars.find_fault
            )
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

    def _complete_all(self, jobs: list[_Job], adapter: Adapters) -> list[Completion]:
        adapters = [adapter] * len(jobs) if adapter is None or isinstance(adapter, str) else adapter
        if len(adapters) != len(jobs):
            raise InvalidRequest(f"{len(jobs)} prompts came with {len(adapters)} adapters.")
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
                options = {"plan": job.plan, "adapter": adapters[index]}
                self.engine.submit(job.prompt, job.params, callback, request_id, **options)
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

    def _stream(self, job: _Job, adapter: str | None) -> Iterator[Event]:
        deltas: queue.SimpleQueue[Delta] = queue.SimpleQueue()
        request_id = self.engine.submit(job.prompt, job.params, deltas.put, plan=job.plan, adapter=adapter)
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
