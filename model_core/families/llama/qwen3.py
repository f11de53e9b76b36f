"""Qwen3 (Yang et al., 2025, arXiv:2505.09388): Llama with a norm of each query and key head.

Also the text model of Qwen3-VL (arXiv:2511.21631). The three axes of its positions are the same in a text.
"""

from functools import partial
from typing import Any

from ...checks.file_values import expect
from ...tape.rope import RopeConfig, read_rope
from ...tape.tape import Tape
from ..config import ModelConfig, read_attention_bias, read_decoder_config
from ..parts import write_attention, write_layers, write_mlp
from . import qwen2


def read_config(raw: dict[str, Any]) -> ModelConfig:
    """The config.json of Qwen3, or of Qwen3-VL's text model."""
    expect(raw, use_qk_norm=True, mlp_bias=False)
    ropes = read_rope(raw, theta=1e4) if raw["model_type"] == "qwen3" else read_vl_rope(raw)
    return read_decoder_config(raw, ropes=ropes, windows=qwen2.read_windows(raw), **read_attention_bias(raw))


def read_vl_rope(raw: dict[str, Any]) -> RopeConfig:
    """The RoPE of Qwen3-VL, whose axes always take turns."""
    return read_rope(raw, theta=5e5, sections=(24, 20, 20), mixes_sections=True)


def write_tape(t: Tape, c: ModelConfig) -> None:
    """Llama's layers; queries and keys are normed before they are rotated."""
    write_layers(t, c, partial(write_mlp, t, c), partial(write_attention, t, c, head_norm=True))
