"""Measure what the indexer of DeepSeek-V3.2 gains and costs: long prompts and answers, beside DeepSeek-V3's.

    PYTHONPATH=benchmarks python benchmarks/models/sparse.py [--lengths 8192 16384]

The shape is that of DeepSeek-V3.2 with one layer, 8 of 128 heads and 4 of the indexer's 64, a smaller MLP
instead of experts, and random weights in int8. Dense: DeepSeek-V3, the same without the indexer, in turn.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from making.shapes import COMMON, make_checkpoint

from model_core import LLM, SamplingParams

STEPS = 16  # tokens of an answer that are timed
SHAPE: dict[str, Any] = COMMON | {
    "model_type": "deepseek_v3",
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 1,
    "first_k_dense_replace": 1,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "q_lora_rank": 768,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "moe_intermediate_size": 512,
    "n_routed_experts": 8,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "norm_topk_prob": True,
    "routed_scaling_factor": 2.5,
    "scoring_func": "sigmoid",
    "topk_method": "noaux_tc",
    "vocab_size": 4096,
    "max_position_embeddings": 32768,
}
INDEXER = {"model_type": "deepseek_v32", "index_n_heads": 4, "index_head_dim": 128, "index_topk": 2048}


def measure(llm: LLM, length: int) -> tuple[float, float]:
    """Tokens a second of a prompt of this length, and of one answer behind it."""
    prompt = np.random.default_rng(length).integers(3, SHAPE["vocab_size"], length).tolist()
    params = SamplingParams(max_tokens=STEPS + 1, temperature=0, ignore_eos=True)
    timings = llm.generate(prompt, params).timings
    assert timings.first_token is not None and timings.queue is not None
    return length / (timings.first_token - timings.queue), STEPS / (timings.total - timings.first_token)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[8192, 16384])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = {}
        for name, fields in (("dense", {}), ("sparse", INDEXER)):
            (Path(folder) / name).mkdir()
            make_checkpoint(SHAPE | fields, Path(folder) / name)
            models[name] = LLM(Path(folder) / name, weights="int8", max_context=max(arguments.lengths) + 64)
            measure(models[name], 600)  # compiles kernels
        for length in arguments.lengths:
            found = {name: measure(llm, length) for name, llm in models.items()}
            for name, (prompt, answer) in found.items():
                print(
                    f"{length} {name}: prompt {prompt:.0f}, one stream {answer:.1f} tokens a second",
                    flush=True,
                )
            ratios = [sparse / dense for sparse, dense in zip(found["sparse"], found["dense"], strict=True)]
            print(f"{length} sparse / dense: prompt {ratios[0]:.2f}, one stream {ratios[1]:.2f}", flush=True)
        for llm in models.values():
            llm.close()


if __name__ == "__main__":
    main()
