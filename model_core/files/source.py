"""Where weights come from: a source of tensors, whatever the format of its files.

`Checkpoint` (checkpoint.py) is the source of a Hugging Face folder. Another format of files is another
implementation, and model_files.py is where it is chosen.
"""

from collections.abc import Hashable
from pathlib import Path
from typing import Protocol

import numpy as np

from ..errors import ModelError
from ..machine.all_finite import all_finite
from ..tape.references import WeightRef
from ..weights.codes import FLOAT8, Codes

_EMBEDDING_NAME = "model.embed_tokens.weight"


class TensorSource(Protocol):
    """The tensors of a model by their Hugging Face names, such as "model.norm.weight".

    For models that see or hear, the tensors of the text model have the names of the text model alone. A
    tensor that is missing or damaged raises ModelError, with the names of the file and the tensor.
    """

    def __contains__(self, name: object) -> bool:
        """Whether there is a tensor of this name."""

    def __getitem__(self, name: str) -> np.ndarray:
        """The weights: float32, float16 or bfloat16 as they are stored, float32 if they are quantized.

        The array may be a view of a file. Its numbers are finite.
        """

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """The weights as codes, [..., n outputs, k inputs]; None if they are stored as floats.

        `expert`: of a tensor with a leading axis for experts, those of this expert alone. Scales and offsets
        are finite.
        """

    def layout(self, name: str) -> Hashable:
        """Differs between tensors of a model whose codes should not be packed as one; None for floats.

        It is read from headers and short arrays.
        """

    def order(self, name: str) -> np.ndarray | None:
        """The order of columns that the codes have; see Codes. Read as `layout`."""

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the weights, whatever the shape of the arrays that hold them."""

    def stored_bytes(self, name: str) -> int:
        """Bytes that a tensor takes in its file, with its scales."""

    def path_of(self, name: str) -> Path:
        """The file that holds a tensor."""

    def files(self) -> list[Path]:
        """The files that hold the tensors."""

    def places(self) -> dict[str, Path]:
        """The file of each stored tensor, by its name."""

    def unread(self) -> list[str]:
        """The names of stored tensors that nobody has read, in order."""

    def drop_file_pages(self) -> None:
        """Free the memory of what was read from the files. It is read again when it is needed."""


def check_codes(codes: Codes, where: str) -> None:
    """Raises ModelError, which begins with `where`, if a number that codes stand for is not finite."""
    floats = (codes.scales, codes.super_scales, codes.offsets, codes.super_offsets, codes.factors)
    for array in (codes.codes, *floats):
        if array is None or array.dtype.kind in "iu":
            continue
        is_finite = _all_finite_float8(array) if array.dtype == FLOAT8 else all_finite(array)
        if not is_finite:
            raise ModelError(f"{where} has numbers that are infinite or not a number.")


def _all_finite_float8(array: np.ndarray) -> bool:
    """Whether an array of FLOAT8, which has no infinities, has no NaN."""
    return not ((array.view(np.uint8) & np.uint8(127)) == 127).any()


def read_weights(source: TensorSource, weight: WeightRef) -> np.ndarray | Codes:
    """The weights [n, k] of a product, as they are stored. Raises ModelError."""
    name = find_name(source, weight)
    if weight.expert is not None:
        check_shape(source, name, source.shape(name)[:1], weight.shape[:1])
    codes = source.codes(name, weight.expert)
    if codes is None:
        return weight.select(read_tensor(source, weight))
    if weight.has_unit_rows:
        raise ModelError(
            f"{source.path_of(name)}: {name} is quantized, which is not supported for a head whose rows are "
            "divided by their length; take a copy of the model whose head is in floats."
        )
    shape = weight.shape if weight.expert is None else weight.shape[1:]
    check_shape(source, name, codes.shape, shape[::-1] if weight.is_transposed else shape)
    return weight.select_codes(codes)


def read_tensor(source: TensorSource, weight: WeightRef) -> np.ndarray:
    """The whole tensor that a weight is a part of, as floats. Raises ModelError."""
    name = find_name(source, weight)
    check_shape(source, name, source.shape(name), weight.shape)
    return source[name]


def find_name(source: TensorSource, weight: WeightRef) -> str:
    """The name of a weight's tensor.

    Models without head are stored without the prefix "model.". Other files have tied weights under the name
    of the head.
    """
    names = [weight.name, weight.name.removeprefix("model.")]
    if weight.name == _EMBEDDING_NAME:
        names.append("lm_head.weight")
    return next((name for name in names if name in source), weight.name)


def check_shape(source: TensorSource, name: str, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Raises ModelError if a tensor has another shape than config.json says."""
    if shape != expected:
        raise ModelError(
            f"{source.path_of(name)} does not fit its configuration: {name} is {list(shape)}, but should be "
            f"{list(expected)}."
        )
