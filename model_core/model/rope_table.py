"""Tables of rotary positions with the same bits on every machine.

NumPy's sine and cosine use other instructions, and round differently, on different processors. Here they are
computed only with additions and multiplications of float64, which IEEE 754 defines exactly.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..kernels.interpreter import Operation
from ..machine.memory import aligned_zeros
from ..tape.rope import RopeConfig, axes_of_frequencies, growth_of_queries, rope_frequencies
from .batch import Batch

_BLOCK = 4096  # positions computed at a time
# pi / 2 in three parts of 33 bits, so that a product with a whole number below 2^20 is exact (fdlibm, Sun
# Microsystems, 1993, e_rem_pio2.c).
_HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21)
# Minimax polynomials on [-pi/4, pi/4] (fdlibm, k_sin.c and k_cos.c), the highest power first.
_SIN = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
_COS = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)


class RopeTable:
    """Cosines and sines of positions, computed when they are first needed.

    Attributes:
        cos, sin: float32 [positions, rotated dimensions / 2], in memory that does not move.
    """

    def __init__(self, rope: RopeConfig, head_dim: int, positions: int) -> None:
        """For positions below `positions`."""
        self._rope, self._frequencies = rope, rope_frequencies(rope, head_dim)
        shape = (-(-positions // _BLOCK) * _BLOCK, len(self._frequencies))
        self.cos, self.sin = aligned_zeros(shape, np.float32), aligned_zeros(shape, np.float32)
        self._computed = 0

    def grow(self, positions: int) -> None:
        """Compute the entries of all positions below `positions`."""
        while self._computed < positions:
            rows = slice(self._computed, self._computed + _BLOCK)
            angles = np.arange(rows.start, rows.stop, dtype=np.float64)[:, None] * self._frequencies
            factor: Any = self._rope.attention_factor  # of all positions, or of each
            if self._rope.query_growth:
                factor = factor * growth_of_queries(self._rope, rows.start, rows.stop)[:, None]
            cos, sin = cos_sin(angles)
            self.cos[rows], self.sin[rows] = cos * factor, sin * factor
            self._computed = rows.stop

    def mix(self, positions: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cosines and sines of rows with positions of several axes: float32 [rows, rotated dimensions / 2].

        A few rows of zeros are behind them.

        positions: int [rows], which a RoPE without sections takes. axes: int [rows, axes]. They are numbers
        of the table, so a row whose axes are equal has the bits of this position.
        """
        columns = np.arange(self.cos.shape[1])
        rows = positions[:, None]
        if self._rope.sections:
            rows = axes[:, axes_of_frequencies(self._rope, len(columns))]
        mixed = []
        for table in (self.cos, self.sin):
            target = np.zeros((len(positions) + 16, len(columns)), np.float32)  # kernels read whole vectors
            target[: len(positions)] = table[rows, columns]
            mixed.append(target)
        return mixed[0], mixed[1]


def cos_sin(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of float64 angles from 0 to 10^6, to about one unit in the last place: float64."""
    quarters = np.rint(angles * (2 / np.pi))
    x = angles
    for part in _HALF_PI:
        x = x - quarters * part
    z = x * x
    sine, cosine = np.full_like(z, _SIN[0]), np.full_like(z, _COS[0])
    for s, c in zip(_SIN[1:], _COS[1:], strict=True):
        sine = sine * z + s
        cosine = cosine * z + c
    sine = x + x * z * sine
    cosine = 1.0 - (0.5 * z - z * z * cosine)
    quarter = quarters.astype(np.int64) % 4
    odd = quarter % 2 == 1
    cos = np.where(odd, sine, cosine)
    sin = np.where(odd, cosine, sine)
    return np.where((quarter == 1) | (quarter == 2), -cos, cos), np.where(quarter >= 2, -sin, sin)


def place_rows(
    instructions: np.ndarray, tables: Iterable[RopeTable], batch: Batch
) -> tuple[np.ndarray, np.ndarray]:
    """The instructions of a step, and the row of each token in the tables that they name: int32 [tokens].

    With axes, the instructions are copies, which name tables of this step alone. `batch.mixed` keeps them.
    """
    if batch.axes is None:
        return instructions, batch.positions
    copies = instructions.copy()
    ropes = instructions["op"] == Operation.ROPE
    for table in tables:
        cos, sin = table.mix(batch.positions, batch.axes)
        own = ropes & (instructions["cos"] == table.cos.ctypes.data)
        copies["cos"][own], copies["sin"][own] = cos.ctypes.data, sin.ctypes.data
        copies["table_row"][own] = cos.strides[0]
        batch.mixed.extend((cos, sin))
    return copies, np.arange(len(batch.tokens), dtype=np.int32)
