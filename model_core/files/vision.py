"""The tower of a model's files: its configuration, and its tensors as the tower takes them."""

import logging
import math
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path

import numpy as np

from ..errors import ModelError
from ..families import read_model_config
from ..families.vision.parts import Tower, VisionConfig
from ..families.vision.registry import read_vision_config, write_tower
from ..tape.passes import head_products, products, vector_refs
from ..tape.references import WeightRef
from ..tape.rope import check_axes, rope_frequencies
from ..weights.codes import Codes
from .model_files import ModelFiles
from .source import TensorSource, check_shape, find_name

LOGGER = logging.getLogger(__name__)
_CHANNELS = 3  # of images


class PatchSource:
    """A `TensorSource` (files/source.py) whose kernels of convolutions over patches are matrices.

    A kernel for several equal frames [outputs, channels, frames, height, width] is summed over the frames.
    """

    def __init__(self, source: TensorSource, orders: Mapping[str, np.ndarray] | None = None) -> None:
        """`orders`: see Tower. Quantized tensors that have one are read as floats."""
        self._source, self._orders = source, orders or {}

    def _stored(self, name: str) -> str:
        """The name in the files: SigLIP's parts were within another one before."""
        older = name.replace("vision_tower.", "vision_tower.vision_model.", 1)
        return older if name not in self._source and older in self._source else name

    def __contains__(self, name: object) -> bool:
        return self._stored(str(name)) in self._source

    def __getitem__(self, name: str) -> np.ndarray:
        array = self._source[self._stored(name)]
        if array.ndim == 5:
            array = array.astype(np.float32).sum(axis=2)
        if name in self._orders:
            array = array[self._orders[name]]
        return array.reshape(self.shape(name))

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """See TensorSource."""
        stored = self._stored(name)
        if name in self._orders or len(self._source.shape(stored)) > 2:
            return None
        return self._source.codes(stored, expert)

    def layout(self, name: str) -> Hashable:
        """See TensorSource."""
        return None if name in self._orders else self._source.layout(self._stored(name))

    def order(self, name: str) -> np.ndarray | None:
        """See TensorSource."""
        return self._source.order(self._stored(name))

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the matrix. Raises ModelError if the kernel has another order, as in MLX."""
        shape = self._source.shape(self._stored(name))
        if len(shape) in (4, 5) and (shape[1] != _CHANNELS or shape[-1] != shape[-2]):
            raise ModelError(
                f"{self.path_of(name)}: {name} has the shape {list(shape)}, but should have {_CHANNELS} "
                "channels, then rows and columns of a square; take a copy of the model that is not for MLX."
            )
        if len(shape) == 5:
            shape = (*shape[:2], *shape[3:])
        return (shape[0], math.prod(shape[1:])) if len(shape) == 4 else shape

    def stored_bytes(self, name: str) -> int:
        """See TensorSource."""
        return self._source.stored_bytes(self._stored(name))

    def path_of(self, name: str) -> Path:
        """See TensorSource."""
        return self._source.path_of(self._stored(name))

    def files(self) -> list[Path]:
        """See TensorSource."""
        return self._source.files()

    def places(self) -> dict[str, Path]:
        """See TensorSource."""
        return self._source.places()

    def unread(self) -> list[str]:
        """See TensorSource."""
        return self._source.unread()

    def drop_file_pages(self) -> None:
        """See TensorSource."""
        self._source.drop_file_pages()


def find_vision(files: ModelFiles) -> VisionConfig | None:
    """The configuration of a model's tower; None if there is none that can be loaded, with a warning.

    The text model is then loaded alone.
    """
    try:
        return read_vision(files)
    except ModelError as error:
        LOGGER.warning("%s sees no images, only text is possible: %s", files.path, error)
        return None


def read_vision(files: ModelFiles) -> VisionConfig | None:
    """The configuration of a model's tower; None if the files have none.

    Raises ModelError if it cannot be loaded, also because tensors are missing or have other shapes.
    """
    if files.vision is None:
        return None
    config = read_vision_config(files.vision.config, files.vision.read_processor())
    if config is None:
        return None
    tower = write_tower(config)
    source = PatchSource(files.vision.open_tensors(), tower.orders)
    first = next(products(tower.stages[0].tape.records)).weights[0]
    if find_name(source, first) not in source:
        return None
    for weight in _list_weights(tower):
        name = find_name(source, weight)
        if name not in source:
            raise ModelError(f"{source.path_of(find_name(source, first))} is incomplete: {name} is missing.")
        shape = source.shape(name)
        if not weight.is_transposed:  # quantized ones have another shape
            check_shape(source, name, shape, weight.shape)
    if config.has_axes:
        text = read_model_config(files.named("config.json"), files.config)
        for rope in {rope for rope in text.ropes if rope is not None}:
            check_axes(rope, len(rope_frequencies(rope, text.head_dim)))
    return config


def _list_weights(tower: Tower) -> Iterator[WeightRef]:
    """All that a tower reads of its files."""
    for stage in tower.stages:
        for linear in products(stage.tape.records):
            yield from (*linear.weights, *linear.biases)
        for record in head_products(stage.tape.records):
            yield from record.weights
        yield from vector_refs(stage.tape.records)
    yield from (WeightRef(name, shape) for name, shape in tower.tables.items())
