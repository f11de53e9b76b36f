"""Make the tiny checkpoints of `tests/data/checkpoints` and what Transformers computes with them.

    python tests/make_checkpoints.py [--out FOLDER]

Each variant is a folder in Hugging Face layout (random weights, no tokenizer) with an `expected.npz`:

    prompt  int64 [T]              token ids
    logits  float32 [T, vocab]     of the prompt, in float32 arithmetic from the weights as stored
    greedy  int64 [24]             the greedy continuation of the prompt, end-of-sequence tokens ignored

Needs PyTorch and Transformers 5; the tests themselves only read the files.
"""

import argparse
import json
import shutil
import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel
from transformers.utils import logging

PROMPT_LENGTH = 26
NEW_TOKENS = 24
MIN_MARGIN = 0.02  # between the best and the second-best logit of every greedy step: no ties, however rounded
MIN_DISTINCT = 10  # different tokens in the greedy path: one that repeats itself would hide errors
MIN_DIFFERENCE = 0.1  # in some logit, once a feature that the variant exists for is left out

# Far from the usual values, so that a setting nobody reads shows: theta = 100 makes every frequency count in
# heads of 8 dimensions and prompts of 26 tokens, and the large epsilon is not lost beside small activations.
ROPE = {"rope_type": "default", "rope_theta": 100.0}
BASE = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-3,
    "rope_parameters": ROPE,
}
LINEAR_2 = ROPE | {"rope_type": "linear", "factor": 2.0}
LINEAR_4 = ROPE | {"rope_type": "linear", "factor": 4.0}
# Of the four wavelengths (6.3, 20, 63 and 199 tokens) one is kept, one is blended and two are stretched.
LLAMA3 = ROPE | {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
USUAL_THETA = ROPE | {"rope_theta": 10000.0}
ODD = {
    "vocab_size": 61,
    "hidden_size": 30,
    "intermediate_size": 44,
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
    "head_dim": 10,
}
# The first `max_window_layers` layers see everything, the others the last 6 tokens.
WINDOW = {"use_sliding_window": True, "sliding_window": 6, "max_window_layers": 1, "num_hidden_layers": 3}
BIASES = {"attention_bias": True, "mlp_bias": True}


@dataclass
class Variant:
    """A checkpoint: how its configuration differs from `BASE`, and how it is stored."""

    model_type: str
    config: dict[str, Any]
    without: dict[str, Any] = field(default_factory=dict)  # settings that overlook what the variant is about
    dtype: torch.dtype = torch.float32
    max_shard_size: str = "1GB"
    old_dialect: bool = False


VARIANTS = {
    "llama-tied-gqa": Variant("llama", {"tie_word_embeddings": True}),
    "llama-untied-mha": Variant("llama", {"num_key_value_heads": 4}),
    "llama-biases": Variant("llama", BIASES, without=dict.fromkeys(BIASES, False)),
    "llama-head-dim": Variant("llama", {"head_dim": 12}),
    "llama-mqa-odd": Variant("llama", ODD),
    "llama-rope-linear": Variant("llama", {"rope_parameters": LINEAR_4}, without={"rope_parameters": ROPE}),
    "llama-rope-llama3": Variant("llama", {"rope_parameters": LLAMA3}, without={"rope_parameters": ROPE}),
    "llama-old-dialect": Variant(
        "llama", {"rope_parameters": LINEAR_2}, without={"rope_parameters": ROPE}, old_dialect=True
    ),
    "llama-new-dialect": Variant("llama", {}, without={"rope_parameters": USUAL_THETA}),
    "llama-bfloat16": Variant("llama", {}, dtype=torch.bfloat16),
    "llama-float16": Variant("llama", {}, dtype=torch.float16),
    "llama-sharded": Variant("llama", {}, max_shard_size="24KB"),
    "mistral-window": Variant("mistral", {"sliding_window": 6}, without={"sliding_window": None}),
    "mistral-full": Variant("mistral", {"sliding_window": None}),
    "qwen2-biases": Variant("qwen2", {"tie_word_embeddings": True}),
    "qwen2-window": Variant("qwen2", WINDOW, without={"layer_types": ["full_attention"] * 3}),
}


def random_model(variant: Variant, seed: int) -> PreTrainedModel:
    """A model whose weights are all random, biases and norms too, so that leaving any of them out shows."""
    torch.manual_seed(seed)
    config = AutoConfig.for_model(variant.model_type, **deepcopy(BASE | variant.config))
    model = AutoModelForCausalLM.from_config(config)
    for name, parameter in model.named_parameters():
        if name.endswith("norm.weight"):
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
        else:
            torch.nn.init.normal_(parameter, std=0.3)
    return model.to(variant.dtype)


def save(model: PreTrainedModel, variant: Variant, folder: Path) -> None:
    """Write the checkpoint as Transformers does, or with a configuration as its older releases wrote it."""
    model.save_pretrained(folder, max_shard_size=variant.max_shard_size)
    if variant.old_dialect:
        path = folder / "config.json"
        config = json.loads(path.read_text())
        rope = config.pop("rope_parameters")
        config["rope_theta"] = rope["rope_theta"]
        config["rope_scaling"] = {"type": rope["rope_type"], "factor": rope["factor"]}
        config["torch_dtype"] = config.pop("dtype")
        config["transformers_version"] = "4.37.2"
        del config["head_dim"]
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def load(folder: Path, config: PreTrainedConfig | None = None) -> PreTrainedModel:
    """The checkpoint as stored, in float32; `config` takes the place of the stored configuration."""
    return AutoModelForCausalLM.from_pretrained(
        folder, config=config, dtype=torch.float32, attn_implementation="eager"
    )


def logits(model: PreTrainedModel, tokens: list[int]) -> np.ndarray:
    """Float32 [T, vocab]."""
    with torch.inference_mode():
        return model(torch.tensor([tokens]), use_cache=False).logits[0].numpy()


def continue_greedily(model: PreTrainedModel, prompt: list[int]) -> tuple[list[int], float]:
    """The new tokens, and the smallest margin by which one of them won.

    Everything is computed anew for each token, so that the expectation depends on no KV cache.
    """
    tokens, margin = list(prompt), np.inf
    for _ in range(NEW_TOKENS):
        last = logits(model, tokens)[-1]
        second, first = np.sort(last)[-2:]
        margin = min(margin, float(first - second))
        tokens.append(int(last.argmax()))
    return tokens[len(prompt) :], margin


def check_feature_matters(variant: Variant, folder: Path, prompt: list[int], expected: np.ndarray) -> None:
    """Fail if a loader that overlooks what the variant is about would pass its tests."""
    config = AutoConfig.from_pretrained(folder, **deepcopy(variant.without))
    difference = np.abs(logits(load(folder, config), prompt) - expected).max()
    if difference < MIN_DIFFERENCE:
        raise SystemExit(f"{folder.name}: {variant.without} changes the logits by no more than {difference}")


def make(name: str, variant: Variant, out: Path) -> None:
    """Try seeds until one gives a clear and varied greedy path, and keep that one in `out / name`."""
    for seed in count():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / name
            save(random_model(variant, seed), variant, folder)
            model = load(folder)
            random = np.random.default_rng(seed)
            prompt = random.integers(model.config.vocab_size, size=PROMPT_LENGTH).tolist()
            greedy, margin = continue_greedily(model, prompt)
            if margin < MIN_MARGIN or len(set(greedy)) < MIN_DISTINCT:
                continue
            expected = logits(model, prompt)
            if variant.without:
                check_feature_matters(variant, folder, prompt, expected)
            results = {"prompt": np.int64(prompt), "logits": expected, "greedy": np.int64(greedy)}
            np.savez(folder / "expected.npz", **results)
            shutil.rmtree(out / name, ignore_errors=True)
            shutil.move(folder, out / name)
            size = sum(path.stat().st_size for path in (out / name).iterdir())
            print(f"{name:20} seed {seed:3}  {size:7,} bytes  top-2 margin {margin:.4f}")
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "data" / "checkpoints")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # sums in one order, however many cores there are
    # It reports the weights that `check_feature_matters` leaves out on purpose.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    for name, variant in VARIANTS.items():
        make(name, variant, out)


if __name__ == "__main__":
    main()
