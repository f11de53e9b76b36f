"""The operations of a transformer in plain NumPy: the specification for the tests of kernels/.

Activations are float32 [..., size]. Weights keep the type of the checkpoint and are
multiplied in float32; in float64 where the activations are.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..tape.distances import RelativeScores
from ..tape.operations import Routing
from ..tape.rope import RopeConfig, axes_of_frequencies, rope_frequencies


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """x [..., k] times weight [n, k] transposed, plus bias [n] -> float32 [..., n]."""
    y = x @ weight.astype(np.float32, copy=False).T
    return y if bias is None else y + bias.astype(np.float32, copy=False)


def low_rank(h: np.ndarray, b: np.ndarray, scale: float) -> np.ndarray:
    """scale * h [..., rank] times b [n, rank] transposed -> float32 [..., n] (LoRA, arXiv:2106.09685).

    It is summed in the order of the ranks, so that the bits of a row do not depend on other rows.
    """
    total = np.zeros((*h.shape[:-1], len(b)), np.float32)
    for rank in range(b.shape[1]):
        total += h[..., rank, None] * b[:, rank].astype(np.float32, copy=False)
    return np.float32(scale) * total


def embed(tokens: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """tokens int [...], weight [vocabulary, hidden] -> float32 [..., hidden].

    A token beyond the table has its first row, as in Gemma 3n.
    """
    return weight[np.where(tokens < len(weight), tokens, 0)].astype(np.float32, copy=False)


def rms_norm(x: np.ndarray, weight: np.ndarray | float, eps: float, floor: float = 0.0) -> np.ndarray:
    """x / sqrt(max(mean(x^2) + eps, floor)) * weight over the last axis (Zhang and Sennrich, 2019,
    arXiv:1910.07467)."""
    mean_square = np.mean(x * x, axis=-1, keepdims=True)
    return x / np.sqrt(np.maximum(mean_square + np.float32(eps), np.float32(floor))) * np.float32(weight)


def center(x: np.ndarray) -> np.ndarray:
    """x - mean(x) over the last axis."""
    return x - np.mean(x, axis=-1, keepdims=True)


def silu(x: np.ndarray) -> np.ndarray:
    """x * sigmoid(x) (Elfwing et al., 2017, arXiv:1702.03118)."""
    # exp overflows to infinity for very negative x, and x / infinity is the right limit, zero.
    with np.errstate(over="ignore"):
        return x / (np.float32(1) + np.exp(-x))


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x)."""
    with np.errstate(over="ignore"):
        return 1 / (np.float32(1) + np.exp(-x))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The tanh approximation of x * Phi(x) (Hendrycks and Gimpel, 2016, arXiv:1606.08415)."""
    inner = np.float32((2 / np.pi) ** 0.5) * (x + np.float32(0.044715) * x**3)
    return np.float32(0.5) * x * (1 + np.tanh(inner))


def gelu(x: np.ndarray) -> np.ndarray:
    """x * Phi(x), where Phi is the standard normal distribution (arXiv:1606.08415)."""
    return (x * (1 + _erf(x.astype(np.float64) * 0.5**0.5)) / 2).astype(x.dtype)


_erf = np.vectorize(math.erf, otypes=[np.float64])
# name on tapes -> function
ACTIVATIONS = {"silu": silu, "gelu_tanh": gelu_tanh}


def gate(gate: np.ndarray, up: np.ndarray, activation: str) -> np.ndarray:
    """activation(gate) * up with a key of ACTIVATIONS, or a function of both, a key of GATES."""
    return GATES[activation](gate, up) if activation in GATES else ACTIVATIONS[activation](gate) * up


def clamped_swiglu(gate: np.ndarray, up: np.ndarray) -> np.ndarray:
    """gate * sigmoid(1.702 gate) * (up + 1), gate up to 7, up from -7 to 7 (gpt-oss, arXiv:2508.10925)."""
    gate, up = np.minimum(gate, np.float32(7)), np.clip(up, np.float32(-7), np.float32(7))
    return silu(np.float32(1.702) * gate) / np.float32(1.702) * (up + np.float32(1))


def limited_swiglu(gate: np.ndarray, up: np.ndarray, limit: float) -> np.ndarray:
    """silu(gate) * up, gate up to `limit`, up from -limit to limit (DeepSeek-V4, 2026)."""
    most = np.float32(limit)
    return silu(np.minimum(gate, most)) * np.clip(up, -most, most)


def capped_swiglu(gate: np.ndarray, up: np.ndarray, limit: float) -> np.ndarray:
    """silu(gate) * up, silu(gate) up to `limit`, up from -limit to limit (Step 3.5, 2026)."""
    most = np.float32(limit)
    return np.minimum(silu(gate), most) * np.clip(up, -most, most)


# name on tapes -> function of gate and up
GATES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "clamped_swiglu": clamped_swiglu,
    "swiglu_to_10": lambda gate, up: limited_swiglu(gate, up, 10),
    "capped_swiglu_to_7": lambda gate, up: capped_swiglu(gate, up, 7),
    "capped_swiglu_to_16": lambda gate, up: capped_swiglu(gate, up, 16),
}


def route(logits: np.ndarray, routing: Routing, bias: np.ndarray | None = None) -> np.ndarray:
    """The routing weights of experts, 0 for those that a row does not choose (see operations.Routing).

    logits: float32 [rows, experts]. bias: float32 [experts], added to scores for the choice. Returns float32
    [rows, experts].
    """
    if routing.score == "sparsemixer":
        return _mix_sparsely(logits, routing)
    if routing.score == "sigmoid":
        scores = sigmoid(logits)
        choice = scores if bias is None else scores + bias
    else:
        scores = softmax(logits)
        # Logits are in the order of scores, and without their ties of zeros.
        choice = logits if bias is None else scores + bias
    if routing.groups > 1:
        grouped = choice.reshape(len(logits), routing.groups, -1)
        group_scores = np.sort(grouped, axis=-1)[..., -routing.group_top :].sum(axis=-1)
        is_open = _is_among_best(group_scores, routing.top_groups)
        choice = np.where(is_open[..., None], grouped, -np.inf).reshape(logits.shape)
    weights = np.where(_is_among_best(choice, routing.top_k), scores, np.float32(0))
    if routing.normalizes:
        weights = weights / (weights.sum(axis=-1, keepdims=True) + np.float32(routing.epsilon))
    return weights * np.float32(routing.scale)


def _mix_sparsely(logits: np.ndarray, routing: Routing) -> np.ndarray:
    """The routing weights of sparsemixer. Source: Transformers, modeling_phimoe.py."""
    weights, left = np.zeros_like(logits), logits.copy()
    for _ in range(routing.top_k):
        best = left.max(axis=-1, keepdims=True)
        limit = np.float32(routing.nearness) * np.maximum(np.abs(logits), best)
        is_near = best - left <= limit
        chosen = _is_among_best(left, 1)
        weights[chosen] = softmax(np.where(is_near, left, -np.inf))[chosen]
        left[chosen] = -np.inf
    return weights


def _is_among_best(scores: np.ndarray, count: int) -> np.ndarray:
    """Whether each score is among the `count` best of its row. Of equal scores, the lower index is better."""
    best = np.argsort(-scores, axis=-1, kind="stable")[..., :count]
    result = np.zeros(scores.shape, bool)
    np.put_along_axis(result, best, True, axis=-1)
    return result


def softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + exp(x))."""
    return np.logaddexp(x, np.float32(0))


