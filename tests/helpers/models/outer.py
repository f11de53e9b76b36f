"""Inner kernels (model_core/kernels/inner.py) by themselves, as Python can call them."""

import functools

from numba import njit
from numba.core.dispatcher import Dispatcher


@functools.cache
def outer(kernel: Dispatcher) -> Dispatcher:
    """The kernel, compiled for Python. Its code is stored, so that one process compiles it for all others."""
    called = njit(nogil=True)(kernel.py_func)
    called.enable_caching()
    return called
