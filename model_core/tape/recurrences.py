"""The records of layers that keep a state of a sequence between steps (see operations.py)."""

from dataclasses import dataclass

from .references import Span, WeightRef


@dataclass(frozen=True)
class Conv:
    """y_t = sum_i weight_i * x_(t - width + 1 + i) + bias, for each column (causal depthwise convolution).

    The weight is stored [columns, 1, width]. Without one, y is the x of the previous token (token shift).
    State `state` holds the last width - 1 rows of x: [width - 1, columns].
    """

    x: Span
    y: Span
    weight: WeightRef | None
    bias: WeightRef | None
    state: int


@dataclass(frozen=True)
class Pool:
    """y_t = sum_i softmax_i(gates_(t - n + 1 + i) + bias_i) * x_(t - n + 1 + i), for each column.

    The bias is [n, columns]. State `state` holds the last n - 1 rows of x and of the gates: [2, n - 1,
    columns]. Without enough rows, the first y are of rows of zeros.
    """

    x: Span
    gates: Span
    y: Span
    bias: WeightRef
    state: int


@dataclass(frozen=True)
class Scan:
    """S_t = S_(t-1) (diag(w) - a b^T) + v k^T, y = S_t r, for each head: linear attention with one state.

    S is [values, keys]. RWKV-7 (arXiv:2503.14456), gated delta nets (arXiv:2412.06464) and, without a and b,
    Mamba-2 (arXiv:2405.21060). Heads and columns of inputs are repeated as in `Map`, up to those of v and k.
    State `state` holds the transpose of S: [heads, keys, values].
    """

    w: Span
    v: Span
    k: Span
    r: Span
    y: Span
    state: int
    a: Span | None = None
    b: Span | None = None


@dataclass(frozen=True)
class SelectiveScan:
    """S_t = exp(-dt_t A) * S_(t-1) + v_t k_t^T, y_t = S_t r_t, number by number: Mamba (arXiv:2312.00752).

    S and the weight A are [columns, keys]; dt, v and y have a number for each column, k and r one for each
    key. State `state` holds S for STATE_COLUMNS columns at a time: [columns / STATE_COLUMNS, keys,
    STATE_COLUMNS].
    """

    dt: Span
    v: Span
    k: Span
    r: Span
    y: Span
    rates: WeightRef
    state: int
