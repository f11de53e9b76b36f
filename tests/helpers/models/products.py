"""Products of packed matrices by the kernels, as tests ask for them."""

import numpy as np
from outer import outer

from model_core.kernels.interpreter import INSTRUCTION, STEP
from model_core.kernels.layout import ACTIVATION_GROUP, BLOCK, BY_GROUP, MATRIX, ROTATED
from model_core.kernels.products import activations, bfloat16, linear, strips, tiles
from model_core.kernels.team import Team
from model_core.machine.memory import aligned_zeros, round_up
from model_core.weights.matrix import Matrix


class Activations:
    """x [rows, k] in the form that kernels read: padded, with more rows, quantized, and split into parts.

    balance: float32 [inputs], that of the matrix that multiplies them; None: all are 1.
    """

    def __init__(
        self,
        x: np.ndarray,
        parts: int = 0,
        rounding: int = ROTATED,
        balance: np.ndarray | None = None,
    ) -> None:
        rows, k = len(x) + strips.ROWS_BEYOND, round_up(x.shape[1], activations.GROUP)
        self.floats = aligned_zeros((rows, k + 16), np.float32)
        self.codes = aligned_zeros((rows, k + 64), np.int8)
        self.runs = aligned_zeros((rows, k // activations.GROUP, activations.RUN_BYTES // 4), np.int32)
        self._rounding = rounding
        self.floats[: len(x), : x.shape[1]] = x
        self.record = np.zeros(1, activations.ACTIVATIONS)
        for name, row in (("floats", "row"), ("codes", "codes_row"), ("runs", "runs_row")):
            array = getattr(self, name)
            self.record[name], self.record[row] = array.ctypes.data, array.strides[0]
        if parts:
            self.parts = aligned_zeros((rows, parts * bfloat16.part_bytes(x.shape[1]) + 64), np.uint8)
            self.record["parts"], self.record["parts_row"] = self.parts.ctypes.data, self.parts.strides[0]
            for row in range(len(x)):
                outer(bfloat16.split_row)(self.record[0], row, x.shape[1], parts)
        inputs = round_up(x.shape[1], BLOCK)  # as many as a rotated matrix has
        matrix, factors = np.zeros(1, MATRIX), aligned_zeros((inputs,), np.float32)
        factors[:] = 1
        if balance is not None:
            factors[: len(balance)] = balance
        matrix["rounding"], matrix["balance"], matrix["k"] = rounding, factors.ctypes.data, inputs
        for row in range(len(x)):
            outer(activations.quantize_row)(self.record[0], row, x.shape[1], matrix[0])

    def dequantized(self, rows: int, k: int) -> np.ndarray:
        """The numbers that integer kernels multiply, float64 [rows, k]; rotated, if they are rounded so."""
        scales = self.runs.view(np.float32)[..., :1]
        if self._rounding == BY_GROUP:
            first = activations.RUN_SCALES // 4
            scales = self.runs.view(np.float32)[..., first : first + activations.GROUP // ACTIVATION_GROUP]
        size = self.codes.shape[1] - 64
        scales = np.repeat(scales.reshape(len(scales), -1), size // scales[0].size, axis=1)[:rows, :k]
        return self.codes[:rows, :k].astype(np.float64) * scales


def multiply(
    matrix: Matrix,
    a: Activations,
    rows: int,
    before: np.ndarray | None = None,
    arithmetic: str = "int8",
    parts: int = 0,
    threads: int = 1,
) -> np.ndarray:
    """linear() in one thread: float32 [rows, n padded], added to `before` if it is not None.

    threads: as many as share the work, all of which this one does.
    """
    y = np.full((rows, matrix.n), 7, np.float32) if before is None else before.copy()
    mode = linear.SET if before is None else linear.ADD
    _multiply_into(y, matrix.record(arithmetic, parts), a, mode, threads)
    return y


def gate(matrix: Matrix, a: Activations, rows: int, mode: int) -> np.ndarray:
    """linear() with a gate: float32 [rows, n padded / 2]."""
    y = np.full((rows, matrix.n // 2), 7, np.float32)
    _multiply_into(y, matrix.record(), a, mode, 1)
    return y


def _multiply_into(y: np.ndarray, matrix: np.ndarray, a: Activations, mode: int, threads: int) -> None:
    step, instruction = np.zeros(1, STEP), np.zeros(1, INSTRUCTION)
    outputs = np.zeros(1, activations.ACTIVATIONS)
    scratch, team = aligned_zeros((strips.scratch_bytes(len(y)),), np.uint8), Team(threads)
    step["team"], instruction["matrix"], instruction["mode"] = team.address, matrix, mode
    outputs["floats"], outputs["row"] = y.ctypes.data, y.strides[0]
    # Called one by one, so that the code of `linear` is that of whole steps, and is not compiled once more.
    outer(tiles.begin_tiles)()
    arguments = (a.record[0], len(y), outputs[0], scratch.ctypes.data)
    linear.linear(step[0], 0, threads, instruction[0], *arguments)
    outer(tiles.end_tiles)()
    team.close()
