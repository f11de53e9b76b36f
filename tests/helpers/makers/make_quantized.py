"""Make tests/data/compressed-tensors: a matrix in each scheme of the library, and what it reads.

    python tests/helpers/makers/make_quantized.py

Each folder has a `model.safetensors` with one module, a `config.json` with its quantization_config, and the
weights that the library decompresses, float32, in `decompressed.npy`.

Needs PyTorch and compressed-tensors (0.20 was used); the tests themselves only read the files.
"""

import json
from pathlib import Path
from typing import Any

import compressed_tensors
import numpy as np
import torch
from compressed_tensors.compressors import BaseCompressor
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from compressed_tensors.quantization.utils import calculate_qparams
from safetensors.torch import save_file

OUT = Path(__file__).parents[2] / "data" / "compressed-tensors"
SHAPE = (24, 96)
GROUP = {"strategy": "group", "group_size": 32}
FLOAT8 = {"num_bits": 8, "type": "float"}
# folder -> format, weights of its scheme
SCHEMES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"packed-{bits}": ("pack-quantized", {"num_bits": bits, "symmetric": False} | GROUP)
        for bits in (2, 3, 4)
    },
    **{f"packed-{bits}": ("pack-quantized", {"num_bits": bits} | GROUP) for bits in (5, 6, 8)},
    "packed-4-channel": ("pack-quantized", {"num_bits": 4, "strategy": "channel"}),
    "int8-channel": ("int-quantized", {"num_bits": 8, "strategy": "channel", "symmetric": False}),
    "int8-tensor": ("int-quantized", {"num_bits": 8, "strategy": "tensor"}),
    "float8-channel": ("float-quantized", {"strategy": "channel"} | FLOAT8),
    "float8-group": ("naive-quantized", GROUP | FLOAT8),
    "float8-block": ("float-quantized", {"strategy": "block", "block_structure": [16, 32]} | FLOAT8),
}


def main() -> None:
    """Write a folder for each scheme."""
    for number, (name, (layout, fields)) in enumerate(SCHEMES.items()):
        torch.manual_seed(number)
        weight = torch.randn(SHAPE)
        args = QuantizationArgs(**fields)
        scheme = QuantizationScheme(targets=["Linear"], weights=args, format=layout)
        state = {"weight": weight, **_parameters(weight, args)}
        compressor = BaseCompressor.get_value_from_registry(layout)
        compressed = compressor.compress(state, scheme)
        folder = OUT / name
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {f"module.{key}": value.contiguous() for key, value in compressed.items()}
        save_file(tensors, folder / "model.safetensors")
        settings = {
            "quant_method": "compressed-tensors",
            "version": compressed_tensors.__version__,
            "format": layout,
            "config_groups": {"group_0": scheme.model_dump(mode="json")},
        }
        (folder / "config.json").write_text(json.dumps({"quantization_config": settings}, indent=2) + "\n")
        decompressed = compressor.decompress(compressed, scheme)["weight"]
        np.save(folder / "decompressed.npy", decompressed.float().numpy())


def _parameters(weight: torch.Tensor, args: QuantizationArgs) -> dict[str, torch.Tensor]:
    """Scales and zeros."""
    n, k = weight.shape
    if args.strategy == "group":
        groups = weight.reshape(n, -1, args.group_size)
        low, high = groups.amin(-1), groups.amax(-1)
    elif args.strategy == "channel":
        low, high = weight.amin(-1, keepdim=True), weight.amax(-1, keepdim=True)
    elif args.strategy == "block":
        rows, columns = args.block_structure
        padded = torch.nn.functional.pad(weight, (0, -k % columns, 0, -n % rows))
        blocks = padded.reshape(padded.shape[0] // rows, rows, -1, columns)
        low, high = blocks.amin((1, 3)), blocks.amax((1, 3))
    else:
        low, high = weight.min().reshape(1), weight.max().reshape(1)
    scales, zeros = calculate_qparams(low, high, args)
    return {"weight_scale": scales, "weight_zero_point": zeros}


if __name__ == "__main__":
    main()
