"""RWKV-7 in GGUF files."""

from ..config import Config, read_sizes
from ..metadata import Metadata
from ..names import Places, change
from .architecture import Architecture

_MIXED = "rwkvag"  # the order of the vectors of time mixing in their one tensor
_RANKS = {
    "decay_low_rank_dim": "decay",
    "a_low_rank_dim": "iclr",
    "v_low_rank_dim": "value_residual_mix",
    "gate_low_rank_dim": "gate",
}


def _read_rwkv7(m: Metadata) -> Config:
    m.ignore("rope.freq_base")  # there are no rotary positions
    return {
        **read_sizes(m),
        **{field: m.size(f"attention.{name}_lora_rank") for field, name in _RANKS.items()},
        "model_type": "rwkv7",
        "intermediate_size": m.size("feed_forward_length"),
        "head_dim": m.size("wkv.head_size"),
        "norm_eps": m.number("attention.layer_norm_epsilon"),
    }


def _adapt_rwkv7(places: Places, config: Config) -> None:
    """Name the vectors of time mixing, and give others the axes that they have in the family."""
    for number, letter in enumerate(_MIXED):
        for name in [name for name in places if name.endswith(f".att.x_{number}")]:
            places[f"{name[:-1]}{letter}"] = places.pop(name)
    size, head_dim = config["hidden_size"], config["head_dim"]
    change(places, [f".att.{name}" for name in ("w0", "a0", "v0", "k_k", "k_a")], shape=(1, 1, size))
    change(places, (".ffn.x_k",), shape=(1, 1, size))
    change(places, (".att.r_k",), shape=(size // max(1, head_dim), head_dim))
    change(places, [f".att.{letter}{number}" for letter in "wavg" for number in (1, 2)], is_transposed=True)


def _in_blocks(**names: str) -> dict[str, str]:
    return {name: f"blocks.{{i}}.{target}" for name, target in names.items()}


_NAMES = {
    "token_embd": "emb",
    "token_embd_norm": "blocks.0.ln0",
    "output_norm": "ln_out",
    "output": "head",
    **_in_blocks(
        attn_norm="ln1",
        attn_norm_2="ln2",
        time_mix_receptance="att.receptance",
        time_mix_key="att.key",
        time_mix_value="att.value",
        time_mix_output="att.output",
        time_mix_ln="att.ln_x",
        channel_mix_key="ffn.key",
        channel_mix_value="ffn.value",
    ),
    **_in_blocks(
        **{
            "time_mix_lerp_fused.weight": "att.x_{e}",
            "channel_mix_lerp_k.weight": "ffn.x_k",
            **{f"time_mix_{name}.weight": f"att.{name}" for name in ("k_k", "k_a", "r_k")},
            **{f"time_mix_{x}{n}.weight": f"att.{x}{n}" for x in "wavg" for n in (0, 1, 2)},
        }
    ),
}
RWKV7 = Architecture(_read_rwkv7, _NAMES, _adapt_rwkv7)
