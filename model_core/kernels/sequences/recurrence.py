"""Operations that go on from a state: causal convolution, and linear attention (see cache/states.py).

The tokens of a sequence go in order, so bits do not depend on how a prompt is cut. Threads share the work by
sequences, and by columns or heads. The state after a drafted token goes to a slot of its own (STEP's
`state_slots`), so that a draft that proves wrong changes nothing.
"""

from typing import NamedTuple

import numpy as np

from ..inner import inner
from ..layout import STATE_COLUMNS
from ..simd import (
    add,
    broadcast,
    divide,
    exp_of_negative,
    fma,
    get_f32,
    get_i32,
    keep_lanes,
    load_f32,
    maximum,
    multiply,
    store_f32,
    store_lanes,
    subtract,
)
from ..team import claim

# Columns of a convolution that a thread takes at a time.
COLUMNS = 256


@inner
def _pad(size):
    """Bytes of a row of `size` floats in a state."""
    return 4 * (-(-size // STATE_COLUMNS) * STATE_COLUMNS)


@inner
def _clear(address, size):
    """Set `size` bytes to zero, a multiple of 64."""
    zero = broadcast(np.float32(0))
    for i in range(0, size, 64):
        store_f32(address, i, zero)


@inner
def conv(s, i, x, y):
    """A causal convolution of the columns of each sequence (operators.conv).

    s: STEP. i: INSTRUCTION; `weight` is the address of floats [width, columns, padded], and 0 stands for a
    token shift; `bias` is 0 for none. x, y: ACTIVATIONS, different buffers.
    """
    blocks = -(-i.size // COLUMNS)
    item = claim(s.team)
    while item < s.sequence_count * blocks:
        sequence, first = item // blocks, item % blocks * COLUMNS
        start, stop = get_i32(s.starts, 4 * sequence), get_i32(s.starts, 4 * sequence + 4)
        slot, sure = get_i32(s.slots, 4 * sequence), stop
        while s.state_slots and get_i32(s.state_slots, 4 * (sure - 1)) != slot:
            sure -= 1
        _conv_columns(s, i, x, y, SequenceRows(slot, start, sure, stop), first)
        item = claim(s.team)


class SequenceRows(NamedTuple):
    """The rows `start` to `stop` of a sequence, of which those from `sure` on are drafts."""

    slot: int
    start: int
    sure: int
    stop: int


@inner
def _conv_columns(s, i, x, y, rows, first):
    """`conv` of the rows of a sequence (SequenceRows), and of at most COLUMNS columns from `first` on.

    A state is floats [width - 1, columns, padded].
    """
    slot, start, sure, stop = rows
    is_new = get_i32(s.positions, 4 * start) == 0
    row_bytes, past, last = _pad(i.size), i.width - 1, min(first + COLUMNS, i.size)
    state = s.states + slot * s.state_row + i.state
    if is_new:
        for tap in range(past):
            _clear(state + tap * row_bytes + 4 * first, _pad(last - first))
    source, target = x.floats + i.x_start, y.floats + i.y_start
    for column in range(first, last, 16):
        at = 4 * column
        for row in range(start, stop):
            total = broadcast(np.float32(0))
            if i.bias:
                total = load_f32(i.bias, at)
            for tap in range(i.width):
                before = row + tap - past
                if before >= start:
                    value = load_f32(source + before * x.row, at)
                else:
                    value = load_f32(state + (before - start + past) * row_bytes, at)
                if i.weight:
                    total = fma(value, load_f32(i.weight + tap * row_bytes, at), total)
                elif tap == 0:
                    total = value
            store_lanes(target + row * y.row, at, total, last - column)
        for row in range(sure, stop):
            draft = s.states + get_i32(s.state_slots, 4 * row) * s.state_row + i.state
            _keep_rows(source + at, x.row, start, row + 1, past, state + at, draft + at, row_bytes)
        _keep_rows(source + at, x.row, start, sure, past, state + at, state + at, row_bytes)


@inner
def _row_at(source, source_row, row, start, state, past, row_bytes):
    """16 columns of a row, which is in the state if it is before `start`. Arguments as of _keep_rows."""
    if row >= start:
        return load_f32(source + row * source_row, 0)
    return load_f32(state + (row - start + past) * row_bytes, 0)


@inner
def _keep_rows(source, source_row, start, end, past, state, target, row_bytes):
    """Write the last `past` rows before `end` of 16 columns to `target`, which may be the state itself.

    source: address of the columns of row 0. Rows before `start` are in the state.
    """
    for tap in range(past):  # in the order in which none is needed any more
        before = end + tap - past
        value = _row_at(source, source_row, before, start, state, past, row_bytes)
        store_f32(target + tap * row_bytes, 0, value)


@inner
def pool(s, i, buffers):
    """The pooled rows of each sequence (reference/selection.pool), 16 columns at a time.

    s: STEP. i: INSTRUCTION; `weight` is the address of the bias, floats [width, columns, padded], and input_1
    has the gates. buffers: ACTIVATIONS, by index.
    """
    blocks, past, row_bytes = -(-i.size // 16), i.width - 1, _pad(i.size)
    x, g, y = buffers[i.x], buffers[i.input_1.buffer], buffers[i.y]
    item = claim(s.team)
    while item < s.sequence_count * blocks:
        sequence, at = item // blocks, item % blocks * 64
        start, stop = get_i32(s.starts, 4 * sequence), get_i32(s.starts, 4 * sequence + 4)
        slot, sure = get_i32(s.slots, 4 * sequence), stop
        while s.state_slots and get_i32(s.state_slots, 4 * (sure - 1)) != slot:
            sure -= 1
        state = s.states + slot * s.state_row + i.state + at
        gate_state = state + past * row_bytes
        if get_i32(s.positions, 4 * start) == 0:
            for tap in range(2 * past):
                store_f32(state + tap * row_bytes, 0, broadcast(np.float32(0)))
        source, gates = x.floats + i.x_start + at, g.floats + i.input_1.start + at
        for row in range(start, stop):
            peak = broadcast(np.float32(-np.inf))
            for tap in range(i.width):
                score = _row_at(gates, g.row, row + tap - past, start, gate_state, past, row_bytes)
                peak = maximum(peak, add(score, load_f32(i.weight + tap * row_bytes, at)))
            total, mixed = broadcast(np.float32(0)), broadcast(np.float32(0))
            for tap in range(i.width):
                score = _row_at(gates, g.row, row + tap - past, start, gate_state, past, row_bytes)
                score = add(score, load_f32(i.weight + tap * row_bytes, at))
                weight = exp_of_negative(subtract(score, peak))
                value = _row_at(source, x.row, row + tap - past, start, state, past, row_bytes)
                total, mixed = add(total, weight), fma(weight, value, mixed)
            to = y.floats + row * y.row + i.y_start
            store_lanes(to, at, divide(mixed, total), i.size - at // 4)
        for row in range(sure, stop):
            draft = s.states + get_i32(s.state_slots, 4 * row) * s.state_row + i.state + at
            _keep_rows(source, x.row, start, row + 1, past, state, draft, row_bytes)
            of_gates = draft + past * row_bytes
            _keep_rows(gates, g.row, start, row + 1, past, gate_state, of_gates, row_bytes)
        _keep_rows(source, x.row, start, sure, past, state, state, row_bytes)
        _keep_rows(gates, g.row, start, sure, past, gate_state, gate_state, row_bytes)
        item = claim(s.team)


@inner
def scan(s, i, buffers):
    """Linear attention of the heads of each sequence (operators.scan).

    s: STEP. i: INSTRUCTION with `heads`, `size` values and `keys`; its inputs are w, v, k, r, a and b. mode:
    1 with a and b, 0 without. buffers: ACTIVATIONS, by index.
    """
    head_bytes = i.keys * _pad(i.size)
    item = claim(s.team)
    while item < s.sequence_count * i.heads:
        sequence, head = item // i.heads, item % i.heads
        start, stop = get_i32(s.starts, 4 * sequence), get_i32(s.starts, 4 * sequence + 4)
        state = s.states + get_i32(s.slots, 4 * sequence) * s.state_row + i.state + head * head_bytes
        if get_i32(s.positions, 4 * start) == 0:
            _clear(state, head_bytes)
        y = buffers[i.y]
        for row in range(start, stop):
            target = state
            if s.state_slots:
                target = s.states + get_i32(s.state_slots, 4 * row) * s.state_row + i.state
                target += head * head_bytes
            inputs = ScanInputs(
                _head_address(buffers, i.input_0, row, head),
                _head_address(buffers, i.input_1, row, head),
                _head_address(buffers, i.input_2, row, head),
                _head_address(buffers, i.input_3, row, head),
                _head_address(buffers, i.input_4, row, head),
                _head_address(buffers, i.input_5, row, head),
            )
            scan_token(i, inputs, state, target, y.floats + row * y.row + i.y_start + 4 * head * i.size)
            state = target
        item = claim(s.team)


@inner
def _head_address(buffers, operand, row, head):
    """The address of an operand's numbers for a row and a head."""
    x = buffers[operand.buffer]
    return x.floats + row * x.row + operand.start + head // operand.repeats * operand.head_step


class ScanInputs(NamedTuple):
    """Addresses of what `scan` reads for one token of one head."""

    w: int
    v: int
    k: int
    r: int
    a: int
    b: int


@inner
def scan_token(i, inputs, state, target, y):
    """One token of one head. inputs: ScanInputs. y: address of the values.

    state, target: addresses of floats [keys, values, padded]: the state before the token, which is read 64
    values at a time, and after it. They may be the same.
    """
    w, v, k, r, a, b = inputs
    row_bytes = _pad(i.size)
    w_step, k_step, r_step = i.input_0.step, i.input_2.step, i.input_3.step
    a_step, b_step = i.input_4.step, i.input_5.step
    for first in range(0, i.size, STATE_COLUMNS):
        at, count = 4 * first, i.size - first
        v_0, v_1 = keep_lanes(load_f32(v, at), count), keep_lanes(load_f32(v, at + 64), count - 16)
        v_2, v_3 = (
            keep_lanes(load_f32(v, at + 128), count - 32),
            keep_lanes(load_f32(v, at + 192), count - 48),
        )
        zero = broadcast(np.float32(0))
        seen_0, seen_1, seen_2, seen_3 = zero, zero, zero, zero  # -S a
        if i.mode:
            for key in range(i.keys):
                s = state + key * row_bytes + at
                factor = broadcast(-get_f32(a, key * a_step))
                seen_0 = fma(load_f32(s, 0), factor, seen_0)
                seen_1 = fma(load_f32(s, 64), factor, seen_1)
                seen_2 = fma(load_f32(s, 128), factor, seen_2)
                seen_3 = fma(load_f32(s, 192), factor, seen_3)
        y_0, y_1, y_2, y_3 = zero, zero, zero, zero
        for key in range(i.keys):
            s, t = state + key * row_bytes + at, target + key * row_bytes + at
            decay, key_factor = broadcast(get_f32(w, key * w_step)), broadcast(get_f32(k, key * k_step))
            removal, query = broadcast(get_f32(b, key * b_step)), broadcast(get_f32(r, key * r_step))
            new_0 = fma(seen_0, removal, fma(v_0, key_factor, multiply(load_f32(s, 0), decay)))
            new_1 = fma(seen_1, removal, fma(v_1, key_factor, multiply(load_f32(s, 64), decay)))
            new_2 = fma(seen_2, removal, fma(v_2, key_factor, multiply(load_f32(s, 128), decay)))
            new_3 = fma(seen_3, removal, fma(v_3, key_factor, multiply(load_f32(s, 192), decay)))
            store_f32(t, 0, new_0)
            store_f32(t, 64, new_1)
            store_f32(t, 128, new_2)
            store_f32(t, 192, new_3)
            y_0, y_1 = fma(new_0, query, y_0), fma(new_1, query, y_1)
            y_2, y_3 = fma(new_2, query, y_2), fma(new_3, query, y_3)
        store_lanes(y, at, y_0, count)
        store_lanes(y, at + 64, y_1, count - 16)
        store_lanes(y, at + 128, y_2, count - 32)
        store_lanes(y, at + 192, y_3, count - 48)


@inner
def selective_scan(s, i, buffers):
    """The selective scan of the columns of each sequence (operators.selective_scan).

    s: STEP. i: INSTRUCTION with `size` columns and `keys`; `weight` is the address of rates, in the order of
    a state: floats [columns / STATE_COLUMNS, keys, STATE_COLUMNS]. Its inputs are dt, v, k and r. buffers:
    ACTIVATIONS, by index.
    """
    blocks, block_bytes = -(-i.size // STATE_COLUMNS), 4 * i.keys * STATE_COLUMNS
    item = claim(s.team)
    while item < s.sequence_count * blocks:
        sequence, block = item // blocks, item % blocks
        start, stop = get_i32(s.starts, 4 * sequence), get_i32(s.starts, 4 * sequence + 4)
        offset, at = i.state + block * block_bytes, 4 * STATE_COLUMNS * block
        state = s.states + get_i32(s.slots, 4 * sequence) * s.state_row + offset
        if get_i32(s.positions, 4 * start) == 0:
            _clear(state, block_bytes)
        y = buffers[i.y]
        for row in range(start, stop):
            target = state
            if s.state_slots:
                target = s.states + get_i32(s.state_slots, 4 * row) * s.state_row + offset
            inputs = SelectiveInputs(
                _head_address(buffers, i.input_0, row, 0) + at,
                _head_address(buffers, i.input_1, row, 0) + at,
                _head_address(buffers, i.input_2, row, 0),
                _head_address(buffers, i.input_3, row, 0),
                i.weight + block * block_bytes,
            )
            out = y.floats + row * y.row + i.y_start + at
            select_token(i.keys, i.size - block * STATE_COLUMNS, inputs, state, target, out)
            state = target
        item = claim(s.team)


class SelectiveInputs(NamedTuple):
    """Addresses of what `selective_scan` reads for one token and STATE_COLUMNS columns."""

    dt: int
    v: int
    k: int
    r: int
    rates: int


@inner
def select_token(keys, count, inputs, state, target, y):
    """One token of STATE_COLUMNS columns, of which there are `count`. y: address of their outputs.

    inputs: SelectiveInputs. state, target: addresses of floats [keys, STATE_COLUMNS]: the state before the
    token and after it, which may be the same. What is beyond the columns stays zero.
    """
    dt, v, k, r, rates = inputs
    zero = broadcast(np.float32(0))
    dt_0, dt_1 = keep_lanes(load_f32(dt, 0), count), keep_lanes(load_f32(dt, 64), count - 16)
    dt_2, dt_3 = keep_lanes(load_f32(dt, 128), count - 32), keep_lanes(load_f32(dt, 192), count - 48)
    v_0, v_1 = keep_lanes(load_f32(v, 0), count), keep_lanes(load_f32(v, 64), count - 16)
    v_2, v_3 = keep_lanes(load_f32(v, 128), count - 32), keep_lanes(load_f32(v, 192), count - 48)
    y_0, y_1, y_2, y_3 = zero, zero, zero, zero
    for key in range(keys):
        at = 4 * key * STATE_COLUMNS
        key_factor, query = broadcast(get_f32(k, 4 * key)), broadcast(get_f32(r, 4 * key))
        new_0 = fma(load_f32(state, at), _decay(dt_0, rates, at), multiply(v_0, key_factor))
        new_1 = fma(load_f32(state, at + 64), _decay(dt_1, rates, at + 64), multiply(v_1, key_factor))
        new_2 = fma(load_f32(state, at + 128), _decay(dt_2, rates, at + 128), multiply(v_2, key_factor))
        new_3 = fma(load_f32(state, at + 192), _decay(dt_3, rates, at + 192), multiply(v_3, key_factor))
        store_f32(target, at, new_0)
        store_f32(target, at + 64, new_1)
        store_f32(target, at + 128, new_2)
        store_f32(target, at + 192, new_3)
        y_0, y_1 = fma(new_0, query, y_0), fma(new_1, query, y_1)
        y_2, y_3 = fma(new_2, query, y_2), fma(new_3, query, y_3)
    store_lanes(y, 0, y_0, count)
    store_lanes(y, 64, y_1, count - 16)
    store_lanes(y, 128, y_2, count - 32)
    store_lanes(y, 192, y_3, count - 48)


@inner
def _decay(dt, rates, at):
    """exp(-dt * rate) of 16 columns."""
    return exp_of_negative(subtract(broadcast(np.float32(0)), multiply(dt, load_f32(rates, at))))
