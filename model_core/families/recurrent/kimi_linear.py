"""Kimi Linear (Moonshot AI, 2025, arXiv:2510.26692): delta attention, and latent attention in some layers.

The delta net forgets each column of its keys at a rate of its own. No layer has positions. Experts are those
of DeepSeek-V3. Source: Transformers, modeling_kimi_linear.py.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_size, shorten
from ...checks.known_fields import LAYER_ROPES
from ...errors import ModelError
from ...tape.references import Span, WeightRef
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types
from ..experts.mixture import read_mlp_types, read_shared_mixture, separate_experts, write_experts
from ..latent.deepseek import DeepSeekConfig, write_latent_attention
from ..parts import write_conv, write_head, write_layer, write_mlp, write_named_mlp

_TYPES = ("full_attention", "linear_attention")
# Names of fields in DeepSeek-V3 -> those here.
_MIXTURE = {
    "norm_topk_prob": "moe_renormalize",
    "n_group": "num_expert_group",
    "n_routed_experts": "num_experts",
    "num_experts_per_tok": "num_experts_per_token",
    "n_shared_experts": "num_shared_experts",
} | {
    name: name
    for name in (
        *("num_hidden_layers", "topk_group", "moe_intermediate_size"),
        *("routed_scaling_factor", "first_k_dense_replace"),
    )
}


@dataclass(frozen=True)
class KimiLinearConfig(DeepSeekConfig):
    """`is_delta_net` says which layers are delta nets, with `delta_heads` heads of `delta_dim` columns."""

    is_delta_net: tuple[bool, ...]
    delta_heads: int
    delta_dim: int
    conv_width: int

    @property
    def rates_shape(self) -> tuple[int, ...]:
        """The shape of the tensor with the rate of each head at which it forgets."""
        return 1, 1, self.delta_heads, 1


def read_config(raw: dict[str, Any]) -> KimiLinearConfig:
    """Kimi Linear's config.json. Published files describe the delta nets in `linear_attn_config`."""
    expect(raw, mla_use_nope=True, moe_router_activation_func="sigmoid", use_grouped_topk=True)
    expect(raw, moe_layer_freq=1, topk_method="noaux_tc")
    ignore(raw, "rope_theta", "rope_parameters")  # there are no positions
    ignore(raw, "head_dim", "qk_head_dim")  # of which sizes below are the parts
    heads = read_size(raw, "num_attention_heads")
    plain_dim, shared_dim = read_size(raw, "qk_nope_head_dim"), read_size(raw, "qk_rope_head_dim")
    expect(raw, num_key_value_heads=heads)
    mixture = read_shared_mixture(
        {name: raw[own] for name, own in _MIXTURE.items() if own in raw}, dense_layers=1
    )
    mixture["has_experts"] = read_mlp_types(raw, mixture["has_experts"])
    return read_decoder_config(
        raw,
        KimiLinearConfig,
        head_dim=plain_dim + shared_dim,
        ropes=None,
        max_context=read_size(raw, "model_max_length", default=1048576),
        query_rank=None if raw.get("q_lora_rank") is None else read_size(raw, "q_lora_rank"),
        kv_rank=read_size(raw, "kv_lora_rank"),
        plain_dim=plain_dim,
        rotated_dim=shared_dim,
        value_dim=read_size(raw, "v_head_dim"),
        score_scale=(plain_dim + shared_dim) ** -0.5,
        **read_attention_bias(raw),
        **mixture,
        **_read_delta_nets(raw),
    )


