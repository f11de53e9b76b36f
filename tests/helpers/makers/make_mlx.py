"""Make tests/data/mlx: a matrix in each number of bits of MLX, and what it reads.

    python tests/helpers/makers/make_mlx.py

Each folder has a `model.safetensors` with one module, a `config.json` with its settings, and the weights
that MLX dequantizes, float32, in `decompressed.npy`.

Needs mlx (0.32 was used); the tests themselves only read the files.
"""

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

OUT = Path(__file__).parents[2] / "data" / "mlx"
SHAPE = (24, 128)
# bits, group_size, type of scales
SCHEMES = [
    *((bits, 64, mx.bfloat16) for bits in (2, 3, 4, 5, 6, 8)),
    (4, 32, mx.float16),
    (8, 128, mx.float32),
    (1, 64, mx.float16),
]
# mode, bits, group_size
FLOAT_SCHEMES = [("mxfp4", 4, 32), ("mxfp8", 8, 32), ("nvfp4", 4, 16)]


def main() -> None:
    """Write a folder for each scheme."""
    for number, (bits, size, kind) in enumerate(SCHEMES):
        weight = mx.random.normal(SHAPE, key=mx.random.key(number)).astype(kind)
        words, scales, biases = mx.quantize(weight, group_size=size, bits=bits)
        folder = OUT / f"affine-{bits}-{size}"
        folder.mkdir(parents=True, exist_ok=True)
        parts = {"module.weight": words, "module.scales": scales, "module.biases": biases}
        mx.save_safetensors(str(folder / "model.safetensors"), parts)
        settings = {"group_size": size, "bits": bits, "mode": "affine"}
        (folder / "config.json").write_text(json.dumps({"quantization": settings}) + "\n")
        floats = [part.astype(mx.float32) for part in (scales, biases)]
        found = mx.dequantize(words, *floats, group_size=size, bits=bits)
        np.save(folder / "decompressed.npy", np.array(found))
    for mode, bits, size in FLOAT_SCHEMES:
        scheme: dict[str, Any] = {"group_size": size, "bits": bits, "mode": mode}
        words, scales = mx.quantize(mx.random.normal(SHAPE, key=mx.random.key(bits)), **scheme)
        folder = OUT / mode
        folder.mkdir(parents=True, exist_ok=True)
        mx.save_safetensors(
            str(folder / "model.safetensors"), {"module.weight": words, "module.scales": scales}
        )
        (folder / "config.json").write_text(json.dumps({"quantization": scheme}) + "\n")
        found = mx.dequantize(words, scales, **scheme, dtype=mx.float32)
        np.save(folder / "decompressed.npy", np.array(found))


if __name__ == "__main__":
    main()
