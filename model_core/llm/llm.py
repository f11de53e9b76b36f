"""`LLM`: a model with its tokenizer and engine, as one object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from ..chat.model import ChatOptions, parse_completion
from ..embeddings.inputs import Input, is_conversation
from ..engine.job import Job
from ..errors import InvalidRequest
from ..machine.fingerprint import make_fingerprint
from ..model.adapter_loading import load_adapter
from ..model.logits import compute_logits
from ..requests.choices import Choices
from ..requests.embedding import EmbeddingParams, Embeddings, ScoreParams, Scores
from ..requests.events import Event, Text
from ..requests.messages import Message
from ..requests.results import Completion, TokenLogprob
from ..requests.sampling import FilledParams, SamplingParams
from .answer_fingerprint import describe_loaded
from .build import build_model
from .choose import Choice, is_raw_prompt, make_choice_jobs, rank_choices
from .description import ModelDescription, describe_model
from .jobs import complete_jobs, score_prompt, stream_job
from .loaded import LoadedModel, Messages
from .settings import LLMSettings

Params = SamplingParams | Sequence[SamplingParams] | None
Adapters = str | Sequence[str | None] | None  # names


class LLM(LoadedModel):
    """A language model that is ready to answer. `LLM()` is the embedded model. `close` ends it.

    An encoder makes embeddings or scores, but no text.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        on_progress: Callable[[float], None] | None = None,
        **settings: Any,
    ) -> None:
        """Load a model.

        Args:
            model: a folder in Hugging Face layout, a name on the hub, or None for the embedded model.
            on_progress: called with the part of the weights that is loaded, from 0 to 1.
            settings: the attributes of `LLMSettings` (settings.py), such as `weights="int8"`.

        Raises:
            ModelError: the folder, a file in it or a setting is wrong.
            NoMemory: the machine does not have the memory for the model, or `kv_cache_memory`.
        """
        super().__init__(**vars(build_model(model, LLMSettings(**settings), on_progress)))

    def close(self) -> None:
        """Cancel all requests, and end the threads and the processes of chat templates."""
        self.engine.close()
        self.model.set_threads(1)
        if self.engine.encoder is not None:
            self.engine.encoder.tower.set_threads(1)
        if self.draft_model is not None:
            self.draft_model.model.set_threads(1)
        if self.chat_tokenizer is not None:
            self.chat_tokenizer.close()
        if self.vision is not None:
            self.vision.close()
        if self.takes_templates and self.chat_tokenizer is not None:
            self._request_templates.close()

    def __enter__(self) -> "LLM":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def describe(self) -> ModelDescription:
        """The model's name, family, sizes, limits, and its default `sampling` parameters."""
        return describe_model(self)

    @property
    def fingerprint(self) -> str:
        """A digest of `made_of`: another model with the same one gives the same bytes.

        The first use reads the files of the weights, unless their hashes are kept. Raises ModelError if one
        of them has changed since the model was loaded.
        """
        return self.fingerprint_of(None)

    def fingerprint_of(self, adapter: str | None) -> str:
        """The fingerprint of answers that an adapter changes; None for no adapter. Raises as `made_of`."""
        return self._own_fingerprint if adapter is None else make_fingerprint(self.made_of(adapter))

    def made_of(self, adapter: str | None = None) -> dict[str, Any]:
        """All that the bytes of answers depend on but the request, with an adapter or without one, as JSON.

        docs/reproducible.md says what each part is. Raises ModelError as `fingerprint`, and InvalidRequest
        for an adapter that is not loaded.
        """
        changes = {} if adapter is None else {"adapter": self.model.adapters.packed(adapter).digest}
        return {**self._own_parts, **changes}

    @cached_property
    def _own_parts(self) -> dict[str, Any]:
        return describe_loaded(self)

    @cached_property
    def _own_fingerprint(self) -> str:
        return make_fingerprint(self._own_parts)

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

        Raises InvalidRequest, PromptTooLong, or NotFinite for logits that are infinite or not a number.
        """
        self.model.check_makes_text()
        limit = self.engine.limits.max_context
        return compute_logits(self.model, tokens, limit, self.kv_cache_dtype, adapter)

    def embed(self, inputs: Input | Sequence[Input], params: EmbeddingParams | None = None) -> np.ndarray:
        """The embeddings of inputs: float32 [inputs, dimensions]. One input has one row.

        An input is a text, a list of token ids, a conversation, whose messages may have images, or the file
        of an image: its bytes or its path. Raises as `embed_inputs`.
        """
        is_single = isinstance(inputs, bytes | Path) or is_raw_prompt(inputs) or is_conversation(inputs)
        batch: Any = [inputs] if is_single else inputs
        return self.embed_inputs(batch, params).vectors

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

    @overload
    def generate(  # type: ignore[overload-overlap]  # a str is one prompt, and no sequence of them
        self, prompts: str | Sequence[int], params: Params = None, adapter: Adapters = None
    ) -> Completion: ...
    @overload
    def generate(
        self,
        prompts: Sequence[str] | Sequence[Sequence[int]],
        params: Params = None,
        adapter: Adapters = None,
    ) -> list[Completion]: ...
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
        batch: Any = [prompts] if is_single else prompts
        pairs = self._pair_params(params, adapter, len(batch))
        jobs = [
            Job(self.encode(prompt), item, adapter=name)
            for prompt, (item, name) in zip(batch, pairs, strict=True)
        ]
        completions = complete_jobs(self.engine, jobs)
        return completions[0] if is_single else completions

    @overload
    def chat(
        self, messages: Messages, params: Params = None, adapter: Adapters = None, **options: Any
    ) -> Completion: ...
    @overload
    def chat(
        self, messages: Sequence[Messages], params: Params = None, adapter: Adapters = None, **options: Any
    ) -> list[Completion]: ...
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
        batch: Any = [messages] if is_single else messages
        fields, jobs, parsers = ChatOptions(**options), [], []
        for item, (own, name) in zip(batch, self._pair_params(params, adapter, len(batch)), strict=True):
            prepared = self.prepare_chat(item, fields, own)
            prompt = prepared.prompt
            jobs.append(Job(prompt.token_ids, own, prepared.plan, name, images=prompt.images))
            parsers.append(prepared.parser)
        completions = list(map(parse_completion, complete_jobs(self.engine, jobs), parsers))
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
        job = Job(self.encode(prompt), self._fill_defaults(params), adapter=adapter)
        events = stream_job(self.engine, job)
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
        own = self._fill_defaults(params)
        prepared = self.prepare_chat(messages, ChatOptions(**options), own)
        prompt = prepared.prompt
        job = Job(prompt.token_ids, own, prepared.plan, adapter, images=prompt.images)
        return stream_job(self.engine, job, prepared.parser)

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
        choices = Choices.model_validate({"choices": answers, "calibrate": calibrate})
        jobs = make_choice_jobs(self, prompt, ChatOptions(**options), choices)
        completions = complete_jobs(self.engine, [replace(job, adapter=adapter) for job in jobs])
        return rank_choices(choices, completions)

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

    def _fill_defaults(self, params: SamplingParams | None) -> FilledParams:
        return (params or SamplingParams()).with_defaults(self.defaults)

    def _pair_params(
        self, params: Params, adapter: Adapters, count: int
    ) -> list[tuple[FilledParams, str | None]]:
        """The parameters and the adapter of each of `count` prompts."""
        all_params = [params] * count if params is None or isinstance(params, SamplingParams) else params
        if len(all_params) != count:
            raise InvalidRequest(f"{count} prompts came with parameters for {len(all_params)}.")
        adapters = [adapter] * count if adapter is None or isinstance(adapter, str) else adapter
        if len(adapters) != count:
            raise InvalidRequest(f"{count} prompts came with {len(adapters)} adapters.")
        return list(zip(map(self._fill_defaults, all_params), adapters, strict=True))
