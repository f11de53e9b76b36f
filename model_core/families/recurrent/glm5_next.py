"""GLM-5.3 Flash (Z.ai, 2026): Kimi Linear's delta nets and latent attention, between hyper-connections.

There are no positions. An indexer chooses tokens for each token, in pools of neighbours. MLPs limit what
their gates let through. Source: Transformers, modeling_glm5_next.py.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_number, read_size, shorten
from ...checks.known_fields import LAYER_ROPES
from ...errors import ModelError
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import read_attention_bias, read_decoder_config, read_layer_count, read_layer_types
from ..experts.mixture import read_mlp_types, read_shared_mixture, write_shared_mixture
from ..hyper import Hyper, HyperNames, spread, write_mean, write_through
from ..indexer import Indexer, read_indexer, read_shared_indexers
from ..latent.deepseek import write_latent_attention
from ..parts import write_head, write_mlp
from .kimi_linear import KimiLinearConfig, write_delta_net

_TYPES = ("linear_attention", "indexed_attention")
# Names of fields in linear_attn_config -> those beside it.
_DELTA_FIELDS = {
    "head_dim": "linear_head_dim",
    "num_heads": "linear_num_heads",
    "short_conv_kernel_size": "linear_conv_kernel_dim",
    "gate_lower_bound": "linear_lower_bound",
}


@dataclass(frozen=True)
class Glm5NextConfig(KimiLinearConfig):
    """`decay_bound`: of the rates at which delta nets forget; None: there is none."""

    decay_bound: float | None
    hyper: Hyper
    indexer: Indexer

    @property
    def rates_shape(self) -> tuple[int, ...]:
        """See KimiLinearConfig."""
        return (self.delta_heads,)


def read_config(raw: dict[str, Any]) -> Glm5NextConfig:
    """The text_config of GLM-5.3 Flash."""
    expect(raw, swiglu_limit=10.0, index_kpool_always_select_tail=True, qk_rope_head_dim=0, head_dim=0)
    expect(raw, scoring_func="sigmoid", topk_method="noaux_tc", hidden_act="silu", mlp_bias=False)
    ignore(raw, "rope_theta", "rope_parameters", "rope_interleave")  # there are no positions
    expect(raw, mhc=True, mla_use_nope=True, index_kpool_compress=True)
    ignore(raw, "ep_size", "moe_layer_freq", "moe_router_dtype")
    ignore(raw, "indexer_rope_interleave", "index_share_for_mtp_iteration")
    heads, layers = read_size(raw, "num_attention_heads"), read_layer_count(raw)
    plain_dim = read_size(raw, "qk_nope_head_dim")
    expect(raw, num_key_value_heads=heads, qk_head_dim=plain_dim)
    names = ["indexed_attention" if i % 4 == 3 else "linear_attention" for i in range(layers)]
    given = raw.get("layer_types") or names
    own = {"full_attention": "indexed_attention"}  # an older name
    given = [own.get(str(kind), kind) for kind in given] if isinstance(given, list) else given
    types = read_layer_types({**raw, "layer_types": given}, names, _TYPES)
    mixture = read_shared_mixture(raw, dense_layers=3)
    mixture["has_experts"] = read_mlp_types(raw, mixture["has_experts"])
    attends = [kind == "indexed_attention" for kind in types]
    pool = read_size(raw, "index_kpool", default=16)
    chooses = read_shared_indexers(raw, attends)
    indexer = read_indexer(raw, 32, 0, chooses=chooses, pool=pool)
    if indexer.top % pool or pool & (pool - 1):
        raise ModelError(
            f"index_kpool should be a power of 2 that divides index_topk, {indexer.top}, not {pool}."
        )
    config: Glm5NextConfig = read_decoder_config(
        raw,
        Glm5NextConfig,
        activation="swiglu_to_10",
        head_dim=plain_dim,
        ropes=None,
        query_rank=read_size(raw, "q_lora_rank"),
        kv_rank=read_size(raw, "kv_lora_rank"),
        plain_dim=plain_dim,
        rotated_dim=0,
        value_dim=read_size(raw, "v_head_dim"),
        score_scale=plain_dim**-0.5,
        is_delta_net=tuple(kind == "linear_attention" for kind in types),
        hyper=Hyper(
            streams=read_size(raw, "hc_mult", default=4, max_value=16),
            norm_eps=read_number(raw, "rms_norm_eps", 1e-6, 1e-30, 1),
            eps=read_number(raw, "hc_eps", 1e-6, 0, 1),
            rounds=read_size(raw, "hc_sinkhorn_iters", default=20, max_value=1000),
        ),
        indexer=indexer,
        **_read_delta_nets(raw),
        **read_attention_bias(raw),
        **mixture,
    )
    return config


def _read_delta_nets(raw: dict[str, Any]) -> dict[str, Any]:
    """The sizes of delta nets, and the bound of their rates."""
    given = raw.get("linear_attn_config") or {}
    if not isinstance(given, dict):
        raise ModelError(f"linear_attn_config should be an object, not {shorten(given)}.")
    fields = Fields(given, LAYER_ROPES)
    values = {own: raw.get(own) for own in _DELTA_FIELDS.values()}
    values |= {own: fields.get(name) for name, own in _DELTA_FIELDS.items() if name in fields}
    ignore(fields, "kda_layers", "full_attn_layers")  # as layer_types
    is_bounded = "linear_lower_bound" not in raw or raw["linear_lower_bound"] is not None or bool(given)
    is_bounded = is_bounded and fields.get("safe_gate", True) is not False
    fields.check_all_read()
    return {
        "delta_heads": read_size(values, "linear_num_heads", default=64),
        "delta_dim": read_size(values, "linear_head_dim", default=128),
        "conv_width": read_size(values, "linear_conv_kernel_dim", default=4, max_value=64),
        "decay_bound": -read_number(values, "linear_lower_bound", -5.0, -1e6, 0) if is_bounded else None,
    }


def write_tape(t: Tape, c: Glm5NextConfig) -> None:
    """Streams through mixer(norm) and mlp(norm) in each layer. The mixer is a delta net or attention."""
    x = spread(t, t.embed("model.embed_tokens", c.vocab_size, c.hidden_size), c.hyper)
    for i in range(c.layers):
        p = f"model.layers.{i}"

        def mix(h: Span, i: int = i, p: str = p) -> Span:
            h = t.norm(h, f"{p}.input_layernorm", c.norm_eps, to="h")
            if c.is_delta_net[i]:
                return write_delta_net(t, c, h, i, c.decay_bound)
            return write_latent_attention(t, c, h, i, latent_eps=c.norm_eps, indexer=c.indexer)

        def feed(h: Span, i: int = i, p: str = p) -> Span:
            h = t.norm(h, f"{p}.post_attention_layernorm", c.norm_eps, to="h")
            return (write_shared_mixture if c.has_experts[i] else write_mlp)(t, c, h, i)

        for name, layer in (("attn", mix), ("ffn", feed)):
            names = HyperNames(*(f"{p}.hc_{name}_{part}" for part in ("fn", "scale", "base")))
            x = write_through(t, c.hyper, x, names, layer)
    write_head(t, c, write_mean(t, c.hyper, x))
