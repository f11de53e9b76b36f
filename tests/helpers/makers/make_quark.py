"""Make tests/data/quark: tiny models that AMD's Quark quantizes, and what it computes with.

    python tests/helpers/makers/make_quark.py [KIND ...]

Each folder is as Quark saves it; for `expected.npz`, see read_weights.py. Needs PyTorch, Transformers 5 and
amd-quark (0.13 was used); the tests themselves only read the files.
"""

import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch
from quark.torch import ModelQuantizer, export_safetensors
from quark.torch.quantization.config import config as quark
from read_weights import save_expected
from small_llama import PROMPT, make_model
from transformers import AutoModelForCausalLM

OUT = Path(__file__).parents[2] / "data" / "quark"
_STATIC = {"is_dynamic": False}
_FLOAT_SCALES = {"scale_type": "float", **_STATIC}
KINDS = {
    "fp8": quark.FP8E4M3PerTensorSpec(observer_method="min_max", **_STATIC),
    "mxfp4": quark.OCP_MXFP4Spec(ch_axis=-1, **_STATIC),
    "uint4": quark.Uint4PerGroupSpec(ch_axis=-1, group_size=32, **_FLOAT_SCALES),
    "int8": quark.Int8PerChannelSpec(symmetric=False, round_method="half_even", ch_axis=0, **_FLOAT_SCALES),
}


def read_matrix(
    weights: dict[str, torch.Tensor], name: str, parts: dict[str, torch.Tensor], shape: torch.Size
) -> torch.Tensor | None:
    """What Quark has rounded weights to, float32 [n, k]."""
    return weights[f"{name}.weight"] if "weight_scale" in parts else None


def main() -> None:
    """Write a folder for each kind."""
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        for kind in sys.argv[1:] or KINDS:
            model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
            layer = quark.QLayerConfig(weight=KINDS[kind].to_quantization_spec())
            quantizer = ModelQuantizer(quark.QConfig(global_quant_config=layer, exclude=["lm_head"]))
            model = quantizer.freeze(quantizer.quantize_model(model, [torch.tensor([PROMPT])]))
            weights = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
            folder = OUT / kind
            shutil.rmtree(folder, ignore_errors=True)
            with torch.no_grad():
                export_safetensors(model, folder)
            for path in folder.iterdir():
                if path.name not in ("config.json", "model.safetensors"):
                    path.unlink()
            save_expected(folder, Path(source), partial(read_matrix, weights))


if __name__ == "__main__":
    main()
