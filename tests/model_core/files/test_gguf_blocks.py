"""Blocks of quantized weights in GGUF files. The expected weights are what llama.cpp reads (make_gguf.py)."""

import numpy as np
import pytest
from gguf_blocks import digest, random_blocks
from paths import DATA

from model_core.files.gguf import blocks
from model_core.files.gguf.blocks import BLOCKS, read_codes, read_floats
from model_core.files.gguf.reader import GGUFFile
from model_core.weights.codes import GROUPS, Codes, dequantize_codes

FILE = DATA / "gguf" / "blocks.gguf"
QUANTIZED = {block.name: block for block in BLOCKS.values() if block.decode is not None}


@pytest.fixture(scope="module")
def file() -> GGUFFile:
    return GGUFFile(FILE)


def read(file: GGUFFile, name: str) -> tuple[np.ndarray, tuple[int, ...]]:
    entry = file.entries[name]
    return file.bytes_of(entry), entry.shape


@pytest.mark.parametrize("name", QUANTIZED)
def test_weights_are_those_that_llama_cpp_reads(file: GGUFFile, name: str) -> None:
    codes = read_codes(*read(file, name), QUANTIZED[name])
    expected = read_floats(*read(file, f"{name} read"), BLOCKS[0])
    assert codes.shape == expected.shape and codes.group in GROUPS
    assert (dequantize_codes(codes) == expected).all()
    assert abs(expected).max() > 1


@pytest.mark.parametrize("name", sorted(QUANTIZED.keys() - {"MXFP4", "NVFP4"}))
def test_any_block_is_read_as_llama_cpp_reads_it(file: GGUFFile, name: str) -> None:
    """But for the two types of which some scales are not numbers, and are numbers for llama.cpp."""
    number, block = next((number, block) for number, block in BLOCKS.items() if block.name == name)
    packed = random_blocks(number)
    assert block.decode is not None
    with np.errstate(invalid="ignore", over="ignore"):
        codes = Codes(group=block.group, table=block.table, **block.decode(packed))
        assert digest(dequantize_codes(codes), number) == file.metadata[f"digest.{name}"]


def test_slices_are_decoded_as_a_whole(file: GGUFFile, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_codes(*read(file, "Q4_K"), QUANTIZED["Q4_K"])
    monkeypatch.setattr(blocks, "SLICE", 512)
    parts = read_codes(*read(file, "Q4_K"), QUANTIZED["Q4_K"])
    assert (dequantize_codes(parts) == dequantize_codes(whole)).all()


def test_experts_have_a_leading_axis(file: GGUFFile) -> None:
    data, shape = read(file, "Q6_K")
    experts = read_codes(data, (shape[0], 1, shape[1]), QUANTIZED["Q6_K"])
    whole = dequantize_codes(read_codes(data, shape, QUANTIZED["Q6_K"]))
    assert experts.shape == (3, 1, 512)
    assert (dequantize_codes(experts[2]) == whole[2]).all()


@pytest.mark.parametrize("name", QUANTIZED)
def test_a_scale_that_is_not_a_number_is_refused(file: GGUFFile, name: str) -> None:
    data, shape = read(file, name)
    with pytest.raises(ValueError, match="infinite or not a number"):
        read_codes(np.full_like(data, 255), shape, QUANTIZED[name])


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_floats_need_not_be_aligned(dtype: str) -> None:
    block = next(block for block in BLOCKS.values() if block.name == dtype)
    numbers = np.arange(6).astype(block.dtype)
    shifted = np.frombuffer(b"\0" + numbers.tobytes(), np.uint8)[1:]
    assert (read_floats(shifted, (2, 3), block) == numbers.reshape(2, 3)).all()
