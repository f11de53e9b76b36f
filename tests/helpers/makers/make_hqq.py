"""Make tests/data/hqq: tiny models that HQQ quantizes, and what it reads.

    python tests/helpers/makers/make_hqq.py [KIND ...]

Each folder has the tensors that HQQLinear gives to be saved, and the settings that Transformers writes (5.24
itself makes no HQQ); for `expected.npz`, see read_weights.py. Needs PyTorch, Transformers 5 and hqq (0.2.8
was used); the tests themselves only read the files.
"""

import json
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import torch
from hqq.core.quantize import BaseQuantizeConfig, HQQLinear
from read_weights import save_expected
from safetensors.torch import load_file, save_file
from small_llama import make_model

OUT = Path(__file__).parents[2] / "data" / "hqq"
# kind -> bits, size of groups, type of scales
KINDS = {
    "1": (1, 32, torch.float16),
    "2": (2, 16, torch.float16),
    "3": (3, 64, torch.bfloat16),
    "4": (4, 32, torch.bfloat16),
    "5": (5, 128, torch.float16),  # larger than some rows
    "8": (8, None, torch.float32),
}


def read_matrix(
    modules: dict[str, HQQLinear], name: str, parts: object, shape: torch.Size
) -> torch.Tensor | None:
    """What the numbers of a module stand for, float32 [n, k]."""
    if name not in modules:
        return None
    meta = modules[name].meta
    meta |= {part: meta[part].float() for part in ("scale", "zero")} | {"compute_dtype": torch.float32}
    return modules[name].dequantize()


def main() -> None:
    """Write a folder for each kind."""
    with tempfile.TemporaryDirectory() as source:
        make_model(Path(source))
        tensors = load_file(Path(source) / "model.safetensors")
        for kind in sys.argv[1:] or KINDS:
            bits, size, dtype = KINDS[kind]
            settings = BaseQuantizeConfig(nbits=bits, group_size=size, axis=1)
            modules, saved = {}, {}
            for name, tensor in tensors.items():
                if not name.endswith("_proj.weight"):
                    saved[name] = tensor
                    continue
                linear = torch.nn.Linear(*tensor.T.shape, bias=False)
                linear.weight.data = tensor
                module = HQQLinear(linear, settings, compute_dtype=dtype, device="cpu", del_orig=False)
                name = name.removesuffix(".weight")
                modules[name] = module
                parts = {key: value for key, value in module.state_dict().items() if value is not None}
                saved |= {f"{name}.{key}": value.contiguous() for key, value in parts.items()}
            folder = OUT / kind
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            save_file(saved, folder / "model.safetensors", {"format": "pt"})
            config = json.loads((Path(source) / "config.json").read_text())
            config["quantization_config"] = {
                "quant_config": settings,
                "quant_method": "hqq",
                "skip_modules": ["lm_head"],
            }
            (folder / "config.json").write_text(json.dumps(config, indent=2))
            save_expected(folder, Path(source), partial(read_matrix, modules))


if __name__ == "__main__":
    main()
