"""Compile the kernels that tests call, for this processor and beside that for an older one (processors.py).

`make test` starts with it, so that they are compiled once and not by each worker. What is compiled in little
time, for any x86 and without optimizing, is left to test_processors.py.
"""

import subprocess
import sys

import conftest  # noqa: F401 - has the code of single kernels stored
import numpy as np
import test_kernels
from processors import environment
from products import Activations, multiply

from model_core import LLM, SamplingParams
from model_core.kernels import emit
from model_core.weights.pack import pack


def compile_here() -> None:
    """A step of a model, the choice of a token, and what test_kernels.py calls by itself."""
    with LLM() as llm:
        llm.generate("Hello", SamplingParams(max_tokens=1))
    one = np.ones((1, 1), np.float32)
    multiply(pack([one], emit.FLOAT32), Activations(one), 1)
    test_kernels.test_attention_with_scattered_pages("float32", 1e-5, 6, 2, 26, 26, False, None)
    test_kernels.test_scan(2, 6, 9)
    test_kernels.test_maps()
    for is_interleaved in (False, True):
        test_kernels.test_rope(26, is_interleaved)


def compile_profile() -> None:
    """A step that is measured, which only this processor's tests need."""
    with LLM() as llm, llm.model.profile():
        llm.logits([0])


if __name__ == "__main__":
    if sys.argv[1:] or emit.INSTRUCTION_SET == "generic":
        compile_here()
    else:
        command = [sys.executable, __file__, "here"]
        with subprocess.Popen(
            command, env=environment("haswell"), stderr=subprocess.PIPE, text=True
        ) as other:
            compile_here()
            compile_profile()
            _, errors = other.communicate()
        if other.returncode:
            sys.exit(errors)
