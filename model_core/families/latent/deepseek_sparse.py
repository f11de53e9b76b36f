"""DeepSeek-V3.2 and GLM-5: DeepSeek-V3, whose layers attend to the positions that an indexer chooses.

GLM-5.1 and later have fewer indexers than layers: the others take what the one before them has chosen
(arXiv:2603.12201). Source: Transformers, modeling_deepseek_v32.py and modeling_glm_moe_dsa.py.
"""

from dataclasses import dataclass, fields
from typing import Any

from ...checks.file_values import expect, ignore, read_size
from ...tape.tape import Tape
from ..config import read_layer_count, read_layer_types
from ..indexer import Indexer, read_indexer, read_shared_indexers
from . import deepseek
from .deepseek import DeepSeekConfig


@dataclass(frozen=True)
class SparseConfig(DeepSeekConfig):
    """`indexer`: chooses positions."""

    indexer: Indexer


def read_config(raw: dict[str, Any]) -> SparseConfig:
    """The config.json of DeepSeek-V3.2 or GLM-5."""
    expect(raw, mlp_bias=False)
    layers, is_glm, size = read_layer_count(raw), raw["model_type"] == "glm_moe_dsa", "qk_rope_head_dim"
    read_layer_types(raw, ["indexed_attention"] * layers, ("indexed_attention",))
    read_size(raw, "q_lora_rank")  # which indexers need
    chooses = (True,) * layers
    if is_glm:
        chooses = read_shared_indexers(raw)
    else:
        ignore(raw, "indexer_types", "index_topk_freq", "index_topk_pattern", "index_skip_topk_offset")
    rotates = "pairs" if is_glm else "halves"
    heads = 32 if is_glm else 64
    indexer = read_indexer(raw, heads, read_size(raw, size), chooses=chooses, rotates=rotates)
    config = deepseek.read_config(raw)
    return SparseConfig(**{f.name: getattr(config, f.name) for f in fields(config)}, indexer=indexer)


def write_tape(t: Tape, c: SparseConfig) -> None:
    """DeepSeek-V3's layers."""
    deepseek.write_tape(t, c, c.indexer)
