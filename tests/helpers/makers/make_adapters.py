"""Make the tiny adapters of `tests/data/adapters` with PEFT, and what it computes with them.

    python tests/helpers/makers/make_adapters.py [--only NAME ...]

Each is a folder as PEFT writes it, for a checkpoint of `tests/data/checkpoints`, with an `expected.npz`:

    base    str                    the name of the checkpoint
    prompt  int64 [T]              token ids
    logits  float32 [T, vocab]     of the prompt with the adapter, not merged, in float32 arithmetic

Needs PyTorch, Transformers 5 and PEFT; the tests themselves only read the files.
"""

import argparse
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

DATA = Path(__file__).parents[2] / "data"
MIN_DIFFERENCE = 0.1  # in some logit, from those of the model without the adapter
ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]


@dataclass(frozen=True)
class Variant:
    """An adapter of the checkpoint `base`. `config`: fields of LoraConfig."""

    base: str
    config: dict[str, Any] = field(default_factory=dict)
    dtype: torch.dtype = torch.float32


PATTERNS = {"rank_pattern": {"q_proj": 2, "layers.1.mlp.down_proj": 6}, "alpha_pattern": {"o_proj": 3}}
VARIANTS = {
    "llama-patterns": Variant(
        "llama-untied-mha", {"r": 4, "target_modules": "all-linear", "use_rslora": True, **PATTERNS}
    ),
    "llama-saved": Variant(
        "llama-untied-mha",
        {"r": 3, "target_modules": ["q_proj", "up_proj"], "modules_to_save": ["embed_tokens", "lm_head"]},
    ),
    "llama-bfloat16": Variant("llama-bfloat16", {"r": 20, "target_modules": "all-linear"}, torch.bfloat16),
    "phi3-fused": Variant("phi3", {"r": 5, "target_modules": "all-linear"}),
    "qwen2-biases": Variant("qwen2-biases", {"r": 4, "target_modules": [*ATTENTION, "gate_proj", "lm_head"]}),
    "gemma3-tied": Variant("gemma3", {"r": 4, "target_modules": [*ATTENTION, "down_proj", "embed_tokens"]}),
    "gpt2-transposed": Variant(
        "gpt2", {"r": 4, "target_modules": ["c_attn", "c_fc"], "fan_in_fan_out": True}
    ),
    "qwen3-next": Variant("qwen3-next", {"r": 4, "target_modules": ["in_proj_qkvz", "out_proj", "q_proj"]}),
}


def make(name: str, variant: Variant) -> None:
    """Write an adapter with random factors, and what PEFT computes with it."""
    torch.manual_seed(sum(map(ord, name)))
    base = DATA / "checkpoints" / variant.base
    prompt = np.load(base / "expected.npz")["prompt"]
    plain = np.load(base / "expected.npz")["logits"]
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, attn_implementation="eager")
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", lora_alpha=8, **variant.config))
    for parameter_name, parameter in adapted.named_parameters():
        if "lora_" in parameter_name or "modules_to_save" in parameter_name:
            with torch.no_grad():
                parameter.copy_(torch.empty_like(parameter).normal_(std=0.15).to(variant.dtype))
    with torch.inference_mode():
        logits = adapted(torch.tensor([prompt.tolist()]), use_cache=False).logits[0].numpy()
    if np.abs(logits - plain).max() < MIN_DIFFERENCE:
        raise SystemExit(f"{name} changes the logits by no more than {np.abs(logits - plain).max()}")
    folder = DATA / "adapters" / name
    shutil.rmtree(folder, ignore_errors=True)
    adapted.to(variant.dtype).save_pretrained(folder, save_embedding_layers=False)
    (folder / "README.md").unlink()
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text()) | {"base_model_name_or_path": variant.base}
    config["target_modules"] = sorted(config["target_modules"])
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    np.savez(folder / "expected.npz", base=variant.base, prompt=prompt, logits=logits)
    print(f"{name:20} {sum(file.stat().st_size for file in folder.iterdir()):7,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=VARIANTS, help="not all variants")
    torch.set_num_threads(1)
    for name in parser.parse_args().only:
        make(name, VARIANTS[name])


if __name__ == "__main__":
    main()
