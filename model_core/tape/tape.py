"""A model as a tape: the list of operations that one step computes. A family writes it once, during loading.

Operations (tape/operations.py) read and write named buffers of rows. `Tape` has a method for each, which
returns the span that it writes, so files of families/ look like the formulas of their papers. A buffer holds
what was written to it last, and is as wide as it needs to be. Two interpreters run tapes:
reference/interpreter.py in NumPy, which is the specification, and kernels/interpreter.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..kernels.layout import STATE_COLUMNS, STRIP
from . import operations
from .classifier import Classifier
from .distances import PositionRows
from .operations import Expert, KVLayer, Record, Routing
from .references import Span, WeightRef
from .rope import RopeConfig

TYPES = "types"  # the buffer of the embeddings of types of tokens, where a model has them


@dataclass
class Tape:
    """Writes records. Parts of a buffer begin at multiples of STRIP, as the outputs of packed matrices do.

    Attributes:
        records: the operations, in their order.
        kv_layers: what layers of attention store, by the number of the KV layer.
        states: the shapes of what recurrent layers keep of a sequence between steps, in float32.
        embeddings: tables with a row for each token, by the buffers that hold the rows as a step begins.
        inputs: further buffers that hold rows of a step's input as it begins (see Batch.inputs), and their
            widths.
        handed_on: the hidden states that go to a head that drafts: of a model for all rows of a step, of the
            head itself for the rows that need logits.
        unused: names of tensors that a checkpoint may have, and the model does not use.
        classifier: the layers that turn the hidden states of a text into a score, if the model has one.
    """

    records: list[Record] = field(default_factory=list)
    kv_layers: list[KVLayer] = field(default_factory=list)
    states: list[tuple[int, ...]] = field(default_factory=list)
    embeddings: dict[str, WeightRef] = field(default_factory=dict)
    inputs: dict[str, int] = field(default_factory=dict)
    handed_on: Span | None = None
    unused: set[str] = field(default_factory=set)
    classifier: Classifier | None = None

    @property
    def embedding(self) -> WeightRef:
        """The embedding of hidden states, which may be the matrix of the head too."""
        return self.embeddings["x"]

    @property
    def is_causal(self) -> bool:
        """Whether no token attends to those after it. Otherwise, a step computes a whole sequence."""
        return not any(isinstance(record, operations.Attend) and record.ahead != 0 for record in self.records)

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of float32 KV memory that one position takes, all layers together."""
        return 4 * sum(layer.size for layer in self.kv_layers)

    def embed(self, name: str, vocab_size: int, width: int, to: str = "x") -> Span:
        """The rows of the embedding `name` for the tokens of the step, in the buffer `to` as it begins."""
        self.embeddings[to] = WeightRef(f"{name}.weight", (vocab_size, width))
        return Span(to, 0, width)

    def embed_types(self, name: str, count: int, width: int) -> Span:
        """The rows of the embedding `name` for the types of the tokens (see Batch.types)."""
        return self.embed(name, count, width, to=TYPES)

    def take_input(self, name: str, width: int) -> Span:
        """Rows that a step is given, in the buffer `name` as it begins."""
        self.inputs[name] = width
        return Span(name, 0, width)

    def norm(
        self,
        x: Span,
        name: str | None,
        eps: float,
        to: str | None = None,
        offset: float = 0.0,
        per_head: bool = False,
        floor: float = 0.0,
    ) -> Span:
        """RMS norm of each head, in place or to the buffer `to`. `offset` is added to its stored weights.

        floor: see operations.Norm. Without a name, it has no weights. per_head: each head has its own.
        """
        y = x if to is None else replace(x, buffer=to, start=0)
        shape = (x.width if per_head else x.size,)
        weight = None if name is None else WeightRef(f"{name}.weight", shape, offset=offset)
        self.records.append(operations.Norm(x, y, weight, eps, floor))
        return y

    def layer_norm(
        self, x: Span, name: str, eps: float, to: str | None, bias: bool = False, per_head: bool = False
    ) -> Span:
        """Layer norm of each head, in place or to the buffer `to`: the RMS norm of x - mean(x).

        per_head: each head has its own weights.
        """
        y = self.center(x, to)
        self.norm(y, name, eps, per_head=per_head)
        shape = (x.width if per_head else x.size,)
        return self.map("add", y, WeightRef(f"{name}.bias", shape)) if bias else y

    def center(self, x: Span, to: str | None) -> Span:
        """x - mean(x) for each head, in place or to the buffer `to`."""
        y = x if to is None else replace(x, buffer=to, start=0)
        self.records.append(operations.Center(x, y))
        return y

    def project(
        self, x: Span, to: str, name: str, width: int, bias: bool = False, is_head: bool = False
    ) -> Span:
        """x times the matrix `name`, into the buffer `to`, where the result is one head."""
        return self.linear(x, to, {name: (1, width)}, bias, is_head)[0]

    def linear(
        self, x: Span, to: str, parts: dict[str, tuple[int, int]], bias: bool = False, is_head: bool = False
    ) -> list[Span]:
        """x times several matrices, side by side in the buffer `to`.

        parts: name -> (heads, columns of a head).
        """
        weights = [
            (WeightRef(f"{name}.weight", (heads * size, x.width)), heads)
            for name, (heads, size) in parts.items()
        ]
        return self.matmul(x, to, weights, bias, is_head=is_head)

    def linear_split(
        self, x: Span, to: str, name: str, parts: list[tuple[int, int]], bias: bool = False
    ) -> list[Span]:
        """x times the matrix `name`, whose rows are those of several. parts: (heads, columns of a head)."""
        shape, stop, weights = (sum(heads * size for heads, size in parts), x.width), 0, []
        for heads, size in parts:
            start, stop = stop, stop + heads * size
            weights.append((WeightRef(f"{name}.weight", shape, start, stop), heads))
        return self.matmul(x, to, weights, bias)

    def matmul(
        self,
        x: Span,
        to: str,
        parts: list[tuple[WeightRef, int]],
        bias: bool = False,
        is_head: bool = False,
        is_router: bool = False,
    ) -> list[Span]:
        """x times weights that may be parts of tensors, side by side in the buffer `to`.

        parts: weights, each with its number of heads. bias: they have biases, the same parts of tensors whose
        names end with "bias". is_head, is_router: see operations.Linear.
        """
        weights, spans, start = tuple(weight for weight, _ in parts), [], 0
        for weight, heads in parts:
            spans.append(Span(to, start, weight.rows, heads))
            start += -(-weight.rows // STRIP) * STRIP
        y = spans[0] if len(spans) == 1 else Span(to, 0, start)
        biases = tuple(weight.bias for weight in weights) if bias else ()
        self.records.append(operations.Linear(x, y, weights, biases, is_head=is_head, is_router=is_router))
        return spans

    def multiply_heads(
        self, x: Span, to: str, weight: WeightRef | PositionRows, size: int, is_transposed: bool = False
    ) -> Span:
        """Each head of x times a matrix of its own (see operations.HeadLinear): heads of `size`."""
        y = Span(to, 0, x.heads * size, x.heads)
        self.records.append(operations.HeadLinear(x, y, weight, is_transposed))
        return y

    def score(self, x: Span, name: str, count: int, bias: bool = False) -> Span:
        """x times the matrix of a router (see operations.Linear), into the buffer "router"."""
        weight = WeightRef(f"{name}.weight", (count, x.width))
        return self.matmul(x, "router", [(weight, 1)], bias, is_router=True)[0]

    def route(
        self,
        x: Span,
        name: str,
        experts: int,
        routing: Routing,
        bias: bool = False,
        choice_bias: str | WeightRef | None = None,
    ) -> Span:
        """The routing weights of experts for the rows of x: the weights of a chosen one, 0 for others.

        name: of the matrix whose products are the logits of experts, with a bias if it has one. choice_bias:
        a vector, or its name, that is added to scores for the choice only.
        """
        if isinstance(choice_bias, str):
            choice_bias = WeightRef(choice_bias, (experts,))
        return self.choose(self.score(x, name, experts, bias), routing, choice_bias)

    def choose(self, logits: Span, routing: Routing, bias: WeightRef | None = None) -> Span:
        """The routing weights of experts with these logits, which are overwritten (see operations.Route)."""
        y = Span("routing", 0, logits.width)
        self.records.append(operations.Route(logits, y, routing, bias))
        return y

    def experts(
        self, x: Span, routing_weights: Span, routing: Routing, experts: Sequence[Expert], activation: str
    ) -> Span:
        """The mixture of the experts that `route` chose, into the buffer "mixture"."""
        first = experts[0]
        inner, y = Span("expert_inner", 0, first.up.rows), Span("mixture", 0, first.down.rows)
        gate_up = operations.Linear(
            x,
            inner,
            tuple(weight for expert in experts for weight in (expert.gate, expert.up) if weight),
            tuple(bias for expert in experts for bias in (expert.gate_bias, expert.up_bias) if bias),
            gate=activation if first.gate else None,
            activation=None if first.gate else activation,
        )
        down = operations.Linear(
            inner,
            y,
            tuple(expert.down for expert in experts),
            tuple(expert.down_bias for expert in experts if expert.down_bias),
        )
        self.records.append(operations.Experts(x, routing_weights, y, routing, gate_up, down))
        return y

    def rope(self, x: Span, rope: RopeConfig | None) -> Span:
        """Rotate each head by its position, in place. With None, nothing is rotated."""
        if rope is not None:
            self.records.append(operations.Rope(x, rope))
        return x

    def add_position(self, x: Span, name: str, positions: int, start: int = 0) -> Span:
        """Add the learned embedding of each row's position, in place. Position 0 has the row `start`."""
        shape = (start + positions, x.width)
        self.records.append(operations.AddPosition(x, WeightRef(f"{name}.weight", shape, start)))
        return x

    def attend(
        self,
        q: Span,
        keys: Span,
        values: Span,
        scale: float,
        window: int | None = None,
        **settings: Any,
    ) -> Span:
        """Write keys and values to a new KV layer, and attend to it. settings: see attend_again."""
        layer = len(self.kv_layers)
        self.kv_layers.append(KVLayer(keys.heads, keys.size, values.size, window))
        self.records.append(operations.WriteKV(keys, values, layer))
        return self.attend_again(q, layer, scale, **settings)

    def attend_in_chunks(self, q: Span, keys: Span, values: Span, scale: float, chunk: int) -> Span:
        """Write keys and values to a new KV layer, and attend to those of the same chunk of positions."""
        layer, y = len(self.kv_layers), Span("mixed", 0, q.heads * values.size, q.heads)
        self.kv_layers.append(KVLayer(keys.heads, keys.size, values.size, chunk))
        self.records.append(operations.WriteKV(keys, values, layer))
        self.records.append(operations.Attend(q, y, layer, scale, chunk, is_chunked=True))
        return y

    def attend_to_latents(
        self, q: Span, latents: Span, value_dim: int, scale: float, **settings: Any
    ) -> Span:
        """Write latents, one head, to a new KV layer, and attend to it: values are its first numbers."""
        layer = len(self.kv_layers)
        self.kv_layers.append(KVLayer(1, latents.size, value_dim, None, is_latent=True))
        self.records.append(operations.WriteKV(latents, replace(latents, width=value_dim), layer))
        return self.attend_again(q, layer, scale, **settings)

    def attend_again(
        self, q: Span, layer: int, scale: float, sinks: str | None = None, **settings: Any
    ) -> Span:
        """Attend to a KV layer that an earlier layer has written.

        sinks: a name, see operations.Attend. settings: its other fields.
        """
        kv = self.kv_layers[layer]
        y = Span("mixed", 0, q.heads * kv.value_dim, q.heads)
        ref = None if sinks is None else WeightRef(sinks, (q.heads,))
        self.records.append(operations.Attend(q, y, layer, scale, kv.window, sinks=ref, **settings))
        return y

    def gate(self, gate: Span, up: Span, activation: str) -> Span:
        """activation(gate) * up, written to the gate."""
        self.records.append(operations.Gate(gate, up, gate, activation))
        return gate

    def add(self, x: Span, y: Span, factor: float = 1.0) -> Span:
        """Add factor * y to x, in place."""
        self.records.append(operations.Add(y, x, factor))
        return x

    def add_given(self, x: Span, part: int) -> Span:
        """Add rows of images in place (see operations.AddGiven)."""
        self.records.append(operations.AddGiven(x, part))
        return x

    def scale(self, x: Span, factor: float, offset: float = 0.0) -> Span:
        """factor * x + offset, in place."""
        if factor != 1 or offset:
            self.records.append(operations.Scale(x, factor, offset))
        return x

    def softcap(self, x: Span, cap: float | None) -> Span:
        """cap * tanh(x / cap), in place. None: no operation."""
        if cap is not None:
            self.records.append(operations.Softcap(x, cap))
        return x

    def take_rows(self, x: Span) -> Span:
        """Keep only the rows that need logits."""
        y = replace(x, buffer="last")
        self.records.append(operations.TakeRows(x, y))
        return y

    def map(
        self, name: str, x: Span, *others: Span | WeightRef, to: str | None = None, heads: int | None = None
    ) -> Span:
        """The function `name` of x and others, in place of x or to the buffer `to`.

        It is as wide as x; with `heads`, it has so many heads of the size of the widest input.
        """
        y, inputs = x if to is None else replace(x, buffer=to, start=0), (x, *others)
        if heads is not None:
            size = max(span.size for span in inputs if isinstance(span, Span))
            y = replace(y, width=heads * size, heads=heads)
        self.records.append(operations.Map(name, inputs, y))
        return y

    def xielu(self, x: Span, p: str) -> Span:
        """xIELU in place, with four numbers whose names begin with p (see operations.XIELU)."""
        alphas = (WeightRef(f"{p}.{name}", (1,)) for name in ("alpha_p", "alpha_n"))
        others = (WeightRef(f"{p}.{name}", ()) for name in ("beta", "eps"))
        self.records.append(operations.XIELU(x, x, *alphas, *others))
        return x

    def sinkhorn(self, x: Span, n: int, rounds: int, eps: float, to: str) -> Span:
        """The matrix [n, n] in x, made doubly stochastic, as one head in the buffer `to`."""
        y = Span(to, 0, n * n)
        self.records.append(operations.Sinkhorn(x, y, n, rounds, eps))
        return y

    def dot(self, x: Span, z: Span, to: str) -> Span:
        """The sum of x * z for each head, to the buffer `to`."""
        y = Span(to, 0, x.heads, x.heads)
        self.records.append(operations.Dot(x, z, y))
        return y

    def join(self, *parts: Span, to: str) -> Span:
        """Heads that consist of those of the parts (see operations.Join), to the buffer `to`."""
        heads = max(part.heads for part in parts)
        y = Span(to, 0, heads * sum(part.size for part in parts), heads)
        self.records.append(operations.Join(parts, y))
        return y

    def root_mean_square(self, x: Span, to: str) -> Span:
        """sqrt(mean(x^2)) of a row, one number, to the buffer `to`. The buffer "h" is overwritten."""
        normed = self.norm(x, None, 0.0, to="h", floor=1e-30)  # which keeps rows of zeros finite
        return self.scale(self.dot(x, normed, to), 1 / x.width)

    def l2_norm(self, x: Span, eps: float, scale: float = 1.0) -> Span:
        """x / sqrt(sum(x^2) + eps) * scale for each head, in place."""
        self.records.append(operations.Norm(x, x, None, eps / x.size))
        return self.scale(x, scale * x.size**-0.5)

    def conv(self, x: Span, to: str, weight: WeightRef, bias: WeightRef | None = None) -> Span:
        """Causal depthwise convolution with a weight [columns, 1, width], to the same columns of `to`."""
        y = replace(x, buffer=to)
        self.records.append(operations.Conv(x, y, weight, bias, len(self.states)))
        self.states.append((weight.shape[-1] - 1, x.width))
        return y

    def shift(self, x: Span, to: str) -> Span:
        """The x of the previous token, to the same columns of `to`; zeros for the first token."""
        y = replace(x, buffer=to)
        self.records.append(operations.Conv(x, y, None, None, len(self.states)))
        self.states.append((1, x.width))
        return y

    def scan(
        self, w: Span, v: Span, k: Span, r: Span, to: str, a: Span | None = None, b: Span | None = None
    ) -> Span:
        """The outputs of a recurrent state (see operations.Scan), to the buffer `to`."""
        y = replace(v, buffer=to, start=0)
        self.records.append(operations.Scan(w, v, k, r, y, len(self.states), a, b))
        self.states.append((v.heads, k.size, v.size))
        return y

    def selective_scan(self, dt: Span, v: Span, k: Span, r: Span, rates: WeightRef, to: str) -> Span:
        """The outputs of a state with a decay of its own for each number (see operations.SelectiveScan)."""
        y = replace(v, buffer=to, start=0)
        self.records.append(operations.SelectiveScan(dt, v, k, r, y, rates, len(self.states)))
        # The numbers of neighbouring columns lie together, so that kernels find them in the nearest cache.
        self.states.append((-(-v.width // STATE_COLUMNS), k.width, STATE_COLUMNS))
        return y
