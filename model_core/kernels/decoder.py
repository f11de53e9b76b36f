"""One step of a decoder-only transformer, from hidden states to logits, as one kernel for a team of threads.

This is models/llama.py's arithmetic, piece by piece: all threads walk through the layers together and meet
at a barrier after each piece. Rows are the tokens of all sequences of the step, one after the other.
"""

import numpy as np
from numba import njit

from .attention import PAGE, attend, write_page
from .emit import INT8
from .linear import ADD, GATE, GROUP, MATRIX, SET, linear, quantise
from .pointwise import rms_norm, rotate
from .simd import get_i32, load_f32, set_f32, store_f32
from .team import barrier, claim

# One layer: addresses of its norms (float32, padded), its matrices, and its window (0: none).
LAYER = np.dtype(
    [
        ("attention_norm", np.int64),
        ("qkv", MATRIX),
        ("output", MATRIX),
        ("mlp_norm", np.int64),
        ("gate_up", MATRIX),
        ("down", MATRIX),
        ("window", np.int64),
    ]
)

# One step: what is computed, and where. All are integers; names that end in _row are bytes from one row to
# the next, and names without a comment addresses.
STEP = np.dtype(
    [
        (name, np.int64)
        for name in (
            "team",
            "tokens",  # rows in all
            "hidden_size",
            "heads",
            "x",  # float32 [tokens, hidden_size padded], the hidden states
            "x_row",
            "qkv",  # float32 [tokens, ...], queries, keys and values
            "qkv_row",
            "keys_at",  # bytes from a row of qkv to its keys, and to its values
            "values_at",
            "positions",  # int32 [tokens]
            "pages",  # int32 [tokens], the page of each token's position
            "cos",  # float32 [tokens, head_dim / 2]
            "sin",
            "blocks",  # int32 [block_count, 3]: first row, rows and sequence of the queries taken together
            "block_count",
            "tables",  # int32 [sequences, ...], the pages of each sequence
            "tables_row",
            "norm",
            "wanted",  # int32 [wanted_count], rows whose logits are wanted
            "wanted_count",
            "last",  # float32 [wanted_count, ...], those rows of x
            "logits",  # float32 [wanted_count, vocabulary padded]
            "logits_row",
            "scratch",  # for each thread
            "scratch_size",
        )
    ]
    + [("eps", np.float32), ("query_scale", np.float32)]
)


@njit(nogil=True, cache=True)
def forward(thread, threads, steps, layers, activations, pools, head):
    """Go through all layers, then norm and head for the rows whose logits are wanted.

    steps: STEP [1]; layers: LAYER [layers]; activations: ACTIVATIONS [2], as wide as the hidden states and
    as wide as the inside of the MLP; pools: PAGES [1]; head: MATRIX [1].
    """
    s, a, inner, p = steps[0], activations[0], activations[1], pools[0]
    scratch = s.scratch + thread * s.scratch_size
    for i in range(len(layers)):
        layer = layers[i]
        _norm(s, a, s.x, s.tokens, layer.attention_norm, layer.qkv)
        barrier(s.team, threads)
        linear(s.team, layer.qkv, a, s.tokens, s.qkv, s.qkv_row, SET, scratch)
        barrier(s.team, threads)
        _place(s, p, i)
        barrier(s.team, threads)
        _attention(s, a, p, i, layer.window, scratch)
        barrier(s.team, threads)
        if layer.output.kind >= INT8:
            _quantise(s, a, layer.output, s.heads * p.head_dim)
            barrier(s.team, threads)
        linear(s.team, layer.output, a, s.tokens, s.x, s.x_row, ADD, scratch)
        barrier(s.team, threads)
        _norm(s, a, s.x, s.tokens, layer.mlp_norm, layer.gate_up)
        barrier(s.team, threads)
        linear(s.team, layer.gate_up, a, s.tokens, inner.floats, inner.row, GATE, scratch)
        barrier(s.team, threads)
        if layer.down.kind >= INT8:
            _quantise(s, inner, layer.down, layer.down.k)
            barrier(s.team, threads)
        linear(s.team, layer.down, inner, s.tokens, s.x, s.x_row, ADD, scratch)
        barrier(s.team, threads)
    i = claim(s.team)
    while i < s.wanted_count:
        row = s.x + get_i32(s.wanted, 4 * i) * s.x_row
        for j in range(0, s.x_row, 64):
            store_f32(s.last, i * s.x_row + j, load_f32(row, j))
        i = claim(s.team)
    barrier(s.team, threads)
    _norm(s, a, s.last, s.wanted_count, s.norm, head[0])
    barrier(s.team, threads)
    linear(s.team, head[0], a, s.wanted_count, s.logits, s.logits_row, SET, scratch)
    barrier(s.team, threads)


@njit(nogil=True)
def _norm(s, a, x, rows, weight, m):
    """RMS norm of each row, quantised where the matrix that comes next is."""
    row = claim(s.team)
    while row < rows:
        rms_norm(x + row * s.x_row, weight, s.hidden_size, s.x_row // 4, s.eps, a.floats + row * a.row)
        if m.kind >= INT8:
            for first in range(0, m.k, GROUP):
                quantise(a, row, first, min(GROUP, m.k - first))
        row = claim(s.team)


@njit(nogil=True)
def _place(s, p, layer):
    """Turn queries and keys by their positions, and put keys and values where they belong."""
    half = 4 * (p.head_dim // 2)
    row = claim(s.team)
    while row < s.tokens:
        q = s.qkv + row * s.qkv_row
        keys, cos, sin = q + s.keys_at, s.cos + row * half, s.sin + row * half
        for head in range(s.heads):
            rotate(q + 4 * head * p.head_dim, p.head_dim, cos, sin, s.query_scale)
        for head in range(p.kv_heads):
            rotate(keys + 4 * head * p.head_dim, p.head_dim, cos, sin, np.float32(1))
        page = layer * p.pages + get_i32(s.pages, 4 * row)
        write_page(p, page, get_i32(s.positions, 4 * row) % PAGE, keys, q + s.values_at)
        row = claim(s.team)


@njit(nogil=True)
def _attention(s, a, p, layer, window, scratch):
    """Attention of each block of queries through each KV head."""
    item = claim(s.team)
    while item < s.block_count * p.kv_heads:
        block, head = item // p.kv_heads, item % p.kv_heads
        row, tokens = get_i32(s.blocks, 12 * block), get_i32(s.blocks, 12 * block + 4)
        sequence = get_i32(s.blocks, 12 * block + 8)
        attend(
            p,
            layer,
            s.tables + sequence * s.tables_row,
            window,
            s.qkv + row * s.qkv_row,
            s.qkv_row,
            get_i32(s.positions, 4 * row),
            tokens,
            s.heads // p.kv_heads,
            head,
            a.floats + row * a.row,
            a.row,
            scratch,
        )
        item = claim(s.team)


@njit(nogil=True)
def _quantise(s, a, m, size):
    """Quantise activations for the matrix that comes next; the first `size` of a row, then zeros."""
    runs = -(-m.k // GROUP)
    item = claim(s.team)
    while item < s.tokens * runs:
        row, first = item // runs, item % runs * GROUP
        if first + GROUP >= m.k:
            for i in range(size, m.k):
                set_f32(a.floats, row * a.row + 4 * i, np.float32(0))
        quantise(a, row, first, min(GROUP, m.k - first))
        item = claim(s.team)
