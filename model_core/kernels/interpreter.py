"""One step of any model: a tape that a team of threads runs together (see model_core/tape/tape.py).

Operations are of two sorts. Row operations touch one row only: a run of them is one loop over the rows, of
which threads take a few at a time, without a barrier between the operations. Team operations (LINEAR and
those after it below) share the work of one operation. Threads meet at a barrier after each run and each team
operation.

Numba optimizes a function again with each function that calls it. So the functions between `run_tape` and the
large blocks of code are inlined: that halves the time of compiling.
"""

from enum import IntEnum

import numpy as np

from .compiler import njit
from .inner import inner
from .layout import MATRIX, PAGE, record_type
from .pointwise import (
    OPERAND,
    add_row,
    center_row,
    dot_row,
    map_row,
    rms_norm,
    rotate,
    rotate_pairs,
    scale_row,
    shift_row,
    softcap_row,
    xielu_row,
)
from .products.activations import quantize_row
from .products.adapters import adapted_linear, is_adapted
from .products.bfloat16 import HAS_PAIRS, split_row
from .products.experts import MIXTURE, mix_experts, route
from .products.linear import linear
from .products.tiles import begin_tiles, end_tiles
from .sequences.kv_slots import page_table, write_kv_slot
from .sequences.query_blocks import attend
from .sequences.recurrence import conv, pool, scan, selective_scan
from .sequences.selection import select
from .simd import get_f32, get_i32, read_cycles, set_f32
from .sinkhorn import sinkhorn_row
from .team import barrier, claim, divide_rows, own_part, set_parts

_SHARES = 4  # shares of rows for each thread, at least, so that no thread waits long for another


class Operation(IntEnum):
    """The operations of a tape. From LINEAR on, they are those that threads share."""

    NORM = 0
    ROPE = 1
    WRITE_KV = 2
    QUANTIZE = 3
    SPLIT = 4
    ADD = 5
    SCALE = 6
    SOFTCAP = 7
    TAKE_ROWS = 8
    ROUTE = 9
    CENTER = 10
    ADD_POSITION = 11
    MAP = 12
    DOT = 13
    JOIN = 14
    PERMUTE = 15
    XIELU = 16
    ADD_GIVEN = 17
    SINKHORN = 18
    LINEAR = 19
    ATTEND = 20
    EXPERTS = 21
    CONV = 22
    SCAN = 23
    SELECTIVE_SCAN = 24
    SELECT = 25
    POOL = 26


# A record as kernels see it. x and y are indices of buffers, x_start and y_start bytes into their rows.
INSTRUCTION = record_type(
    "op",
    "x",
    "x_start",
    "y",
    "y_start",
    "heads",
    "size",  # floats of a head
    "for_logit_rows",  # whether it computes only the rows that need logits
    "weight",  # address: of a norm, convolution or xIELU, a router's bias, sinks, rates, or an order
    "weight_step",  # bytes from the weights of one head to those of the next, or from its biases of attention
    "bias",  # address, or 0; of attention: what the first head adds at the distance 0
    "state",  # bytes into a sequence's states
    "columns",  # address of int32, the place of what attention adds at the distance 0; 0: it adds nothing
    "width",  # of a convolution, or of a matrix that is made doubly stochastic
    "keys",  # of a state, of a head or column
    "rounds",  # of making a matrix doubly stochastic
    "cos",  # addresses of RoPE tables float32 [positions, rotated / 2], rows table_row bytes apart
    "sin",
    "table_row",
    "group",  # of KV layers
    "layer",  # within the group
    "window",  # 0: none
    "ahead",  # positions after its own that a token attends to
    "chunk",  # positions of a chunk, to whose tokens it attends; 0: none
    "bounded",  # whether it attends within the bounds of the step
    "unit",  # positions that an indexer chooses together; of attention 0: none are chosen
    "top",  # units that it chooses
    "local",  # of these, the last ones that it chooses in any case
    "part",  # of the given rows
    "tensor",  # the first of a product's tensors that adapters may change, and how many there are
    "tensors",
    "half_strips",  # address of int32 [strips, 2, 2]: whose outputs half a strip has, from which tile
    "mode",  # of linear, the gates of experts, map and scan; of RoPE: whether pairs are interleaved
    matrix=MATRIX,
    **dict.fromkeys(("eps", "floor", "scale", "offset", "cap"), np.float32),
    mixture=MIXTURE,
    **{f"input_{number}": OPERAND for number in range(6)},
)

