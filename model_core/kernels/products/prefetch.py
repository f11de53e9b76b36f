"""Which weights a block of rows prefetches, while it multiplies others."""

from ..inner import inner
from ..layout import STRIP, STRIP_TILES


@inner
def plan_prefetch(blocks, block, tile, prefetch, tile_bytes, size):
    """Which part of the next chunk of weights a block of rows prefetches: the blocks share it evenly.

    Prefetching in bursts gains nothing, and with a single block the hardware prefetcher is faster. prefetch:
    address of the chunk, whose tiles of `size` bytes are `tile_bytes` apart. Returns whether the block
    prefetches, the two addresses it starts from, and how many bytes from the second (`size` from the first).
    """
    if blocks == 1 or block >= STRIP_TILES or tile > 0:
        return False, prefetch, prefetch, 0
    if blocks == 2:
        first = prefetch + 2 * block * tile_bytes
        return True, first, first + tile_bytes, size
    if blocks == 3 and block < 2:
        return True, prefetch + 2 * block * tile_bytes, prefetch + tile_bytes + block * size // 2, size // 2
    first = prefetch + (3 if blocks == 3 else block) * tile_bytes
    return True, first, first, 0


@inner
def prefetch_offset(m, strip, next_strip, first):
    """The index of the weight at k `first` of a strip; beyond its end, of the next strip.

    Callers ask two chunks ahead: early enough to arrive in time, late enough to stay in the L2 cache.
    """
    if first < m.k:
        return strip * STRIP * m.k + first * 16
    return next_strip * STRIP * m.k + (first - m.k) * 16
