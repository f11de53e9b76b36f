"""Every family and variant computes what Hugging Face Transformers computes (see make_checkpoints.py)."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from paths import CHECKPOINTS, ROOT

from model_core import LLM, SamplingParams
from model_core.checks.file_values import read_json
from model_core.errors import ModelError
from model_core.families import FAMILIES, read_model_config
from model_core.families.config import write_json
from model_core.families.latent.deepseek_sparse import SparseConfig
from model_core.files.checkpoint import Checkpoint
from model_core.files.safetensors import write_safetensors


@pytest.mark.parametrize("folder", sorted(CHECKPOINTS.iterdir()), ids=lambda folder: folder.name)
def test_logits_and_greedy_tokens_match_transformers(folder: Path) -> None:
    expected = np.load(folder / "expected.npz")
    prompt = expected["prompt"].tolist()
    with LLM(folder, arithmetic="float32") as llm:
        logits = llm.logits(prompt)
        params = SamplingParams(max_tokens=len(expected["greedy"]), temperature=0, ignore_eos=True)
        completion = llm.generate(prompt, params)
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < 1e-5
    assert completion.token_ids == expected["greedy"].tolist()


@pytest.mark.parametrize("folder", sorted(CHECKPOINTS.iterdir()), ids=lambda folder: folder.name)
def test_int8_logits_are_close(folder: Path) -> None:
    """Random weights, and experts that are chosen by them, lose more than trained ones."""
    # Of some tokens, rounding changes an expert, or which ones are near it: before the first of these,
    # qwen3_5-moe differs by 0.06.
    mtp = ("qwen3_5-moe", "qwen3_5-moe-mtp")
    newest = ("exaone-moe", "glm5-next", "hy-v4", "minimax-m3")
    newest += tuple(f"{name}-chosen" for name in newest[1:])  # where rounding changes what is chosen, too
    names = ("lfm2-moe", "glm4-moe-lite", "phimoe", "nemotron-h-experts", "jamba", *mtp, *newest)
    bounds = dict.fromkeys(names, 0.3) | {"gemma4-experts": 0.4, "hy-v4-chosen": 0.4}
    bound = bounds.get(folder.name, 0.15)
    # Of these, other tokens change their choice than before inputs were balanced: half of them are judged.
    by_half = ("deepseek-v32", "ernie4-5-moe-interval", "hy-v3", "phimoe")
    expected = np.load(folder / "expected.npz")
    # With keys in float32 or int16, what glm-moe-dsa chooses changes after 20 tokens.
    kv = "float16" if folder.name == "glm-moe-dsa-chosen" else "auto"
    with LLM(folder, weights="int8", kv_cache_dtype=kv) as llm:
        logits = llm.logits(expected["prompt"].tolist())
    errors, sizes = (
        np.linalg.norm(rows, axis=1) for rows in (logits - expected["logits"], expected["logits"])
    )
    if folder.name in by_half:
        assert np.median(errors / sizes) < 0.08
    else:
        assert np.linalg.norm(errors) < bound * np.linalg.norm(sizes)


@pytest.mark.parametrize("name", ["deepseek-v32", "glm-moe-dsa", "glm5-next", "hy-v4", "minimax-m3"])
def test_indexers_choose_the_same_however_a_text_is_computed(name: str) -> None:
    """Token by token or at once, beside others or alone, on one thread or several."""
    tokens = np.random.default_rng(5).integers(64, size=240).tolist()
    params, answers, rows = SamplingParams(max_tokens=9, temperature=0, ignore_eos=True), [], []
    for threads in (1, 3):
        with LLM(CHECKPOINTS / f"{name}-chosen", threads=threads) as llm:
            together = llm.generate([tokens[:90], tokens[3:150], tokens[7:20]], params)
            alone = llm.generate(tokens[3:150], params)
            answers += [together[1].token_ids, alone.token_ids]
            rows += [llm.logits(tokens)[99].tobytes(), llm.logits(tokens[:100])[99].tobytes()]
    assert all(answer == answers[0] for answer in answers)
    assert all(row == rows[0] for row in rows)


def test_layers_with_an_indexer_have_an_older_name() -> None:
    raw = read_json(CHECKPOINTS / "deepseek-v32-chosen" / "config.json")
    config = read_model_config(Path("v32"), raw | {"layer_types": ["deepseek_sparse_attention"] * 2})
    assert config == read_model_config(Path("v32"), raw)


def test_layers_take_what_those_before_have_chosen() -> None:
    """As fields of older configurations say it; of no layer, the first cannot."""
    raw = read_json(CHECKPOINTS / "glm-moe-dsa" / "config.json")
    del raw["indexer_types"]
    for fields, expected in (
        ({}, (True, True, True)),
        ({"index_topk_freq": 2}, (True, True, False)),
        ({"index_topk_freq": 2, "index_skip_topk_offset": 1}, (True, False, True)),
        ({"index_topk_pattern": "FSF"}, (True, False, True)),
        ({"index_topk_pattern": ["full", "full", "shared"]}, (True, True, False)),
    ):
        config = read_model_config(Path("glm"), raw | fields)
        assert isinstance(config, SparseConfig) and config.indexer.chooses == expected
    with pytest.raises(ModelError, match="layer 0 shares positions with the one before"):
        read_model_config(Path("glm"), raw | {"index_topk_pattern": "SFF"})
    with pytest.raises(ModelError, match="should name 3 layers full or shared"):
        read_model_config(Path("glm"), raw | {"index_topk_pattern": "FXF"})


def test_minimax_m3_as_it_was_published(tmp_path: Path) -> None:
    """Its configuration lists layers by numbers, and describes the indexer in an object."""
    source = CHECKPOINTS / "minimax-m3-chosen"
    text = read_text_config(source)
    for name in (
        "layer_types",
        "mlp_layer_types",
        "rope_parameters",
        "index_topk_blocks",
        "index_block_size",
    ):
        del text[name]
    text |= {"rope_theta": 100.0, "partial_rotary_factor": 0.67, "moe_layer_freq": [0, 1, 1]}
    text |= {"hidden_act": "swigluoai", "n_shared_experts": 1}
    text["sparse_attention_config"] = {
        "use_sparse_attention": True,
        "sparse_num_index_heads": 2,
        "sparse_index_dim": 12,
        "sparse_block_size": 16,
        "sparse_topk_blocks": 2,
        "sparse_local_block": 1,
        "sparse_attention_freq": [0, 1, 1],
    }
    check_published(tmp_path, text, {name: np.array(array) for name, array in stored(source)}, source)


def test_step_3_5_as_it_was_published(tmp_path: Path) -> None:
    """Its configuration has lists by layer, and its last layers are for MTP."""
    source = CHECKPOINTS / "step3p5"
    text = read_text_config(source)
    ropes = text.pop("rope_parameters")
    full, windowed = ropes["full_attention"], ropes["sliding_attention"]
    types = text.pop("layer_types")
    for name in ("num_sliding_attention_heads", "per_layer_config", "query_pre_attn_scalar"):
        del text[name]
    del text["mlp_layer_types"], text["n_routed_experts"], text["num_experts_per_tok"]
    text |= {
        "attention_other_setting": {"attention_type": "sliding_attention", "num_attention_heads": 6},
        "layer_types": [*types, "sliding_attention"],
        "moe_layers_enum": "1,2,3",
        "moe_num_experts": 8,
        "moe_top_k": 3,
        "num_attention_groups": text.pop("num_key_value_heads"),
        "num_nextn_predict_layers": 1,
        "partial_rotary_factors": [0.67 if kind == "full_attention" else 1.0 for kind in types] + [1.0],
        "rope_theta": [ropes[kind]["rope_theta"] for kind in types] + [50.0],
        "rope_scaling": {name: full[name] for name in full if name not in windowed} | {"rope_type": "llama3"},
        "swiglu_limits": [*text["swiglu_limits"], 0.0],
        "swiglu_limits_shared": [*text["swiglu_limits_shared"], 0.0],
        "yarn_only_types": ["full_attention"],
    }
    tensors = {name: np.array(array) for name, array in stored(source)}
    further = {name.replace(".3.", ".4."): array for name, array in tensors.items() if ".layers.3." in name}
    check_published(tmp_path, text, tensors | further, source)
    for name, values in (("rope_theta", [1.0, 2.0, 3.0, 4.0]), ("swiglu_limits", [0, 0, 5, 0])):
        with pytest.raises(ModelError, match=name):
            read_model_config(Path("step"), text | {name: values})


def test_hy_v4_as_it_was_published(tmp_path: Path) -> None:
    """Parts of hyper-connections and of attention have other names."""
    source, tensors = CHECKPOINTS / "hy-v4", {}
    for name, array in stored(source):
        name = re.sub(
            r"\.(attn|ffn)_hc\.", lambda m: f".hc_{m[1].replace('ffn', 'mlp')}_layer.hc_pre.hc_", name
        )
        name = name.replace("hc_head.hc_", "hc_head.hc_head_").replace(
            "attn.sinks", "attn.learnable_sink_param"
        )
        tensors[name.replace("self_attn.gate_proj", "self_attn.linear_gate")] = np.array(array)
    assert sum("hc_pre" in name for name in tensors) == 3 * 6
    config = read_json(source / "config.json")
    config |= {"num_key_value_heads": 2, "layer_types": ["deepseek_sparse_attention"] * 3}
    check_published(tmp_path, config | {"gated_mla": True, "learnable_sink": True}, tensors, source)


def read_text_config(folder: Path) -> dict[str, Any]:
    """The configuration of the text model of one that sees."""
    text: dict[str, Any] = read_json(folder / "config.json")["text_config"]
    return text


def test_deepseek_v32_as_it_was_published(tmp_path: Path) -> None:
    """Its matrices are in float8, those of indexers too."""
    source = shutil.copytree(CHECKPOINTS / "deepseek-v32", tmp_path / "floats")
    pattern = r"self_attn.*((?<!weights)_proj|_b|with_mqa|wk)\.weight$"
    config = read_json(source / "config.json")
    assert check_float8(tmp_path / "packed", config, source, pattern) == 3 * (5 + 2)


def mimo_as_published() -> dict[str, Any]:
    """The config.json, where layers are numbers, and the window does not count a token itself."""
    config = read_json(CHECKPOINTS / "mimo-v2" / "config.json")
    ropes = config.pop("rope_parameters")
    del config["layer_types"], config["mlp_layer_types"]
    return config | {
        "hybrid_layer_pattern": [0, 1, 1],
        "layernorm_epsilon": config.pop("rms_norm_eps"),
        "moe_layer_freq": [0, 1, 1],
        "partial_rotary_factor": ropes["full_attention"]["partial_rotary_factor"],
        "rope_theta": ropes["full_attention"]["rope_theta"],
        "sliding_window": 5,
        "sliding_window_size": 5,
        "swa_num_key_value_heads": 4,
        "swa_rope_theta": ropes["sliding_attention"]["rope_theta"],
    }


def test_mimo_v2_in_float8_as_it_was_published(tmp_path: Path) -> None:
    """All matrices are, experts too, but for the outputs of attention, which `ignored_layers` names."""
    source = shutil.copytree(CHECKPOINTS / "mimo-v2", tmp_path / "floats")
    ignored = [f"model.layers.{i}.self_attn.o_proj" for i in range(3)]
    more = {"activation_scheme": "dynamic", "fmt": "e4m3", "ignored_layers": [*ignored, "lm_head"]}
    pattern = r"(self_attn\.[qkv]_proj|mlp.*_proj)\.weight$"
    count = check_float8(tmp_path / "packed", mimo_as_published(), source, pattern, more)
    assert count == 3 * 3 + 3 + 2 * 3 * 8


def check_float8(
    folder: Path, config: dict[str, Any], source: Path, pattern: str, more: dict[str, Any] | None = None
) -> int:
    """Write a model whose matrices that fit `pattern` are in float8, with scales for blocks of 16 x 16, and
    compare it with the same numbers as floats. Returns how many such matrices there are.

    more: fields of quantization_config.
    """
    plain, packed, count = {}, {}, 0
    for name, array in stored(source):
        plain[name] = packed[name] = np.array(array)
        if re.search(pattern, name):
            packed[name] = array.astype(ml_dtypes.float8_e4m3fn)
            plain[name] = packed[name].astype(np.float32) * np.float32(0.5)
            grid = [-(-size // 16) for size in array.shape]
            packed[f"{name}_scale_inv"], count = np.full(grid, 0.5, np.float32), count + 1
    (source / "model.safetensors").unlink()
    write_safetensors(source / "model.safetensors", plain)
    with LLM(source, arithmetic="float32") as llm:
        np.savez(source / "expected.npz", prompt=np.arange(20), logits=llm.logits(list(range(20))))
    quantization = {"quant_method": "fp8", "weight_block_size": [16, 16], **(more or {})}
    folder.mkdir()
    check_published(folder, config | {"quantization_config": quantization}, packed, source)
    return count


def test_table_has_a_row_for_each_family() -> None:
    """`benchmarks/all --only families` makes them."""
    page = (ROOT / "docs" / "models.md").read_text()
    rows = re.findall(r"^\| .+ \| `(\w+)` \| \S+ \| \S+% \| (\d+) of 40 \|$", page, re.MULTILINE)
    assert sorted(rows) == [(model_type, "40") for model_type in sorted(FAMILIES)]


@pytest.mark.parametrize(
    ("weights", "bound"),
    [("float32", 1e-5), ("bfloat16", 5e-2), ("float16", 5e-3), ("int8", 0.1), ("mixed", 0.2), ("int4", 0.7)],
)
def test_weights_can_be_converted_to_another_type(weights: str, bound: float) -> None:
    """Rounding changes random weights the most. test_quantize.py measures it with trained weights."""
    folder = CHECKPOINTS / "llama-tied-gqa"
    expected = np.load(folder / "expected.npz")
    with LLM(folder, weights=weights, arithmetic="float32") as llm:
        types = {"mixed": "int6, int5", "int4": "int5, int4"}
        assert llm.model.weights.types == types.get(weights, weights)
        logits = llm.logits(expected["prompt"].tolist())
    error = np.linalg.norm(logits - expected["logits"]) / np.linalg.norm(expected["logits"])
    assert error < bound


@pytest.mark.parametrize(
    ("model_type", "prefix"),
    [
        ("gemma3", "model.language_model."),
        ("gemma3", "language_model.model."),
        ("gemma3n", "model.language_model."),
        ("llama4", "language_model.model."),
    ],
)
def test_model_that_sees_loads_its_text_model(tmp_path: Path, model_type: str, prefix: str) -> None:
    source = CHECKPOINTS / model_type
    tensors = {
        name.replace("model.", prefix, 1): np.array(Checkpoint(source)[name])
        for name in Checkpoint(source).unread()
    }
    tensors["model.vision_tower.patch_embedding.weight"] = np.ones((4, 4), np.float32)
    write_safetensors(tmp_path / "model.safetensors", tensors)
    text = read_json(source / "config.json")
    config = {"model_type": model_type, "vision_config": {"hidden_size": 8}, "text_config": text}
    write_json(tmp_path / "config.json", config)
    expected = np.load(source / "expected.npz")
    with LLM(tmp_path, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert np.linalg.norm(logits - expected["logits"]) < 1e-5 * np.linalg.norm(expected["logits"])


def test_qwen2_vl_as_it_was_published(tmp_path: Path) -> None:
    """Its configuration describes the text model in the outer object, and has a kind of positions."""
    source = CHECKPOINTS / "qwen2-vl"
    config = read_json(source / "config.json")
    text = config.pop("text_config")
    rope = text.pop("rope_parameters")
    scaling = {"type": "mrope", "mrope_section": rope["mrope_section"]}
    config = text | config | {"rope_scaling": scaling, "rope_theta": rope["rope_theta"]}
    tensors = {name.replace("model.visual.", "visual."): np.array(array) for name, array in stored(source)}
    check_published(tmp_path, config, tensors, source)


def test_qwen3_vl_moe_as_it_was_published(tmp_path: Path) -> None:
    """Its experts have inputs before outputs."""
    source = CHECKPOINTS / "qwen3-vl-moe"
    tensors = {
        name: np.array(array.swapaxes(1, 2) if ".experts." in name else array)
        for name, array in stored(source)
    }
    assert tensors["model.layers.0.mlp.experts.down_proj"].shape == (6, 20, 32)
    check_published(tmp_path, read_json(source / "config.json"), tensors, source)


def test_mimo_v2_as_it_was_published(tmp_path: Path) -> None:
    source = CHECKPOINTS / "mimo-v2"
    tensors = {name: np.array(array) for name, array in stored(source)}
    check_published(tmp_path, mimo_as_published(), tensors, source)


def test_zamba2_without_rotation_and_what_layers_add_to_attention(tmp_path: Path) -> None:
    """Zamba2-2.7B has neither. It computes the same as with products of zeros, and hardly any rotation."""
    source = CHECKPOINTS / "zamba2"
    tensors = {name: np.array(array) for name, array in stored(source)}
    adapters = [name for name in tensors if re.search(r"linear_[qkv]_adapter_list", name)]
    assert len(adapters) == 3 * 3 * 2
    zeros = {name: np.zeros_like(tensors[name]) for name in adapters}
    without = {name: array for name, array in tensors.items() if name not in zeros}
    config, logits = read_json(source / "config.json"), []
    slow = {"rope_parameters": {"rope_type": "linear", "factor": 1e6, "rope_theta": 100.0}}
    none = {"use_mem_rope": False, "use_shared_attention_adapter": False}
    for name, changes, weights in (("slow", slow, tensors | zeros), ("none", none, without)):
        (tmp_path / name).mkdir()
        write_safetensors(tmp_path / name / "model.safetensors", weights)
        write_json(tmp_path / name / "config.json", config | changes)
        with LLM(tmp_path / name, arithmetic="float32") as llm:
            logits.append(llm.logits(list(range(20))))
    assert np.linalg.norm(logits[0] - logits[1]) < 1e-3 * np.linalg.norm(logits[0])


def stored(source: Path) -> Iterator[tuple[str, np.ndarray]]:
    """The tensors of a checkpoint."""
    checkpoint = Checkpoint(source)
    for name in checkpoint.unread():
        yield name, checkpoint[name]


def check_published(
    folder: Path, config: dict[str, Any], tensors: dict[str, np.ndarray], source: Path
) -> None:
    """Write a model to `folder`, and compare it with the checkpoint `source`."""
    write_safetensors(folder / "model.safetensors", tensors)
    write_json(folder / "config.json", config)
    expected = np.load(source / "expected.npz")
    with LLM(folder, arithmetic="float32") as llm:
        logits = llm.logits(expected["prompt"].tolist())
    assert np.linalg.norm(logits - expected["logits"]) < 1e-5 * np.linalg.norm(expected["logits"])


def test_gpt2_as_it_was_published(tmp_path: Path) -> None:
    """Its tensors have no prefix, and causal masks stand among them."""
    source = CHECKPOINTS / "gpt2"
    tensors = {name: np.array(array) for name, array in stored(source)}
    assert "wte.weight" in tensors
    masks = {f"h.{i}.attn.bias": np.ones((1, 1, 128, 128), np.float32) for i in range(2)}
    check_published(tmp_path, read_json(source / "config.json"), tensors | masks, source)
