"""Kernels that are compiled for other processors are right, and compute the same bits."""

import subprocess
import sys
from pathlib import Path

import pytest
from processors import OPTIMIZES, environment

from model_core.kernels import emit

FOLDER = Path(__file__).parent
KERNELS = [str(FOLDER / "test_kernels.py"), str(FOLDER / "test_grouped.py")]
# Before the kernels by themselves, because whole models compile these, too.
BITS = f"{FOLDER / 'test_same_bits.py'}::test_this_processor_computes_the_golden_bits"

WITH_BITS = [BITS, *KERNELS]
ALL = {"haswell": WITH_BITS, "skylake-avx512": WITH_BITS, "alderlake": WITH_BITS, "generic": KERNELS}
# What each has of its own: without VNNI products differ; attention takes no instruction on any x86
# that products do not take.
TESTS = ALL | {"skylake-avx512": ["-k", "products", *KERNELS], "generic": ["-k", "not attention", *KERNELS]}


@pytest.mark.parametrize("processor", ALL)
def test_every_instruction_set(processor: str) -> None:
    """Those for any x86 have other bits, because they cannot fuse multiplications and additions."""
    if emit.INSTRUCTION_SET == "generic":
        pytest.skip("this processor has no more than the widest of these")
    if processor == "alderlake" and not emit.host_has("avxvnni"):
        pytest.skip("this processor cannot run what is compiled for one with AVX-VNNI")
    if processor == "skylake-avx512" and not emit.HAS_WIDE_VECTORS:
        pytest.skip("this processor cannot run what is compiled for one with AVX-512")
    command = [sys.executable, "-m", "pytest", "-q", "-x", *(ALL if OPTIMIZES else TESTS)[processor]]
    run = subprocess.run(command, env=environment(processor), capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
    assert "skipped" not in run.stdout
