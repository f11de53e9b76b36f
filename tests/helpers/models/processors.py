"""Processes whose kernels are compiled for other processors than this one."""

import os

# NumPy's own functions use these, and round differently with and without them.
NEWER_FEATURES = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
# As much as users have it; otherwise in less time, as LLVM's optimizations are not what is tested.
OPTIMIZES = os.environ.get("OPTIMIZE_ALL_KERNELS") == "1"


def environment(processor: str) -> dict[str, str]:
    """The environment of such a process.

    Kernels for AVX2 are optimized a little, because whole models run with them; others are not.
    NumPy has to do without the functions for processors newer than those with AVX2.
    """
    level = "3" if OPTIMIZES else "1" if processor in ("haswell", "alderlake") else "0"
    return {
        **os.environ,
        "NUMBA_CPU_NAME": processor,
        "NUMBA_OPT": level,
        "NPY_DISABLE_CPU_FEATURES": NEWER_FEATURES,
        "PYTHONWARNINGS": "ignore",  # of features that this processor has not
    }
