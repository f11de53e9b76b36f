"""Write a checkpoint in the quantized formats of the hub, as the programs that make such files lay them out.

All projections are quantized by rounding, with groups of 128 or blocks of 128 by 128, the usual sizes.
Embeddings, norms and the head stay as they are.
"""

import json
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np

from model_core.files.safetensors import write_safetensors

from .checkpoints import read_config, read_tensors, to_float32

GROUP = 128
AWQ_PLACES = (0, 2, 4, 6, 1, 3, 5, 7)  # the output of each place in a word, from the lowest bits
Tensors = dict[str, np.ndarray]


def pack_words(codes: np.ndarray, places: tuple[int, ...] = tuple(range(8))) -> np.ndarray:
    """Codes of 4 bits [rows, columns] as words of 8 columns: int32 [rows, columns / 8]."""
    words = np.zeros((len(codes), codes.shape[1] // 8), np.uint32)
    for shift, place in enumerate(places):
        words |= codes[:, place::8].astype(np.uint32) << np.uint32(4 * shift)
    return words.view(np.int32)


def round_groups(weight: np.ndarray, symmetric: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes uint8 [n, k], scales float16 and zeros uint8 [n, groups] of weights [n, k]."""
    groups = weight.reshape(len(weight), -1, GROUP)
    if symmetric:
        scales = (np.abs(groups).max(axis=2) / 7).astype(np.float16)
        zeros = np.full(scales.shape, 8, np.uint8)
    else:
        low, high = np.minimum(groups.min(axis=2), 0), np.maximum(groups.max(axis=2), 0)
        scales = ((high - low) / 15).astype(np.float16)
        zeros = np.clip(np.rint(-low / scales), 0, 15).astype(np.uint8)
    codes = np.rint(groups / scales[..., None].astype(np.float32)) + zeros[..., None]
    return np.clip(codes, 0, 15).astype(np.uint8).reshape(weight.shape), scales, zeros


def write_gptq(module: str, weight: np.ndarray) -> Tensors:
    """GPTQ's tensors of a module."""
    codes, scales, zeros = round_groups(weight, symmetric=True)
    return {
        f"{module}.qweight": pack_words(codes).T,
        f"{module}.qzeros": pack_words((zeros - 1).T),
        f"{module}.scales": scales.T,
    }


def write_awq(module: str, weight: np.ndarray) -> Tensors:
    """AWQ's tensors of a module, in the layout `gemm`."""
    codes, scales, zeros = round_groups(weight, symmetric=False)
    return {
        f"{module}.qweight": pack_words(codes.T, AWQ_PLACES),
        f"{module}.qzeros": pack_words(zeros.T, AWQ_PLACES),
        f"{module}.scales": scales.T,
    }


def write_packed(module: str, weight: np.ndarray) -> Tensors:
    """The tensors of compressed-tensors' `pack-quantized`."""
    codes, scales, _ = round_groups(weight, symmetric=True)
    return {
        f"{module}.weight_packed": pack_words(codes),
        f"{module}.weight_scale": scales,
        f"{module}.weight_shape": np.array(weight.shape, np.int64),
    }


def write_fp8(module: str, weight: np.ndarray) -> Tensors:
    """E4M3 with a scale for each block."""
    n, k = weight.shape
    blocks = weight.reshape(n // GROUP, GROUP, k // GROUP, GROUP)
    scales = np.abs(blocks).max(axis=(1, 3)) / 448
    numbers = (blocks / scales[:, None, :, None]).reshape(n, k).astype(ml_dtypes.float8_e4m3fn)
    return {f"{module}.weight": numbers, f"{module}.weight_scale_inv": scales}


_PACKED_WEIGHTS = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": GROUP}
# name -> quantization_config, and what writes a module
FORMATS: dict[str, tuple[dict, Callable[[str, np.ndarray], Tensors]]] = {
    "gptq": ({"quant_method": "gptq", "bits": 4, "group_size": GROUP, "sym": True}, write_gptq),
    "awq": ({"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm"}, write_awq),
    "packed": (
        {
            "quant_method": "compressed-tensors",
            "format": "pack-quantized",
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": _PACKED_WEIGHTS}},
            "ignore": ["lm_head"],
        },
        write_packed,
    ),
    "fp8": ({"quant_method": "fp8", "weight_block_size": [GROUP, GROUP]}, write_fp8),
}


def write_format(name: str, checkpoint: Path, folder: Path) -> None:
    """Write a checkpoint that write_checkpoint wrote in one of FORMATS."""
    settings, write = FORMATS[name]
    tensors: Tensors = {}
    for key, values in read_tensors(checkpoint):
        if key.endswith("_proj.weight"):
            tensors |= write(key.removesuffix(".weight"), to_float32(values))
        else:
            tensors[key] = values.view(ml_dtypes.bfloat16) if values.dtype == np.uint16 else values
    config = read_config(checkpoint) | {"quantization_config": settings}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_safetensors(
        folder / "model.safetensors", {key: np.ascontiguousarray(value) for key, value in tensors.items()}
    )
