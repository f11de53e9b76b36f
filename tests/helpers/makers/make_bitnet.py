"""Make tests/data/bitnet: a tiny BitNet in each form of its weights, and what Transformers computes with it.

    TORCH_COMPILE_DISABLE=1 python tests/helpers/makers/make_bitnet.py

`expected.npz` has two of the rounded matrices, float32, under their names, the `prompt`, and float32 `logits`
[tokens, vocabulary] of Transformers, with activations rounded to 8 bits.

Needs PyTorch and Transformers 5; the tests themselves only read the files.
"""

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from small_llama import MATRICES, PROMPT, SIZES
from transformers import AutoModelForCausalLM, BitNetConfig, BitNetForCausalLM
from transformers.integrations.bitnet import pack_weights

OUT = Path(__file__).parents[2] / "data" / "bitnet"
# folder -> linear_class, quantization_mode
KINDS = {
    "auto": ("autobitlinear", "offline"),
    "divided": ("bitlinear", "offline"),
    "online": ("autobitlinear", "online"),
}


def make_model(folder: Path) -> None:
    """Write a model of floats."""
    torch.manual_seed(1)
    config = BitNetConfig(**SIZES)
    model = BitNetForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.3)
            else:
                parameter.uniform_(0.5, 1.5)
    model.save_pretrained(folder)


def quantize(tensors: dict[str, torch.Tensor], divides: bool) -> dict[str, torch.Tensor]:
    """The tensors with packed weights, as `online` rounds them."""
    packed = {}
    for name, tensor in tensors.items():
        if "_proj." not in name:
            packed[name] = tensor
            continue
        scale = tensor.abs().mean()
        packed[name] = pack_weights((tensor / scale).round().clamp(-1, 1))
        packed[name.replace("weight", "weight_scale")] = (1 / scale if divides else scale).reshape(1)
    return packed


def read_matrix(tensors: dict[str, torch.Tensor], name: str) -> np.ndarray:
    """The rounded weights, float32."""
    scale = tensors[name].abs().mean()
    return ((tensors[name] / scale).round().clamp(-1, 1) * scale).numpy()


def main() -> None:
    """Write a folder for each kind."""
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        tensors = load_file(f"{source}/model.safetensors")
        for kind, (linear_class, mode) in KINDS.items():
            folder = OUT / kind
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            stored = tensors if mode == "online" else quantize(tensors, linear_class == "bitlinear")
            save_file(stored, folder / "model.safetensors", {"format": "pt"})
            config = json.loads(Path(source, "config.json").read_text())
            settings = {"quant_method": "bitnet", "linear_class": linear_class, "quantization_mode": mode}
            config["quantization_config"] = settings
            (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
            model = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
            with torch.no_grad():
                logits = model(torch.tensor([PROMPT])).logits[0].float().numpy()
            arrays = {name: read_matrix(tensors, name) for name in MATRICES}
            np.savez_compressed(folder / "expected.npz", prompt=PROMPT, logits=logits, **arrays)


if __name__ == "__main__":
    main()