# One step. All are integers; fields without a comment are addresses.
STEP = record_type(
    "team",
    "tokens",  # rows in all
    "positions",  # int32 [tokens]
    "rope_rows",  # int32 [tokens], the rows of the RoPE tables
    "sequences",  # int32 [tokens], the sequence of each token
    "blocks",  # int32 [block_count, 3]: first row, rows and sequence of queries taken together
    "block_count",
    "page_tables",  # int32 [KV groups, sequences, pages]; page_tables_group, page_tables_row: strides
    "page_tables_group",
    "page_tables_row",
    "bounds",  # int32 [tokens, 2], the first position that a row sees, and the end; 0: none has bounds
    "given",  # float32 [parts, rows, given_row bytes], parts given_part bytes apart; 0: none
    "given_row",
    "given_part",
    "given_rows",  # int32 [tokens], which of these rows belongs to each token; -1: none
    "logit_rows",  # int32 [logit_row_count], the rows that need logits
    "logit_row_count",
    "group_table",  # group_table_size bytes, see experts.py
    "group_table_size",
    "starts",  # int32 [sequence_count + 1], the first row of each sequence, and the end
    "sequence_count",
    "states",  # the states of slot 0; those of the next slot are state_row bytes later
    "state_row",
    "slots",  # int32 [sequence_count]
    "state_slots",  # int32 [tokens], the slot of the state after each token; 0: those of the sequences
    "runs",  # int32 [run_count, RUN_FIELDS], see adapters.py; none if no row has an adapter
    "run_count",
    "logit_runs",  # the same for the rows that need logits
    "logit_run_count",
    "low_rank",  # float32 [tokens, ranks], rows low_rank_row bytes apart
    "low_rank_row",
    "states_of_parts",  # states_of_parts_size bytes, for attention whose segments threads share
    "states_of_parts_size",
    "unit_scores",  # float32 [SCORED_ROWS, units], unit_scores_row bytes apart, of an indexer
    "unit_scores_row",
    "scratch",  # scratch_size bytes for each thread
    "scratch_size",
)


