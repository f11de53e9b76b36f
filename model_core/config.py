"""What a checkpoint says about itself: `config.json` and `generation_config.json`.

Both dialects are read: older files have `rope_theta`, `rope_scaling` and `torch_dtype` at the top,
newer ones have `rope_parameters` and `dtype`.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ModelError


@dataclass(frozen=True)
class RopeConfig:
    """Rotary position embedding (Su et al., 2021, arXiv:2104.09864) and how it is stretched.

    `kind` is "default", "linear" (Chen et al., 2023, arXiv:2306.15595) or "llama3" (Llama 3.1).
    The last three fields belong to "llama3" alone.
    """

    theta: float = 10000.0
    kind: str = "default"
    factor: float = 1.0
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    original_max_position: int = 8192


@dataclass(frozen=True)
class ModelConfig:
    """The shape of a decoder-only transformer of the Llama kind.

    `windows` has one entry a layer: how many of the latest positions it attends to, or None for all.
    """

    family: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    rms_norm_eps: float
    max_context: int
    rope: RopeConfig
    tie_word_embeddings: bool
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    windows: tuple[int | None, ...]

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of float32 KV memory that one position takes, all layers together."""
        return 2 * self.layers * self.kv_heads * self.head_dim * 4


@dataclass(frozen=True)
class GenerationDefaults:
    """What the checkpoint's authors recommend where a request says nothing.

    Greedy unless they say `do_sample`, as in Transformers.
    """

    eos_token_ids: frozenset[int] = frozenset()
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises ModelError, with the file's name, if there is none."""
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: it is not valid JSON ({error}).") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path} is damaged: it should hold a JSON object.")
    return value


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON object. Raises OSError."""
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_config(folder: Path) -> dict[str, Any]:
    """`config.json` of a model folder, as it stands. Raises ModelError if it is missing or damaged."""
    path = folder / "config.json"
    if not path.is_file():
        raise ModelError(
            f"{folder} is not a model folder: it has no config.json. "
            "Give a folder in Hugging Face layout (config.json, model.safetensors, tokenizer.json)."
        )
    return read_json(path)


def decoder_config(raw: dict[str, Any], **family: Any) -> ModelConfig:
    """The fields that all families share, from `config.json`; `family` adds or replaces some.

    Raises ModelError where a size is missing, not a positive whole number, or does not fit the others.
    """
    hidden_size, heads = size(raw, "hidden_size"), size(raw, "num_attention_heads")
    layers = size(raw, "num_hidden_layers", most=10_000)
    kv_heads = size(raw, "num_key_value_heads", default=heads)
    head_dim = size(raw, "head_dim", default=hidden_size // heads)
    if heads % kv_heads:
        raise ModelError(f"config.json: {heads} attention heads do not divide among {kv_heads} KV heads.")
    if head_dim % 2:
        raise ModelError(f"config.json: head_dim is {head_dim}, but rotary embeddings need an even size.")
    activation = raw.get("hidden_act", "silu")
    if activation not in ("silu", "swish"):
        raise ModelError(f"config.json: hidden_act '{activation}' is not supported, only 'silu' is.")
    fields = dict(
        family=raw["model_type"],
        vocab_size=size(raw, "vocab_size"),
        hidden_size=hidden_size,
        intermediate_size=size(raw, "intermediate_size"),
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        rms_norm_eps=_number(raw, "rms_norm_eps", 1e-6),
        max_context=size(raw, "max_position_embeddings", default=2048),
        rope=_rope(raw),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", False)),
        qkv_bias=False,
        output_bias=False,
        mlp_bias=False,
        windows=(None,) * layers,
    )
    config = ModelConfig(**{**fields, **family})
    if len(config.windows) != layers or not all(
        w is None or (type(w) is int and w > 0) for w in config.windows
    ):
        raise ModelError("config.json: the sliding windows should be positive whole numbers, one a layer.")
    return config


def read_generation_defaults(folder: Path, raw: dict[str, Any]) -> GenerationDefaults:
    """The recommendations in `generation_config.json`, with the end tokens that config.json names too.

    Raises ModelError if a field is not what it should be.
    """
    path = folder / "generation_config.json"
    generation = read_json(path) if path.is_file() else {}
    eos: set[int] = set()
    for source in (raw, generation):
        ids = source.get("eos_token_id")
        ids = ids if isinstance(ids, list) else [] if ids is None else [ids]
        if not all(isinstance(i, int) for i in ids):
            raise ModelError(f"{folder}: eos_token_id should be a token id or a list of them, not {ids}.")
        eos.update(ids)
    sampled = bool(generation.get("do_sample", False))
    return GenerationDefaults(
        eos_token_ids=frozenset(eos),
        temperature=_number(generation, "temperature", 1.0) if sampled else 0.0,
        top_p=_number(generation, "top_p", 1.0),
        top_k=max(0, int(_number(generation, "top_k", 50 if sampled else 0))),  # -1 is all, for some
        min_p=_number(generation, "min_p", 0.0),
        repetition_penalty=_number(generation, "repetition_penalty", 1.0),
    )


def _rope(raw: dict[str, Any]) -> RopeConfig:
    scaling = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(scaling, dict):
        raise ModelError("config.json: rope_scaling should be an object.")
    theta = scaling.get("rope_theta", raw.get("rope_theta", 10000.0))
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind not in ("default", "linear", "llama3"):
        raise ModelError(
            f"config.json: RoPE scaling '{kind}' is not supported; 'default', 'linear' and 'llama3' are."
        )
    numbers = {"rope_theta": theta, **scaling}
    factor = _number(numbers, "factor", 1.0)
    if factor <= 0:
        raise ModelError(f"config.json: the RoPE scaling factor is {factor}, but must be above zero.")
    return RopeConfig(
        theta=_number(numbers, "rope_theta", 10000.0),
        kind=kind,
        factor=factor,
        low_freq_factor=_number(numbers, "low_freq_factor", 1.0),
        high_freq_factor=_number(numbers, "high_freq_factor", 4.0),
        original_max_position=int(_number(numbers, "original_max_position_embeddings", 8192)),
    )


def size(raw: dict[str, Any], name: str, default: int | None = None, most: int = 2**31 - 1) -> int:
    """A positive whole number of config.json. Raises ModelError if it is anything else."""
    value = raw.get(name)
    if value is None:
        value = default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= most:
        raise ModelError(f"config.json: {name} should be a whole number from 1 to {most}, not {value!r}.")
    return value


def _number(raw: dict[str, Any], name: str, default: float) -> float:
    value = raw.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e300:
        raise ModelError(f"{name} should be a number, not {value!r}.")
    return float(value)
