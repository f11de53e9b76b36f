"""model_core's engine, which computes in this process, as the protocol wants it."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from model_core import LLM
from model_core.answers.parser import AnswerParser
from model_core.answers.plan import AnswerPlan
from model_core.chat.model import find_finish_reason
from model_core.engine.job import Job
from model_core.errors import InvalidRequest
from model_core.families.vision.parts import ImageSpan, count_rows
from model_core.llm.choose import join_completions, make_choice_jobs, rank_choices
from model_core.llm.description import ModelDescription
from model_core.requests.choices import ChoiceFields
from model_core.requests.events import (
    Event,
    Logprobs,
    PromptLogprobs,
    RankedChoices,
    Text,
    Timings,
    TokenIds,
    Usage,
)
from model_core.requests.results import Completion, Delta
from model_core.requests.sampling import FilledParams
from model_core.text.tokenizer import AnyTokenizer

from ...contract.request_fields import Request
from .details import choice_details, logprob_details, prompt_logprob_details
from .pending_choices import PendingChoices
from .protocol import AnswerSink, ModelEngine, Submission
from .tokens import TokenCommand, tokenize


class LocalEngine:
    """A model of model_core with its engine. `llm` is the model."""

    def __init__(self, llm: LLM) -> None:
        self.llm = llm

    @property
    def max_context(self) -> int:
        """See ModelEngine."""
        return self.llm.engine.limits.max_context

    def submit(self, request: Request, answer: AnswerSink) -> Submission:
        """See ModelEngine."""
        if request.choices is not None:
            return self._submit_choices(request, answer)
        llm, params = self.llm, request.sampling_params().with_defaults(self.llm.defaults)
        if llm.tokenizer is None:  # the answer has no text
            params = params.model_copy(update={"return_token_ids": True})
        plan, parser, beginning = AnswerPlan(), None, ""
        messages: Any = request.messages
        images: tuple[ImageSpan, ...] = ()
        if request.is_chat:
            prepared = llm.prepare_chat(messages, request, params)
            prompt, images = prepared.prompt.token_ids, prepared.prompt.images
            plan, parser = prepared.plan, prepared.parser
        else:
            prompt, plan, params = self._encode_raw(request, params)
        if request.echo:
            text = llm.tokenizer.decode(prompt) if llm.tokenizer is not None else ""
            beginning = request.messages if isinstance(request.messages, str) else text
        answer.reader = DeltaReader(
            llm.tokenizer,
            parser,
            prompt,
            beginning,
            echoes=bool(request.echo),
            reports_prompt=request.prompt_logprobs is not None,
        )

        def on_delta(delta: Delta) -> None:
            if delta.completion is None:
                answer.add(delta)
            else:
                answer.finish(delta)

        salt, client = request.cache_salt or "", request.client or ""
        adapter: dict[str, Any] = {"adapter": answer.adapter, "adapter_digest": answer.adapter_digest}
        job = Job(prompt, params, plan, cache_salt=salt, client=client, images=images, **adapter)
        request_id = llm.engine.submit(job, on_delta, request.request_id, answer.arrival_time)
        return Submission(partial(llm.engine.cancel, request_id))

    def _encode_raw(
        self, request: Request, params: FilledParams
    ) -> tuple[list[int], AnswerPlan, FilledParams]:
        """The tokens of a raw prompt, and how its answer is made. Raises InvalidRequest."""
        prompt: Any = request.messages
        if request.suffix is None:
            return self.llm.encode(prompt), AnswerPlan(), params
        truncates = request.truncation == "auto"
        infill = self.llm.encode_infill(prompt, request, params.answer_tokens, truncates)
        if not params.ignore_eos:
            ends = tuple(dict.fromkeys((*params.stop_token_ids, *infill.ends)))
            params = params.model_copy(update={"stop_token_ids": ends})
        return infill.token_ids, AnswerPlan(truncated_messages=infill.cut), params

    def _submit_choices(self, request: Request, answer: AnswerSink) -> Submission:
        """Submit the answers of a request to choose from."""
        top = request.logprobs or 0
        asker: dict[str, Any] = {"cache_salt": request.cache_salt, "client": request.client}
        asker |= {"adapter": answer.adapter, "adapter_digest": answer.adapter_digest}
        jobs = [
            replace(job, **asker)
            for job in make_choice_jobs(self.llm, request.messages, request, request, request.timeout_s, top)
        ]
        answer.reader = ChoiceReader(self.llm.tokenizer, request)
        choices = PendingChoices(self.llm.engine, answer.finish)
        choices.submit(jobs, request.request_id, answer.arrival_time)
        return Submission(choices.cancel)

    def count(self, request: Request) -> Completion:
        """See ModelEngine."""
        llm, params = self.llm, request.sampling_params().with_defaults(self.llm.defaults)
        messages: Any = request.messages
        truncated = image_tokens = 0
        if request.is_chat:
            prepared = llm.prepare_chat(messages, request, params)
            prompt, truncated = prepared.prompt.token_ids, prepared.plan.truncated_messages
            image_tokens = count_rows(prepared.prompt.images)
        else:
            prompt, plan, _ = self._encode_raw(request, params)
            truncated = plan.truncated_messages
        usage = Usage(len(prompt), 0, truncated_messages=truncated, image_tokens=image_tokens)
        return Completion("", [], "stop", usage, Timings(None, None, 0.0), params.seed)

    def tokenize(self, command: TokenCommand) -> dict[str, Any]:
        """See ModelEngine."""
        return tokenize(command, self.llm)

    def fingerprint(self, adapter: str | None) -> str | None:
        """See ModelEngine."""
        return self.llm.fingerprint_of(adapter)

    def made_of(self, adapter: str | None) -> dict[str, Any] | None:
        """See ModelEngine."""
        return self.llm.made_of(adapter)

    def describe(self) -> ModelDescription:
        """See ModelEngine."""
        return self.llm.describe()

    def stats(self) -> dict[str, Any]:
        """See ModelEngine."""
        return self.llm.engine.stats()

    def find_fault(self) -> str | None:
        """See ModelEngine."""
        return None if self.stats()["alive"] else "the engine has stopped"

    def close(self, grace_s: float = 0.0) -> None:
        """See ModelEngine."""
        self.llm.engine.close(grace_s)
        self.llm.close()


class DeltaReader:
    """Makes events of the deltas of an answer."""

    def __init__(
        self,
        tokenizer: AnyTokenizer | None,
        parser: AnswerParser | None = None,
        prompt: Sequence[int] = (),
        beginning: str = "",
        *,
        echoes: bool = False,
        reports_prompt: bool = False,
    ) -> None:
        """`parser`: of the answer to a conversation. The text begins with `beginning`.

        `echoes`: log probabilities begin with those of the prompt; `reports_prompt`: they are apart.
        """
        self._tokenizer, self._parser, self._beginning = tokenizer, parser, beginning
        self.prompt: Sequence[int] | None = prompt
        self._echoes, self._reports_prompt = echoes, reports_prompt
        self._has_sent_ids = False
        self._completion: Completion | None = None

    def read(self, parts: Sequence[Delta]) -> list[Event]:
        """See AnswerReader."""
        events: list[Event] = []
        for delta in parts:
            self._completion = delta.completion
            events += self._read_tokens(delta)
        text = "".join(delta.text for delta in parts)
        if self._parser is not None:
            return events + self._parser.push(text)
        text, self._beginning = self._beginning + text, ""
        return [*events, Text(text)] if text else events

    def _read_tokens(self, delta: Delta) -> list[Event]:
        """What a delta tells of tokens."""
        events: list[Event] = []
        echoed: list[dict[str, Any]] = []
        if delta.prompt_logprobs is not None:
            scores = prompt_logprob_details(self.prompt or (), delta.prompt_logprobs, self._tokenizer)
            if self._reports_prompt:
                events.append(PromptLogprobs(scores))
            if self._echoes:
                echoed = scores
        if delta.logprobs is not None:
            events.append(Logprobs(echoed + logprob_details(delta.logprobs, self._tokenizer)))
        if delta.token_ids is not None:
            events.append(TokenIds(delta.token_ids, None if self._has_sent_ids else list(self.prompt or ())))
            self._has_sent_ids = True
        return events

    def finish(self) -> tuple[list[Event], Completion]:
        """See AnswerReader."""
        completion, parser = self._completion, self._parser
        assert completion is not None  # the last delta has one
        if parser is None:
            return [], completion
        events = parser.finish()
        return events, replace(completion, finish_reason=find_finish_reason(completion, parser))


class ChoiceReader:
    """Makes events of the only part of an answer with choices: the completions of all of them."""

    prompt: Sequence[int] | None = None  # each choice has one of its own

    def __init__(self, tokenizer: AnyTokenizer | None, fields: ChoiceFields) -> None:
        self._tokenizer, self._fields = tokenizer, fields
        self._completions: list[Completion] = []

    def read(self, parts: Sequence[list[Completion]]) -> list[Event]:
        """See AnswerReader."""
        for completions in parts:
            self._completions = completions
        return []

    def finish(self) -> tuple[list[Event], Completion]:
        """See AnswerReader."""
        cancelled = [
            completion for completion in self._completions if completion.finish_reason == "cancelled"
        ]
        if cancelled:  # by an error, or by the client
            completion = min(cancelled, key=lambda one: one.error is None)
            return [Text(completion.text)], completion
        choices = rank_choices(self._fields, self._completions)
        completion = join_completions(choices, self._completions)
        return [RankedChoices(choice_details(choices, self._tokenizer)), Text(completion.text)], completion


class LoadedOnDemand(Protocol):
    """A model that is loaded while somebody uses it: a `ModelSlot`.

    Attributes:
        llm: the model, if it is loaded in this process.
    """

    @property
    def llm(self) -> LLM | None: ...

    def acquire(self) -> Future[ModelEngine]:
        """Use the model until `release`; load it if that is necessary."""

    def release(self) -> None:
        """Use the model no more."""


def require_llm(engine: ModelEngine) -> LLM:
    """The model of an engine in this process. Raises InvalidRequest for an engine elsewhere."""
    if isinstance(engine, LocalEngine):
        return engine.llm
    raise InvalidRequest(
        "this model is computed by another server (--engine), through which only answers are to be had; ask "
        "that server itself.",
        "model",
    )
