"""Hyper-connections: hidden states are several streams, which layers read and write in shares.

The shares of a token follow from its streams (mHC, Xie et al., 2026, arXiv:2512.24880). With y = layer(sum of
pre_k x_k), the streams become x_k = post_k y + x_k, or post_k y + sum over j of mix_jk x_j, where the matrix
mix is doubly stochastic.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..tape.operations import Join, Map
from ..tape.references import Span, WeightRef
from ..tape.tape import Tape


@dataclass(frozen=True)
class Hyper:
    """How streams are read and written.

    Attributes:
        streams: how many there are.
        norm_eps: of the norm of all streams of a token, from which shares follow.
        eps: is added to shares that are read, and in making mix doubly stochastic.
        post_scale, post_offset: shares that are written are a sigmoid times this, plus that.
        rounds: of making mix doubly stochastic; 0: streams are not mixed.
    """

    streams: int
    norm_eps: float
    eps: float
    post_scale: float = 2.0
    post_offset: float = 0.0
    rounds: int = 0


@dataclass(frozen=True)
class HyperNames:
    """Whole names of tensors: a matrix [shares, streams * columns], its factors, and what is added."""

    matrix: str
    scale: str
    base: str


def spread(t: Tape, x: Span, c: Hyper) -> Span:
    """Streams that all are x."""
    streams = Span("streams", 0, c.streams * x.width, c.streams)
    for stream in _each(streams):
        t.records.append(Join((x,), stream))
    return streams


def write_through(t: Tape, c: Hyper, x: Span, names: HyperNames, layer: Callable[[Span], Span]) -> Span:
    """The streams behind a layer: it reads a sum of the streams x, in the buffer "read"."""
    n, columns = c.streams, x.width // c.streams
    counts = (n, n, n * n) if c.rounds else (n, n)
    pre, post, *mix = _write_shares(t, c, x, names, counts)
    pre = t.scale(t.map("sigmoid", pre), 1.0, c.eps)
    post = t.scale(t.map("sigmoid", post), c.post_scale, c.post_offset)
    read = _sum(t, list(zip(_each(x), _each(pre), strict=True)), Span("read", 0, columns))
    matrix = t.sinkhorn(mix[0], n, c.rounds, c.eps, to="mix") if c.rounds else None
    y = layer(read)
    if matrix is not None:
        mixed = replace(x, buffer="mixed_streams" if x.buffer == "streams" else "streams")
        for k, stream in enumerate(_each(mixed)):
            shares = [Span(matrix.buffer, j * n + k, 1) for j in range(n)]
            _sum(t, list(zip(_each(x), shares, strict=True)), stream)
        x = mixed
    return t.map("multiply_add", x, y, replace(post, heads=n))


def write_weighted_sum(t: Tape, c: Hyper, x: Span, names: HyperNames) -> Span:
    """A sum of the streams x, behind the last layer, in the buffer "read"."""
    (pre,) = _write_shares(t, c, x, names, (c.streams,))
    pre = t.scale(t.map("sigmoid", pre), 1.0, c.eps)
    return _sum(t, list(zip(_each(x), _each(pre), strict=True)), Span("read", 0, x.width // c.streams))


def write_mean(t: Tape, c: Hyper, x: Span) -> Span:
    """The mean of the streams x, in their first one."""
    first, *others = _each(x)
    for other in others:
        t.add(first, other)
    return t.scale(first, 1 / c.streams)


def _write_shares(t: Tape, c: Hyper, x: Span, names: HyperNames, counts: tuple[int, ...]) -> list[Span]:
    """Linear in the normed streams, each kind of shares with a factor of its own."""
    normed, total = t.norm(replace(x, heads=1), None, c.norm_eps, to="normed_streams"), sum(counts)
    matrix = WeightRef(names.matrix, (total, x.width))
    (shares,) = t.matmul(normed, "shares", [(matrix, 1)], is_router=True)
    parts, start = [], 0
    for number, count in enumerate(counts):
        part = Span(shares.buffer, start, count)
        t.map("multiply", part, WeightRef(names.scale, (len(counts),), number, number + 1))
        parts.append(t.map("add", part, WeightRef(names.base, (total,), start, start + count)))
        start += count
    return parts


def _each(x: Span) -> list[Span]:
    """The streams, or the shares, one by one."""
    size = x.size if x.heads > 1 else 1
    return [Span(x.buffer, x.start + i * size, size) for i in range(x.width // size)]


def _sum(t: Tape, terms: list[tuple[Span, Span]], y: Span) -> Span:
    """The sum of streams times shares, in y."""
    for number, (stream, share) in enumerate(terms):
        inputs = (y, stream, share) if number else (stream, share)
        t.records.append(Map("multiply_add" if number else "multiply", inputs, y))
    return y
