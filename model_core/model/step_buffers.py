"""The memory of a model's steps (transformer.py)."""

import numpy as np

from ..kernels.interpreter import STEP, Operation
from ..kernels.layout import GROUP
from ..kernels.products.activations import ACTIVATIONS, RUN_BYTES
from ..kernels.products.bfloat16 import part_bytes
from ..kernels.products.experts import group_table_bytes
from ..kernels.products.strips import ROWS_BEYOND, scratch_bytes
from ..kernels.sequences.attention import SEGMENT, attention_scratch, scratch_rows
from ..kernels.sequences.online_softmax import state_bytes
from ..kernels.sequences.selection import SCORED_ROWS, selection_scratch
from ..kernels.team import Team
from ..machine.memory import aligned_zeros, round_up
from .program import Program

# Bytes. With more threads and longer contexts, threads do not share the segments of attention.
_MAX_STATES_OF_PARTS = 2**26


class StepBuffers:
    """The memory that a step writes: the buffers of the tape, and each thread's scratch. It can grow."""

    def __init__(self, program: Program, query_group: int, team: Team) -> None:
        """`query_group`: the largest number of query heads that share a KV head."""
        self._program, self._query_group, self._team = program, query_group, team
        self._memory: dict[tuple[int, str], np.ndarray] = {}  # by record and field
        self.floats: dict[str, np.ndarray] = {}  # [rows, width], by the names of buffers
        self._runs: dict[str, np.ndarray | None] = {}
        self._tokens = self._context = 0
        self.step, self.records = np.zeros(1, STEP), np.zeros(len(program.buffers), ACTIVATIONS)
        self._by_name = dict(zip(program.buffers, np.split(self.records, len(self.records)), strict=True))
        self.step["team"] = team.address

    def grow(self, tokens: int, context: int) -> None:
        """Make the buffers large enough for `tokens` rows, and for `context` positions of a sequence.

        Raises OSError if there is no memory. Then the buffers are usable at their previous size.
        """
        for table in self._program.ropes:
            table.grow(context)
        step, program, needs_more_rows = self.step, self._program, tokens > self._tokens
        tokens = max(self._tokens, tokens)
        if needs_more_rows:
            for name, buffer in program.buffers.items():
                record = self._by_name[name]
                if name == "logits":
                    continue  # new in each step
                rows = tokens * buffer.rows_per_token + ROWS_BEYOND
                # With an even number of cache lines between them, rows would compete for the same lines.
                floats = self._array(record, "floats", rows, buffer.width + 16 * buffer.is_input, row="row")
                self.floats[name] = floats
                if buffer.is_quantized:
                    width = round_up(buffer.width, GROUP)
                    self._array(record, "codes", rows, width + 64, np.int8, row="codes_row")
                    size = width // GROUP * RUN_BYTES
                    self._array(record, "runs", rows, size, np.uint8, row="runs_row")
                if buffer.parts:
                    # 64 more, for the same reason; and what tiles read behind a part.
                    size = buffer.parts * part_bytes(buffer.width) + 64 + 2 * GROUP
                    self._array(record, "parts", rows, size, np.uint8, row="parts_row")
            if program.experts:
                pairs = tokens * program.experts_per_token
                size = group_table_bytes(program.experts, pairs)
                self._array(step, "group_table", 1, size, np.uint8, row="group_table_size")
        if context > self._context or needs_more_rows:
            context = max(self._context, round_up(context, 4 * SEGMENT))
            shapes = [group.shape for group in self._program.kv_groups]
            key_dim = max((shape.key_dim for shape in shapes), default=0)
            value_dim = max((shape.value_dim for shape in shapes), default=0)
            attention = attention_scratch(key_dim, value_dim, self._query_group)
            indexers = self._program.instructions[self._program.instructions["op"] == Operation.SELECT]
            if len(indexers):
                attention = max(attention, selection_scratch(int(indexers["heads"].max())))
                units = round_up(context // int(indexers["unit"].min()), 32) + 16
                rows = max(SCORED_ROWS, int(indexers["heads"].max()))
                self._array(step, "unit_scores", rows, units)
            size = round_up(max(scratch_bytes(tokens), attention), 64)
            self._array(step, "scratch", self._team.threads, size, np.uint8, row="scratch_size")
            states = scratch_rows(self._query_group) * state_bytes(value_dim)
            size = min(2 * self._team.threads * context // SEGMENT * states, _MAX_STATES_OF_PARTS)
            self._array(step, "states_of_parts", 1, size, np.uint8, row="states_of_parts_size")
            self._tokens, self._context = tokens, context

    def set_logits(self, logits: np.ndarray) -> None:
        """Let the step write its logits to this array."""
        record = self._by_name["logits"]
        record["floats"], record["row"] = logits.ctypes.data, logits.strides[0]

    def set_runs(self, name: str, runs: np.ndarray | None) -> None:
        """Let the step compute runs of rows with adapters (see kernels/products/adapters.py), or no such
        rows.

        name: "run", or "logit_run" for the rows that need logits.
        """
        self._runs[name] = runs  # alive during the step
        self.step[f"{name}s"] = 0 if runs is None else runs.ctypes.data
        self.step[f"{name}_count"] = 0 if runs is None else len(runs)

    def grow_low_rank(self, columns: int) -> None:
        """Make memory for the products of rows with A of their adapters, `columns` floats for each row."""
        low_rank = self._memory.get((self.step.ctypes.data, "low_rank"))
        if columns and (low_rank is None or len(low_rank) <= self._tokens or low_rank.shape[1] < columns):
            self._array(self.step, "low_rank", self._tokens + 1, columns)  # one more row, see block_rows

    def _array(
        self,
        record: np.ndarray,
        name: str,
        rows: int,
        width: int,
        dtype: type = np.float32,
        row: str | None = None,
    ) -> np.ndarray:
        """A new array for a field of a kernels' record. This object keeps it alive."""
        array = aligned_zeros((rows, width), dtype)
        self._memory[record.ctypes.data, name] = array
        record[name], record[row or f"{name}_row"] = array.ctypes.data, array.strides[0]
        return array
