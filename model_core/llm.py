"""`LLM`: a model with its tokenizer and engine, as one object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .adapters.loading import load_adapter
from .caches import create_kv_cache, create_states
from .chat import ChatModel, ChatOptions, PreparedChat
from .chat_template import ChatPrompt
from .choice_fields import Choices
from .choices import ARITHMETIC, KV_CACHE_DTYPES, check_weights
from .choose import Choice, is_raw_prompt, make_choice_jobs, rank_choices
from .description import describe_model
from .draft_loading import DraftSettings, load_draft_model
from .draft_model import DraftModel
from .drafter import Drafter
from .embedder import Embedder, Input
from .embedding import EmbeddingParams, Embeddings, ScoreParams, Scores
from .embedding_files import read_embedding_settings
from .engine import NO_TEXT, Engine
from .errors import InvalidRequest, ModelError
from .estimate import MemoryFlags, check_memory
from .events import Event, Text
from .generation_defaults import read_generation_defaults
from .hub import embedded_model, fetch_model, model_name
from .jobs import Adapters, Job, complete_jobs, score_prompt, stream_job
from .kernels import show_compilation
from .loader import load_model
from .logits import compute_logits
from .messages import DEFAULT_FIELDS, ChatFields, Message, parse_messages
from .model_files import ModelFiles, open_model_files
from .prompts import Prompts
from .request import Completion
from .resources import available_memory, default_threads
from .row_sampler import compile_sampling
from .sampler import TokenLogprob
from .sampling import SamplingParams
from .scheduler import Limits
from .text_steps import TextInput, compute_texts
from .tokenizer import AnyTokenizer, encode_prompt

Messages = Sequence[Mapping[str, Any] | Message]
Params = SamplingParams | Sequence[SamplingParams] | None


class LLM:
    """A language model that is ready to answer. `LLM()` is the embedded model. `close` ends it.

    An encoder makes embeddings or scores, but no text.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        weights: str = "auto",
        arithmetic: str = "int8",
        portable: bool = False,
        threads: int | None = None,
        max_context: int | None = None,
        kv_cache_memory: int | None = None,
        kv_cache_dtype: str = "float32",
        max_concurrency: int = 64,
        max_queue: int = 256,
        step_time_s: float = 0.15,
        speculate: int = 0,
        draft_model: str | Path | None = None,
        adapters: Mapping[str, str | Path] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        """Load a model.

        Args:
            model: a folder in Hugging Face layout, a name on the hub, or None for the embedded model.
            revision: a branch, tag or commit of a model on the hub; None: the branch main.
            weights: auto (as stored), float32, bfloat16, float16, int8 or int4 (rounded while loading).
            arithmetic: int8: products with integer weights round activations to 8 bits, in groups of 256 with
                a scale each. float32: they do not, which is more exact, and slower. bfloat16: as int8, and
                products with bfloat16 weights round activations to bfloat16, on processors with AMX.
            portable: compute with float weights as on every other processor, to the bit: not with AMX. With
                integer weights that is always so.
            threads: threads for the arithmetic; None: all cores this process may use, one for a tiny model.
            max_context: positions a request may have, up to the model's own limit; None: this limit.
            kv_cache_memory: bytes of KV memory; None: a quarter of the memory that is free.
            kv_cache_dtype: float32; or float16 or int8, with half or a quarter of the memory, less exact.
            max_concurrency: requests computed together.
            max_queue: requests that may wait beyond those.
            step_time_s: seconds that a step aims at in which running answers get a token and prompts a chunk;
                changes no answer.
            speculate: draft up to this many tokens ahead from the request's own text; changes no answer.
                Models with recurrent layers do not draft, because their states cannot go back.
            draft_model: a small model of the same vocabulary, given as `model` is. It drafts tokens that
                `model` then checks; changes no answer. It takes a part of `kv_cache_memory`.
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

        path = fetch_model(embedded_model() if model is None else model, revision, check)
        files = open_model_files(path)
        check(files)
        self.model = load_model(files, weights, on_progress, arithmetic, portable)
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
            step_time_s=step_time_s,
        )
        self.kv_cache_dtype = kv_cache_dtype
        self._chat_model: ChatModel | None = None  # from the first conversation on
        limits, states = create_states(self.model.tape.states, limits)
        self.draft_model: DraftModel | None = None
        if draft_model is not None:
            draft = DraftSettings(draft_model, weights, arithmetic, kv_cache_dtype)
            self.draft_model, limits = load_draft_model(draft, self.model, self.tokenizer, limits)
        cache = create_kv_cache(self.model.kv_groups, limits.kv_cache_memory, kv_cache_dtype, states)
        for name, adapter in (adapters or {}).items():
            self.load_adapter(name, adapter)
        settings = read_embedding_settings(
            files, self.tokenizer, self.model.is_causal, self.model.hidden.width
        )
        self.embedder = Embedder(self.model, self.tokenizer, settings, max_context, limits.kv_cache_memory)
        with show_compilation():
            step = self.model.forward if self.model.has_head else self.model.hidden_states
            list(compute_texts(self.model, [TextInput([0], range(1))], step, limits.kv_cache_memory))
            compile_sampling()
        drafter = None
        if states is None and (speculate or self.draft_model is not None):
            drafter = Drafter(speculate, self.draft_model)
        self.engine = Engine(self.model, self.tokenizer, frozenset(eos), cache, limits, drafter)
        self.prompts = Prompts(self.engine, self.model, cache, self.tokenizer, self.defaults)

    def close(self) -> None:
        """Cancel all requests, and end the threads and the process of the chat template."""
        self.engine.close()
        self.model.set_threads(1)
        if self.draft_model is not None:
            self.draft_model.model.set_threads(1)
        if self.tokenizer is not None:
            self.tokenizer.close()

    def __enter__(self) -> "LLM":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def describe(self) -> dict[str, Any]:
        """The model's name, family, sizes, limits, and its default `sampling` parameters.

        `tasks`: what it can do: generate, embed, score. `embedding`: its dimensions, pooling, the most tokens
        of an input and the names of its prompts. `enable_thinking` is the default of this field; None if the
        model reasons always or never.
        """
        return describe_model(self)

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
        """Logits after each of the tokens: float32 [len(tokens), vocabulary].

        Raises InvalidRequest, or NotFinite for logits that are infinite or not a number.
        """
        self._require_head()
        return compute_logits(self.model, tokens, self.kv_cache_dtype, adapter)

    def embed(self, inputs: Input | Sequence[Input], params: EmbeddingParams | None = None) -> np.ndarray:
        """The embeddings of inputs, which are texts or lists of token ids: float32 [inputs, dimensions].

        One text has one row. Raises as `embed_inputs`.
        """
        is_single = is_raw_prompt(inputs)
        return self.embed_inputs([inputs] if is_single else inputs, params).vectors

    def embed_inputs(self, inputs: Sequence[Input], params: EmbeddingParams | None = None) -> Embeddings:
        """The embeddings of inputs, with the number of tokens of each. Any thread may call it at any time.

        A vector depends on its input alone, to the bit. Raises InvalidRequest, whose `param` names the input
        that is wrong, PromptTooLong for one that is longer than the model allows, or NoMemory.
        """
        return self.embedder.embed(inputs, params or EmbeddingParams())

    def score(self, query: str, documents: Sequence[str], params: ScoreParams | None = None) -> np.ndarray:
        """How well each document answers a query: float32 [documents]. Raises as `score_documents`."""
        return self.score_documents(query, documents, params).scores

    def score_documents(
        self, query: str, documents: Sequence[str], params: ScoreParams | None = None
    ) -> Scores:
        """The scores of documents, with the numbers of tokens. Any thread may call it at any time.

        Raises InvalidRequest if the model is no reranker, else as `embed_inputs`.
        """
        return self.embedder.score(query, documents, params or ScoreParams())

    def encode(self, prompt: str | Sequence[int]) -> list[int]:
        """The token ids of a raw prompt. Raises InvalidRequest for text if there is no tokenizer."""
        return encode_prompt(self.tokenizer, prompt)

    def encode_chat(
        self, messages: Messages, fields: ChatFields = DEFAULT_FIELDS, max_tokens: int | None = None
    ) -> ChatPrompt:
        """The prompt for the next answer, of up to `max_tokens`, to a conversation. Raises InvalidRequest."""
        return self._require_chat_model().encode(parse_messages(list(messages)), fields, max_tokens)

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
        is_single = is_raw_prompt(prompts)
        batch = [prompts] if is_single else prompts
        all_params = self._fill_all_defaults(params, len(batch))
        jobs = [Job(self.encode(prompt), item) for prompt, item in zip(batch, all_params, strict=True)]
        completions = complete_jobs(self.engine, jobs, adapter)
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
        completions = complete_jobs(self.engine, jobs, adapter)
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
        events = stream_job(self.engine, Job(self.encode(prompt), self._fill_defaults(params)), adapter)
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
        return stream_job(self.engine, job, adapter)

    def choose(
        self,
        prompt: str | Sequence[int] | Messages,
        answers: Sequence[str],
        calibrate: bool = False,
        adapter: str | None = None,
        **options: Any,
    ) -> list[Choice]:
        """How likely the model would give each answer to a conversation, or continue a raw prompt by it.

        The answers are in their order, each with its rank. calibrate: see `Choice.calibrated_perplexity`.
        `options` are those of `chat`. Raises as `generate`.
        """
        choices = Choices(choices=answers, calibrate=calibrate)
        jobs = make_choice_jobs(self, prompt, ChatOptions(**options), choices)
        return rank_choices(choices, complete_jobs(self.engine, jobs, adapter))

    def log_probabilities(
        self, text: str | Sequence[int], top: int = 0, start: int = 1, adapter: str | None = None
    ) -> list[TokenLogprob]:
        """The log probability of each token of a text, or of token ids, from token `start` on.

        The first token, 0, has none: nothing precedes it. `top`: how many alternatives each has. A long text
        takes little memory: logits are reduced, and not kept as by `logits`. Raises as `generate`.
        """
        tokens = self.encode(text)
        params = self._fill_defaults(SamplingParams(max_tokens=0, prompt_logprobs=top))
        return score_prompt(self.engine, tokens, params, start, adapter)

    def _require_head(self) -> None:
        """Raises InvalidRequest if the model makes no text."""
        if not self.model.has_head:
            raise InvalidRequest(NO_TEXT)

    def _require_tokenizer(self) -> AnyTokenizer:
        if self.tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self.tokenizer

    def _require_chat_model(self) -> ChatModel:
        self._require_head()
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

    def _make_job(self, messages: Messages, fields: ChatFields, params: SamplingParams) -> Job:
        prepared = self.prepare_chat(messages, fields, params)
        return Job(prepared.prompt.token_ids, params, prepared.plan, prepared.parser)
