"""GTE 1.5 (Zhang et al., 2024, arXiv:2407.19669): BERT with rotary positions and gated MLPs.

Its model_type is "new", that of Snowflake Arctic Embed 2 (m), whose code is the same, "gte".
Source: modeling.py of Alibaba-NLP/new-impl.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_flag, read_number, read_size
from ...checks.known_fields import ROPE
from ...tape.rope import RopeConfig
from ...tape.tape import Tape
from ..config import ModelConfig
from .layers import EncoderNames, read_encoder_config, write_bert, write_classifier

_NAMES = EncoderNames(
    "encoder.layer",
    ("attention.q_proj", "attention.k_proj", "attention.v_proj"),
    "attention.o_proj",
    "attn_ln",
    "mlp.up_gate_proj",
    "mlp.down_proj",
    "mlp_ln",
    gate=1,
)
_PACKED = replace(_NAMES, qkv=("attention.qkv_proj",))


@dataclass(frozen=True)
class NewConfig(ModelConfig):
    """`types`: of tokens, or 0. `is_packed`: queries, keys and values have one matrix."""

    types: int
    is_packed: bool


def read_config(raw: dict[str, Any]) -> NewConfig:
    """The config.json of such models."""
    expect(raw, layer_norm_type="layer_norm", logn_attention_scale=False)
    ignore(raw, "logn_attention_clip1")  # of that scale
    ignore(raw, "unpad_inputs", "use_memory_efficient_attention")  # how it is computed
    head_dim = read_size(raw, "hidden_size") // read_size(raw, "num_attention_heads")
    return read_encoder_config(
        raw,
        NewConfig,
        "rope",
        ropes=_read_rope(raw, head_dim),
        types=0 if raw.get("type_vocab_size") == 0 else read_size(raw, "type_vocab_size", default=1),
        is_packed=read_flag(raw, "pack_qkv", True),
    )


def _read_rope(raw: dict[str, Any], head_dim: int) -> RopeConfig:
    """Rotary positions, stretched by a factor f for texts of all lengths (NTK-aware scaling).

    The base is multiplied by f, and all frequencies divided by f^(2 / head_dim).
    """
    theta = read_number(raw, "rope_theta", 10000.0, 1, 1e15)
    scaling = Fields(raw.get("rope_scaling") or {}, ROPE)
    if not scaling:
        return RopeConfig(theta)
    expect(scaling, type="ntk", mixed_b=None)
    factor = read_number(scaling, "factor", None, 1, 1e6)
    scaling.check_all_read()
    factors = tuple(factor ** ((i + 2) / head_dim) for i in range(0, head_dim, 2))
    positions = read_size(raw, "max_position_embeddings")
    return RopeConfig(theta, "longrope", short_factors=factors, original_max_position=positions)


def write_tape(t: Tape, c: NewConfig) -> None:
    """The hidden states. A cross encoder's score comes from those of the first token."""
    write_bert(t, c, c.types, None, _PACKED if c.is_packed else _NAMES)
    t.unused |= {f"lm_head.norm.{kind}" for kind in ("weight", "bias")}
    if c.labels:
        write_classifier(t, c, "pooler.dense", "tanh", "classifier")
