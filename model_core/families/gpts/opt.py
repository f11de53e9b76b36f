"""OPT (Zhang et al., 2022, arXiv:2205.01068) and Galactica (arXiv:2211.09085): learned positions and ReLU.

In OPT 350M, norms come after attention and MLP, and embeddings are narrower than hidden states.
"""

from dataclasses import dataclass
from typing import Any

from ...checks.file_values import ignore, read_flag, read_size
from ...tape.references import Span
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import write_attend, write_plain_mlp

_FIRST_POSITION = 2  # the row of position 0


@dataclass(frozen=True)
class OPTConfig(ModelConfig):
    """Where norms are, and what they have.

    Attributes:
        embedding_size: columns of embeddings.
        norms_first: norms come before attention and MLP.
        has_last_norm: before the head, there is another norm.
        has_norm_weights: norms have weights and biases.
    """

    embedding_size: int
    norms_first: bool
    has_last_norm: bool
    has_norm_weights: bool


def read_config(raw: dict[str, Any]) -> OPTConfig:
    """OPT's config.json."""
    ignore(raw, "prefix")  # the token with which its tokenizer begins each text
    bias, norms_first = read_flag(raw, "enable_bias", True), read_flag(raw, "do_layer_norm_before", True)
    return read_decoder_config(
        raw,
        OPTConfig,
        intermediate_size=read_size(raw, "ffn_dim"),
        activation=read_activation(raw, "activation_function", "relu", is_gate=False),
        norm_eps=1e-5,
        ropes=None,
        tie_word_embeddings=read_flag(raw, "tie_word_embeddings", True),
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        embedding_size=read_size(raw, "word_embed_proj_dim", default=read_size(raw, "hidden_size")),
        norms_first=norms_first,
        has_last_norm=norms_first and not read_flag(raw, "_remove_final_layer_norm", False),
        has_norm_weights=read_flag(raw, "layer_norm_elementwise_affine", True),
    )


def write_tape(t: Tape, c: OPTConfig) -> None:
    """x += attention(norm(x)), x += mlp(norm(x)) in each layer, or x = norm(x + attention(x)) and so on.

    Source: Transformers, modeling_opt.py.
    """
    p, is_narrow = "model.decoder", c.embedding_size != c.hidden_size
    x = t.embed(f"{p}.embed_tokens", c.vocab_size, c.embedding_size)
    if is_narrow:
        x = t.project(x, "hidden", f"{p}.project_in", c.hidden_size)
    x = t.add_position(x, f"{p}.embed_positions", c.max_context, start=_FIRST_POSITION)
    for i in range(c.layers):
        x = _write_layer(t, c, x, i)
    h = t.take_rows(x)
    if c.has_last_norm:
        h = _write_norm(t, c, h, f"{p}.final_layer_norm", to="h")
    if is_narrow:
        h = t.project(h, "out", f"{p}.project_out", c.embedding_size)
    name = f"{p}.embed_tokens" if c.tie_word_embeddings else "lm_head"
    t.project(h, "logits", name, c.vocab_size, is_head=True)


def _write_layer(t: Tape, c: OPTConfig, x: Span, i: int) -> Span:
    p = f"model.decoder.layers.{i}"
    h = _write_norm(t, c, x, f"{p}.self_attn_layer_norm", to="h") if c.norms_first else x
    names = [f"{p}.self_attn.{part}_proj" for part in "qkv"]
    q, k, v = t.linear(h, "qkv", dict.fromkeys(names, (c.heads, c.head_dim)), c.qkv_bias)
    mixed = write_attend(t, c, q, k, v, i)
    x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.out_proj", c.hidden_size, c.output_bias))
    if not c.norms_first:
        x = _write_norm(t, c, x, f"{p}.self_attn_layer_norm")
    h = _write_norm(t, c, x, f"{p}.final_layer_norm", to="h") if c.norms_first else x
    x = t.add(x, write_plain_mlp(t, c, h, f"{p}.fc1", f"{p}.fc2", c.mlp_bias))
    return x if c.norms_first else _write_norm(t, c, x, f"{p}.final_layer_norm")


def _write_norm(t: Tape, c: OPTConfig, x: Span, name: str, to: str | None = None) -> Span:
    """The layer norm of x, in place or to the buffer `to`."""
    if c.has_norm_weights:
        return t.layer_norm(x, name, c.norm_eps, to, bias=True)
    return t.norm(t.center(x, to), None, c.norm_eps)
