"""The records of a tape: one for each operation of a step, over named buffers of rows (see tape.py).

A row belongs to one token. A record says what is computed, in the terms of its paper.
"""

from dataclasses import dataclass

from .distances import DistanceBias, PositionRows, RelativeScores
from .recurrences import Conv, Pool, Scan, SelectiveScan
from .references import Span, WeightRef
from .rope import RopeConfig
from .selection import Chosen, Select

INNER = "inner"  # the buffer of numbers within an MLP


@dataclass(frozen=True)
class Norm:
    """y = x / sqrt(max(mean(x^2) + eps, floor)) * weight, for each head of a row (arXiv:1910.07467).

    The heads share the weights, or each has its own. Without weights they are 1.
    """

    x: Span
    y: Span
    weight: WeightRef | None
    eps: float
    floor: float = 0.0


@dataclass(frozen=True)
class Center:
    """y = x - mean(x), for each head of a row: the first step of layer normalization (arXiv:1607.06450)."""

    x: Span
    y: Span


@dataclass(frozen=True)
class Linear:
    """y = x times weights [n_i, k] transposed, plus biases. Their outputs are side by side in y.

    `adds`: the product is added to y. `gate`: y = activation(first output) * second output. `activation`:
    y = activation(outputs), a key of operators.FUNCTIONS.
    `is_head`: y holds logits. `is_router`: y holds the scores of experts, or of copies. A small error
    could change the choice of experts, so a router keeps its float type when other weights are quantized.
    """

    x: Span
    y: Span
    weights: tuple[WeightRef, ...]
    biases: tuple[WeightRef, ...] = ()
    adds: bool = False
    gate: str | None = None
    is_head: bool = False
    is_router: bool = False
    activation: str | None = None

    @property
    def is_inner(self) -> bool:
        """Whether its outputs are those within an MLP, before its activation."""
        return (self.gate or self.activation) is not None or self.y.buffer == INNER


@dataclass(frozen=True)
class HeadLinear:
    """y = x times a matrix of its own for each head: [a head of y, a head of x] transposed.

    The weight has the matrices one below the other. is_transposed: they are stored as
    [a head of x, a head of y]. Of PositionRows, a head has its columns of all rows.
    """

    x: Span
    y: Span
    weight: WeightRef | PositionRows
    is_transposed: bool = False

    @property
    def weights(self) -> tuple[WeightRef, ...]:
        """The tensors that it reads."""
        return self.weight.weights if isinstance(self.weight, PositionRows) else (self.weight,)


@dataclass(frozen=True)
class Permute:
    """y[j] = x[order[j]]: columns in another order, in which a matrix was quantized."""

    x: Span
    y: Span
    order: tuple[int, ...]


@dataclass(frozen=True)
class Rope:
    """Rotate each head of x by its position, in place (arXiv:2104.09864), and multiply it by `scale`."""

    x: Span
    rope: RopeConfig
    scale: float = 1.0


@dataclass(frozen=True)
class AddPosition:
    """x = x + the row of `table` [positions, columns] for the position of each row: learned positions."""

    x: Span
    table: WeightRef


@dataclass(frozen=True)
class WriteKV:
    """Write keys and values to the KV layer `layer`."""

    keys: Span
    values: Span
    layer: int


@dataclass(frozen=True)
class Attend:
    """y = softmax(scale * q keys^T) values of a KV layer, over the positions so far, or the last `window`,
    and over `ahead` positions after its own, None for all; then a step has the whole sequence.

    With `softcap`, scores become softcap * tanh(scores / softcap) (Gemma 2, arXiv:2408.00118). `sinks` has a
    score for each head that takes part in the softmax, but has no value (gpt-oss, arXiv:2508.10925).
    `distances` is added to scores that are not capped. is_chunked: positions are in chunks of `window`, from
    0 on, and attend to those of their own (Llama 4). is_bounded: rows attend to the positions within their
    bounds, too, where a step has some (Batch.bounds). `relative` is added to scores before the scale. Only
    `chosen` positions take part, if it is given; then there is no softcap.
    """

    q: Span
    y: Span
    layer: int
    scale: float
    window: int | None
    softcap: float | None = None
    sinks: WeightRef | None = None
    ahead: int | None = 0
    distances: DistanceBias | None = None
    is_chunked: bool = False
    is_bounded: bool = False
    relative: RelativeScores | None = None
    chosen: Chosen | None = None


@dataclass(frozen=True)
class Gate:
    """y = activation(gate) * up."""

    gate: Span
    up: Span
    y: Span
    activation: str


@dataclass(frozen=True)
class Add:
    """y = y + factor * x."""

    x: Span
    y: Span
    factor: float = 1.0


@dataclass(frozen=True)
class AddGiven:
    """x = x + part `part` of the row of an image that a step is given for it, if any (arXiv:2406.04334)."""

    x: Span
    part: int


@dataclass(frozen=True)
class Scale:
    """x = factor * x + offset."""

    x: Span
    factor: float
    offset: float = 0.0


@dataclass(frozen=True)
class Softcap:
    """x = cap * tanh(x / cap)."""

    x: Span
    cap: float


@dataclass(frozen=True)
class TakeRows:
    """y = the rows of x that need logits. Later operations compute only these rows."""

    x: Span
    y: Span