@njit(nogil=True, cache=True)
def run_tape(thread, threads, steps, tape, buffers, pools, factors):
    """Run a tape in every thread of a team.

    steps: STEP [1]; tape: INSTRUCTION [n]; buffers: ACTIVATIONS, by index; pools: KV_MEMORY [groups].
    factors: FACTORS [slots, tensors], of adapters.
    """
    s = steps[0]
    scratch = s.scratch + thread * s.scratch_size
    begin_tiles()
    set_parts(s.team, thread, divide_rows(s.tokens, threads)[0])
    start = 0
    while start < len(tape):
        i = tape[start]
        rows = s.logit_row_count if i.for_logit_rows else s.tokens
        end = start + 1
        if i.op == Operation.LINEAR:
            x, y = buffers[i.x], buffers[i.y]
            if s.run_count and is_adapted(s, i, factors):
                adapted_linear(s, threads, i, x, y, factors, scratch)
            else:
                linear(s, thread, threads, i, x, rows, y, scratch)
        elif i.op == Operation.ATTEND:
            attend(s, thread, threads, i, buffers, pools[i.group], scratch)
        elif i.op == Operation.EXPERTS:
            mix_experts(s, threads, rows, i, buffers, scratch)
        elif i.op == Operation.CONV:
            conv(s, i, buffers[i.x], buffers[i.y])
        elif i.op == Operation.SCAN:
            scan(s, i, buffers)
        elif i.op == Operation.SELECTIVE_SCAN:
            selective_scan(s, i, buffers)
        elif i.op == Operation.SELECT:
            select(s, threads, i, buffers, pools[i.group], scratch)
        elif i.op == Operation.POOL:
            pool(s, i, buffers)
        else:
            while (
                end < len(tape)
                and tape[end].op < Operation.LINEAR
                and tape[end].for_logit_rows == i.for_logit_rows
            ):
                end += 1
            parts, height = divide_rows(rows, threads)
            own = own_part(thread, threads, parts)
            # Neighbours in a page of keys share cache lines, so that one thread should write them.
            together = max(1, min(PAGE, rows // (_SHARES * threads)))
            for turn in range(parts):
                part = (own + turn) % parts
                row, part_end = height * part + together * claim(s.team, part), min(height * (part + 1), rows)
                while row < part_end:
                    for r in range(row, min(row + together, part_end)):
                        for j in range(start, end):
                            _row(s, tape[j], buffers, pools, r)
                    row = height * part + together * claim(s.team, part)
        barrier(s.team, threads)
        start = end
    end_tiles()


@njit(nogil=True, cache=True)
def profile_tape(thread, threads, steps, tape, buffers, pools, factors, cycles):
    """Run a tape as `run_tape` does, each instruction by itself, and measure how long each takes.

    cycles: int64 [n], to which the first thread adds the processor cycles of each instruction, with its
    barrier. It is a function of its own: reading the counter in `run_tape` made products a quarter slower.
    """
    for j in range(len(tape)):
        start = read_cycles()
        run_tape(thread, threads, steps, tape[j : j + 1], buffers, pools, factors)
        if thread == 0:
            cycles[j] += read_cycles() - start


@inner
def _row(s, i, buffers, pools, row):
    """A row operation on one row."""
    x, y = buffers[i.x], buffers[i.y]
    source, target = x.floats + row * x.row + i.x_start, y.floats + row * y.row + i.y_start
    if i.op == Operation.NORM:
        for head in range(0, 4 * i.heads * i.size, 4 * i.size):
            weight = i.weight + head // (4 * i.size) * i.weight_step
            rms_norm(source + head, weight, i.size, i.eps, i.floor, target + head)
    elif i.op == Operation.CENTER:
        for head in range(0, 4 * i.heads * i.size, 4 * i.size):
            center_row(source + head, i.size, target + head)
    elif i.op == Operation.ROPE:
        offset, rotated = get_i32(s.rope_rows, 4 * row) * i.table_row, i.table_row // 2
        for head in range(0, 4 * i.heads * i.size, 4 * i.size):
            if i.mode:
                rotate_pairs(source + head, rotated, i.cos + offset, i.sin + offset, i.scale)
            else:
                rotate(source + head, rotated, i.cos + offset, i.sin + offset, i.scale)
            rest = source + head + 4 * rotated
            scale_row(rest, i.size - rotated, i.scale, rest)
    elif i.op == Operation.ADD_POSITION:
        table_row = i.weight + get_i32(s.positions, 4 * row) * i.weight_step
        add_row(table_row, i.size, np.float32(1), target)
    elif i.op == Operation.WRITE_KV:
        position = get_i32(s.positions, 4 * row)
        page = get_i32(page_table(s, i, get_i32(s.sequences, 4 * row)), 4 * (position // PAGE))
        write_kv_slot(pools[i.group], i.layer, page, position % PAGE, source, target)
    elif i.op == Operation.QUANTIZE:
        quantize_row(x, row, i.size, i.matrix)
    elif HAS_PAIRS and i.op == Operation.SPLIT:
        split_row(x, row, i.size, i.matrix.parts)
    elif i.op == Operation.ADD:
        add_row(source, i.heads * i.size, i.scale, target)
    elif i.op == Operation.SCALE:
        scale_row(source, i.heads * i.size, i.scale, target)
        if i.offset != 0:
            shift_row(target, i.heads * i.size, i.offset)
    elif i.op == Operation.SOFTCAP:
        softcap_row(source, i.heads * i.size, i.cap)
    elif i.op == Operation.ROUTE:
        route(source, target, i.size, i.weight, i.eps, i.scale, i.mixture)
    elif i.op == Operation.TAKE_ROWS:
        scale_row(
            x.floats + get_i32(s.logit_rows, 4 * row) * x.row + i.x_start, i.size, np.float32(1), target
        )
    elif i.op == Operation.MAP:
        a = _operand_address(buffers, i.input_0, row)
        b, c = _operand_address(buffers, i.input_1, row), _operand_address(buffers, i.input_2, row)
        map_row(i, a, b, c, target)
    elif i.op == Operation.DOT:
        dot_row(source, _operand_address(buffers, i.input_1, row), i.heads, i.size, target)
    elif i.op == Operation.JOIN:  # one part of each head of y
        for head in range(i.heads):
            part = source + head // i.input_0.repeats * i.input_0.head_step
            scale_row(part, i.input_0.head_step // 4, np.float32(1), target + 4 * head * i.size)
    elif i.op == Operation.XIELU:
        xielu_row(source, i.heads * i.size, i.weight, target)
    elif i.op == Operation.SINKHORN:
        sinkhorn_row(source, i.width, i.rounds, i.eps, target)
    elif i.op == Operation.ADD_GIVEN:
        given = np.int64(get_i32(s.given_rows, 4 * row)) if s.given else np.int64(-1)
        if given >= 0:
            row_given = s.given + i.part * s.given_part + given * s.given_row
            add_row(row_given, i.heads * i.size, np.float32(1), target)
    elif i.op == Operation.PERMUTE:
        for j in range(0, 4 * i.heads * i.size, 4):
            set_f32(target, j, get_f32(source, 4 * get_i32(i.weight, j)))


@inner
def _operand_address(buffers, operand, row):
    """The address of an operand's first head in a row."""
    if operand.buffer < 0:
        return operand.start
    x = buffers[operand.buffer]
    return x.floats + row * x.row + operand.start
