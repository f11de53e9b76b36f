"""EAGLE-3 heads (Li et al., 2025, arXiv:2503.01840): a layer that was trained to draft for a finished model.

The head reads the hidden states of the model before three of its layers, and predicts as an MTP head does
(mtp.py). It is stored in a folder of its own, in one of two layouts: that of its authors, with flat fields in
config.json, and that of the package speculators. Sources: eagle/model/cnets.py of SafeAILab/EAGLE, and
models/eagle3 of vllm-project/speculators.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..checks.file_values import expect, read_flag, read_size, shorten
from ..errors import ModelError
from ..kernels.layout import STRIP
from ..machine.memory import round_up
from ..tape.references import Span, WeightRef
from ..tape.tape import Tape
from . import read_model_config
from .config import ModelConfig
from .mtp import HIDDEN_INPUT
from .parts import write_attend, write_named_mlp

FEATURES = 3  # hidden states that the head reads at a position
D2T = "d2t"  # of each token of the head: its number in the model's vocabulary less its own
# They say how the head was trained, or repeat what is known: which program wrote it, and for which model.
_IGNORED = frozenset(
    {
        *("architectures", "auto_map", "speculators_model_type", "speculators_version", "speculators_config"),
        *("transformer_layer_config", "embed_requires_grad", "eagle_config", "modules_in_block"),
        *("draft_vocab_size", "target_hidden_size", "norm_before_residual", "norm_output", "pretraining_tp"),
        *("eagle_aux_hidden_state_layer_ids", "has_no_defaults_at_init", "target_model_type"),
    }
)
_UNSUPPORTED = ("norm_before_fc", "fc_norm")


@dataclass(frozen=True)
class Eagle3Config:
    """What a head is.

    Attributes:
        layer: the shape of its layer. The vocabulary is that of the model.
        vocab_size: tokens that it can draft.
        layers: it reads the hidden states that go into these layers of the model; () for the usual ones.
        prefix: the beginning of the names of its layer.
        norm_before_residual: the hidden states are normed before the layer adds to them.
        hands_on_normed: later drafts take the normed hidden states.
    """

    layer: ModelConfig
    vocab_size: int
    layers: tuple[int, ...]
    prefix: str
    norm_before_residual: bool
    hands_on_normed: bool

    def layers_of(self, model: ModelConfig) -> tuple[int, ...]:
        """The layers of a model whose inputs the head reads. Raises ModelError if it has too few."""
        layers = self.layers or (2, model.layers // 2, model.layers - 3)
        if not all(0 <= layer < model.layers for layer in layers):
            raise ModelError(
                f"the EAGLE-3 head reads the hidden states before the layers "
                f"{', '.join(map(str, layers))}, but the model has {model.layers} layers; choose the head "
                "that was trained for this model (--draft-model)."
            )
        return layers


def is_eagle3(raw: dict[str, Any]) -> bool:
    """Whether the fields of config.json describe a head."""
    names = raw.get("architectures")
    first = names[0] if isinstance(names, list) and names else ""
    return raw.get("speculators_model_type") == "eagle3" or "eagle3" in str(first).lower()


def read_eagle3_config(path: Path, raw: dict[str, Any], model: ModelConfig) -> Eagle3Config:
    """The configuration of a head for a model. `path` is named in errors. Raises ModelError."""
    nested = raw.get("transformer_layer_config")
    is_nested = isinstance(nested, dict)
    own: dict[str, Any] = nested if isinstance(nested, dict) else raw
    fields = {name: value for name, value in raw.items() if not is_nested and name not in _IGNORED}
    if is_nested:
        fields = {name: value for name, value in own.items() if name not in _IGNORED}
    fields |= {"architectures": ["LlamaForCausalLM"], "vocab_size": model.vocab_size}
    for name in _UNSUPPORTED:
        if fields.pop(name, None) or raw.get(name):
            raise ModelError(f"{path}: {name} is not supported in an EAGLE-3 head; take a head without it.")
    if own.get("model_type", "llama") != "llama":
        raise ModelError(
            f"{path}: the layer of an EAGLE-3 head should be one of llama, not of "
            f"{shorten(own['model_type'])}."
        )
    layer = read_model_config(path, fields | {"model_type": "llama"})
    try:
        expect(own, num_hidden_layers=1)
        return Eagle3Config(
            replace(layer, max_context=model.max_context),
            read_size(raw, "draft_vocab_size", default=model.vocab_size),
            _read_layers(raw),
            "layers.0" if is_nested else "midlayer",
            read_flag(raw, "norm_before_residual", is_nested),
            read_flag(raw, "norm_output", False),
        )
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _read_layers(raw: dict[str, Any]) -> tuple[int, ...]:
    """The layers whose inputs are read. Within eagle_config, layers are named whose outputs are read."""
    name, inner = "eagle_aux_hidden_state_layer_ids", raw.get("eagle_config")
    given, shift = raw.get(name), 0
    if given is None and isinstance(inner, dict):
        given, shift = inner.get(name), 1
    if not given:
        return ()
    is_list = isinstance(given, list) and len(given) == FEATURES and all(type(n) is int for n in given)
    if not is_list:
        raise ModelError(f"{name} should be a list of {FEATURES} numbers of layers, not {shorten(given)}.")
    return tuple(number + shift for number in given)


def write_eagle3_tape(t: Tape, c: Eagle3Config, width: int, has_embedding: bool) -> None:
    """h = layer([norm(embedding), norm(hidden)]), and the logits of norm(h).

    The hidden states of a position that the model has computed are fc(features), those of a drafted one what
    the head has handed on. The input has columns for both, and zeros where nothing is given.

    Args:
        t: a tape with the KV layers of the model.
        width: of the features of a position.
        has_embedding: the head has an embedding of its own; otherwise it shares the model's.
    """
    layer, p, eps, size = c.layer, c.prefix, c.layer.norm_eps, c.layer.hidden_size
    name = "embed_tokens" if has_embedding else "model.embed_tokens"
    x = t.embed(name, layer.vocab_size, size)
    embedded = t.norm(x, f"{p}.input_layernorm", eps, to="embedded")
    start = round_up(width, STRIP)
    t.take_input(HIDDEN_INPUT, start + size)
    x = t.project(Span(HIDDEN_INPUT, 0, width), "x", "fc", size)
    x = t.add(x, Span(HIDDEN_INPUT, start, size))
    normed = t.norm(x, f"{p}.hidden_norm", eps, to="normed")
    pair = t.join(embedded, normed, to="pair")
    x = normed if c.norm_before_residual else x
    parts = {
        f"{p}.self_attn.q_proj": (layer.heads, layer.head_dim),
        f"{p}.self_attn.k_proj": (layer.kv_heads, layer.head_dim),
        f"{p}.self_attn.v_proj": (layer.kv_heads, layer.head_dim),
    }
    q, k, v = t.linear(pair, "qkv", parts, bias=layer.qkv_bias)
    mixed = write_attend(t, layer, q, k, v, 0)
    x = t.add(x, t.project(mixed, "out", f"{p}.self_attn.o_proj", size, bias=layer.output_bias))
    h = t.norm(x, f"{p}.post_attention_layernorm", eps, to="h")
    x = t.add(x, write_named_mlp(t, layer, h, f"{p}.mlp", layer.intermediate_size))
    last = t.take_rows(x)
    h = t.norm(last, "norm", eps, to="h")
    t.handed_on = h if c.hands_on_normed else last
    t.matmul(h, "logits", [(WeightRef("lm_head.weight", (c.vocab_size, size)), 1)], is_head=True)
