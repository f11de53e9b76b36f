"""The arithmetic of a transformer in plain NumPy: the specification that kernels/ is tested against.

Activations are float32 [batch, tokens, size]. Weights keep the type of the checkpoint and are
multiplied in float32.
"""

import numpy as np

from .config import RopeConfig


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """x [batch, tokens, k] times weight [n, k] transposed, plus bias [n] -> float32 [batch, tokens, n]."""
    y = x @ weight.astype(np.float32, copy=False).T
    return y if bias is None else y + bias.astype(np.float32, copy=False)


def embed(tokens: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """tokens int [batch, tokens], weight [vocabulary, hidden] -> float32 [batch, tokens, hidden]."""
    return weight[tokens].astype(np.float32, copy=False)


def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    """x / sqrt(mean(x^2) + eps) * weight over the last axis (Zhang and Sennrich, 2019, arXiv:1910.07467)."""
    mean_square = np.mean(x * x, axis=-1, keepdims=True, dtype=np.float32)
    return x / np.sqrt(mean_square + np.float32(eps)) * weight.astype(np.float32, copy=False)


def silu(x: np.ndarray) -> np.ndarray:
    """x * sigmoid(x) (Elfwing et al., 2017, arXiv:1702.03118)."""
    # exp overflows to infinity for very negative x, and x / infinity is the right limit, zero.
    with np.errstate(over="ignore"):
        return x / (np.float32(1) + np.exp(-x))


def swiglu(gate: np.ndarray, up: np.ndarray) -> np.ndarray:
    """silu(gate) * up (Shazeer, 2020, arXiv:2002.05202)."""
    return silu(gate) * up


def softmax(x: np.ndarray) -> np.ndarray:
    """exp(x) / sum(exp(x)) over the last axis, shifted by the maximum so that nothing overflows."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def rope_frequencies(rope: RopeConfig, head_dim: int) -> np.ndarray:
    """Radians per position for each pair of a head's dimensions: float64 [head_dim / 2].

    RoFormer (arXiv:2104.09864), with linear position interpolation (arXiv:2306.15595) or the scaling
    of Llama 3.1: high frequencies stay, low ones are divided by `factor`, those between are blended.
    """
    frequencies = rope.theta ** -(np.arange(0, head_dim, 2) / head_dim)
    if rope.kind == "linear":
        return frequencies / rope.factor
    if rope.kind == "llama3":
        turns = rope.original_max_position * frequencies / (2 * np.pi)
        kept = (turns - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor)
        kept = np.clip(kept, 0, 1)
        return frequencies * (kept + (1 - kept) / rope.factor)
    return frequencies


def rope_table(positions: np.ndarray, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines for positions int [batch, tokens]: two float32 [batch, tokens, 1, head_dim / 2]."""
    angles = positions[..., None, None] * frequencies
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def rotate(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    """Turn x [batch, tokens, heads, head_dim] by its position.

    Hugging Face's layout: dimension i is paired with i + head_dim / 2.
    """
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def attention(q: np.ndarray, keys: np.ndarray, values: np.ndarray, window: int | None) -> np.ndarray:
    """Causal attention of the last tokens of one sequence (Vaswani et al., 2017, arXiv:1706.03762).

    Args:
        q: [tokens, heads, head_dim], the queries of the last `tokens` positions.
        keys, values: [kv_heads, length, head_dim], all positions so far, those of `q` included. Each
            KV head serves heads / kv_heads query heads in a row (arXiv:2305.13245).
        window: attend to this many latest positions only, one's own among them (arXiv:2310.06825).

    Returns:
        float32 [tokens, heads * head_dim].
    """
    tokens, heads, head_dim = q.shape
    kv_heads, length, _ = keys.shape
    start = length - tokens
    first = 0 if window is None else max(0, start - window + 1)
    keys, values = keys[:, first:], values[:, first:]
    grouped = q.reshape(tokens, kv_heads, heads // kv_heads, head_dim).transpose(1, 2, 0, 3)
    grouped = np.ascontiguousarray(grouped).reshape(kv_heads, -1, head_dim)
    scores = np.matmul(grouped, keys.transpose(0, 2, 1)) * np.float32(head_dim**-0.5)
    if tokens > 1:
        scores = scores.reshape(kv_heads, -1, tokens, length - first)
        distance = np.arange(start, length)[:, None] - np.arange(first, length)
        hidden = distance < 0 if window is None else (distance < 0) | (distance >= window)
        scores[..., hidden] = -np.inf
        scores = scores.reshape(kv_heads, -1, length - first)
    mixed = np.matmul(softmax(scores), values).reshape(kv_heads, -1, tokens, head_dim)
    return mixed.transpose(2, 0, 1, 3).reshape(tokens, heads * head_dim)