@dataclass(frozen=True)
class Routing:
    """How a row chooses its experts, by their logits.

    Attributes:
        top_k: experts that a row chooses. Of equal scores, the lower index wins.
        score: "softmax" over all experts (Shazeer et al., 2017, arXiv:1701.06538), "sigmoid" of each
            (DeepSeek-V3, arXiv:2412.19437), or "sparsemixer": each chosen expert has its weight in a softmax
            over the experts that are left and near it (SparseMixer-v2; Phi-3.5-MoE, arXiv:2409.12136).
        normalizes: divide the chosen scores by their sum + `epsilon`. With "softmax", this is the softmax
            over the chosen experts.
        scale: factor of the routing weights.
        groups, top_groups: the experts are in `groups` groups of equal size, and a row chooses among those of
            `top_groups` groups (DeepSeek-V2, arXiv:2405.04434).
        group_top: the score of a group is the sum of its best `group_top` scores, 1 or 2.
        nearness: of sparsemixer. A logit s is near the best one b if (b - s) / max(|s|, b) is at most this.
    """

    top_k: int
    score: str = "softmax"
    normalizes: bool = False
    epsilon: float = 0.0
    scale: float = 1.0
    groups: int = 1
    top_groups: int = 1
    group_top: int = 1
    nearness: float = 0.0


@dataclass(frozen=True)
class Route:
    """y = the routing weight of each expert, from their logits x: 0 for those that the row does not choose.

    `bias` is added to scores for the choice only (Wang et al., 2024, arXiv:2408.15664). x is overwritten.
    """

    x: Span
    y: Span
    routing: Routing
    bias: WeightRef | None = None


@dataclass(frozen=True)
class Experts:
    """y = sum over experts e of routing_weights[e] * down_e(activation(gate_e(x)) * up_e(x)), in order of e.

    `gate_up` has the weights gate_0, up_0, gate_1, up_1 and so on, with its activation as `gate`; of experts
    without gates, down_e(activation(up_e(x))), it has up_0, up_1 and so on. `down` has down_0, down_1 and so
    on.
    """

    x: Span
    routing_weights: Span
    y: Span
    routing: Routing
    gate_up: Linear
    down: Linear

    @property
    def count(self) -> int:
        """The number of experts."""
        return len(self.down.weights)

    def inner_weights(self, expert: int) -> slice:
        """The weights of an expert in `gate_up`: those of gate and up projection, or of the latter alone."""
        size = len(self.gate_up.weights) // self.count
        return slice(size * expert, size * expert + size)


@dataclass(frozen=True)
class Expert:
    """The weights of one expert, and their biases. All experts of a mixture have gates, or none has."""

    gate: WeightRef | None
    up: WeightRef
    down: WeightRef
    gate_bias: WeightRef | None = None
    up_bias: WeightRef | None = None
    down_bias: WeightRef | None = None


@dataclass(frozen=True)
class Map:
    """y = function(*inputs), number by number; `function` is a key of operators.FUNCTIONS.

    An input with fewer heads than y is repeated, each head as often as needed. One number a head stands for
    all numbers of the head.
    """

    function: str
    inputs: tuple[Span | WeightRef, ...]
    y: Span


@dataclass(frozen=True)
class XIELU:
    """y = p x^2 + beta x for x > 0, otherwise n (e^min(x, eps) - 1 - x) + beta x (arXiv:2411.13010).

    p = softplus(alpha_p), n = beta + softplus(alpha_n). Each weight is one number.
    """

    x: Span
    y: Span
    alpha_p: WeightRef
    alpha_n: WeightRef
    beta: WeightRef
    eps: WeightRef

    @property
    def weights(self) -> tuple[WeightRef, ...]:
        """The four weights."""
        return self.alpha_p, self.alpha_n, self.beta, self.eps


@dataclass(frozen=True)
class Sinkhorn:
    """y = the matrix [n, n] in x, made doubly stochastic (Sinkhorn and Knopp, 1967; mHC, arXiv:2512.24880).

    Each row of it becomes its softmax, and eps is added. Columns are divided by their sums + eps; then
    rows and columns, `rounds` - 1 times.
    """

    x: Span
    y: Span
    n: int
    rounds: int
    eps: float


@dataclass(frozen=True)
class Dot:
    """y = sum(x * z) of each head, one number a head."""

    x: Span
    z: Span
    y: Span


@dataclass(frozen=True)
class Join:
    """Each head of y is the same head of all parts, one after the other.

    A part with fewer heads than y is repeated, each head as often as needed.
    """

    parts: tuple[Span, ...]
    y: Span


Record = (
    Norm | Center | Linear | HeadLinear | Permute | Rope | AddPosition | WriteKV | Attend | Gate | Add
    | AddGiven | Scale | Softcap | TakeRows | Route | Experts | Map | XIELU | Sinkhorn | Dot | Join | Conv
    | Scan | SelectiveScan | Select | Pool
)  # fmt: skip


@dataclass(frozen=True)
class KVLayer:
    """The keys and values that a layer stores for each position, and for how many of the latest positions.

    `key_dim`, `value_dim`: numbers of a head. is_latent: there is one head, and its values are the first
    numbers of its keys, which are stored once (DeepSeek-V2, arXiv:2405.04434).
    """

    kv_heads: int
    key_dim: int
    value_dim: int
    window: int | None
    is_latent: bool = False

    @property
    def size(self) -> int:
        """Numbers for each position."""
        return self.kv_heads * (self.key_dim + (0 if self.is_latent else self.value_dim))
