"""Make tests/data/modelopt: tiny models that NVIDIA's ModelOpt quantizes, and what it reads.

    python tests/helpers/makers/make_modelopt.py [KIND ...]

Each folder is as ModelOpt saves it; for `expected.npz`, see read_weights.py. Needs PyTorch, Transformers 5
and nvidia-modelopt (0.47 was used); the tests themselves only read the files.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import modelopt.torch.quantization as mtq
import torch
from modelopt.torch.export import export_hf_checkpoint
from modelopt.torch.quantization.qtensor import MXFP4QTensor, MXFP8QTensor, NVFP4QTensor
from read_weights import save_expected
from small_llama import PROMPT, make_model
from transformers import AutoModelForCausalLM

OUT = Path(__file__).parents[2] / "data" / "modelopt"
KINDS = {
    "nvfp4": mtq.NVFP4_DEFAULT_CFG,
    "fp8-channel": mtq.FP8_PER_CHANNEL_PER_TOKEN_CFG,
    "mxfp4": mtq.W4A8_MXFP4_FP8_CFG,
    "mxfp8": mtq.MXFP8_DEFAULT_CFG,
    "int8": mtq.INT8_WEIGHT_ONLY_CFG,
}


def read_matrix(name: str, parts: dict[str, torch.Tensor], shape: torch.Size) -> torch.Tensor | None:
    """What ModelOpt reads, float32 [n, k]."""
    weight, scale = parts["weight"], parts.get("weight_scale")
    if scale is None:
        return None
    if weight.dtype == torch.uint8 and "weight_scale_2" in parts:
        scales = {"scale": scale, "double_scale": parts["weight_scale_2"], "block_sizes": {-1: 16}}
        return NVFP4QTensor(shape, torch.float32, weight).dequantize(**scales)
    if weight.dtype == torch.uint8:
        packed = MXFP4QTensor(shape, torch.float32, weight)
        return packed.dequantize(scale=scale, block_sizes={-1: 32})
    if scale.dtype == torch.uint8:
        return MXFP8QTensor(shape, torch.float32, weight).dequantize(scale=scale)
    return weight.float() * scale[:, None]


def main() -> None:
    """Write a folder for each kind."""
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        for kind in sys.argv[1:] or KINDS:
            model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
            model = mtq.quantize(model, KINDS[kind], lambda model: model(torch.tensor([PROMPT])))
            folder = OUT / kind
            shutil.rmtree(folder, ignore_errors=True)
            with torch.inference_mode():
                export_hf_checkpoint(model, export_dir=folder)
            (folder / "generation_config.json").unlink(missing_ok=True)
            save_expected(folder, Path(source), read_matrix)


if __name__ == "__main__":
    main()
