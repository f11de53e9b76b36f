"""`LLM`: a model, its tokenizer and its engine behind one small interface."""

import os
import queue
import uuid
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from .config import ModelConfig, read_config, read_generation_defaults
from .engine import Engine
from .errors import InvalidRequest, ModelError, NoMemory
from .hub import find_model
from .kernels import compiling
from .kv_cache import DTYPES, PAGE, Batch, KVCache
from .loader import load_model
from .request import Completion, Deliver, Piece
from .sampling import SamplingParams
from .scheduler import STEP_TOKENS, Limits
from .tokenizer import Tokenizer

Messages = Sequence[Mapping[str, str]]
Params = SamplingParams | Sequence[SamplingParams] | None


def embedded_model() -> Path:
    """The folder of the model that comes with the package."""
    return Path(str(resources.files(__package__) / "embedded"))


class LLM:
    """A language model ready to answer. `LLM()` is the embedded one. `close` frees it."""

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
            max_context: positions a request may have; None, or more than it has: the model's own limit.
            kv_cache_memory: bytes of KV memory; None: a quarter of the memory that is free.
            kv_cache_dtype: float32, float16 or int8: half or a quarter of the memory, less exact.
            max_concurrency: requests computed together.
            max_queue: requests that may wait beyond those.
            speculate: guess up to this many tokens ahead, from what was said before; changes no answer.

        Raises:
            ModelError: the folder, a file in it or an argument is not what it should be.
            NoMemory: the machine does not have `kv_cache_memory`.
        """
        if kv_cache_dtype not in DTYPES:
            raise ModelError(f"the KV cache cannot be '{kv_cache_dtype}', only {', '.join(DTYPES)}.")
        folder = embedded_model() if model is None else find_model(model)
        self.name = (
            "embedded" if model is None else str(model) if not Path(model).is_dir() else folder.resolve().name
        )
        self.model = load_model(folder, weights)
        self.model.set_threads(threads or sane_threads(self.model.weight_bytes))
        self.tokenizer = Tokenizer(folder) if (folder / "tokenizer.json").is_file() else None
        config = self.model.config
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
            max_context=min(max_context or config.max_context, config.max_context),
            max_concurrency=max_concurrency,
            max_queue=max_queue,
            kv_cache_memory=kv_cache_memory or free_memory() // 4,
        )
        self.kv_cache_dtype = kv_cache_dtype
        cache = reserve_kv_cache(config, limits.kv_cache_memory, kv_cache_dtype)
        with compiling():
            self.logits([0])
        self.engine = Engine(self.model, self.tokenizer, frozenset(eos), cache, limits, speculate)

    def close(self) -> None:
        """Cancel what runs, and end the threads."""
        self.engine.close()
        self.model.set_threads(1)

    def __enter__(self) -> "LLM":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def describe(self) -> dict[str, Any]:
        """What this model is: name, family, sizes, limits."""
        config, limits = self.model.config, self.engine.limits
        return {
            "name": self.name,
            "family": config.family,
            "weights": self.model.weights,
            "weight_bytes": self.model.weight_bytes,
            "layers": config.layers,
            "vocab_size": config.vocab_size,
            "max_context": limits.max_context,
            "max_concurrency": limits.max_concurrency,
            "max_queue": limits.max_queue,
            "kv_cache_memory": limits.kv_cache_memory,
            "kv_cache_dtype": self.kv_cache_dtype,
            "threads": self.model.threads,
            "chat_template": self.tokenizer is not None and self.tokenizer.has_chat_template,
            "tokenizer": self.tokenizer is not None,
        }

    def logits(self, tokens: Sequence[int]) -> np.ndarray:
        """Logits after each of the tokens: float32 [len(tokens), vocabulary]. Raises InvalidRequest."""
        if not tokens or not all(0 <= token < self.model.config.vocab_size for token in tokens):
            raise InvalidRequest("logits() needs token ids within the model's vocabulary, at least one.")
        pages = np.arange(-(-len(tokens) // PAGE), dtype=np.int32)
        cache = KVCache(self.model.config, len(pages), self.kv_cache_dtype)
        parts = []
        for start in range(0, len(tokens), STEP_TOKENS):  # as the engine does, in the memory of a step
            chunk = np.array(tokens[start : start + STEP_TOKENS], np.int32)
            rows = np.arange(len(chunk), dtype=np.int32)
            batch = Batch(
                chunk, rows + np.int32(start), np.array([0, len(chunk)], np.int32), pages[None], rows
            )
            parts.append(self.model.forward(batch, cache))
        return np.concatenate(parts)

    def encode(self, prompt: str | Sequence[int]) -> list[int]:
        """The token ids of a raw prompt. Raises InvalidRequest for text to a model without tokenizer."""
        if not isinstance(prompt, str):
            return list(prompt)
        return self._text_tokenizer().encode(prompt)

    def encode_chat(self, messages: Messages) -> list[int]:
        """The token ids of a conversation that waits for an answer. Raises InvalidRequest."""
        return self._text_tokenizer().encode_chat(messages)

    def generate(
        self,
        prompts: str | Sequence[int] | Sequence[str] | Sequence[Sequence[int]],
        params: Params = None,
    ) -> Completion | list[Completion]:
        """Continue one raw prompt, or many together; a prompt is text or token ids.

        `params` are for all, or one for each. Returns a completion, or a list of them in the order of the
        prompts. More prompts than the queue holds are fed as others finish.

        Raises:
            TritonchatError: a prompt was refused, or its computation failed.
        """
        one = isinstance(prompts, str) or (len(prompts) > 0 and isinstance(prompts[0], int))
        many = [prompts] if one else prompts
        completions = self._complete_all([self.encode(prompt) for prompt in many], params)
        return completions[0] if one else completions

    def chat(
        self, messages: Messages | Sequence[Messages], params: Params = None
    ) -> Completion | list[Completion]:
        """Answer one conversation, or many together. Parameters and errors are those of `generate`."""
        one = not messages or isinstance(messages[0], Mapping)
        many = [messages] if one else messages
        completions = self._complete_all([self.encode_chat(conversation) for conversation in many], params)
        return completions[0] if one else completions

    def stream(self, prompt: str | Sequence[int], params: SamplingParams | None = None) -> Iterator[str]:
        """Continue a raw prompt piece by piece; leaving the loop cancels the rest. Raises as `generate`."""
        return self._stream(self.encode(prompt), params)

    def stream_chat(self, messages: Messages, params: SamplingParams | None = None) -> Iterator[str]:
        """Answer a conversation piece by piece; leaving the loop cancels the rest. Raises as `generate`."""
        return self._stream(self.encode_chat(messages), params)

    def _text_tokenizer(self) -> Tokenizer:
        if self.tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self.tokenizer

    def _resolve(self, params: SamplingParams | None) -> SamplingParams:
        return (params or SamplingParams()).with_defaults(self.defaults)

    def _complete_all(self, prompts: list[list[int]], params: Params) -> list[Completion]:
        each = [params] * len(prompts) if params is None or isinstance(params, SamplingParams) else params
        if len(each) != len(prompts):
            raise InvalidRequest(f"{len(prompts)} prompts came with parameters for {len(each)}.")
        resolved = [self._resolve(one) for one in each]
        completions: list[Completion | None] = [None] * len(prompts)
        finished: queue.SimpleQueue[None] = queue.SimpleQueue()

        def receiver(index: int) -> Deliver:
            def deliver(piece: Piece) -> None:
                if piece.completion is not None:
                    completions[index] = piece.completion
                    finished.put(None)

            return deliver

        ids = [uuid.uuid4().hex for _ in prompts]
        most = self.engine.limits.max_queue or 1  # under way at once, so as not to be refused
        try:
            for index, (prompt, request_id) in enumerate(zip(prompts, ids, strict=True)):
                if index >= most:
                    finished.get()
                self.engine.submit(prompt, resolved[index], receiver(index), request_id)
            for _ in range(min(most, len(prompts))):
                finished.get()
        except BaseException:
            for request_id in ids:
                self.engine.cancel(request_id)
            raise
        failed = next((c.error for c in completions if c is not None and c.error is not None), None)
        if failed is not None:
            raise failed
        return [c for c in completions if c is not None]

    def _stream(self, prompt: list[int], params: SamplingParams | None) -> Iterator[str]:
        pieces: queue.SimpleQueue[Piece] = queue.SimpleQueue()
        request_id = self.engine.submit(prompt, self._resolve(params), pieces.put)
        try:
            while True:
                piece = pieces.get()
                if piece.text:
                    yield piece.text
                if piece.completion is not None:
                    if piece.completion.error is not None:
                        raise piece.completion.error
                    return
        finally:
            self.engine.cancel(request_id)


def sane_threads(weight_bytes: int) -> int:
    """Threads for a model of this size: one a core that this process may use.

    Those of a tiny model would meet more often than they compute, and wait long where other processes need
    the same cores (the embedded model: 0.16 ms a token on one thread).
    """
    if weight_bytes < 16 * 2**20:
        return 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Two threads on one core share its arithmetic and only get in each other's way.
    allowed = min(allowed, psutil.cpu_count(logical=False) or allowed)
    try:  # a container may have less than the machine
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, min(allowed, int(quota) // int(period)))
    except (OSError, ValueError):  # no such group, or no limit ("max")
        return allowed


def reserve_kv_cache(config: ModelConfig, memory: int, dtype: str) -> KVCache:
    """A KV cache of so many bytes. Raises NoMemory."""
    try:
        return KVCache(config, memory // KVCache.bytes_per_page(config, dtype), dtype)
    except (OSError, ValueError, OverflowError) as error:  # more than there is, or than can be counted
        raise NoMemory(
            f"the machine has no {memory / 2**30:.3g} GiB for the KV cache; "
            "start with a smaller --kv-cache-memory."
        ) from error


def free_memory() -> int:
    """Bytes that this process may still take, which in a container is less than the machine has."""
    free = psutil.virtual_memory().available
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        return min(free, int(limit) - int(used))
    except (OSError, ValueError):  # no such group, or no limit ("max")
        return free