def _read_delta_nets(raw: dict[str, Any]) -> dict[str, Any]:
    """Which layers are delta nets, and their sizes."""
    layers, given = read_layer_count(raw), raw.get("linear_attn_config") or {}
    if not isinstance(given, dict):
        raise ModelError(f"linear_attn_config should be an object, not {shorten(given)}.")
    fields = Fields(given, LAYER_ROPES)
    types = ["full_attention" if i and i % 4 == 0 else "linear_attention" for i in range(layers)]
    full, linear = (fields.get(name) for name in ("full_attn_layers", "kda_layers"))
    if full is not None or linear is not None:
        if not (isinstance(full, list) and isinstance(linear, list)):
            raise ModelError("full_attn_layers and kda_layers should be lists of layers.")
        if sorted([*full, *linear]) != list(range(1, layers + 1)):
            raise ModelError(f"full_attn_layers and kda_layers should name each of {layers} layers once.")
        types = ["full_attention" if i + 1 in full else "linear_attention" for i in range(layers)]
    own = {
        "linear_head_dim": fields.get("head_dim"),
        "linear_num_heads": fields.get("num_heads"),
        "linear_conv_kernel_dim": fields.get("short_conv_kernel_size"),
    }
    fields.check_all_read()
    values = {name: raw.get(name) if value is None else value for name, value in own.items()}
    types_of_layers = read_layer_types(raw, types, _TYPES)
    return {
        "is_delta_net": tuple(kind == "linear_attention" for kind in types_of_layers),
        "delta_heads": read_size(values, "linear_num_heads", default=32),
        "delta_dim": read_size(values, "linear_head_dim", default=128),
        "conv_width": read_size(values, "linear_conv_kernel_dim", default=4, max_value=64),
    }


def write_tape(t: Tape, c: KimiLinearConfig) -> None:
    """x += mixer(norm(x)), x += mlp(norm(x)) in each layer. The mixer is a delta net or attention."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        mixer = write_delta_net if c.is_delta_net[i] else write_latent_attention
        mlp = _write_mixture if c.has_experts[i] else write_mlp
        x = write_layer(t, c, x, i, partial(mlp, t, c), partial(mixer, t, c))
    write_head(t, c, x)


def write_delta_net(t: Tape, c: KimiLinearConfig, h: Span, i: int, bound: float | None = None) -> Span:
    """S_t = S_(t-1) diag(alpha) (I - beta k k^T) + beta v k^T, y = S_t q, for each head.

    alpha = exp(-exp(A) softplus(f + dt)) for each column of keys, with a `bound` exp(-bound sigmoid(exp(A)
    (f + dt))); beta = sigmoid(b). The output is normed and multiplied by the sigmoid of a gate. f and the
    gate are projected through narrow rows.
    """
    p, heads, dim = f"model.layers.{i}.self_attn", c.delta_heads, c.delta_dim
    parts = {f"{p}.{name}_proj": (heads, dim) for name in "qkv"} | {f"{p}.b_proj": (heads, 1)}
    q, k, v, b = t.linear(h, "delta", parts)
    f, gate = (
        t.linear(
            t.project(h, f"{name}_narrow", f"{p}.{name}_a_proj", dim),
            f"{name}_wide",
            {f"{p}.{name}_b_proj": (heads, dim)},
        )[0]
        for name in "fg"
    )
    q, k, v = (
        write_conv(t, x, f"{p}.{name}_conv1d", c.conv_width) for x, name in ((q, "q"), (k, "k"), (v, "v"))
    )
    q, k = t.l2_norm(q, 1e-6, scale=dim**-0.5), t.l2_norm(k, 1e-6)
    dt = WeightRef(f"{p}.dt_bias", (heads * dim,))
    rate = WeightRef(f"{p}.A_log", c.rates_shape, is_log=True)
    f = t.map("add", f, dt)
    if bound is None:
        f = t.map("multiply", t.map("softplus", f), rate)
    else:
        f = t.scale(t.map("sigmoid", t.map("multiply", f, rate)), bound)
    alpha = t.map("decay", f)
    beta = t.map("sigmoid", b)
    v = t.map("multiply", v, beta)
    kept, removal = t.map("multiply", k, alpha, to="kept"), t.map("multiply", k, beta, to="removal")
    y = t.norm(t.scan(alpha, v, k, q, to="mixed", a=kept, b=removal), f"{p}.o_norm", c.norm_eps)
    y = t.map("multiply", y, t.map("sigmoid", gate))
    return t.project(y, "out", f"{p}.o_proj", c.hidden_size)


def _write_mixture(t: Tape, c: KimiLinearConfig, h: Span, i: int) -> Span:
    """The experts that a row chooses, and those that all rows share."""
    p = f"model.layers.{i}.block_sparse_moe"
    experts = separate_experts(c, f"{p}.experts", ("w1", "w3", "w2"))
    bias = f"{p}.gate.e_score_correction_bias"
    mixture = write_experts(t, c, h, f"{p}.gate", experts, choice_bias=bias)
    return t.add(mixture, write_named_mlp(t, c, h, f"{p}.shared_experts", c.shared_size))
