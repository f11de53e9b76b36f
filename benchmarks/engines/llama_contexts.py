"""Contexts of llama.cpp and of its fork ik_llama.cpp: all sequences in each batch, as their servers do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import gguf
import numpy as np

from . import Generate, Prompts

BATCH = 2048  # tokens that one call may have
CONTEXT = 1024  # positions a sequence may have, and their multiples where it needs more


class Sequences:
    """A context for a fixed number of sequences, each of so many positions.

    api: a module with the functions of llama.h. What the two programs name differently, their modules add.
    """

    def __init__(self, api: ModuleType, model: Any, count: int, positions: int, threads: int) -> None:
        self.api = api
        params = api.llama_context_default_params()
        params.n_seq_max, params.n_ctx, params.n_batch = count, count * positions, BATCH
        params.n_threads = params.n_threads_batch = threads
        self.adjust(params)
        self.vocab_size = api.llama_vocab_n_tokens(api.llama_model_get_vocab(model))
        self.context = api.llama_init_from_model(model, params)
        if not self.context:
            raise RuntimeError(f"there is no context for {count} sequences")
        self.batch = api.llama_batch_init(BATCH, 0, 1)

    def adjust(self, params: Any) -> None:
        """Change parameters of the context before it is made."""

    def clear(self) -> None:
        """Remove all sequences from the context."""
        raise NotImplementedError

    def sample(self, index: int) -> int:
        """A token, drawn with SAMPLING from the logits at this index of the batch."""
        raise NotImplementedError

    def add(self, token: int, position: int, sequence: int, needs_logits: bool) -> int:
        """Add a token to the batch; returns its index there."""
        i = self.batch.n_tokens
        self.batch.token[i], self.batch.pos[i] = token, position
        self.batch.n_seq_id[i], self.batch.seq_id[i][0] = 1, sequence
        self.batch.logits[i] = needs_logits
        self.batch.n_tokens = i + 1
        return i

    def compute(self) -> None:
        """Compute the batch and empty it."""
        if self.api.llama_decode(self.context, self.batch) != 0:
            raise RuntimeError("a batch could not be computed")
        self.batch.n_tokens = 0

    def logits(self, index: int) -> np.ndarray:
        """Float32 [vocabulary], at this index of the last batch; valid until the next one."""
        return np.ctypeslib.as_array(self.api.llama_get_logits_ith(self.context, index), (self.vocab_size,))

    def run(self, indices: list[int], samples: bool) -> list[int]:
        """Compute the batch and empty it. Returns the next token at each of these indices."""
        self.compute()
        return [self.sample(index) if samples else int(self.logits(index).argmax()) for index in indices]

    def close(self) -> None:
        """Free the memory."""
        self.api.llama_batch_free(self.batch)
        self.api.llama_free(self.context)


@contextmanager
def generator(start: Callable[[int, int], Sequences]) -> Iterator[Generate]:
    """start: makes a context for a number of sequences and of positions, when one is first needed."""
    contexts: dict[tuple[int, int], Sequences] = {}

    def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
        needed = max(map(len, prompts)) + new_tokens
        size = len(prompts), -(-needed // CONTEXT) * CONTEXT
        if size not in contexts:
            contexts[size] = start(*size)
        sequences = contexts[size]
        sequences.clear()
        answers: list[list[int]] = [[] for _ in prompts]
        pending: list[tuple[int, int]] = []  # (sequence, index in the batch) of each next token

        def flush() -> None:
            best = sequences.run([index for _, index in pending], samples)
            for (sequence, _), token in zip(pending, best, strict=True):
                answers[sequence].append(token)
            pending.clear()

        for sequence, prompt in enumerate(prompts):
            if pending and sequences.batch.n_tokens + len(prompt) > BATCH:
                flush()
            for position, token in enumerate(prompt):
                if sequences.batch.n_tokens == BATCH:
                    sequences.compute()  # of this prompt alone
                index = sequences.add(token, position, sequence, position == len(prompt) - 1)
            pending.append((sequence, index))
        flush()
        for step in range(new_tokens - 1):
            for sequence, prompt in enumerate(prompts):
                index = sequences.add(answers[sequence][-1], len(prompt) + step, sequence, True)
                pending.append((sequence, index))
            flush()
        return answers

    try:
        yield generate
    finally:
        for sequences in contexts.values():
            sequences.close()


def make_functions(
    load_model: Callable[[Path], Any],
    free_model: Callable[[Any], None],
    make_sequences: Callable[[Any, int, int, int], Sequences],
) -> tuple[Any, Any]:
    """`load` and `logits` of an engine, see engines.

    make_sequences: a model, a number of sequences, one of positions and one of threads -> a context.
    """

    @contextmanager
    def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
        """Load the model; create a context for each number of sequences when it is first needed."""
        model = load_model(folder)
        with generator(lambda *size: make_sequences(model, *size, threads)) as generate:
            yield generate
        free_model(model)

    def logits(folder: Path, threads: int, texts: Prompts) -> Iterator[np.ndarray]:
        """Float32 [tokens, vocabulary] of each text."""
        model = load_model(folder)
        yield from text_logits(make_sequences(model, 1, CONTEXT, threads), texts)
        free_model(model)

    return load, logits


def text_logits(sequences: Sequences, texts: Prompts) -> Iterator[np.ndarray]:
    """Float32 [tokens, vocabulary] of each text, in a context for one sequence."""
    for text in texts:
        sequences.clear()
        for position, token in enumerate(text):
            sequences.add(token, position, 0, True)
        sequences.compute()
        yield np.stack([sequences.logits(index) for index in range(len(text))])
    sequences.close()


def weight_bytes(folder: Path) -> int:
    """Bytes of all tensors of the file."""
    return sum(int(tensor.n_bytes) for tensor in gguf.GGUFReader(folder / "model.gguf").tensors)
