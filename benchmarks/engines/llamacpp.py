"""llama.cpp, through its C interface."""

import ctypes
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import gguf
import llama_cpp
import numpy as np
from making.checkpoints import read_config, read_tensors, to_float32

from . import SAMPLING, llama_contexts
from .llama_contexts import make_functions, weight_bytes

__all__ = ["convert", "load", "logits", "weight_bytes"]

FILE_TYPES = {
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0,
    "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "bf16": llama_cpp.LLAMA_FTYPE_MOSTLY_BF16,
    "f16": llama_cpp.LLAMA_FTYPE_MOSTLY_F16,
}
# model_type -> that of GGUF
ARCHITECTURES = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "mistral": gguf.MODEL_ARCH.LLAMA,
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "qwen3_moe": gguf.MODEL_ARCH.QWEN3MOE,
    "gemma3_text": gguf.MODEL_ARCH.GEMMA3,
}
ignore_log = llama_cpp.llama_log_callback(lambda level, text, data: None)


def convert(checkpoint: Path, variant: str, folder: Path) -> None:
    """Let llama.cpp quantize the file of the checkpoint, or one with the types of the checkpoint."""
    llama_cpp.llama_log_set(ignore_log, None)
    plain_path, model_path = folder / "plain.gguf", folder / "model.gguf"
    if (file := checkpoint / "model.gguf").exists():
        plain_path.symlink_to(file.resolve())
    else:
        write_gguf(checkpoint, plain_path)
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.allow_requantize = FILE_TYPES[variant], True
    if (
        llama_cpp.llama_model_quantize(
            str(plain_path).encode(), str(model_path).encode(), ctypes.byref(params)
        )
        != 0
    ):
        raise RuntimeError(f"llama.cpp could not quantize to {variant}")
    plain_path.unlink()


def write_gguf(checkpoint: Path, path: Path) -> None:
    """Write the checkpoint as a GGUF without a vocabulary."""
    config = read_config(checkpoint)
    architecture = ARCHITECTURES[config["model_type"]]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[architecture])
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
    if architecture == gguf.MODEL_ARCH.GEMMA3:
        writer.add_sliding_window(config["sliding_window"])
    if "num_experts" in config:
        writer.add_expert_count(config["num_experts"])
        writer.add_expert_used_count(config["num_experts_per_tok"])
        writer.add_expert_feed_forward_length(config["moe_intermediate_size"])
    names = gguf.get_tensor_name_map(architecture, config["num_hidden_layers"])
    for name, values in stack_experts(read_tensors(checkpoint)):
        if architecture == gguf.MODEL_ARCH.LLAMA and name.endswith("q_proj.weight"):
            values = interleaved(values, heads)
        elif architecture == gguf.MODEL_ARCH.LLAMA and name.endswith("k_proj.weight"):
            values = interleaved(values, kv_heads)
        if values.ndim == 1 or name.endswith("mlp.gate.weight"):
            values = to_float32(values)  # norms and routers
        if architecture == gguf.MODEL_ARCH.GEMMA3 and values.ndim == 1:
            values = values + np.float32(1)  # the weights of its norms are stored as w - 1
        bf16 = gguf.GGMLQuantizationType.BF16 if values.dtype == np.uint16 else None
        data = np.ascontiguousarray(values)
        new_name = names.get_name(name, try_suffixes=(".weight", ".bias"))
        writer.add_tensor(new_name, data.view(np.uint8) if bf16 else data, raw_dtype=bf16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def stack_experts(tensors: Iterable[tuple[str, np.ndarray]]) -> Iterator[tuple[str, np.ndarray]]:
    """Stack the matrices of a layer's experts to one tensor for each projection; yield others as they are."""
    stacks: dict[str, list[np.ndarray]] = {}
    for name, values in tensors:
        stack_name = re.sub(r"(?<=\.experts)\.\d+", "", name)
        if stack_name == name:
            yield name, values
        else:
            stacks.setdefault(stack_name, []).append(values)
    for name, values in stacks.items():
        yield name, np.stack(values)


def interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    """Reorder the rows of each head for llama.cpp: the two rows of a rotated pair become neighbours."""
    halves = weight.reshape(heads, 2, len(weight) // heads // 2, -1)
    return halves.swapaxes(1, 2).reshape(weight.shape)


class Sequences(llama_contexts.Sequences):
    """A context of llama.cpp."""

    def __init__(self, model: llama_cpp.llama_model_p, count: int, positions: int, threads: int) -> None:
        super().__init__(llama_cpp, model, count, positions, threads)
        self.sampler = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for sampler in (
            llama_cpp.llama_sampler_init_temp(SAMPLING["temperature"]),
            llama_cpp.llama_sampler_init_top_p(SAMPLING["top_p"], 1),
            llama_cpp.llama_sampler_init_dist(0),
        ):
            llama_cpp.llama_sampler_chain_add(self.sampler, sampler)

    def clear(self) -> None:
        """Remove all sequences from the context."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), False)

    def sample(self, index: int) -> int:
        """A token, drawn with SAMPLING from the logits at this index of the batch."""
        return llama_cpp.llama_sampler_sample(self.sampler, self.context, index)

    def close(self) -> None:
        """Free the memory."""
        llama_cpp.llama_sampler_free(self.sampler)
        super().close()


def load_model(folder: Path) -> llama_cpp.llama_model_p:
    """Load the model of a folder."""
    llama_cpp.llama_log_set(ignore_log, None)
    llama_cpp.llama_backend_init()
    params = llama_cpp.llama_model_default_params()
    model = llama_cpp.llama_model_load_from_file(str(folder / "model.gguf").encode(), params)
    if not model:
        raise RuntimeError(f"llama.cpp cannot load {folder}")
    return model


load, logits = make_functions(load_model, llama_cpp.llama_model_free, Sequences)
