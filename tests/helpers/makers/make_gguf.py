"""Make tests/data/gguf/blocks.gguf: weights that llama.cpp quantizes to types of blocks, and what it reads.

    PYTHONPATH=tests/helpers/models python tests/helpers/makers/make_gguf.py LIBRARY

LIBRARY is the path of libggml-base.so, which the package llama-cpp-python has. For each type of blocks in
files/gguf/blocks.py, the file has a tensor of quantized weights with the name of the type, and one in
F32 with the weights that llama.cpp reads from it. Its metadata have digests of what llama.cpp reads from
random bytes, which have all rows of grids. Tests of blocks.py read the file without llama.cpp.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np
from gguf_blocks import RANDOM_BLOCKS, digest, random_blocks
from gguf_writer import write_gguf

from model_core.files.gguf.blocks import BLOCKS

PATH = Path(__file__).parents[2] / "data" / "gguf" / "blocks.gguf"
SHAPE = (3, 512)


class _Traits(ctypes.Structure):
    """ggml_type_traits."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("weights", ctypes.c_int64),
        ("interleave", ctypes.c_int64),
        ("size", ctypes.c_size_t),
        ("is_quantized", ctypes.c_bool),
        ("to_float", ctypes.c_void_p),
        ("from_float", ctypes.c_void_p),
    ]


def main() -> None:
    ggml = ctypes.CDLL(sys.argv[1])
    ggml.ggml_get_type_traits.restype = ctypes.POINTER(_Traits)
    size_t, int64, pointer = ctypes.c_size_t, ctypes.c_int64, ctypes.c_void_p
    ggml.ggml_quantize_chunk.argtypes = [ctypes.c_int, pointer, pointer, int64, int64, int64, pointer]
    ggml.ggml_quantize_chunk.restype = size_t
    tensors: dict[str, tuple[int, tuple[int, ...], bytes]] = {}
    metadata = {"general.architecture": "none"}
    for number, block in BLOCKS.items():
        if block.decode is None:
            continue
        random = np.random.default_rng([20, number])
        weights = (random.standard_normal(SHAPE) * random.uniform(0.1, 4, (SHAPE[0], 1))).astype(np.float32)
        traits = ggml.ggml_get_type_traits(number).contents
        packed = np.zeros(weights.size // traits.weights * traits.size, np.uint8)
        sizes = (0, SHAPE[0], SHAPE[1])
        importance = np.ones(SHAPE[1], np.float32).ctypes.data_as(pointer)  # of columns; some types need it
        ggml.ggml_quantize_chunk(number, weights.ctypes.data, packed.ctypes.data, *sizes, importance)
        read = np.empty_like(weights)
        to_float = ctypes.CFUNCTYPE(None, pointer, pointer, int64)(traits.to_float)
        to_float(packed.ctypes.data, read.ctypes.data, read.size)
        tensors[block.name] = (number, SHAPE, packed.tobytes())
        tensors[f"{block.name} read"] = (0, SHAPE, read.tobytes())
        packed = random_blocks(number)
        read = np.empty((RANDOM_BLOCKS, traits.weights), np.float32)
        to_float(packed.ctypes.data, read.ctypes.data, read.size)
        metadata[f"digest.{block.name}"] = digest(read, number)
    PATH.parent.mkdir(exist_ok=True)
    write_gguf(PATH, metadata, tensors)


if __name__ == "__main__":
    main()
