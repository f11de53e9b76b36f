"""StarCoder2 (Lozhkov et al., 2024, arXiv:2402.19173): layer norms, biases, and an MLP without gate."""

from typing import Any

from ...checks.file_values import expect, ignore, read_number
from ...tape.tape import Tape
from ..config import ModelConfig, read_activation, read_decoder_config
from ..parts import write_attention, write_logits, write_plain_mlp


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """StarCoder2's config.json."""
    expect(raw, norm_type="layer_norm", mlp_type="default")
    ignore(raw, "activation_function", "layer_norm_epsilon")  # hidden_act and norm_epsilon count
    ignore(raw, "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "scale_attn_weights")
    bias = bool(raw.get("use_bias", True))
    return read_decoder_config(
        raw,
        activation=read_activation(raw, "hidden_act", "gelu_pytorch_tanh", is_gate=False),
        norm_eps=read_number(raw, "norm_epsilon", 1e-5, 1e-30, 1),
        windows=raw.get("sliding_window"),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", True)),
        qkv_bias=bias,
        output_bias=bias,
        mlp_bias=bias,
    )


def write_tape(t: Tape, c: ModelConfig) -> None:
    """x += attention(norm(x)), x += down(activation(up(norm(x)))) in each layer."""
    x = t.embed("model.embed_tokens", c.vocab_size, c.hidden_size)
    for i in range(c.layers):
        p, eps = f"model.layers.{i}", c.norm_eps
        h = t.layer_norm(x, f"{p}.input_layernorm", eps, to="h", bias=True)
        x = t.add(x, write_attention(t, c, h, i))
        h = t.layer_norm(x, f"{p}.post_attention_layernorm", eps, to="h", bias=True)
        y = write_plain_mlp(t, c, h, f"{p}.mlp.c_fc", f"{p}.mlp.c_proj", c.mlp_bias)
        x = t.add(x, y)
    write_logits(t, c, t.layer_norm(t.take_rows(x), "model.norm", c.norm_eps, to="h", bias=True))
