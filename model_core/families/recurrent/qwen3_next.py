"""Qwen3-Next and Qwen3.5 (Qwen, 2025 and 2026): three layers of gated delta net to one of gated attention.

Gated delta networks: Yang et al., 2024, arXiv:2412.06464. The stored weights of norms are smaller by 1, but
not those of the delta nets' outputs.
"""

from dataclasses import dataclass, replace
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types
from ..experts.mixture import MixtureConfig, no_experts, read_mixture, with_mtp_layer, write_gated_mixture
from ..experts.qwen3_moe import read_sparse_layers
from ..mtp import MTPNames, write_mtp_head
from ..parts import write_attend, write_convs, write_head, write_named_mlp

_AXES: dict[str, Any] = {"sections": (11, 11, 10), "mixes_sections": True}  # of Qwen3.5's positions
MTP_NAMES = MTPNames("mtp.pre_fc_norm_embedding", "mtp.pre_fc_norm_hidden", "mtp.fc", "mtp.norm")


@dataclass(frozen=True)
class Qwen3NextConfig(MixtureConfig):
    """`is_delta_net` says which layers are delta nets, with heads of keys (and queries) and of values."""

    shared_expert_size: int
    is_delta_net: tuple[bool, ...]
    conv_width: int
    key_heads: int
    key_dim: int
    value_heads: int
    value_dim: int


def read_config(raw: dict[str, Any]) -> Qwen3NextConfig:
    """The config.json of Qwen3-Next, or of Qwen3.5's text part, with experts in all layers or in none."""
    expect(raw, attn_output_gate=True, mamba_ssm_dtype="float32", hidden_act="silu")
    expect(raw, output_gate_type="swish", mlp_bias=False)
    ignore(raw, "mtp_num_hidden_layers", "mtp_use_dedicated_embeddings")  # tokens further ahead
    interval = read_size(raw, "full_attention_interval", default=4)
    types = read_layer_types(raw, interval, known=("full_attention", "linear_attention"))
    shared_size = read_size(raw, "shared_expert_intermediate_size", default=512)
    is_text = raw["model_type"] == "qwen3_next"
    if is_text:
        normalizes = bool(raw.get("norm_topk_prob", True))
        mixture = read_mixture(raw, "num_experts", "moe_intermediate_size", normalizes=normalizes)
        mixture["has_experts"] = read_sparse_layers(raw)
    elif raw["model_type"] == "qwen3_5_moe_text":
        expect(raw, mlp_only_layers=[], decoder_sparse_step=1, norm_topk_prob=True)
        mixture = read_mixture(raw, "num_experts", "moe_intermediate_size", normalizes=True)
        # There is no MLP but the shared expert.
        mixture["intermediate_size"] = read_size(raw, "intermediate_size", default=shared_size)
    else:
        expect(raw, mlp_only_layers=[])
        mixture = no_experts(read_layer_count(raw))
    key_heads = read_size(raw, "linear_num_key_heads", default=16)
    value_heads = read_size(raw, "linear_num_value_heads", default=32)
    if value_heads % key_heads:
        raise ModelError(f"{value_heads} value heads do not divide among {key_heads} key heads.")
    return read_decoder_config(
        raw,
        Qwen3NextConfig,
        head_dim=read_size(raw, "head_dim", default=256),
        ropes=read_rope(raw, partial=0.25, **({} if is_text else _AXES)),
        shared_expert_size=shared_size,
        is_delta_net=tuple(kind == "linear_attention" for kind in types),
        conv_width=read_size(raw, "linear_conv_kernel_dim", default=4, max_value=64),
        key_heads=key_heads,
        key_dim=read_size(raw, "linear_key_head_dim", default=128),
        value_heads=value_heads,
        value_dim=read_size(raw, "linear_value_head_dim", default=128),
        **read_attention_bias(raw),
        **mixture,
    )


