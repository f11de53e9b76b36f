"""Folders in Mistral's own layout: params.json and consolidated.safetensors, without config.json.

Sources: mistral-inference (args.py, transformer_layers.py, rope.py), and vLLM's reader of the same files
(transformers_utils/configs/mistral.py). Tensors get the names of Hugging Face folders. mistral-inference
rotates neighbouring rows of a head together, so the rows of queries and keys get another order.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.file_values import Fields, expect, read_flag, read_json, read_number, read_size, shorten
from ..checks.known_fields import MISTRAL, MISTRAL_PART
from ..errors import ModelError
from ..weights.codes import Codes
from .checkpoint import Checkpoint
from .gguf.names import order_of_halves

PARAMS = "params.json"
_WEIGHTS = "consolidated.safetensors"
# Name in params.json -> name in config.json.
_SIZES = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "hidden_dim": "intermediate_size",
    "vocab_size": "vocab_size",
}
_CONTEXT = 32768  # positions of a model that does not state them, as those of 2023 and 2024
_MODULES = {
    "tok_embeddings": "model.embed_tokens",
    "norm": "model.norm",
    "output": "lm_head",
    "attention_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attention.wq": "self_attn.q_proj",
    "attention.wk": "self_attn.k_proj",
    "attention.wv": "self_attn.v_proj",
    "attention.wo": "self_attn.o_proj",
    "feed_forward.w1": "mlp.gate_proj",
    "feed_forward.w2": "mlp.down_proj",
    "feed_forward.w3": "mlp.up_proj",
    "feed_forward.gate": "block_sparse_moe.gate",
}
_ENDINGS = {"weight": "weight", "qscale_weight": "weight_scale", "qscale_act": "input_scale"}
_NAME = re.compile(r"(?:layers\.(?P<layer>\d+)\.)?(?P<module>.+)\.(?P<ending>\w+)")
_EXPERT = re.compile(r"(?:feed_forward|block_sparse_moe)\.(?P<module>experts\.\d+\.w[123])")
# Of images and sounds.
_OTHERS = re.compile(r"(patch_merger|pre_mm_projector_norm|vision_\w+|mm_\w+)\..*")
_ROTATED = re.compile(r"model\.layers\.\d+\.self_attn\.(?P<part>[qk])_proj\.weight")


def has_mistral_layout(folder: Path) -> bool:
    """Whether a folder is a model in this layout, and not in that of Hugging Face, too."""

    def has(*names: str) -> bool:
        return any(os.path.isfile(folder / name) for name in names)

    if has("config.json") and has("model.safetensors", "model.safetensors.index.json"):
        return False
    return has(PARAMS) and has(_WEIGHTS, f"{_WEIGHTS}.index.json")


def read_params(folder: Path) -> dict[str, Any]:
    """params.json as the fields of config.json. Raises ModelError, also for a field that is not known."""
    path = folder / PARAMS
    raw = Fields(read_json(path), MISTRAL)
    try:
        config = _read_fields(raw)
        raw.check_all_read()
        return config
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _read_fields(raw: Fields) -> dict[str, Any]:
    expect(raw, model_type="transformer", activation="silu", causal=True, use_biases=False)
    config: dict[str, Any] = {name: read_size(raw, own) for own, name in _SIZES.items()}
    heads = config["num_attention_heads"]
    config |= {
        "model_type": "mistral",
        "num_key_value_heads": read_size(raw, "n_kv_heads", heads),
        "head_dim": read_size(raw, "head_dim", max(1, config["hidden_size"] // heads)),
        "rms_norm_eps": read_number(raw, "norm_eps", None, 1e-30, 1),
        "sliding_window": _read_window(raw),
        "tie_word_embeddings": read_flag(raw, "tied_embeddings", False),
        "max_position_embeddings": read_size(raw, "max_position_embeddings", _context(raw)),
    }
    default = 1e6 if config["sliding_window"] is None else 1e4
    rope = {"rope_theta": read_number(raw, "rope_theta", default, 1, 1e15), **_read_stretching(raw)}
    if len(rope) > 1:
        config["model_type"] = "ministral3"
    if (moe := _object(raw, "moe")) is not None:
        experts = {"num_local_experts": "num_experts", "num_experts_per_tok": "num_experts_per_tok"}
        config |= {name: read_size(moe, own) for name, own in experts.items()}
        config["model_type"] = "mixtral"
        moe.check_all_read()
    if (settings := _object(raw, "quantization")) is not None:
        expect(settings, qformat_weight="fp8_e4m3")
        settings.check_all_read()
        config["quantization_config"] = {"quant_method": "fp8"}
    return config | {"rope_parameters": rope}


def _context(raw: Mapping[str, Any]) -> int:
    return read_size(raw, "max_seq_len", _CONTEXT)


def _read_window(raw: Mapping[str, Any]) -> int | None:
    """The window of all layers. Raises ModelError if they have different ones."""
    values = [raw.get(name) for name in ("sliding_window", "_sliding_window")]
    value = next((value for value in values if value is not None), None)
    windows = value if isinstance(value, list) and value else [value]
    if any(window != windows[0] for window in windows):
        raise ModelError(
            f"its layers have different windows, {shorten(windows)}, which is not supported in this layout; "
            "take the files in Hugging Face layout."
        )
    return None if windows[0] is None else read_size({"sliding_window": windows[0]}, "sliding_window")


def _read_stretching(raw: Mapping[str, Any]) -> dict[str, Any]:
    """YaRN, and the growth of queries with their position, as fields of `rope_parameters`."""
    yarn, growth = _object(raw, "yarn"), _object(raw, "llama_4_scaling")
    rope: dict[str, Any] = {}
    if yarn is not None:
        rope = {
            "rope_type": "yarn",
            "factor": read_number(yarn, "factor", None, 1e-6, 1e6),
            "beta_fast": read_number(yarn, "beta", 32.0, 1e-6, 1e6),
            "beta_slow": read_number(yarn, "alpha", 1.0, 1e-6, 1e6),
            "original_max_position_embeddings": read_size(yarn, "original_max_position_embeddings"),
        }
        if not read_flag(yarn, "apply_scale", True):
            rope["attention_factor"] = 1.0
        yarn.check_all_read()
    if growth is not None:
        original = read_size(growth, "original_max_position_embeddings")
        if rope.setdefault("original_max_position_embeddings", original) != original:
            raise ModelError(
                "yarn and llama_4_scaling should have the same original_max_position_embeddings."
            )
        rope["llama_4_scaling_beta"] = read_number(growth, "beta", None, 0, 1e6)
        growth.check_all_read()
    return rope


def _object(raw: Mapping[str, Any], name: str) -> Fields | None:
    """An object in the field `name`, None without one."""
    value = raw.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise ModelError(f"{name} should be an object, not {shorten(value)}.")
    return Fields(value, MISTRAL_PART) if value else None


def hugging_face_name(name: str) -> str:
    """The name of a tensor in a Hugging Face folder; its own, if it is no part of the text model."""
    if _OTHERS.fullmatch(name):
        return f"vision.{name}"  # a prefix that the loader of texts leaves alone
    match = _NAME.fullmatch(name)
    if match is None:
        return name
    expert, ending = _EXPERT.fullmatch(match["module"]), _ENDINGS.get(match["ending"])
    module = f"block_sparse_moe.{expert['module']}" if expert else _MODULES.get(match["module"])
    if module is None or ending is None or module.startswith(("model.", "lm_head")) == bool(match["layer"]):
        return name
    layer = f"model.layers.{match['layer']}." if match["layer"] else ""
    return f"{layer}{module}.{ending}"


class MistralCheckpoint(Checkpoint):
    """A `TensorSource` (files/source.py) of such a folder."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        """`config`: of `read_params`. Raises ModelError as Checkpoint."""
        super().__init__(folder, config.get("quantization_config"), _WEIGHTS, hugging_face_name)
        self._heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}

    def __getitem__(self, name: str) -> np.ndarray:
        """The weights, see Checkpoint; rows of queries and keys in the order of Hugging Face."""
        weights = super().__getitem__(name)
        order = None if self._parts(name) else self._order_of_rows(name)  # codes have it already
        return weights if order is None else weights[order]

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """The same as codes."""
        codes = super().codes(name, expert)
        order = None if codes is None else self._order_of_rows(name)
        return codes if codes is None or order is None else codes[order]

    def _order_of_rows(self, name: str) -> np.ndarray | None:
        match = _ROTATED.fullmatch(name)
        if match is None:
            return None
        rows, heads = self.shape(name)[0], self._heads[match["part"]]
        if rows % (2 * heads):
            raise ModelError(f"{self.path_of(name)}: {name} has {rows} rows, which are not {heads} heads.")
        return order_of_halves(rows, heads)
