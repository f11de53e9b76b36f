"""The check of tiles on a processor that emulates them: `tile_check_program.py PLANT`.

PLANT: fast, or wrong: then one of their sums is.
"""

import gc
import sys
from pathlib import Path

if __name__ == "__main__":
    gc.disable()  # nearly all of the time is that of compilers, which leave little garbage
    sys.path.insert(0, str(Path(__file__).parents[2] / "helpers" / "models"))
    import amx_emulator
    from numba import njit

    plant = sys.argv[1]
    if plant == "wrong":
        multiply_bytes = amx_emulator._multiply_bytes

        @njit
        def multiply_bytes_wrongly(c, a, b):
            """As the unit does, but for the last sum of a tile."""
            multiply_bytes(c, a, b)
            c[255] += 1

        amx_emulator._multiply_bytes = multiply_bytes_wrongly
    amx_emulator.install()

    from model_core.model import tile_check

    # Emulated tiles take minutes for what is measured.
    tile_check.Product.measure = lambda self, rows: 1e-9
    tile_check.main("")
