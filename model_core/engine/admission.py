"""Checks a request, and prepares what the engine needs to answer it."""

import time
from collections import deque
from dataclasses import dataclass

from ..errors import InvalidRequest, PromptTooLong
from ..grammar.constraint import GrammarCompiler, write_grammar
from ..requests.results import DeltaCallback
from ..requests.sampling import FilledParams
from ..sampling.bans import encode_bad_words
from ..sampling.breakers import BreakerFinder
from ..sampling.dry import penalizes_repeats
from ..sampling.prompt_logprobs import PromptScores
from ..sampling.sampler import Sampler
from ..text.stream import TextStream
from ..text.tokenizer import AnyTokenizer
from ..vision.encoder import ImageEncoder
from .job import Job
from .request_images import RequestImages
from .sequence import Sequence


@dataclass(frozen=True)
class Admission:
    """What a model asks of requests. Its methods may be called from any thread."""

    vocab_size: int
    max_context: int
    tokenizer: AnyTokenizer | None
    eos_token_ids: frozenset[int]
    grammars: GrammarCompiler
    breakers: BreakerFinder
    encoder: ImageEncoder | None = None

    def make_sequence(
        self, job: Job, on_delta: DeltaCallback, request_id: str, arrival_time: float | None = None
    ) -> Sequence:
        """The sequence of a request. Raises InvalidRequest or PromptTooLong."""
        prompt, params, plan = job.prompt, job.params, job.plan
        self._check_prompt(prompt, params)
        images = self._take_images(job) if job.images else None
        tokenizer, text_stream = self.tokenizer, None
        if tokenizer is not None:
            text_stream = TextStream(
                tokenizer,
                prompt,
                params.stop,
                plan.kept_tokens,
                min_tokens=params.min_tokens,
                keeps_stop_string=params.include_stop_str_in_output,
            )
        grammar, ignored = plan.grammar, plan.ignored_schema
        if grammar is None and params.form is not None:
            form = write_grammar(params.form, self.grammars.find_fault)
            grammar, ignored = form.text, form.left_out
        end_ids = frozenset() if params.ignore_eos else self.eos_token_ids
        breakers = params.dry_sequence_breakers if penalizes_repeats(params) else ()
        return Sequence(
            request_id=request_id,
            job=job,
            max_new_tokens=min(params.answer_tokens, self.max_context - len(prompt)),
            sampler=Sampler(
                params,
                prompt,
                self.vocab_size,
                end_ids | frozenset(params.stop_token_ids),
                encode_bad_words(params.bad_words, tokenizer),
                self.breakers.find(breakers),
            ),
            text_stream=text_stream,
            on_delta=on_delta,
            images=images,
            ignored_schema=ignored,
            arrival_time=time.monotonic() if arrival_time is None else arrival_time,
            prompt_scores=None
            if params.prompt_logprobs is None
            else PromptScores(prompt, plan.scored_from, params.prompt_logprobs),
            constraint=None if grammar is None else self.grammars.compile(grammar, params.ignore_eos),
            forced_tokens=deque(() if plan.budget is None else plan.budget.start()),
        )

    def _check_prompt(self, prompt: list[int], params: FilledParams) -> None:
        if not prompt:
            raise InvalidRequest("the prompt is empty.")
        if not all(0 <= token < self.vocab_size for token in prompt):
            raise InvalidRequest(
                f"the prompt has a token outside the model's vocabulary of {self.vocab_size}."
            )
        if len(prompt) + min(params.answer_tokens, 1) > self.max_context:
            raise PromptTooLong(
                f"This model's maximum context length is {self.max_context} tokens for prompt and answer "
                f"together (--max-context), but the prompt has {len(prompt)}."
            )

    def _take_images(self, job: Job) -> RequestImages:
        """The images of a request. Raises InvalidRequest."""
        if self.encoder is None:
            raise InvalidRequest("this model sees no images; load one that does, or send text alone.")
        end = 0
        for span in job.images:
            if span.start < end or span.end > len(job.prompt):
                raise InvalidRequest("the rows of images are not in the prompt, or not in their order.")
            end = span.end
        if job.params.prompt_logprobs is not None and job.plan.scored_from < end:
            raise InvalidRequest(
                "images have no log probabilities; leave out prompt_logprobs, or the images.",
                "prompt_logprobs",
            )
        return RequestImages(job.images, job.prompt, self.encoder, job.cache_salt)
