"""Llama (Touvron et al., 2023, arXiv:2302.13971), and the decoder that its relatives share.

TinyLlama, DeepSeek-LLM and SmolLM2 are this very architecture.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from .. import operators as op
from ..checkpoint import BFLOAT16, Checkpoint
from ..config import ModelConfig, decoder_config
from ..errors import ModelError
from ..kv_cache import KVCache

# --weights -> the type that matrices are held in; None: as the checkpoint stores them
WEIGHT_TYPES: dict[str, np.dtype | None] = {
    "auto": None,
    "float32": np.dtype(np.float32),
    "bfloat16": BFLOAT16,
    "float16": np.dtype(np.float16),
}


def architecture(raw: dict[str, Any]) -> ModelConfig:
    """Llama's config.json: biases where it says so, no window."""
    attention_bias = bool(raw.get("attention_bias", False))
    return decoder_config(
        raw,
        qkv_bias=attention_bias,
        output_bias=attention_bias,
        mlp_bias=bool(raw.get("mlp_bias", False)),
    )


@dataclass(frozen=True)
class Linear:
    """A weight [n, k] and, where the architecture has one, a bias [n]."""

    weight: np.ndarray
    bias: np.ndarray | None

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return op.linear(x, self.weight, self.bias)


@dataclass(frozen=True)
class Layer:
    """The weights of one decoder layer."""

    attention_norm: np.ndarray
    q: Linear
    k: Linear
    v: Linear
    o: Linear
    mlp_norm: np.ndarray
    gate: Linear
    up: Linear
    down: Linear


class Transformer:
    """A decoder-only transformer: token ids in, logits out."""

    def __init__(self, config: ModelConfig, checkpoint: Checkpoint, weights: str = "auto") -> None:
        """Raises ModelError where a tensor is missing or has another shape than the config says."""
        self.config = config
        read = _Reader(checkpoint, WEIGHT_TYPES[weights])
        hidden, inner = config.hidden_size, config.intermediate_size
        q_size, kv_size = config.heads * config.head_dim, config.kv_heads * config.head_dim

        def layer(name: str) -> Layer:
            attention, mlp = f"{name}.self_attn", f"{name}.mlp"
            return Layer(
                attention_norm=read.vector(f"{name}.input_layernorm.weight", hidden),
                q=read.linear(f"{attention}.q_proj", q_size, hidden, config.qkv_bias),
                k=read.linear(f"{attention}.k_proj", kv_size, hidden, config.qkv_bias),
                v=read.linear(f"{attention}.v_proj", kv_size, hidden, config.qkv_bias),
                o=read.linear(f"{attention}.o_proj", hidden, q_size, config.output_bias),
                mlp_norm=read.vector(f"{name}.post_attention_layernorm.weight", hidden),
                gate=read.linear(f"{mlp}.gate_proj", inner, hidden, config.mlp_bias),
                up=read.linear(f"{mlp}.up_proj", inner, hidden, config.mlp_bias),
                down=read.linear(f"{mlp}.down_proj", hidden, inner, config.mlp_bias),
            )

        # Tied weights are stored once, and some files keep them under the other name.
        embedding = "model.embed_tokens.weight"
        if config.tie_word_embeddings and embedding not in checkpoint:
            embedding = "lm_head.weight"
        self.embedding = read.matrix(embedding, config.vocab_size, hidden)
        names = [f"model.layers.{i}" for i in range(config.layers)]
        self.layers = [layer(name) for name in tqdm(names, "Loading weights", unit="layer", delay=2)]
        self.norm = read.vector("model.norm.weight", hidden)
        self.head = (
            Linear(self.embedding, None)
            if config.tie_word_embeddings
            else read.linear("lm_head", config.vocab_size, hidden, bias=False)
        )
        self._frequencies = op.rope_frequencies(config.rope, config.head_dim)

    @property
    def weight_bytes(self) -> int:
        """Bytes that all weights take."""
        arrays = [self.embedding, self.norm] + ([] if self.config.tie_word_embeddings else [self.head.weight])
        for layer in self.layers:
            for part in vars(layer).values():
                arrays += (
                    [a for a in vars(part).values() if a is not None] if isinstance(part, Linear) else [part]
                )
        return sum(array.nbytes for array in arrays)

    def forward(self, tokens: np.ndarray, caches: list[KVCache]) -> np.ndarray:
        """Take the next tokens of several sequences, int [batch, tokens], one cache a sequence.

        Returns the last hidden states, float32 [batch, tokens, hidden], ready for `logits`. Each sequence's
        result is the same whatever else is in the batch.
        """
        config = self.config
        batch, count = tokens.shape
        starts = np.array([cache.length for cache in caches])
        cos, sin = op.rope_table(starts[:, None] + np.arange(count), self._frequencies)
        x = op.embed(tokens, self.embedding)
        for i, (layer, window) in enumerate(zip(self.layers, config.windows, strict=True)):
            h = op.rms_norm(x, layer.attention_norm, config.rms_norm_eps)
            q = op.rotate(layer.q(h).reshape(batch, count, config.heads, config.head_dim), cos, sin)
            k = op.rotate(layer.k(h).reshape(batch, count, config.kv_heads, config.head_dim), cos, sin)
            v = layer.v(h).reshape(batch, count, config.kv_heads, config.head_dim)
            mixed = np.stack(
                [op.attention(q[b], *cache.write(i, k[b], v[b]), window) for b, cache in enumerate(caches)]
            )
            x = x + layer.o(mixed)
            h = op.rms_norm(x, layer.mlp_norm, config.rms_norm_eps)
            x = x + layer.down(op.swiglu(layer.gate(h), layer.up(h)))
        for cache in caches:
            cache.advance(count)
        return x

    def logits(self, hidden: np.ndarray) -> np.ndarray:
        """Hidden states [batch, tokens, hidden] -> float32 [batch, tokens, vocabulary]."""
        return self.head(op.rms_norm(hidden, self.norm, self.config.rms_norm_eps))


class _Reader:
    """Takes tensors out of a checkpoint, checking each shape and casting matrices where asked."""

    def __init__(self, checkpoint: Checkpoint, dtype: np.dtype | None) -> None:
        self._checkpoint, self._dtype = checkpoint, dtype

    def _tensor(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        array = self._checkpoint[name]
        if array.shape != shape:
            raise ModelError(
                f"The checkpoint does not fit its config.json: {name} is {list(array.shape)}, "
                f"but should be {list(shape)}."
            )
        return array

    def vector(self, name: str, size: int) -> np.ndarray:
        # Norms and biases are too small to matter for memory, so they are widened once.
        return self._tensor(name, (size,)).astype(np.float32, copy=False)

    def matrix(self, name: str, n: int, k: int) -> np.ndarray:
        array = self._tensor(name, (n, k))
        return array if self._dtype is None else array.astype(self._dtype, copy=False)

    def linear(self, name: str, n: int, k: int, bias: bool) -> Linear:
        return Linear(self.matrix(f"{name}.weight", n, k), self.vector(f"{name}.bias", n) if bias else None)
