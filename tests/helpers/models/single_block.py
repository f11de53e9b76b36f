"""Attention of one block of queries, by the kernels that a step composes."""

from model_core.kernels.inner import inner
from model_core.kernels.sequences.attention import (
    attend_segment,
    end_segment,
    first_segment,
    no_next_pages,
    scratch_rows,
    states_start,
)
from model_core.kernels.sequences.online_softmax import merge_states, state_bytes, write_outputs


@inner
def attend_block(p, i, q, out, out_row, scratch):
    """Write what the Queries q find, of all segments, to `out`. The others as of attend_segment."""
    states = scratch + states_start(p.key_dim, q.group)
    part = states + scratch_rows(q.group) * state_bytes(p.value_dim)
    first = first_segment(q.position, i.window)
    for segment in range(first, end_segment(q.end)):
        to = states if segment == first else part
        attend_segment(p, i, q, segment, no_next_pages(), to, scratch)
        if segment > first:
            merge_states(states, part, q.tokens * q.group, p.value_dim)
    write_outputs(states, p.value_dim, q.tokens, q.group, q.head, out, out_row)
