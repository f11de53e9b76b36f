"""Stores what another program reads from a quantized folder, and the logits with these weights."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from small_llama import MATRICES, PROMPT
from transformers import AutoModelForCausalLM

Read = Callable[[str, dict[str, torch.Tensor], torch.Size], torch.Tensor | None]


def save_expected(folder: Path, source: Path, read: Read) -> None:
    """Write `expected.npz`: two matrices, float32, under their names, the `prompt`, and float32 `logits`.

    source: the model before it was quantized. read: returns the weights of a module from its name, its stored
    tensors and the shape of its weights; None if they are not quantized.
    """
    tensors = load_file(folder / "model.safetensors")
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    with torch.no_grad():
        for name, module in model.named_modules():
            keys = [key for key in tensors if key.startswith(f"{name}.")]
            parts = {key.removeprefix(f"{name}."): tensors[key] for key in keys}
            if isinstance(module, torch.nn.Linear) and parts:
                weights = read(name, parts, module.weight.shape)
                if weights is not None:
                    module.weight.copy_(weights)
        logits = model(torch.tensor([PROMPT])).logits[0].numpy()
    arrays = {name: model.get_parameter(name).detach().numpy() for name in MATRICES}
    np.savez_compressed(folder / "expected.npz", prompt=PROMPT, logits=logits, **arrays)
