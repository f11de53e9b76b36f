"""The tiny model that programs quantize, and what is asked of it."""

from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

PROMPT = [3, 14, 15, 9, 26, 5, 35, 8, 9, 7, 9, 32, 38, 46, 26, 43]
MATRICES = [f"model.layers.1.{name}.weight" for name in ("self_attn.k_proj", "mlp.down_proj")]
SIZES = dict(
    vocab_size=96,
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=256,
    tie_word_embeddings=True,
)


def make_model(folder: Path) -> None:
    """Write a model whose rows are whole blocks of 64 weights: bitsandbytes misreads others on processors."""
    torch.manual_seed(1)
    config = LlamaConfig(**SIZES)
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.15)
    model.save_pretrained(folder)
