"""SigLIP (Zhai et al., 2023, arXiv:2303.15343): the tower of Gemma 3, Idefics3, SmolVLM and LFM2-VL.

Patches have learned positions, and attend to all others.
Source: Transformers 5.24, modeling_siglip.py.
"""

from collections.abc import Mapping
from typing import Any

from ...checks.file_values import Fields, expect, ignore, read_number, read_size, shorten
from ...errors import ModelError
from ...tape.references import Span
from ...tape.tape import Tape
from .parts import VisionConfig, attend_to_image, embed_patches

# As config.json names them, and a key of operators.FUNCTIONS.
ACTIVATIONS = {"gelu_pytorch_tanh": "gelu_tanh", "gelu": "gelu"}


def read_fields(
    raw: Mapping[str, Any], hidden: int, intermediate: int, layers: int, heads: int, *others: str
) -> dict[str, Any]:
    """The fields of VisionConfig that vision_config has, with the family's defaults. Raises ModelError.

    others: names of fields that the family reads.
    """
    vision = Fields(raw["vision_config"])
    expect(vision, num_channels=3, vision_use_head=False)
    ignore(
        vision, "model_type", "initializer_range", "image_size", "use_base_siglip", "size", "max_image_size"
    )
    ignore(vision, "tie_word_embeddings", "projection_dim", *others)
    activation = vision.get("hidden_act", "gelu_pytorch_tanh")
    if activation not in ACTIVATIONS:
        raise ModelError(f"hidden_act {shorten(activation)} of the tower is not supported.")
    fields = {
        "family": raw["model_type"],
        "hidden_size": read_size(vision, "hidden_size", default=hidden),
        "intermediate_size": read_size(vision, "intermediate_size", default=intermediate),
        "layers": read_size(vision, "num_hidden_layers", default=layers),
        "heads": read_size(vision, "num_attention_heads", default=heads),
        "patch_size": read_size(vision, "patch_size"),
        "norm_eps": read_number(vision, "layer_norm_eps", 1e-6, 1e-30, 1),
        "activation": ACTIVATIONS[activation],
        "out_size": read_size(raw["text_config"], "hidden_size"),
        "parts": 1,
    }
    if fields["hidden_size"] % fields["heads"]:
        raise ModelError(f"a tower of {fields['hidden_size']} columns cannot have {fields['heads']} heads.")
    vision.check_all_read()
    return fields


def write_layers(t: Tape, c: VisionConfig, p: str) -> Span:
    """x += attention(norm(x)), x += mlp(norm(x)). Returns the norm of the last x. p: the names' beginning."""
    n, eps = c.hidden_size, c.norm_eps
    x = t.add(embed_patches(t, c, f"{p}.embeddings.patch_embedding"), t.take_input("places", n))
    for i in range(c.layers):
        layer = f"{p}.encoder.layers.{i}"
        h = t.layer_norm(x, f"{layer}.layer_norm1", eps, to="h", bias=True)
        names = {f"{layer}.self_attn.{name}_proj": (c.heads, c.head_dim) for name in "qkv"}
        q, k, v = t.linear(h, "qkv", names, bias=True)
        mixed = attend_to_image(t, q, k, v, None)
        x = t.add(x, t.project(mixed, "out", f"{layer}.self_attn.out_proj", n, bias=True))
        h = t.layer_norm(x, f"{layer}.layer_norm2", eps, to="h", bias=True)
        inner = t.map(c.activation, t.project(h, "inner", f"{layer}.mlp.fc1", c.intermediate_size, bias=True))
        x = t.add(x, t.project(inner, "out", f"{layer}.mlp.fc2", n, bias=True))
    return t.layer_norm(x, f"{p}.post_layernorm", eps, to="main", bias=True)
