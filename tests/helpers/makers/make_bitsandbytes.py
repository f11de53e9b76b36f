"""Make tests/data/bitsandbytes: a tiny Llama in each kind of bitsandbytes, and what it reads and computes.

    python tests/helpers/makers/make_bitsandbytes.py

Each folder is as Transformers saves it. `expected.npz` has two of the matrices that bitsandbytes dequantizes,
float32, under their names, the `prompt`, and float32 `logits` [tokens, vocabulary] of Transformers.

Needs PyTorch, Transformers 5 and bitsandbytes (0.50 was used); the tests themselves only read the files.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bitsandbytes.functional import QuantState, dequantize_4bit
from safetensors.torch import load_file
from small_llama import MATRICES, PROMPT, make_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

OUT = Path(__file__).parents[2] / "data" / "bitsandbytes"
FOUR_BITS = {"load_in_4bit": True, "bnb_4bit_compute_dtype": torch.float32}
KINDS: dict[str, dict[str, Any]] = {
    "nf4": FOUR_BITS | {"bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True},
    "fp4": FOUR_BITS | {"bnb_4bit_quant_type": "fp4"},
    "int8": {"load_in_8bit": True},
}


def read_matrix(tensors: dict[str, torch.Tensor], name: str) -> np.ndarray:
    """What bitsandbytes reads, float32."""
    if (scales := tensors.get(name.removesuffix("weight") + "SCB")) is not None:
        return (tensors[name].float() * scales[:, None] / 127).numpy()
    parts = {key.removeprefix(f"{name}."): value for key, value in tensors.items() if f"{name}." in key}
    return dequantize_4bit(tensors[name], QuantState.from_dict(parts, "cpu")).float().numpy()


def main() -> None:
    """Write a folder for each kind."""
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        for kind, settings in KINDS.items():
            folder = OUT / kind
            shutil.rmtree(folder, ignore_errors=True)
            config = BitsAndBytesConfig(**settings)
            model = AutoModelForCausalLM.from_pretrained(source, quantization_config=config, dtype="float32")
            model.save_pretrained(folder)
            (folder / "generation_config.json").unlink(missing_ok=True)
            tensors = load_file(folder / "model.safetensors")
            arrays = {name: read_matrix(tensors, name) for name in MATRICES}
            with torch.no_grad():
                logits = model(torch.tensor([PROMPT])).logits[0].float().numpy()
            np.savez_compressed(folder / "expected.npz", prompt=PROMPT, logits=logits, **arrays)


if __name__ == "__main__":
    main()
