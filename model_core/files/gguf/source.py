"""The tensors of a GGUF file by the names of a family."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...checks.file_values import shorten
from ...errors import ModelError
from ...machine.all_finite import all_finite
from ...weights.codes import Codes, dequantize_codes, map_arrays
from ...weights.common_form import to_common_form
from .blocks import BLOCKS, read_codes, read_floats
from .names import Place, Places
from .reader import GGUFFile

# Layers behind pooled hidden states, which embeddings read (GGUFModel.read_dense).
DENSE_NAMES = ("dense_2.weight", "dense_3.weight")
# These tensors are no weights of the tape: configuration (config.read_rope), and those layers.
_READ_ELSEWHERE = frozenset(
    (*(f"{name}.weight" for name in ("rope_freqs", "rope_factors_short", "rope_factors_long")), *DENSE_NAMES)
)
# What begins so is of images and sounds, in files of Ollama, which has them beside the text model.
_OF_IMAGES = ("v.", "mm.", "a.")


class GGUFSource:
    """A `TensorSource` (files/source.py) of a GGUF model, of one file or several."""

    def __init__(self, file: GGUFFile, places: Places) -> None:
        """`places`: see names.find_places."""
        self._file, self._places = file, places
        self._read: set[str] = set(_READ_ELSEWHERE)  # names in the file
        # Activations keep their precision here, so that their scales are not needed.
        self._read |= {name for name in file.entries if name.endswith(".input_scale")}

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> np.ndarray:
        """The weights in float32, or as they are stored if these are floats. Raises ModelError.

        Those whose blocks are along outputs, which kernels do not know, are rounded to float16.
        """
        place = self._place(name)
        if place.value is not None:
            return place.value
        self._check_parts(name, place)
        parts = [self._floats(stored, place.expert, place.rows) for stored in place.names]
        if place.first_is_transposed:
            parts[0] = parts[0].swapaxes(-1, -2)
        array = _join(parts, _row_axis(place))
        if place.first_is_transposed and self._has_blocks(place):
            array = array.astype(np.float16)  # a relative error of 1.4e-4; they are below 65504
        if place.order is not None:
            array = self._reorder(name, place, array)
        if place.columns is not None:
            self._check_columns(name, place, array.shape)
            array = array[..., place.columns]
        if place.is_negative_exp:
            array = self._logarithm(name, array)
        if place.is_difference:
            array = array[:1].astype(np.float32) - array[1:2].astype(np.float32)
        if place.offset:
            array = array.astype(np.float32) + np.float32(place.offset)
        if place.shape is not None:
            if math.prod(place.shape) != array.size:
                raise self._error(name, f"is {list(array.shape)}, but should be {list(place.shape)}")
            array = array.reshape(place.shape)
        return array.swapaxes(-1, -2) if place.is_transposed else array

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """The weights as codes. Parts of one tensor with different types of blocks get a common form."""
        place = self._place(name)
        if self.layout(name) is None:
            return None
        self._check_parts(name, place)
        expert = place.expert if expert is None else expert
        parts = [self._codes(stored, expert, place.rows) for stored in place.names]
        types = {self._file.entries[stored].type for stored in place.names}
        if len(types) > 1 or len({part.factors is None for part in parts}) > 1:
            parts = to_common_form(parts)
        joined = map_arrays(lambda *arrays: _join(arrays, -2), *parts)
        if place.columns is not None:
            self._check_columns(name, place, joined.shape)
            joined = replace(joined, order=self.order(name))
        if place.order is None:
            return joined
        return map_arrays(lambda array: self._reorder(name, place, array), joined)

    def layout(self, name: str) -> Hashable:
        """See TensorSource: the types of blocks; None if these are along outputs. Raises ModelError."""
        place = self._place(name)
        types = frozenset(self._file.entries[stored].type for stored in place.names)
        has_floats = any(BLOCKS[kind].decode is None for kind in types)
        return None if has_floats or not types or place.first_is_transposed else types

    def order(self, name: str) -> np.ndarray | None:
        """See TensorSource: the order of columns that codes have; None for floats. Raises ModelError.

        Codes keep the columns as they are stored, so it is the inverse of Place.columns.
        """
        columns = self._place(name).columns
        return None if columns is None or self.layout(name) is None else np.argsort(columns).astype(np.int32)

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the weights. Raises ModelError."""
        place = self._place(name)
        if place.value is not None:
            return place.value.shape
        if place.shape is not None:
            return place.shape
        shapes = [self._file.entries[stored].shape for stored in place.names]
        shape = list(shapes[0] if place.expert is None else shapes[0][1:])
        if place.is_difference and shape[0] == 2:
            shape[0] = 1
        if place.rows is not None:
            shape[0] = place.rows[1] - place.rows[0]
        if len(shapes) > 1:
            shape[_row_axis(place)] = sum(other[_row_axis(place)] for other in shapes)
        if place.is_transposed:
            shape[-2:] = reversed(shape[-2:])
        return tuple(shape)

    def stored_bytes(self, name: str) -> int:
        """Bytes that a tensor takes in its file, with its scales. Raises ModelError."""
        place = self._place(name)
        entries = [self._file.entries[stored] for stored in place.names]
        experts = 1 if place.expert is None else entries[0].shape[0]
        size = sum(entry.end - entry.start for entry in entries) // experts
        if place.rows is None:
            return size
        return size * (place.rows[1] - place.rows[0]) // entries[0].shape[0 if place.expert is None else 1]

    def path_of(self, name: str) -> Path:
        """The file that holds a tensor. Raises ModelError."""
        names = self._place(name).names
        return self._file.entries[names[0]].path if names else self._file.path

    def files(self) -> list[Path]:
        """See TensorSource."""
        return self._file.files()

    def places(self) -> dict[str, Path]:
        """See TensorSource."""
        return {name: entry.path for name, entry in self._file.entries.items()}

    def unread(self) -> list[str]:
        """The names of stored tensors that nobody has read, in order, without those of images and sounds."""
        return sorted(
            name
            for name, place in self._places.items()
            if not self._read.issuperset(place.names) and not name.startswith(_OF_IMAGES)
        )

    def drop_file_pages(self) -> None:
        """Free the memory of what was read from the files."""
        self._file.drop_file_pages()

    def _place(self, name: str) -> Place:
        place = self._places.get(name)
        if place is None:
            raise ModelError(f"{self._file.path} has no tensor for {name}.")
        return place

    def _has_blocks(self, place: Place) -> bool:
        return any(BLOCKS[self._file.entries[stored].type].dtype is None for stored in place.names)

    def _check_parts(self, name: str, place: Place) -> None:
        """Raises ModelError unless the parts of a tensor have the same shape, but for their rows."""
        shapes, axis = [self._file.entries[stored].shape for stored in place.names], _row_axis(place)
        if place.first_is_transposed:
            first = shapes[0]
            shapes[0] = (*first[:-2], *first[:-3:-1])
        if len(shapes) == 1 and not place.is_transposed:
            return
        rests = {tuple(np.delete(shape, axis)) for shape in shapes if len(shape) >= -axis}
        if len(rests) == 1 and all(len(shape) == len(shapes[0]) for shape in shapes):
            return
        raise self._error(name, f"is stored as {' and '.join(map(str, shapes))}, which cannot be")

    def _floats(self, stored: str, expert: int | None, rows: tuple[int, int] | None) -> np.ndarray:
        """A stored tensor, or what it holds of one expert, or some rows of that, as floats."""
        block = BLOCKS[self._file.entries[stored].type]
        if block.dtype is None:
            return dequantize_codes(self._codes(stored, expert, rows))
        if self._scale_name(stored) is not None:
            raise self._error(stored, "is stored as floats and has a scale, which is not supported")
        data, shape = self._bytes(stored, expert, rows)
        array = read_floats(data, shape, block)
        if not all_finite(array):
            raise self._error(stored, "has numbers that are infinite or not a number")
        return array

    def _codes(self, stored: str, expert: int | None, rows: tuple[int, int] | None) -> Codes:
        """The same as codes."""
        data, shape = self._bytes(stored, expert, rows)
        try:
            codes = read_codes(data, shape, BLOCKS[self._file.entries[stored].type])
        except ValueError as error:
            raise self._error(stored, f"has {error}") from error
        scale_name = self._scale_name(stored)
        if scale_name is None:
            return codes
        scale = self._floats(scale_name, None, None).astype(np.float32)
        experts = self._file.entries[stored].shape[:-2]
        if scale.shape not in ((1,), experts):
            raise self._error(scale_name, f"is {list(scale.shape)}, but should be {list(experts or (1,))}")
        if expert is not None and scale.shape == experts:
            scale = scale[expert, None]
        factors = np.empty((*shape[:-1], 1), np.float32)
        factors[:] = scale[..., None, None]
        return replace(codes, factors=factors)

    def _scale_name(self, stored: str) -> str | None:
        """The name of the scale that multiplies a stored tensor, if it has one and no family names it."""
        name = f"{stored.removesuffix('.weight')}.scale"
        return name if name in self._file.entries and name in self._places else None

    def _bytes(
        self, stored: str, expert: int | None, rows: tuple[int, int] | None
    ) -> tuple[np.ndarray, tuple[int, ...]]:
        """The bytes of a stored tensor, or of one expert in it, or of some rows of that, and their shape."""
        self._read.add(stored)
        entry = self._file.entries[stored]
        data, shape = self._file.bytes_of(entry), entry.shape
        if expert is not None:
            if len(shape) < 2 or expert >= shape[0]:
                raise self._error(stored, f"is {list(shape)}, and has no expert {expert}")
            data, shape = data.reshape(shape[0], -1)[expert], shape[1:]
        if rows is not None:
            data = data.reshape(shape[0], -1)[slice(*rows)].reshape(-1)
            shape = (rows[1] - rows[0], *shape[1:])
        return data, shape

    def _reorder(self, name: str, place: Place, array: np.ndarray) -> np.ndarray:
        assert place.order is not None
        axis = _row_axis(place) if array.ndim > 1 else -1
        if array.ndim < -axis or array.shape[axis] != len(place.order):
            raise self._error(name, f"is {list(array.shape)}, but should have {len(place.order)} rows")
        return np.take(array, place.order, axis=axis)

    def _check_columns(self, name: str, place: Place, shape: tuple[int, ...]) -> None:
        assert place.columns is not None
        if shape[-1] != len(place.columns):
            raise self._error(name, f"is {list(shape)}, but should have {len(place.columns)} columns")

    def _logarithm(self, name: str, array: np.ndarray) -> np.ndarray:
        if not (array < 0).all():
            raise self._error(name, "should have negative numbers only")
        return np.log(-array.astype(np.float32))

    def _error(self, name: str, fault: str) -> ModelError:
        entry = self._file.entries.get(name)
        return ModelError(f"{entry.path if entry else self.path_of(name)}: {shorten(name)} {fault}.")


def _row_axis(place: Place) -> int:
    """The axis of the outputs of a product: of biases the last, of matrices the one before."""
    return -1 if place.names[0].endswith(".bias") else -2


def _join(parts: Sequence[np.ndarray], axis: int) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)
