"""Quantized folders of other programs: what is read is what the definitions say."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quantized_folders import CHECKPOINTS, KINDS, write_folder, write_mxfp4_folder

from model_core import LLM
from model_core.checks.file_values import read_json
from model_core.errors import ModelError
from model_core.families import read_model_config, write_tape
from model_core.families.config import write_json
from model_core.files.checkpoint import Checkpoint
from model_core.files.model_files import open_model_files
from model_core.files.safetensors import SafetensorsFolder, write_safetensors
from model_core.kernels.layout import FLOAT8, GROUPED4, GROUPED8, INT4, INT8
from model_core.quantizing.calibrate import quantize_layers

DATA = CHECKPOINTS.parent
OTHERS = sorted(
    folder
    for name in ("auto-round", "hqq", "modelopt", "quark", "torchao")
    for folder in (DATA / name).iterdir()
)
NF4, BITNET = DATA / "bitsandbytes" / "nf4", DATA / "bitnet" / "auto"
PROMPT = [3, 14, 15, 9, 26, 5, 35, 8, 9, 7, 9, 32, 38, 46, 26, 43]


def write(kind: str, folder: Path) -> Path:
    return write_mxfp4_folder(folder) if kind == "mxfp4" else write_folder(kind, folder)


def read_tensors(folder: Path) -> dict[str, np.ndarray]:
    stored = SafetensorsFolder(folder)
    return {name: np.array(stored[name]) for name in stored}


@pytest.mark.parametrize("kind", [*KINDS, "mxfp4"])
def test_weights_are_what_the_definition_says(tmp_path: Path, kind: str) -> None:
    floats = Checkpoint(write(kind, tmp_path / "model"))
    source = open_model_files(tmp_path / "model").open_tensors()
    quantized = 0
    for name in floats.unread():
        assert name in source and source.shape(name) == floats.shape(name)
        expected, codes = floats[name], source.codes(name)
        weights = source[name]
        if codes is not None:
            quantized += 1
            if kind == "mxfp4":
                weights = weights.swapaxes(1, 2)
        np.testing.assert_allclose(weights, expected, rtol=2e-7, atol=1e-12)
    assert quantized >= 2
    assert source.unread() == []


@pytest.mark.parametrize("kind", [*KINDS, "mxfp4"])
def test_answers_are_those_of_the_same_numbers(tmp_path: Path, kind: str) -> None:
    floats = write(kind, tmp_path / "model")
    with LLM(floats, weights="float32", arithmetic="float32") as reference:
        expected = reference.logits(PROMPT)
    with LLM(tmp_path / "model") as llm:
        assert divergence(expected, llm.logits(PROMPT)) < 0.02
        kinds = {matrix.kind for matrix in llm.model.weights.matrices.values()}
        assert kinds & {INT8, INT4, GROUPED8, GROUPED4, FLOAT8}
    with LLM(tmp_path / "model", arithmetic="float32") as exact:
        np.testing.assert_allclose(exact.logits(PROMPT), expected, atol=1e-4, rtol=0)


def divergence(expected: np.ndarray, logits: np.ndarray) -> float:
    """The mean Kullback-Leibler divergence of next-token distributions, in nats."""
    p, q = (x - np.log(np.exp(x).sum(axis=-1, keepdims=True)) for x in (expected, logits))
    return float((np.exp(p) * (p - q)).sum(axis=-1).mean())


@pytest.mark.parametrize("folder", sorted((DATA / "compressed-tensors").iterdir()), ids=lambda f: f.name)
def test_weights_are_what_compressed_tensors_reads(folder: Path) -> None:
    """The library wrote these files (tests/helpers/makers/make_quantized.py)."""
    source = Checkpoint(folder, read_json(folder / "config.json")["quantization_config"])
    assert source.codes("module.weight") is not None
    expected = np.load(folder / "decompressed.npy")
    np.testing.assert_allclose(source["module.weight"], expected, rtol=1e-6, atol=1e-7)
    assert source.unread() == []


@pytest.mark.parametrize("folder", sorted((DATA / "mlx").iterdir()), ids=lambda f: f.name)
def test_weights_are_what_mlx_reads(folder: Path) -> None:
    """MLX wrote these files (tests/helpers/makers/make_mlx.py)."""
    settings = {"quant_method": "mlx"} | read_json(folder / "config.json")["quantization"]
    source = Checkpoint(folder, settings)
    assert source.codes("module.weight") is not None
    expected = np.load(folder / "decompressed.npy")
    np.testing.assert_allclose(source["module.weight"], expected, rtol=1e-6, atol=1e-6)
    assert source.unread() == []


@pytest.mark.parametrize(("kind", "tolerance"), [("nf4", 0.0039), ("fp4", 0.0033), ("int8", 1e-6)])
def test_weights_and_answers_are_those_of_bitsandbytes(kind: str, tolerance: float) -> None:
    """Transformers wrote these folders (tests/helpers/makers/make_bitsandbytes.py)."""
    folder = DATA / "bitsandbytes" / kind
    source = open_model_files(folder).open_tensors()
    expected = np.load(folder / "expected.npz")
    for name in expected.files:
        if name.endswith(".weight"):
            weights, exact = source[name], expected[name]
            assert weights.shape == exact.shape
            blocks, found = exact.reshape(-1, 64), weights.reshape(-1, 64)
            peaks = np.abs(blocks).max(axis=1, keepdims=True)
            assert (np.abs(found - blocks) <= tolerance * peaks * 1.001).all()
    with LLM(folder, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert divergence(expected["logits"], logits) < 1e-3


@pytest.mark.parametrize("folder", OTHERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_weights_and_answers_are_those_of_other_programs(folder: Path) -> None:
    """These wrote the folders (tests/helpers/makers: make_auto_round.py and its like)."""
    source = open_model_files(folder).open_tensors()
    expected = np.load(folder / "expected.npz")
    for name in expected.files:
        if name.endswith(".weight"):
            assert source.codes(name) is not None
            np.testing.assert_allclose(source[name], expected[name], rtol=1e-5, atol=1e-6)
    with LLM(folder, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    np.testing.assert_allclose(logits, expected["logits"], atol=1e-4, rtol=0)


@pytest.mark.parametrize(
    ("folder", "part", "value", "expected"),
    [
        (NF4, "weight", np.zeros((9, 1), np.uint8), "has 9 bytes, which do not hold"),
        (NF4, "weight.absmax", np.zeros(7, np.uint8), r"absmax is \[7\], but should be \[32\]"),
        (NF4, "weight.quant_map", np.zeros(16, np.float32), "quant_map should have finite numbers"),
        (NF4, "weight.quant_state.bitsandbytes__nf4", np.zeros(3, np.uint8), "should be JSON"),
        (
            NF4,
            "weight.quant_state.bitsandbytes__nf4",
            np.frombuffer(b'{"shape": [32, 0], "blocksize": 64}', np.uint8),
            "should have two positive numbers",
        ),
        (BITNET, "weight", np.full((8, 64), 0b11, np.uint8), "has other weights than -1, 0 and 1"),
        (BITNET, "weight_scale", np.zeros(1, np.float32), "is 0.0, but should be positive"),
        (BITNET, "weight_scale", np.ones(2, np.float32), r"weight_scale is \[2\], but should be \[1\]"),
    ],
)
def test_damaged_weights_of_other_programs_are_named(
    tmp_path: Path, folder: Path, part: str, value: np.ndarray, expected: str
) -> None:
    tensors = read_tensors(folder)
    tensors["model.layers.0.self_attn.k_proj." + part] = value
    write_safetensors(tmp_path / "model.safetensors", tensors)
    shutil.copy(folder / "config.json", tmp_path)
    with pytest.raises(ModelError, match=expected):
        LLM(tmp_path)


@pytest.mark.parametrize("kind", ["auto", "divided", "online"])
def test_weights_and_answers_are_those_of_bitnet(kind: str) -> None:
    """Transformers computed with these folders (tests/helpers/makers/make_bitnet.py).

    It rounds activations as kernels do, until one falls on the other side of a half.
    """
    folder = DATA / "bitnet" / kind
    source = open_model_files(folder).open_tensors()
    expected = np.load(folder / "expected.npz")
    for name in expected.files:
        if name.endswith(".weight"):
            np.testing.assert_allclose(source[name], expected[name], rtol=1e-6)
    with LLM(folder, kv_cache_dtype="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
        assert INT4 in {matrix.kind for matrix in llm.model.weights.matrices.values()}
    first = slice(None, 6)
    error = np.linalg.norm(logits[first] - expected["logits"][first])
    assert error < 1e-5 * np.linalg.norm(expected["logits"][first])
    assert divergence(expected["logits"], logits) < 1e-3


@pytest.mark.parametrize("kind", ["packed-4-order", "mxfp4"])
def test_quantized_models_can_be_quantized_again(tmp_path: Path, kind: str) -> None:
    """GPTQ reads the same numbers from quantized weights as from floats."""
    floats = write(kind, tmp_path / "model")
    chosen = []
    for folder in (tmp_path / "model", floats):
        files = open_model_files(folder)
        tape = write_tape(read_model_config(folder, files.config))
        chosen.append(dict(quantize_layers(tape, files.open_tensors(), [PROMPT * 4])))
    for label, codes in chosen[1].items():
        np.testing.assert_array_equal(chosen[0][label].codes, codes.codes)


def list_warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The warnings so far, but for the one that these models have no tokenizer."""
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    return [message for message in warnings if "has no tokenizer" not in message]


