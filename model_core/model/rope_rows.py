"""Which rows of the tables of RoPE the tokens of a step have, where images have positions of three axes."""

import numpy as np

from ..kernels.interpreter import Operation
from .batch import Batch
from .bind import Program


def place_rows(program: Program, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """The instructions of a step, and the row of each token in the tables that they name: int32 [tokens].

    With axes, the instructions are copies, which name tables of this step alone. `batch.mixed` keeps them.
    """
    if batch.axes is None:
        return program.instructions, batch.positions
    instructions = program.instructions.copy()
    ropes = instructions["op"] == Operation.ROPE
    for table in program.ropes:
        cos, sin = table.mix(batch.positions, batch.axes)
        own = ropes & (program.instructions["cos"] == table.cos.ctypes.data)
        instructions["cos"][own], instructions["sin"][own] = cos.ctypes.data, sin.ctypes.data
        instructions["table_row"][own] = cos.strides[0]
        batch.mixed.extend((cos, sin))
    return instructions, np.arange(len(batch.tokens), dtype=np.int32)
