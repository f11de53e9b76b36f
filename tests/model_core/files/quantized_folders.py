"""Model folders in the formats of other programs, written from the definitions of the formats, plainly.

`write_folder(kind, folder)` quantizes a tiny checkpoint. Beside it, the folder `<name>-floats` has the
numbers that the weights stand for, as float32.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from paths import CHECKPOINTS

from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors

Tensors = dict[str, np.ndarray]
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
GROUP = 16


def pack(values: np.ndarray, bits: int) -> np.ndarray:
    """Integers [rows, count] -> int32 [rows, words], without gaps: each row is one long number."""
    words = -(-values.shape[1] * bits // 32)
    rows = [sum(int(value) << bits * i for i, value in enumerate(row)) for row in values]
    return np.array([np.frombuffer(row.to_bytes(4 * words, "little"), np.int32) for row in rows])


def pack_padded(values: np.ndarray, bits: int) -> np.ndarray:
    """The same with 32 // bits integers in each word."""
    each = 32 // bits
    starts = range(0, values.shape[1], each)
    return np.concatenate([pack(values[:, start : start + each], bits) for start in starts], axis=1)


def choose(
    weight: np.ndarray, bits: int, group: int, symmetric: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Round weights [n, k] to integers from 0 to 2^bits - 1, with float16 scales and zeros [n, groups]."""
    n, k = weight.shape
    codes, scales, zeros = np.zeros((n, k), int), [], []
    for start in range(0, k, group):
        part = weight[:, start : start + group]
        high, low = np.maximum(part.max(axis=1), 0), np.minimum(part.min(axis=1), 0)
        if symmetric:
            scale = np.maximum(high, -low) / (2 ** (bits - 1) - 1)
            zero = np.full(n, 2 ** (bits - 1))
        else:
            scale = (high - low) / (2**bits - 1)
            zero = np.rint(-low / scale).astype(int)
        scale = scale.astype(np.float16)
        scaled = np.rint(part / scale[:, None].astype(np.float32)) + zero[:, None]
        codes[:, start : start + group] = np.clip(scaled, 0, 2**bits - 1)
        scales.append(scale)
        zeros.append(zero)
    return codes, np.stack(scales, axis=1), np.stack(zeros, axis=1)


def meaning(codes: np.ndarray, scales: np.ndarray, zeros: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(code - zero) * scale, where column j is in the group groups[j]."""
    return ((codes - zeros[:, groups]) * scales[:, groups].astype(np.float64)).astype(np.float32)


def gptq(
    bits: int = 4,
    version: int = 1,
    symmetric: bool = True,
    group: int = GROUP,
    reorders: bool = False,
    has_index: bool = True,
) -> Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]:
    def write(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
        k = weight.shape[1]
        size = k if group < 0 else group
        order = np.random.default_rng(k).permutation(k) if reorders else np.arange(k)
        codes, scales, zeros = choose(weight[:, order], bits, size, symmetric)
        groups = np.empty(k, np.int32)
        groups[order] = np.arange(k) // size
        natural = np.empty_like(codes)
        natural[:, order] = codes
        tensors = {
            f"{module}.qweight": pack(natural, bits).T,
            f"{module}.qzeros": pack((zeros.T - (version == 1)) % 2**bits, bits),
            f"{module}.scales": scales.T,
        }
        if has_index:
            tensors[f"{module}.g_idx"] = groups
        return tensors, meaning(natural, scales, zeros, groups)

    return write


def awq(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
    codes, scales, zeros = choose(weight, 4, GROUP, symmetric=False)
    places = [0, 2, 4, 6, 1, 3, 5, 7]  # the output of each place in a word, from the lowest bits

    def pack_outputs(rows: np.ndarray) -> np.ndarray:
        return pack(rows.reshape(len(rows), -1, 8)[:, :, places].reshape(rows.shape), 4)

    tensors = {
        f"{module}.qweight": pack_outputs(codes.T),
        f"{module}.qzeros": pack_outputs(zeros.T),
        f"{module}.scales": scales.T,
    }
    return tensors, meaning(codes, scales, zeros, np.arange(weight.shape[1]) // GROUP)


def packed(
    bits: int = 4, symmetric: bool = True, group: int = GROUP, reorders: bool = False, padded: bool = False
) -> Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]:
    """compressed-tensors, pack-quantized."""

    def write(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
        (_, k), pack_rows = weight.shape, pack_padded if padded else pack
        size = k if group < 0 else group
        order = np.random.default_rng(k).permutation(k) if reorders else np.arange(k)
        codes, scales, zeros = choose(weight[:, order], bits, size, symmetric)
        groups = np.empty(k, np.int32)
        groups[order] = np.arange(k) // size
        natural = np.empty_like(codes)
        natural[:, order] = codes
        tensors = {
            f"{module}.weight_packed": pack_rows(natural, bits),
            f"{module}.weight_scale": scales,
            f"{module}.weight_shape": np.array(weight.shape, np.int64),
        }
        if not symmetric:
            tensors[f"{module}.weight_zero_point"] = pack_rows(zeros.T, bits).T
        if reorders:
            tensors[f"{module}.weight_g_idx"] = groups
        return tensors, meaning(natural, scales, zeros, groups)

    return write


def integers(
    group: int = -1, symmetric: bool = True
) -> Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]:
    """compressed-tensors, int-quantized."""

    def write(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
        size = weight.shape[1] if group < 0 else group
        codes, scales, zeros = choose(weight, 8, size, symmetric)
        tensors = {
            f"{module}.weight": (codes - 128).astype(np.int8),
            f"{module}.weight_scale": scales.astype(ml_dtypes.bfloat16),
        }
        if not symmetric:
            tensors[f"{module}.weight_zero_point"] = (zeros - 128).astype(np.int8)
        scales = tensors[f"{module}.weight_scale"].astype(np.float32)
        return tensors, meaning(codes, scales, zeros, np.arange(weight.shape[1]) // size)

    return write


def float8(
    block: tuple[int, int], scale_name: str = "weight_scale_inv", scale_type: Any = np.float32
) -> Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]:
    """float8 with a scale for each block; a size of 0 is all of the rows or columns."""

    def write(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
        n, k = weight.shape
        rows, columns = block[0] or n, block[1] or k
        numbers, floats = np.zeros((n, k), ml_dtypes.float8_e4m3fn), np.zeros((n, k), np.float32)
        scales = np.zeros((-(-n // rows), -(-k // columns)), scale_type)
        for i in range(len(scales)):
            for j in range(scales.shape[1]):
                place = slice(i * rows, (i + 1) * rows), slice(j * columns, (j + 1) * columns)
                scales[i, j] = np.abs(weight[place]).max() / 448
                scale = scales[i, j].astype(np.float32)
                numbers[place] = np.clip(weight[place] / scale, -448, 448)
                floats[place] = numbers[place].astype(np.float32) * scale
        scales = scales.reshape(1) if block == (0, 0) else scales
        inputs = {f"{module}.input_scale": np.ones(1, np.float32)}  # of activations
        return {f"{module}.weight": numbers, f"{module}.{scale_name}": scales, **inputs}, floats

    return write


def float4(group: int, reorders: bool = False) -> Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]:
    """compressed-tensors: MXFP4 with groups of 32, NVFP4 with groups of 16."""

    def write(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
        n, k = weight.shape
        order = np.random.default_rng(k).permutation(k) if reorders else np.arange(k)
        weight = weight[:, order]
        peaks = np.abs(np.pad(weight, ((0, 0), (0, -k % group))).reshape(n, -1, group)).max(axis=-1)
        tensors: Tensors = {}
        if group == 32:
            exponents = np.ceil(np.log2(peaks / 6)).astype(int)
            scales = 2.0**exponents
            tensors[f"{module}.weight_scale"] = (exponents + 127).astype(np.uint8)
        else:
            divisor = np.float32(448 * 6 / peaks.max())
            stored = (peaks / 6 * divisor).astype(ml_dtypes.float8_e4m3fn)
            scales = stored.astype(np.float32) / divisor
            tensors[f"{module}.weight_scale"] = stored
            tensors[f"{module}.weight_global_scale"] = np.array([divisor])
        columns = np.repeat(scales, group, axis=1)[:, :k].astype(np.float32)
        codes = np.abs(weight[..., None] / columns[..., None] - E2M1).argmin(axis=-1)
        place = np.argsort(order)  # of each input among the sorted columns
        if reorders:
            tensors[f"{module}.weight_g_idx"] = (place // group).astype(np.int32)
        codes, columns = codes[:, place], columns[:, place]
        tensors[f"{module}.weight_packed"] = (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8)
        return tensors, E2M1[codes] * columns

    return write


def mlx(
    bits: int = 4, kind: type = ml_dtypes.bfloat16, mixed: dict[str, int] | None = None
) -> Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]:
    """`mixed`: the bits of single modules."""

    def write(module: str, weight: np.ndarray) -> tuple[Tensors, np.ndarray]:
        width = (mixed or {}).get(module, bits)
        groups = weight.reshape(len(weight), -1, GROUP)
        low, high = groups.min(axis=2), groups.max(axis=2)
        scales = ((high - low) / (2**width - 1)).astype(kind)
        biases = low.astype(kind)
        wide_scales, wide_biases = (x.astype(np.float64)[..., None] for x in (scales, biases))
        codes = np.clip(np.rint((groups - wide_biases) / wide_scales), 0, 2**width - 1).astype(int)
        words = pack(codes.reshape(weight.shape), width).view(np.uint32)
        tensors = {f"{module}.weight": words, f"{module}.scales": scales, f"{module}.biases": biases}
        return tensors, (codes * wide_scales + wide_biases).reshape(weight.shape).astype(np.float32)

    return write


def scheme(layout: str, bits: int, kind: str = "int", **others: Any) -> dict[str, Any]:
    """The quantization_config of compressed-tensors."""
    weights = {"num_bits": bits, "type": kind, "symmetric": True, "strategy": "group", **others}
    return {
        "quant_method": "compressed-tensors",
        "format": layout,
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}},
        "ignore": ["lm_head"],
    }


MIXED = "model.layers.0.self_attn.v_proj"
GPTQ_3 = {"quant_method": "gptq", "bits": 3}
# kind -> quantization_config, and what writes a module
KINDS: dict[str, tuple[dict[str, Any], Callable[[str, np.ndarray], tuple[Tensors, np.ndarray]]]] = {
    "gptq-4": ({"quant_method": "gptq", "bits": 4}, gptq()),
    "gptq-4-asymmetric": ({"quant_method": "gptq", "bits": 4}, gptq(symmetric=False)),
    "gptq-4-order": ({"quant_method": "gptq", "bits": 4, "desc_act": True}, gptq(reorders=True)),
    "gptq-4-channel": ({"quant_method": "gptq", "bits": 4, "group_size": -1}, gptq(group=-1)),
    "gptq-4-no-index": ({"quant_method": "gptq", "bits": 4}, gptq(has_index=False)),
    "gptq-v2": (
        {"quant_method": "gptq", "bits": 4, "checkpoint_format": "gptq_v2"},
        gptq(version=2, symmetric=False),
    ),
    "gptq-2": ({"quant_method": "gptq", "bits": 2}, gptq(bits=2, symmetric=False)),
    "gptq-3": (GPTQ_3, gptq(bits=3, symmetric=False)),
    "gptq-8": ({"quant_method": "gptq", "bits": 8}, gptq(bits=8)),
    "gptq-8-asymmetric": ({"quant_method": "gptq", "bits": 8}, gptq(bits=8, symmetric=False, reorders=True)),
    "awq": ({"quant_method": "awq", "bits": 4, "version": "gemm"}, awq),
    "mlx-4": ({"bits": 4, "group_size": GROUP, "mode": "affine"}, mlx()),
    "mlx-2": ({"bits": 2, "group_size": GROUP}, mlx(2, np.float16)),
    "mlx-6": ({"bits": 6, "group_size": GROUP}, mlx(6, np.float16)),
    "mlx-mixed": (
        {"bits": 4, "group_size": GROUP, MIXED: {"bits": 8, "group_size": GROUP}, "lm_head": False},
        mlx(mixed={MIXED: 8}),
    ),
    "packed-4": (scheme("pack-quantized", 4, group_size=GROUP), packed()),
    "packed-4-asymmetric": (
        scheme("pack-quantized", 4, group_size=GROUP, symmetric=False),
        packed(symmetric=False),
    ),
    "packed-4-order": (scheme("pack-quantized", 4, actorder="group"), packed(reorders=True)),
    "packed-4-channel": (scheme("pack-quantized", 4, strategy="channel"), packed(group=-1)),
    "packed-3": (scheme("pack-quantized", 3), packed(bits=3, symmetric=False)),
    "packed-3-padded": (
        scheme("pack-quantized", 3) | {"version": "0.17.0"},
        packed(bits=3, symmetric=False, padded=True),
    ),
    "packed-5": (scheme("pack-quantized", 5), packed(bits=5, symmetric=False)),
    "packed-6": (scheme("pack-quantized", 6), packed(bits=6)),
    "packed-8": (scheme("pack-quantized", 8), packed(bits=8)),
    "packed-8-asymmetric": (scheme("pack-quantized", 8, symmetric=False), packed(bits=8, symmetric=False)),
    "int8": (scheme("int-quantized", 8, strategy="channel"), integers()),
    "int8-asymmetric": (scheme("int-quantized", 8, strategy="channel"), integers(symmetric=False)),
    "int8-group": (scheme("naive-quantized", 8), integers(group=GROUP, symmetric=False)),
    "float8-channel": (
        scheme("float-quantized", 8, "float", strategy="channel"),
        float8((1, 0), "weight_scale", ml_dtypes.bfloat16),
    ),
    "float8-group": (scheme("naive-quantized", 8, "float"), float8((1, GROUP), "weight_scale")),
    "float8-block-scheme": (
        scheme("float-quantized", 8, "float", strategy="block", block_structure=[16, 16]),
        float8((16, 16), "weight_scale"),
    ),
    "mxfp4-packed": (scheme("mxfp4-pack-quantized", 4, "float", group_size=32), float4(32)),
    "nvfp4-packed": (scheme("nvfp4-pack-quantized", 4, "float", group_size=16), float4(16)),
    "nvfp4-packed-order": (
        scheme("nvfp4-pack-quantized", 4, "float", group_size=16, actorder="group"),
        float4(16, reorders=True),
    ),
    "fp8-block": ({"quant_method": "fp8", "weight_block_size": [16, 16]}, float8((16, 16))),
    "fp8-power-block": (
        {"quant_method": "fp8", "weight_block_size": [32, 32], "scale_fmt": "ue8m0"},
        float8((32, 32), scale_type=ml_dtypes.float8_e8m0fnu),
    ),
    "fp8-tensor": ({"quant_method": "fp8"}, float8((0, 0), "weight_scale")),
    "fbgemm": ({"quant_method": "fbgemm_fp8"}, float8((1, 0), "weight_scale")),
}


def write_folder(kind: str, folder: Path, source: Path = CHECKPOINTS / "llama-biases") -> Path:
    """Write the quantized copy of a checkpoint to a new folder. Returns the folder of what it stands for."""
    settings, write = KINDS[kind]
    checkpoint, floats = Checkpoint(source), folder.with_name(f"{folder.name}-floats")
    tensors: Tensors = {}
    plain: Tensors = {}
    for name in checkpoint.unread():
        array = np.array(checkpoint[name])
        # One module stays as it is.
        is_embedding = kind.startswith("mlx") and name.endswith("embed_tokens.weight")
        if is_embedding or (name.endswith("_proj.weight") and "layers.1.mlp.up" not in name):
            parts, plain[name] = write(name.removesuffix(".weight"), array.astype(np.float32))
            tensors |= parts
        else:
            tensors[name] = plain[name] = array
    return _write(folder, source, tensors, settings, floats, plain)


def write_mxfp4_folder(folder: Path) -> Path:
    """gpt-oss with some weights of experts in MXFP4. Returns the folder of what it stands for."""
    source, floats = CHECKPOINTS / "gpt-oss", folder.with_name(f"{folder.name}-floats")
    checkpoint = Checkpoint(source)
    tensors: Tensors = {}
    plain: Tensors = {}
    for name in checkpoint.unread():
        array = np.array(checkpoint[name])
        tensors[name] = plain[name] = array
        if name.endswith("gate_up_proj"):
            del tensors[name]
            weights = array.swapaxes(1, 2).astype(np.float32)  # [experts, out, in]
            experts, n, k = weights.shape
            groups = weights.reshape(experts, n, k // 32, 32)
            exponents = np.ceil(np.log2(np.abs(groups).max(axis=-1) / 6)).astype(int)
            scaled = groups / 2.0 ** exponents[..., None]
            codes = np.abs(scaled[..., None] - E2M1).argmin(axis=-1)
            tensors[f"{name}_blocks"] = (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8)
            tensors[f"{name}_scales"] = (exponents + 127).astype(np.uint8)
            values = (E2M1[codes] * 2.0 ** exponents[..., None]).reshape(weights.shape)
            plain[name] = values.swapaxes(1, 2).astype(np.float32)
    settings = {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}
    return _write(folder, source, tensors, settings, floats, plain)


def _write(
    folder: Path, source: Path, tensors: Tensors, settings: dict[str, Any], floats: Path, plain: Tensors
) -> Path:
    key = "quantization_config" if "quant_method" in settings else "quantization"
    for target, arrays, added in ((folder, tensors, {key: settings}), (floats, plain, {})):
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.npz", "*.safetensors"))
        config = json.loads((target / "config.json").read_text())
        (target / "config.json").write_text(json.dumps(config | added))
        arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        write_safetensors(target / "model.safetensors", arrays)
    return floats
