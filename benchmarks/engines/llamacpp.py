"""llama.cpp by its C interface: one context, all sequences in each batch, as its own servers do it."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gguf
import llama_cpp
import numpy as np
from checkpoints import read_config, read_tensors, to_float32

from . import Generate, Prompts

FILE_TYPES = {
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "f16": llama_cpp.LLAMA_FTYPE_MOSTLY_F16,
}
BATCH = 2048  # tokens that one call may have
CONTEXT = 1024  # positions a sequence may have
quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)


def convert(checkpoint: Path, variant: str, folder: Path) -> None:
    """A GGUF as the checkpoint stores it, quantised by llama.cpp itself."""
    llama_cpp.llama_log_set(quiet, None)
    plain, wanted = folder / "plain.gguf", folder / "model.gguf"
    write_gguf(checkpoint, plain)
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = FILE_TYPES[variant]
    if llama_cpp.llama_model_quantize(str(plain).encode(), str(wanted).encode(), ctypes.byref(params)) != 0:
        raise RuntimeError(f"llama.cpp could not quantise to {variant}")
    plain.unlink()


def write_gguf(checkpoint: Path, path: Path) -> None:
    """The checkpoint as a GGUF without a vocabulary."""
    config = read_config(checkpoint)
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    for name, values in read_tensors(checkpoint):
        if name.endswith("q_proj.weight"):
            values = interleaved(values, heads)
        elif name.endswith("k_proj.weight"):
            values = interleaved(values, kv_heads)
        if values.ndim == 1:
            values = to_float32(values)  # norms
        bf16 = gguf.GGMLQuantizationType.BF16 if values.dtype == np.uint16 else None
        data = np.ascontiguousarray(values)
        new_name = names.get_name(name, try_suffixes=(".weight",))
        writer.add_tensor(new_name, data.view(np.uint8) if bf16 else data, raw_dtype=bf16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    """The rows of each head in llama.cpp's order: what rotates together stands side by side."""
    halves = weight.reshape(heads, 2, len(weight) // heads // 2, -1)
    return halves.swapaxes(1, 2).reshape(weight.shape)


class Sequences:
    """A context for a fixed number of sequences."""

    def __init__(self, model: llama_cpp.llama_model_p, count: int, threads: int) -> None:
        params = llama_cpp.llama_context_default_params()
        params.n_seq_max, params.n_ctx, params.n_batch = count, count * CONTEXT, BATCH
        params.n_threads = params.n_threads_batch = threads
        self.vocab_size = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
        self.context = llama_cpp.llama_init_from_model(model, params)
        if not self.context:
            raise RuntimeError(f"llama.cpp has no context for {count} sequences")
        self.batch = llama_cpp.llama_batch_init(BATCH, 0, 1)

    def clear(self) -> None:
        """Forget all sequences."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), False)

    def add(self, token: int, position: int, sequence: int, wanted: bool) -> int:
        """Put a token into the batch; returns its place."""
        i = self.batch.n_tokens
        self.batch.token[i], self.batch.pos[i] = token, position
        self.batch.n_seq_id[i], self.batch.seq_id[i][0] = 1, sequence
        self.batch.logits[i] = wanted
        self.batch.n_tokens = i + 1
        return i

    def run(self, places: list[int]) -> list[int]:
        """Compute the batch; returns the best token at each of these places, and empties the batch."""
        if llama_cpp.llama_decode(self.context, self.batch) != 0:
            raise RuntimeError("llama.cpp could not compute a batch")
        self.batch.n_tokens = 0
        rows = (llama_cpp.llama_get_logits_ith(self.context, place) for place in places)
        return [int(np.ctypeslib.as_array(row, (self.vocab_size,)).argmax()) for row in rows]

    def close(self) -> None:
        """Free the memory."""
        llama_cpp.llama_batch_free(self.batch)
        llama_cpp.llama_free(self.context)


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """The model, and a context for each number of sequences that is asked for."""
    llama_cpp.llama_log_set(quiet, None)
    llama_cpp.llama_backend_init()
    params = llama_cpp.llama_model_default_params()
    model = llama_cpp.llama_model_load_from_file(str(folder / "model.gguf").encode(), params)
    if not model:
        raise RuntimeError(f"llama.cpp cannot load {folder}")
    contexts: dict[int, Sequences] = {}

    def generate(prompts: Prompts, new_tokens: int) -> list[list[int]]:
        if len(prompts) not in contexts:
            contexts[len(prompts)] = Sequences(model, len(prompts), threads)
        sequences = contexts[len(prompts)]
        sequences.clear()
        answers: list[list[int]] = [[] for _ in prompts]
        waiting: list[tuple[int, int]] = []  # sequences whose prompt ends in this batch, and where

        def flush() -> None:
            best = sequences.run([place for _, place in waiting])
            for (sequence, _), token in zip(waiting, best, strict=True):
                answers[sequence].append(token)
            waiting.clear()

        for sequence, prompt in enumerate(prompts):
            if sequences.batch.n_tokens + len(prompt) > BATCH:
                flush()
            for position, token in enumerate(prompt):
                place = sequences.add(token, position, sequence, position == len(prompt) - 1)
            waiting.append((sequence, place))
        flush()
        for step in range(new_tokens - 1):
            for sequence, prompt in enumerate(prompts):
                place = sequences.add(answers[sequence][-1], len(prompt) + step, sequence, True)
                waiting.append((sequence, place))
            flush()
        return answers

    try:
        yield generate
    finally:
        for sequences in contexts.values():
            sequences.close()
        llama_cpp.llama_model_free(model)