def test_rounding_again_says_what_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write("gptq-4", tmp_path / "model")
    with LLM(tmp_path / "model", weights="int8"):
        [message] = list_warnings(caplog)
    match = re.search(r"rounded to int8, with a relative error of 0\.00\d+; --weights auto", message)
    assert match and str(tmp_path / "model") in message


def test_experts_with_columns_in_another_order_are_floats_and_a_line_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    floats = write_folder("gptq-4-order", tmp_path / "model", CHECKPOINTS / "qwen3-moe")
    with LLM(floats, weights="float32", arithmetic="float32") as reference:
        expected = reference.logits(PROMPT)
    with LLM(tmp_path / "model", arithmetic="float32") as llm:
        np.testing.assert_allclose(llm.logits(PROMPT), expected, atol=1e-4, rtol=0)
    [message] = list_warnings(caplog)
    assert re.search(
        r"different orders \(desc_act\).* float32, and take .* GiB instead of .* --weights", message
    )


Change = Callable[[dict[str, np.ndarray]], object]
MODULE = "model.layers.0.self_attn.q_proj"
DAMAGES: dict[str, tuple[str, Change, str]] = {
    "no scales": ("gptq-4", lambda t: t.pop(f"{MODULE}.scales"), r"no tensor .*q_proj\.scales"),
    "scales are integers": (
        "gptq-4",
        lambda t: t.update({f"{MODULE}.scales": np.ones((2, 32), np.int32)}),
        r"q_proj\.scales is int32",
    ),
    "too few groups": (
        "gptq-4",
        lambda t: t.update({f"{MODULE}.scales": t[f"{MODULE}.scales"][:1]}),
        "q_proj",
    ),
    "other zeros": (
        "gptq-4",
        lambda t: t.update({f"{MODULE}.qzeros": t[f"{MODULE}.qzeros"][:, :2]}),
        r"q_proj\.qzeros is \[2, 2\], but should be \[2, 4\]",
    ),
    "group beyond all": (
        "gptq-4-order",
        lambda t: t.update({f"{MODULE}.g_idx": t[f"{MODULE}.g_idx"] + 1}),
        r"q_proj\.g_idx names other groups than 0 to 1",
    ),
    "groups of unequal sizes": (
        "packed-4-order",
        lambda t: t[f"{MODULE}.weight_g_idx"].__setitem__(slice(3, 12), 1),
        r"q_proj\.weight_g_idx has groups of unequal sizes",
    ),
    "other shape": (
        "packed-4",
        lambda t: t[f"{MODULE}.weight_shape"].__setitem__(1, 10**12),
        r"q_proj\.weight_packed is \[32, 4\], which cannot hold",
    ),
    "words of another size": (
        "packed-4",
        lambda t: t[f"{MODULE}.weight_shape"].__setitem__(1, 24),
        r"q_proj\.weight_packed has 4 columns, which do not hold 24 integers of 4 bits",
    ),
    "no shape": ("packed-4", lambda t: t.pop(f"{MODULE}.weight_shape"), "weight_shape"),
    "bits that are not those of the words": (
        "mlx-4",
        lambda t: t.update({f"{MODULE}.weight": t[f"{MODULE}.weight"][:, :3]}),
        r"q_proj\.weight has 3 columns, which do not hold 32 integers of 4 bits",
    ),
    "no biases": ("mlx-4", lambda t: t.pop(f"{MODULE}.biases"), r"q_proj\.biases"),
    "half an output": (
        "awq",
        lambda t: t.update({f"{MODULE}.qweight": t[f"{MODULE}.qweight"][:, :3]}),
        r"q_proj\.scales is \[2, 32\], but should be \[any, 24\]",
    ),
    "blocks that do not fit": (
        "fp8-block",
        lambda t: t.update({f"{MODULE}.weight_scale_inv": np.ones((3, 3), np.float32)}),
        r"q_proj\.weight_scale_inv is \[3, 3\], which does not fit \[32, 32\]",
    ),
    "no scale": ("fp8-tensor", lambda t: t.pop(f"{MODULE}.weight_scale"), "weight_scale"),
    "scales of experts": (
        "mxfp4",
        lambda t: t.update({f"{EXPERTS}_scales": t[f"{EXPERTS}_scales"][:, :, :0]}),
        r"gate_up_proj_scales is \[6, 40, 0\], but should be \[6, 40, 1\]",
    ),
    "a tensor too many": (
        "awq",
        lambda t: t.update({f"{MODULE}.bias2": np.ones(32, np.float32)}),
        r"does not use: .*bias2",
    ),
}
EXPERTS = "model.layers.0.mlp.experts.gate_up_proj"


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named(tmp_path: Path, name: str) -> None:
    kind, damage, expected = DAMAGES[name]
    write(kind, tmp_path / "model")
    tensors = read_tensors(tmp_path / "model")
    damage(tensors)
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    write_safetensors(tmp_path / "model" / "model.safetensors", tensors)
    with pytest.raises(ModelError, match=expected) as raised:
        LLM(tmp_path / "model")
    message = str(raised.value)
    assert len(message.splitlines()) == 1 and len(message) < 500


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"quant_method": "eetq"}, "'eetq' are not supported"),
        ({"quant_method": "bitsandbytes", "llm_int8_has_fp16_weight": True}, "llm_int8_has_fp16_weight"),
        ({"quant_method": "bitnet", "use_rms_norm": True}, "use_rms_norm"),
        ({"quant_method": "bitnet", "linear_class": "linear"}, "linear_class 'linear' with"),
        ({"quant_method": "gptq", "checkpoint_format": "marlin"}, "'marlin' is not supported"),
        ({"quant_method": "awq", "version": "gemv"}, "'gemv' is not supported, only gemm"),
        ({"quant_method": "awq", "bits": 8}, "bits is 8"),
        ({"quant_method": "mlx", "bits": 4, "group_size": 32, "mode": "mxfp5"}, "mode is 'mxfp5'"),
        ({"quant_method": "mlx", "bits": 4, "group_size": 16, "mode": "mxfp4"}, "which MLX does not have"),
        ({"quant_method": "mlx", "bits": 7, "group_size": 32}, "bits is 7, not one of"),
        ({"quant_method": "fp8", "weight_block_size": [0, 128]}, "weight_block_size"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4_AWQ"}, "quant_algo is 'NVFP4_AWQ', but only"),
        (
            {
                "quant_method": "modelopt",
                "quant_algo": "MIXED_PRECISION",
                "quantized_layers": {"a": {"quant_algo": "FP8"}, "b": {"quant_algo": "W4A16_AWQ"}},
            },
            "quant_algo is 'W4A16_AWQ', but only",
        ),
        (
            {"quant_method": "auto-round", "packing_format": "auto_round:marlin"},
            "AutoRound in the layout 'auto_round:marlin' with 'int' is not supported",
        ),
        ({"quant_method": "quark", "algo_config": [{"name": "rotation"}]}, "Quark has rotated"),
        ({"quant_method": "quark", "export": {"pack_method": "order"}}, "pack_method is 'order'"),
        ({"quant_method": "auto-round", "backend": "auto_round:exllamav2"}, "'auto_round:exllamav2' with"),
        ({"quant_method": "auto-round", "data_type": "mx_int"}, "'auto_round:auto_gptq' with 'mx_int'"),
        ({"quant_method": "compressed-tensors", "format": "marlin-24"}, "'marlin-24' is not supported"),
        (
            {"quant_method": "compressed-tensors", "sparsity_config": {"format": "sparse-24-bitmask"}},
            "take the dense model",
        ),
    ],
)
def test_settings_that_are_not_supported_say_what_is(
    tmp_path: Path, settings: dict[str, Any], expected: str
) -> None:
    shutil.copytree(CHECKPOINTS / "llama-biases", tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    write_json(tmp_path / "model" / "config.json", config | {"quantization_config": settings})
    with pytest.raises(ModelError, match=expected) as raised:
        LLM(tmp_path / "model")
    assert str(tmp_path / "model" / "config.json") in str(raised.value)


def test_biases_of_zeros_that_no_module_has_are_ignored(tmp_path: Path) -> None:
    write_folder("gptq-4", tmp_path / "model", CHECKPOINTS / "llama-tied-gqa")
    tensors = read_tensors(tmp_path / "model")
    tensors[f"{MODULE}.bias"] = np.zeros(32, np.float16)
    write_safetensors(tmp_path / "model" / "model.safetensors", tensors)
    LLM(tmp_path / "model").close()
    tensors[f"{MODULE}.bias"][3] = 1
    write_safetensors(tmp_path / "model" / "model.safetensors", tensors)
    with pytest.raises(ModelError, match=r"q_proj\.bias"):
        LLM(tmp_path / "model")


def test_settings_of_modelopt_may_be_in_a_file_of_their_own(tmp_path: Path) -> None:
    folder = shutil.copytree(DATA / "modelopt" / "nvfp4", tmp_path / "model")
    config = read_json(folder / "config.json")
    del config["quantization_config"]
    write_json(folder / "config.json", config)
    source, name = open_model_files(folder).open_tensors(), "model.layers.1.self_attn.k_proj.weight"
    assert (source[name] == open_model_files(DATA / "modelopt" / "nvfp4").open_tensors()[name]).all()
    write_json(folder / "hf_quant_config.json", {"quantization": 4})
    with pytest.raises(ModelError, match="an object named quantization"):
        open_model_files(folder)


def test_settings_of_gptq_may_be_in_a_file_of_their_own(tmp_path: Path) -> None:
    write("gptq-4-no-index", tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    config = read_json(path)
    settings = config.pop("quantization_config")
    write_json(path, config)
    write_json(tmp_path / "model" / "quantize_config.json", {"bits": settings["bits"], "group_size": 16})
    source = open_model_files(tmp_path / "model").open_tensors()
    assert source.codes(f"{MODULE}.weight").shape == (32, 32)
