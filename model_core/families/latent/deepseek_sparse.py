"""DeepSeek-V3.2 and GLM-5: DeepSeek-V3, whose layers attend to the positions that an indexer chooses.

The indexer (DeepSeek sparse attention, 2025, arXiv:2512.02556) chooses `index_topk` positions for each token.
In a text of so many tokens it chooses all, and attention is DeepSeek-V3's. Longer texts are refused.
Source: Transformers, modeling_deepseek_v32.py and modeling_glm_moe_dsa.py.
"""

from dataclasses import replace
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.tape import Tape
from ..config import read_layer_count, read_layer_types
from . import deepseek
from .deepseek import DeepSeekConfig

_INDEXER = ("wq_b", "wk", "k_norm", "weights_proj")


def read_config(raw: dict[str, Any]) -> DeepSeekConfig:
    """The config.json of DeepSeek-V3.2 or GLM-5. The context ends where positions would be left out."""
    expect(raw, mlp_bias=False)
    ignore(raw, "index_n_heads", "index_head_dim", "indexer_rope_interleave")
    ignore(raw, "indexer_types", "index_topk_freq", "index_topk_pattern", "index_skip_topk_offset")
    read_layer_types(raw, ["indexed_attention"] * read_layer_count(raw), ("indexed_attention",))
    chosen, config = read_size(raw, "index_topk", default=2048), deepseek.read_config(raw)
    return replace(config, max_context=min(config.max_context, chosen))


def write_tape(t: Tape, c: DeepSeekConfig) -> None:
    """DeepSeek-V3's layers."""
    deepseek.write_tape(t, c)
    for i in range(c.layers):
        t.unused |= {f"model.layers.{i}.self_attn.indexer.{name}.weight" for name in _INDEXER}
