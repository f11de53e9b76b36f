"""Reads `config.json` of a checkpoint."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, overload

from ..checks.file_values import ignore, read_json, read_number, read_size, shorten
from ..errors import ModelError
from ..tape.rope import RopeConfig, find_rope_fields, read_rope


@dataclass(frozen=True)
class ModelConfig:
    """The shape of a transformer. A family that needs more fields adds them in its own class.

    Attributes:
        family: `model_type` of config.json.
        kv_heads: heads of keys and values; each serves heads / kv_heads heads of queries.
        norm_eps: is added to the mean square in norms.
        max_context: positions that the model was trained for.
        activation: of the MLP's gate, a key of operators.ACTIVATIONS; without gate, of operators.FUNCTIONS.
        ropes: the rotary positions of each layer, None for a layer without.
        tie_word_embeddings: whether the head's matrix is that of the embedding.
        qkv_bias, output_bias, mlp_bias: whether these projections have biases.
        windows: how many of the latest positions each layer attends to, None for all.
        is_causal: whether tokens attend to those before them alone. Otherwise they attend to all of a text,
            and layers with a window to so many positions on each side.
        stretched_context: positions with LongRoPE's factors for long texts (see `stretch`); None: there are
            none.
        labels: the scores that a model for classification gives to a text; 0 for other models.
        given_layers: after so many first layers, rows of images are added to hidden states (DeepStack).
        has_word_logits: whether the last hidden states are the logits of words for each token, of a model
            that was trained to fill in words.
    """

    family: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    norm_eps: float
    max_context: int
    activation: str
    ropes: tuple[RopeConfig | None, ...]
    tie_word_embeddings: bool
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    windows: tuple[int | None, ...]
    is_causal: bool = field(default=True, kw_only=True)
    stretched_context: int | None = field(default=None, kw_only=True)
    labels: int = field(default=0, kw_only=True)
    given_layers: int = field(default=0, kw_only=True)
    has_word_logits: bool = field(default=False, kw_only=True)


# Fields that may be next to `text_config` instead of inside.
_FIELDS_AROUND_TEXT_CONFIG = (
    *("model_type", "tie_word_embeddings", "quantization_config", "dtype", "torch_dtype"),
    *("bos_token_id", "eos_token_id", "pad_token_id"),
)
# Models that see, whose first files describe the text model without `text_config`.
_FLAT = ("qwen2_vl", "qwen2_5_vl")
Config = TypeVar("Config", bound=ModelConfig)
WORD_LOGITS = "_has_word_logits"  # a field that config.json gets where other files of a folder say it
# hidden_act -> name of the activation on tapes
_ACTIVATIONS = {"silu": "silu", "swish": "silu"} | dict.fromkeys(
    ("gelu_pytorch_tanh", "gelu_new", "gelu_fast"), "gelu_tanh"
)
# Of an MLP without gate there are more.
_PLAIN_ACTIVATIONS = _ACTIVATIONS | {"gelu": "gelu", "gelu_python": "gelu", "relu": "relu"}


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON object. Raises OSError."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_config(folder: Path) -> dict[str, Any]:
    """The JSON of `config.json` in a model folder. Raises ModelError if it is missing or damaged.

    A model that sees or hears describes its text model in `text_config`. Of the other fields, those that also
    concern texts are added.
    """
    path = folder / "config.json"
    if not os.path.isfile(path):
        raise ModelError(
            f"{folder} is not a model folder: it has no config.json. Give a folder in Hugging Face layout "
            "(config.json, model.safetensors, tokenizer.json), or one with a .gguf file."
        )
    raw = read_json(path)
    text = raw.pop("text_config", None)
    if text is None and raw.get("model_type") in _FLAT:
        return {k: v for k, v in raw.items() if k != "vision_config"} | {
            "model_type": f"{raw['model_type']}_text"
        }
    if text is None:
        return raw
    if not isinstance(text, dict):
        raise ModelError(f"{path} is damaged: text_config should be an object, not {shorten(text)}.")
    around = {name: raw[name] for name in _FIELDS_AROUND_TEXT_CONFIG if name in raw}
    # Transformers 5 ties what the outer field says, older versions what the inner one does. A head that is
    # stored is used in any case.
    tied = {"tie_word_embeddings": True} if raw.get("tie_word_embeddings") is True else {}
    return around | text | tied


def has_word_logits(folder: Path) -> bool:
    """Whether vectors are made of the logits of words (SPLADE), as modules.json says."""
    path = folder / "modules.json"
    modules = read_json(path, list) if os.path.isfile(path) else []
    return any(isinstance(m, dict) and str(m.get("type")).endswith("SpladePooling") for m in modules)


@overload
def read_decoder_config(raw: dict[str, Any], **family: Any) -> ModelConfig: ...
@overload
def read_decoder_config(raw: dict[str, Any], kind: type[Config], **family: Any) -> Config: ...
def read_decoder_config(raw: dict[str, Any], kind: Any = ModelConfig, **family: Any) -> Any:
    """The fields that all families share, from `config.json`. The keywords `family` add or replace fields.

    `ropes` and `windows` may be one value for all layers, or a tuple with one for each.

    Raises ModelError if a size is missing, is not a positive whole number, or does not fit the other sizes.
    The caller adds the name of the file.
    """
    hidden_size, heads = read_size(raw, "hidden_size"), read_size(raw, "num_attention_heads")
    layers = read_layer_count(raw)
    kv_heads = read_size(raw, "num_key_value_heads", default=heads)
    head_dim = family.get("head_dim") or read_size(raw, "head_dim", default=hidden_size // heads)
    if heads % kv_heads:
        raise ModelError(f"{heads} attention heads do not divide among {kv_heads} KV heads.")
    if head_dim % 2:
        raise ModelError(f"head_dim is {head_dim}, but rotary embeddings need an even size.")
    if "ropes" not in family:
        family["ropes"] = read_rope(raw)
    for name in {"ropes", "windows"} & family.keys():
        if not isinstance(family[name], tuple):
            family[name] = (family[name],) * layers
    if "norm_eps" in family:
        ignore(raw, "rms_norm_eps")  # the family has another norm, whose field has another name
    else:
        family["norm_eps"] = read_number(raw, "rms_norm_eps", None, 1e-30, 1)
    if "activation" not in family:
        family["activation"] = read_activation(raw, "hidden_act", "silu")
    limits = [rope.max_positions for rope in family["ropes"] if rope and rope.max_positions]
    has_long_factors = all(rope.long_factors for rope in family["ropes"] if rope and rope.max_positions)
    context = max(read_size(raw, "max_position_embeddings", default=2048), _read_yarn_context(raw, family))
    fields = dict(
        family=raw["model_type"],
        vocab_size=read_size(raw, "vocab_size"),
        hidden_size=hidden_size,
        intermediate_size=family.get("intermediate_size") or read_size(raw, "intermediate_size"),
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        max_context=min([context, *limits]),
        stretched_context=context if limits and context > min(limits) and has_long_factors else None,
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", False)),
        qkv_bias=False,
        output_bias=False,
        mlp_bias=False,
        windows=(None,) * layers,
    )
    config = kind(**{**fields, **family})
    _check_ropes(config)
    if len(config.windows) != layers or not all(
        w is None or (type(w) is int and 0 < w < 2**31) for w in config.windows
    ):
        raise ModelError("the sliding windows should be positive whole numbers, one a layer.")
    return config


def _read_yarn_context(raw: dict[str, Any], family: dict[str, Any]) -> int:
    """The positions that YaRN stretches those of the training to; 0 if config.json does not say it.

    Makers document YaRN as fields to add by hand, beside max_position_embeddings as it was.
    """
    if "original_max_position_embeddings" not in find_rope_fields(raw):
        return 0
    ropes = [rope for rope in family["ropes"] if rope and rope.kind == "yarn"]
    return int(min((rope.factor * rope.original_max_position for rope in ropes), default=0))


def stretch(config: Config, max_context: int | None) -> Config:
    """The configuration for texts of so many positions: with LongRoPE's factors for long texts, if need be.

    Then they are used for all texts, as in vLLM. None: the model's own positions, without them.
    """
    if max_context is None or max_context <= config.max_context or config.stretched_context is None:
        return config
    ropes = tuple(
        replace(rope, is_long=True) if rope and rope.kind == "longrope" else rope for rope in config.ropes
    )
    return replace(config, ropes=ropes, max_context=config.stretched_context)


def _check_ropes(config: ModelConfig) -> None:
    for rope in {rope for rope in config.ropes if rope is not None}:
        needed = int(config.head_dim * rope.partial) // 2
        if rope.kind == "longrope" and len(rope.short_factors) != needed:
            raise ModelError(f"short_factor of LongRoPE should have {needed} numbers.")
        if rope.long_factors and len(rope.long_factors) != needed:
            raise ModelError(f"long_factor of LongRoPE should have {needed} numbers.")
        if rope.query_growth and rope.partial < 1:
            raise ModelError("llama_4_scaling_beta with a partial_rotary_factor is not supported.")


def read_activation(raw: dict[str, Any], name: str, default: str, is_gate: bool = True) -> str:
    """The activation in the field `name`, by its name on tapes. Raises ModelError for an unknown one."""
    value, known = raw.get(name) or default, _ACTIVATIONS if is_gate else _PLAIN_ACTIVATIONS
    if not isinstance(value, str) or value not in known:
        raise ModelError(f"{name} {shorten(value)} is not supported; {', '.join(known)} are.")
    return known[value]


def read_layer_count(raw: dict[str, Any]) -> int:
    """The number of layers."""
    return read_size(raw, "num_hidden_layers", max_value=10_000)


def read_label_count(raw: dict[str, Any]) -> int:
    """The scores that a model for classification gives to a text; 0 for other models.

    Raises ModelError if they are more than one: such a model sorts texts into classes.
    """
    names, architectures = raw.get("id2label"), raw.get("architectures")
    first = architectures[0] if isinstance(architectures, list) and architectures else ""
    if not str(first).endswith("ForSequenceClassification"):
        return 0
    count = raw.get("num_labels", len(names) if isinstance(names, dict) else 2)
    if count != 1:
        raise ModelError(f"a classifier of {shorten(count)} labels is not supported; rerankers have one.")
    return 1


def read_attention_bias(raw: dict[str, Any], default: bool = False) -> dict[str, Any]:
    """`attention_bias` as fields of ModelConfig: all projections of attention have a bias, or none has."""
    bias = bool(raw.get("attention_bias", default))
    return {"qkv_bias": bias, "output_bias": bias}


def read_window(raw: dict[str, Any]) -> Any:
    """The value of `sliding_window`, None without `use_sliding_window`."""
    window = raw.get("sliding_window")
    return window if raw.get("use_sliding_window") else None


_OLDER_INDEXED = "deepseek_sparse_attention"  # a name in published files


def read_layer_types(
    raw: dict[str, Any],
    default: Sequence[str] | int,
    known: Sequence[str] = ("full_attention", "sliding_attention"),
    name: str = "layer_types",
) -> tuple[str, ...]:
    """The type of each layer, from the list in the field `name`.

    default: the types where config.json has none, or a number n: every n-th layer is the first type of
    `known`, the others are the second. Raises ModelError for an unknown type, or too few or too many.
    """
    layers = read_layer_count(raw)
    if isinstance(default, int):
        default = [known[(i + 1) % default != 0] for i in range(layers)]
    types = raw.get(name) or default
    if isinstance(types, list):
        types = ["indexed_attention" if kind == _OLDER_INDEXED else kind for kind in types]
    if not isinstance(types, Sequence) or len(types) != layers or not all(kind in known for kind in types):
        raise ModelError(f"{name} should name {' or '.join(known)} for each of {layers} layers.")
    return tuple(types)


def windows_of(types: Sequence[str], window: int | None) -> tuple[int | None, ...]:
    """The window of each layer: None for those that are not `sliding_attention`."""
    return tuple(window if kind == "sliding_attention" else None for kind in types)