def xielu(x: np.ndarray, alpha_p: float, alpha_n: float, beta: float, eps: float) -> np.ndarray:
    """The activation of Apertus (Huang and Schlag, 2024, arXiv:2411.13010; see operations.XIELU)."""
    p, n = (softplus(np.array(alpha, np.float32)) for alpha in (alpha_p, alpha_n))
    negative = np.expm1(np.minimum(x, np.float32(eps))) - x
    return np.where(x > 0, p * x * x, (beta + n) * negative) + np.float32(beta) * x


# What maps compute of their inputs: name on tapes -> function.
FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "add": lambda x, z: x + z,
    "multiply": lambda x, z: x * z,
    "multiply_add": lambda x, z, w: x + z * w,
    "mix": lambda x, z, w: x + (z - x) * w,
    "sigmoid": sigmoid,
    "softplus": softplus,
    "tanh": np.tanh,
    "decay": lambda x: np.exp(-x),  # for x >= 0
    "relu": lambda x: np.maximum(x, 0),
    "relu_squared": lambda x: np.maximum(x, 0) ** 2,
    "silu": silu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "swiglu": lambda x, z: silu(x) * z,
    "geglu": lambda x, z: gelu_tanh(x) * z,
    "clamp": lambda x, z, w: np.minimum(np.maximum(x, z), w),
    **GATES,
}