def write_tape(t: Tape, c: Qwen3NextConfig) -> None:
    """x += mixer(norm(x)), x += mlp(norm(x)) in each layer. The mixer is a delta net or attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        x = _write_layer(t, c, x, f"model.layers.{i}", i)
    write_head(t, c, x, offset=1.0)


def write_mtp_tape(t: Tape, c: Qwen3NextConfig) -> None:
    """The MTP head, whose layer attends, and has experts if the model has some."""
    further = replace(with_mtp_layer(c), is_delta_net=(*c.is_delta_net, False))
    write_mtp_head(
        t, c, MTP_NAMES, lambda x: _write_layer(t, further, x, "mtp.layers.0", c.layers), offset=1.0
    )


def _write_layer(t: Tape, c: Qwen3NextConfig, x: Span, p: str, i: int) -> Span:
    """Layer i. p: the beginning of its names."""
    h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h", offset=1.0)
    write_mixer = _write_delta_net if c.is_delta_net[i] else _write_attention
    x = t.add(x, write_mixer(t, c, h, p, i))
    h = t.norm(x, f"{p}.post_attention_layernorm", c.norm_eps, to="h", offset=1.0)
    if c.has_experts[i]:
        return t.add(x, write_gated_mixture(t, c, h, f"{p}.mlp", c.shared_expert_size))
    return t.add(x, write_named_mlp(t, c, h, f"{p}.mlp", c.intermediate_size))


def _write_delta_net(t: Tape, c: Qwen3NextConfig, h: Span, p: str, _: int) -> Span:
    """The delta rule of the silu of convolutions. Its output is normed, and multiplied by silu(z)."""
    p = f"{p}.linear_attn"
    q, k, v, z, b, a = t.matmul(h, "delta", _delta_net_weights(c, p))
    q, k, v = write_convs(t, (q, k, v), f"{p}.conv1d", c.conv_width)
    y = t.norm(write_delta_rule(t, q, k, v, a, b, p), f"{p}.norm", c.norm_eps)
    return t.project(t.map("swiglu", z, y, to="mixed"), "out", f"{p}.out_proj", c.hidden_size)


def write_delta_rule(
    t: Tape, q: Span, k: Span, v: Span, a: Span, b: Span, p: str, max_beta: float = 1.0
) -> Span:
    """S_t = alpha S_(t-1) (I - beta k k^T) + beta v k^T, y = S_t q, for each head of values.

    alpha = exp(-exp(A) softplus(a + dt)), beta = max_beta * sigmoid(b). Queries and keys are divided by their
    lengths. p: the beginning of the names of A and dt.
    """
    q, k = t.l2_norm(q, 1e-6, scale=k.size**-0.5), t.l2_norm(k, 1e-6)
    dt = WeightRef(f"{p}.dt_bias", (v.heads,))
    rate = WeightRef(f"{p}.A_log", (v.heads,), is_log=True)
    alpha = t.map("decay", t.map("multiply", t.map("softplus", t.map("add", a, dt)), rate))
    beta = t.scale(t.map("sigmoid", b), max_beta)
    v = t.map("multiply", v, beta)
    removal = t.map("multiply", t.map("multiply", beta, alpha), k, to="removal", heads=v.heads)
    return t.scan(alpha, v, k, q, to="mixed", a=k, b=removal)


def _delta_net_weights(c: Qwen3NextConfig, p: str) -> list[tuple[WeightRef, int]]:
    """The weights of q, k, v, z, b and a, with their heads.

    In Qwen3-Next, two matrices have the rows of all that belongs to the first key head, then of the second,
    and so on.
    """
    is_grouped = c.family == "qwen3_next"
    groups = c.key_heads if is_grouped else 1
    k, v = c.key_heads * c.key_dim // groups, c.value_heads * c.value_dim // groups
    n = c.value_heads // groups
    if is_grouped:
        matrices = {"in_proj_qkvz": (k, k, v, v), "in_proj_ba": (n, n)}
    else:
        matrices = {"in_proj_qkv": (k, k, v), "in_proj_z": (v,), "in_proj_b": (n,), "in_proj_a": (n,)}
    weights = []
    for name, sizes in matrices.items():
        start, shape = 0, (groups * sum(sizes), c.hidden_size)
        for size in sizes:
            weights.append(WeightRef(f"{p}.{name}.weight", shape, start, start + size, groups=groups))
            start += size
    heads = (c.key_heads, c.key_heads, *(c.value_heads,) * 4)
    return list(zip(weights, heads, strict=True))


def _write_attention(t: Tape, c: Qwen3NextConfig, h: Span, p: str, i: int) -> Span:
    """Attention whose output is multiplied by the sigmoid of a gate.

    The gate is projected from h as queries are: its rows of each head follow those of the head's query.
    """
    p, n = f"{p}.self_attn", c.head_dim
    queries, keys = (2 * c.heads * n, c.hidden_size), (c.kv_heads * n, c.hidden_size)
    weights = [
        (WeightRef(f"{p}.q_proj.weight", queries, 0, n, groups=c.heads), c.heads),
        (WeightRef(f"{p}.q_proj.weight", queries, n, 2 * n, groups=c.heads), c.heads),
        (WeightRef(f"{p}.k_proj.weight", keys), c.kv_heads),
        (WeightRef(f"{p}.v_proj.weight", keys), c.kv_heads),
    ]
    q, gate, k, v = t.matmul(h, "qkv", weights, bias=c.qkv_bias)
    q = t.norm(q, f"{p}.q_norm", c.norm_eps, offset=1.0)
    k = t.norm(k, f"{p}.k_norm", c.norm_eps, offset=1.0)
    mixed = t.map("multiply", write_attend(t, c, q, k, v, i), t.map("sigmoid", gate))
    return t.project(mixed, "out", f"{p}.o_proj", c.hidden_size, bias=c.output_bias)
