"""Zamba2 (Zyphra, 2024, arXiv:2411.15242): Mamba-2 layers, and blocks of attention that layers share.

A hybrid layer has a block in front of its Mamba-2. The block takes hidden states beside the embeddings, and
gives what Mamba-2 adds to its input. Layers take turns with the blocks, and each adds products of low rank of
its own. Steps have no lower limit, as in the code that Zyphra published; Transformers 5.24 raises those of
prompts, but not those of answers, to `time_step_min`.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import expect, ignore, read_flag, read_size
from ...tape.references import Span
from ...tape.rope import read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config, read_layer_count, read_layer_types
from ..parts import Scores, write_attend, write_head
from .mamba import MambaShape, read_mamba_shape, write_mamba

_KINDS = ("hybrid", "mamba", "linear_attention")
_DEFAULT_LAYERS = 54
_HYBRIDS = (*range(6, 48, 6), 47, 51)  # of files without a list
_MAMBA_EPS = 1e-5
# See mamba.MAMBA_FIELDS.
_MAMBA_FIELDS = {
    "heads": ("n_mamba_heads", 8),
    "head_dim": ("mamba_headdim", "auto"),
    "groups": ("mamba_ngroups", 1),
    "state": ("mamba_d_state", 64),
    "conv_width": ("mamba_d_conv", 4),
    "conv_bias": ("use_conv_bias", True),
    "bias": ("add_bias_linear", False),
}


@dataclass(frozen=True)
class Zamba2Config(ModelConfig):
    """The layers of Zamba2.

    Attributes:
        hybrids: the layers with a block.
        blocks: how many there are, of which the first hybrid layers have the weights.
        rank: of the products that a layer adds to its block's.
        adapts_attention: whether it adds them to queries, keys and values, and not only in the MLP.
    """

    mamba: MambaShape
    hybrids: tuple[int, ...]
    blocks: int
    rank: int
    adapts_attention: bool


def read_config(raw: dict[str, Any]) -> Zamba2Config:
    """Zamba2's config.json."""
    # Without tied embeddings, Transformers shares no blocks either.
    expect(raw, use_long_context=False, use_conv_bias=True, tie_word_embeddings=True, add_bias_linear=False)
    # Sizes that follow from others, how it is computed, and what Transformers keeps of a prompt.
    ignore(raw, "attention_hidden_size", "attention_head_dim", "head_dim", "kv_channels", "num_query_groups")
    ignore(raw, "hybrid_layer_ids", "ffn_hidden_size", "chunk_size", "use_mem_eff_path", "use_mamba_kernels")
    ignore(raw, "num_logits_to_keep")
    raw.setdefault("num_hidden_layers", _DEFAULT_LAYERS)
    default = [_KINDS[i not in _HYBRIDS] for i in range(read_layer_count(raw))]
    name = "layer_types" if raw.get("layer_types") else "layers_block_type"
    kinds = read_layer_types(raw, default, _KINDS, name)
    hidden, heads = read_size(raw, "hidden_size"), read_size(raw, "num_attention_heads")
    rotates = read_flag(raw, "use_mem_rope", False)
    rope = read_rope(raw)
    return read_decoder_config(
        raw,
        Zamba2Config,
        head_dim=2 * hidden // heads,
        intermediate_size=read_size(raw, "intermediate_size", default=4 * hidden),
        activation=read_activation(raw, "hidden_act", "gelu", is_gate=False),
        ropes=rope if rotates else None,
        tie_word_embeddings=True,
        mamba=read_mamba_shape(raw, read_size(raw, "mamba_expand", default=2) * hidden, _MAMBA_FIELDS),
        hybrids=tuple(i for i, kind in enumerate(kinds) if kind == "hybrid"),
        blocks=read_size(raw, "num_mem_blocks", default=1),
        rank=read_size(raw, "adapter_rank", default=128),
        adapts_attention=read_flag(raw, "use_shared_attention_adapter", False),
    )


def write_tape(t: Tape, c: Zamba2Config) -> None:
    """x += mamba(norm(x + block([x, embeddings]))), where a layer without a block has mamba(norm(x))."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    embedded = t.join(x, to="embedded")
    for i in range(c.layers):
        p = f"model.layers.{i}"
        if i in c.hybrids:
            y = _write_block(t, c, t.join(x, embedded, to="h"), i)
            h = t.map("add", x, t.project(y, "linear", f"{p}.linear", c.hidden_size), to="h")
            p = f"{p}.mamba_decoder"
            h = t.norm(h, f"{p}.input_layernorm", c.norm_eps)
        else:
            h = t.norm(x, f"{p}.input_layernorm", c.norm_eps, to="h")
        x = t.add(x, write_mamba(t, c.mamba, h, f"{p}.mamba", _MAMBA_EPS))
    write_head(t, c, x, norm="model.final_layernorm")


def _write_block(t: Tape, c: Zamba2Config, h: Span, i: int) -> Span:
    """mlp(norm(attention(norm(h)))), with the weights of a block and those of layer i."""
    number = c.hybrids.index(i)
    p = f"model.layers.{c.hybrids[number % c.blocks]}.shared_transformer"
    h = t.norm(h, f"{p}.input_layernorm", c.norm_eps)
    heads = {"q": c.heads, "k": c.kv_heads, "v": c.kv_heads}
    names = {part: f"{p}.self_attn.{part}_proj" for part in heads}
    spans = t.linear(h, "qkv", {names[part]: (count, c.head_dim) for part, count in heads.items()})
    if c.adapts_attention:
        for part, span in zip(heads, spans, strict=True):
            _add_low_rank(t, c, h, span, f"{p}.self_attn.linear_{part}_adapter_list.{number}")
    q, k, v = spans
    mixed = write_attend(t, c, q, k, v, i, Scores(scale=(c.head_dim / 2) ** -0.5))
    h = t.project(mixed, "out", f"{p}.self_attn.o_proj", c.hidden_size)
    h = t.norm(h, f"{p}.pre_ff_layernorm", c.norm_eps)
    p, size = f"{p}.feed_forward", c.intermediate_size
    parts = t.linear_split(h, "inner", f"{p}.gate_up_proj", [(1, size)] * 2)
    name = f"{p}.gate_up_proj_adapter_list.{number}"
    low = t.project(h, "low", f"{name}.0", c.rank)
    added = t.linear_split(low, "added", f"{name}.1", [(1, size)] * 2)
    gate, up = (t.add(part, more) for part, more in zip(parts, added, strict=True))
    t.map(c.activation, gate)
    return t.project(t.map("multiply", gate, up), "out", f"{p}.down_proj", c.hidden_size)


def _add_low_rank(t: Tape, c: Zamba2Config, h: Span, y: Span, name: str) -> None:
    """Add the product of low rank `name` of h to y."""
    low = t.project(h, "low", f"{name}.0", c.rank)
    t.add(y, t.linear(low, "added", {f"{name}.1": (y.heads, y.size)})[0])
