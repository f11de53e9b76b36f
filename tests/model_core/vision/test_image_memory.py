"""The memory that a tower takes for an image is estimated, and given back."""

import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from seeing_folders import SEEING

from model_core import LLM
from model_core.files.model_files import open_model_files
from model_core.images.image import make_pixels
from model_core.model import step_buffers
from model_core.model.estimate import MemoryFlags, ModelTooLarge, check_memory, estimate_memory
from model_core.vision.tower_model import EncodingStopped, PiecePace

FLAGS = MemoryFlags("auto", None, 2**20, "float32")


class Buffers:
    """The bytes of the buffers of steps that are alive, and the most that were."""

    def __init__(self) -> None:
        self._arrays: list[weakref.ref[np.ndarray]] = []
        self.most = 0

    @property
    def alive(self) -> int:
        return sum(array.nbytes for ref in self._arrays if (array := ref()) is not None)

    def create(self, shape: Sequence[int], dtype: type) -> np.ndarray:
        """As machine.memory.aligned_zeros, from NumPy."""
        array = np.zeros(tuple(shape), dtype)
        self._arrays.append(weakref.ref(array))
        self.most = max(self.most, self.alive)
        return array


@pytest.mark.parametrize(
    "name", ["gemma3", "smolvlm", "lfm2_5-vl", "qwen3-vl", "qwen2_5-vl", "gemma4-unified"]
)
def test_buffers_of_a_large_image_are_estimated_and_given_back(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimated = estimate_memory(open_model_files(SEEING / name), FLAGS).image
    with LLM(SEEING / name, arithmetic="float32", kv_cache_memory=2**20) as llm:
        assert llm.vision is not None and llm.engine.encoder is not None
        tower, buffers = llm.engine.encoder.tower, Buffers()
        noise = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
        part = llm.vision.prepare(make_pixels(noise)).parts[0]
        monkeypatch.setattr(step_buffers, "aligned_zeros", buffers.create)
        tower.encode(part, PiecePace(10.0))
        assert buffers.alive == 0
        if part.rows > 100:  # smaller ones take what any step takes
            assert 0.6 * estimated < buffers.most < 1.1 * estimated
        with pytest.raises(EncodingStopped):
            tower.encode(part, PiecePace(10.0, lambda: False))
        assert buffers.alive == 0


def test_a_model_that_fits_without_images_is_refused() -> None:
    files = open_model_files(SEEING / "qwen3-vl")
    needed = estimate_memory(files, FLAGS)
    assert needed.image > 10**7
    assert estimate_memory(replace(files, vision=None), FLAGS).image == 0
    with pytest.raises(ModelTooLarge, match=r", 0\.0 GiB for an image\), but there are only"):
        check_memory("x", files, FLAGS, needed.total - needed.image)
    check_memory("x", files, FLAGS, needed.total)
