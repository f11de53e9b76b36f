"""How many rows and tiles the blocks of products have. See blocks.py."""

from numba.extending import register_jitable

from . import emit
from .emit import ROWS, TILES
from .layout import GROUPED4, GROUPED6, GROUPED8

HEIGHTS = (6, 4, 2, 1)  # of blocks, in rows


def cases_of(heights: tuple[int, ...]) -> tuple[int, ...]:
    """The variants of a block: a number of rows, or its negative to prefetch weights as well.

    Prefetching costs up to a quarter of the speed, so it is compiled separately.
    """
    return (*heights, *(-rows for rows in heights if rows > 1))


CASES = cases_of(ROWS)

# So many rows multiply codes of 4 to 6 bits as they are: each block of rows takes them apart, and applies
# steps and zeros to sums. For more, they become weights + 128 once. Without VNNI, products of signed weights
# take so many more instructions than those of codes that all rows multiply codes.
CODE_ROWS = {"avx512": 8, "avxvnni": 16, "generic": 1}.get(emit.INSTRUCTION_SET, 2**31)
# So many rows multiply codes of 4 bits with a table as they become bytes. For more, they are widened once.
LOOKED_UP_ROWS = 4 if emit.HAS_WIDE_VECTORS else 1


@register_jitable
def block_tiles(kind: int, rows: int) -> int:
    """Tiles of an integer block. With groups, sums and totals share the registers."""
    if kind == GROUPED4:
        return TILES if rows == 1 else TILES // 2
    return TILES // 2 if kind in (GROUPED8, GROUPED6) and rows > 2 else TILES


@register_jitable
def block_rows(remaining: int, largest: int = ROWS[0]) -> int:
    """How many of the `remaining` rows the next block takes: 6, 4, 2 or 1, and at most `largest`.

    It may be one more than remain, so buffers of activations have one extra row.
    """
    if largest == 6 and 6 < remaining <= 8:
        return 4  # two equal blocks are faster than a large and a small one
    for rows in HEIGHTS:
        if rows <= largest and (remaining >= rows or (rows > 2 and remaining == rows - 1)):
            return rows
    return 1


@register_jitable
def even_rows(remaining: int, largest: int) -> int:
    """How many of the `remaining` rows the next block takes, so that blocks are as equal as they can be."""
    blocks = -(-remaining // largest)
    return -(-remaining // blocks)
