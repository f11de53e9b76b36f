"""The records of sparse attention: rows attend to positions that an indexer chooses (see operations.py)."""

from dataclasses import dataclass

from .references import Span

WORD = 32  # units whose bits are in a number


@dataclass(frozen=True)
class Chosen:
    """The positions that rows may attend to, in units of `unit`, a power of 2.

    bits: of each head, a bit for each unit from position 0 on, 32 of them in the bits of a number.
    """

    bits: Span
    unit: int


@dataclass(frozen=True)
class Select:
    """y = the `top` units of positions that each row attends to (see Chosen), by the keys of a KV layer.

    With `weights`, one for each head, the score of a unit is sum_h weights_h * max(q_h . k, 0), with the key
    of its last position. A unit that ends after the row is chosen without a score (DeepSeek sparse attention,
    arXiv:2512.02556). Without, each head chooses, and the score is the largest q . k of the unit; the last
    `local` units are among the chosen ones (MiniMax-M3). Of equal scores, the earlier unit wins.
    """

    q: Span
    y: Span
    weights: Span | None
    layer: int
    unit: int
    top: int
    local: int = 0