def sinkhorn(x: np.ndarray, rounds: int, eps: float) -> np.ndarray:
    """Matrices [..., n, n] made doubly stochastic (see operations.Sinkhorn)."""
    y, small = softmax(x) + np.float32(eps), np.float32(eps)
    for turn in range(2 * rounds - 1):
        y = y / (y.sum(axis=-1 if turn % 2 else -2, keepdims=True) + small)
    return y


def softcap(x: np.ndarray, cap: float) -> np.ndarray:
    """cap * tanh(x / cap) (Bello et al., 2016, arXiv:1611.09940)."""
    return np.tanh(x / np.float32(cap)) * np.float32(cap)


def softmax(x: np.ndarray) -> np.ndarray:
    """exp(x) / sum(exp(x)) over the last axis, shifted by the maximum so that nothing overflows."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def rope_table(
    positions: np.ndarray, rope: RopeConfig, head_dim: int, axes: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines for positions int [...]: two float32 [..., 1, rotated dimensions / 2].

    axes: int [..., axes], positions of the axes, which RoPE with sections takes.
    """
    frequencies = rope_frequencies(rope, head_dim)
    angles = positions[..., None, None] * frequencies
    if axes is not None and rope.sections:
        angles = axes[..., None, axes_of_frequencies(rope, len(frequencies))] * frequencies
    growth = np.log(1 + (positions + rope.growth_start) // rope.original_max_position)[..., None, None]
    factor = rope.attention_factor * (1 + rope.query_growth * growth)
    return (np.cos(angles) * factor).astype(np.float32), (np.sin(angles) * factor).astype(np.float32)


def rotate(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, is_interleaved: bool = False) -> np.ndarray:
    """Rotate the first dimensions of x [..., heads, head_dim] by its position, two for each column of cos.

    Hugging Face's layout: of n rotated dimensions, i is paired with i + n / 2. With `is_interleaved` (the
    paper's layout), 2 i is paired with 2 i + 1.
    """
    half = cos.shape[-1]
    rotated = x.copy()
    first, second = (
        (slice(0, 2 * half, 2), slice(1, 2 * half, 2))
        if is_interleaved
        else (slice(half), slice(half, 2 * half))
    )
    rotated[..., first] = x[..., first] * cos - x[..., second] * sin
    rotated[..., second] = x[..., second] * cos + x[..., first] * sin
    return rotated


def attention(
    q: np.ndarray, keys: np.ndarray, values: np.ndarray, *settings: Any, **named_settings: Any
) -> np.ndarray:
    """Attention of the last tokens of one sequence (Vaswani et al., 2017, arXiv:1706.03762).

    values: [kv_heads, length, own head size]; the others as in `attention_weights`. Returns float32 [tokens,
    heads * head size of values].
    """
    tokens, kv_heads = len(q), len(keys)
    weights = attention_weights(q, keys, *settings, **named_settings)
    weights = weights.reshape(kv_heads, -1, weights.shape[-1])
    values = values[:, values.shape[1] - weights.shape[-1] :]
    mixed = np.matmul(weights, values).reshape(kv_heads, -1, tokens, values.shape[-1])
    return mixed.transpose(2, 0, 1, 3).reshape(tokens, -1)


def attention_weights(
    q: np.ndarray,
    keys: np.ndarray,
    scale: float,
    window: int | None,
    cap: float | None = None,
    sinks: np.ndarray | None = None,
    ahead: int | None = 0,
    distances: np.ndarray | None = None,
) -> np.ndarray:
    """How much each head of the last tokens of a sequence takes from each position.

    Args:
        q: [tokens, heads, head_dim], the queries of the last `tokens` positions.
        keys: [kv_heads, length, head_dim], of all positions so far, those of `q` included. Each KV head
            serves heads / kv_heads query heads in a row (arXiv:2305.13245).
        scale: factor of the scores.
        window: attend to this many latest positions only, one's own among them (arXiv:2310.06825).
        cap: see softcap; None: scores are not capped.
        sinks: float32 [heads], scores of a position without a value; None: there is none.
        ahead: attend to this many positions after one's own, 0 in causal attention; None: to all.
        distances: float32 [heads, 2 * reach], what is added to scores at the distances -reach to reach - 1,
            where the reach is at least the length; or [heads, tokens, positions] for each; None: nothing.

    Returns:
        float32 [heads, tokens, positions], without the first positions if no window reaches them. Each row
        sums to 1, with a sink to less.
    """
    tokens, heads, head_dim = q.shape
    kv_heads, length, _ = keys.shape
    start = length - tokens
    first = 0 if window is None else max(0, start - window + 1)
    keys = keys[:, first:]
    grouped = q.reshape(tokens, kv_heads, heads // kv_heads, head_dim).transpose(1, 2, 0, 3)
    grouped = np.ascontiguousarray(grouped).reshape(kv_heads, -1, head_dim)
    scores = np.matmul(grouped, keys.transpose(0, 2, 1)) * np.float32(scale)
    if cap is not None:
        scores = softcap(scores, cap)
    if distances is not None:
        positions = np.arange(first, length) - np.arange(start, length)[:, None]
        if distances.ndim == 2:
            distances = distances[:, positions + distances.shape[1] // 2]  # [heads, tokens, positions]
        scores = scores + distances.reshape(scores.shape)
    if tokens > 1:
        scores = scores.reshape(kv_heads, -1, tokens, length - first)
        distance = np.arange(start, length)[:, None] - np.arange(first, length)
        hidden = distance < -(length if ahead is None else ahead)
        if window is not None:
            hidden |= distance >= window
        scores[..., hidden] = -np.inf
        scores = scores.reshape(kv_heads, -1, length - first)
    if sinks is None:
        weights = softmax(scores)
    else:
        sink = np.repeat(sinks.reshape(kv_heads, -1), tokens, axis=1)[..., None]
        weights = softmax(np.concatenate([scores, sink], axis=-1))[..., :-1]
    return weights.reshape(heads, tokens, -1)


def relative_scores(of_queries: np.ndarray, of_keys: np.ndarray, relative: RelativeScores) -> np.ndarray:
    """What is added to scores before the scale: float32 [heads, tokens, positions] of a whole sequence.

    of_queries, of_keys: float32 [tokens, heads, columns], see RelativeScores.
    """
    tokens = np.arange(len(of_queries))
    columns = relative.columns_of(len(tokens))[tokens - tokens[:, None] + len(tokens)]
    queries = of_queries[tokens[:, None], :, columns] + of_keys[tokens[None, :], :, columns]
    return queries.transpose(2, 0, 1)


def conv(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, state: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Causal convolution of each column: y_t = sum_i weight_i * x_(t - width + 1 + i) + bias.

    x [tokens, columns], weight [columns, width], bias [columns]. state [width - 1, columns] are the rows
    before x; returns y and the rows before the next x.
    """
    rows, width = np.concatenate([state, x]), weight.shape[1]
    y = np.zeros_like(x) if bias is None else np.broadcast_to(bias, x.shape)
    for i in range(width):
        y = y + weight[:, i] * rows[i : i + len(x)]
    return y, rows[len(x) :]


def scan(
    w: np.ndarray,
    a: np.ndarray | None,
    b: np.ndarray | None,
    v: np.ndarray,
    k: np.ndarray,
    r: np.ndarray,
    state: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """S_t = S_(t-1) (diag(w) - a b^T) + v k^T, y = S_t r, for each head, token by token.

    w, a, b, k, r [tokens, heads, keys], v [tokens, heads, values]; state [heads, keys, values] is the
    transpose of S. Returns y [tokens, heads, values] and the new state.
    """
    y = np.empty_like(v)
    for t in range(len(v)):
        new = state * w[t][:, :, None]
        if a is not None and b is not None:
            new = new - b[t][:, :, None] * np.sum(state * a[t][:, :, None], axis=1, keepdims=True)
        state = new + k[t][:, :, None] * v[t][:, None, :]
        y[t] = np.sum(state * r[t][:, :, None], axis=1)
    return y, state


def selective_scan(
    dt: np.ndarray, v: np.ndarray, k: np.ndarray, r: np.ndarray, rates: np.ndarray, state: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """S_t = exp(-dt_t A) * S_(t-1) + v_t k_t^T, y_t = S_t r_t, number by number, token by token.

    dt, v [tokens, columns], k, r [tokens, keys], rates: A [columns, keys]; state [keys, columns] is the
    transpose of S. Returns y [tokens, columns] and the new state.
    """
    y = np.empty_like(v)
    for t in range(len(v)):
        state = state * np.exp(-dt[t] * rates.T) + k[t][:, None] * v[t]
        y[t] = np.sum(state * r[t][:, None], axis=0)
    return y, state
