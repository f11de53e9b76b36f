"""The tensors of a Hugging Face folder, as a source of weights."""

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ..errors import ModelError
from ..machine.all_finite import all_finite
from ..weights.codes import Codes, dequantize_codes
from .quantized import open_format
from .safetensors import SafetensorsFolder, text_model_name
from .source import check_codes

_FLOATS = [np.dtype(kind) for kind in (np.float32, np.float16, ml_dtypes.bfloat16)]


class Checkpoint:
    """A `TensorSource` (files/source.py) of a folder with safetensors files. `stored`: what lies in them."""

    def __init__(
        self,
        folder: Path,
        quantization: Any = None,
        file_name: str = "model.safetensors",
        rename: Callable[[str], str] = text_model_name,
    ) -> None:
        """`quantization`: quantization_config of config.json. file_name, rename: see SafetensorsFolder.

        Raises ModelError if a file is missing or damaged, or the way of quantizing is not supported.
        """
        self.stored = SafetensorsFolder(folder, file_name, rename)
        self._format = open_format(quantization, folder / "config.json", self.stored)
        self._finite: set[str] = set()  # tensors that were checked

    def __contains__(self, name: object) -> bool:
        return name in self.stored or bool(self._parts(str(name)))

    def __getitem__(self, name: str) -> np.ndarray:
        """The weights `name`: a view of the file, or dequantized ones. Raises ModelError."""
        codes = self.codes(name)
        if codes is not None:
            return dequantize_codes(codes)
        array = self.stored[name]
        if array.dtype not in _FLOATS:
            raise ModelError(
                f"{self.path_of(name)}: {name} is {array.dtype}, but should be float32, float16 or bfloat16."
            )
        if name not in self._finite and not all_finite(array):
            raise ModelError(f"{self.path_of(name)}: {name} has numbers that are infinite or not a number.")
        self._finite.add(name)
        return array

    def codes(self, name: str, expert: int | None = None) -> Codes | None:
        """The weights `name`, of an expert if asked, as codes; None if they are floats. Raises ModelError."""
        if self._format is None or not self._parts(name):
            return None
        codes = self._format.codes(name, expert)
        check_codes(codes, f"{self.path_of(name)}: {name}")
        return codes

    def layout(self, name: str) -> Hashable:
        """See TensorSource: the types of the stored parts, and the order of columns. Raises ModelError."""
        parts, order = self._parts(name), self.order(name)
        module = name.removesuffix("weight")
        types = tuple((part.removeprefix(module), self.stored.dtype(part)) for part in parts)
        return (types, None if order is None else order.tobytes()) if parts else None

    def order(self, name: str) -> np.ndarray | None:
        """The order of columns that the codes have; see Codes. Raises ModelError."""
        return self._format.order(name) if self._format is not None and self._parts(name) else None

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the weights. Raises ModelError."""
        if self._format is not None and self._parts(name):
            return self._format.shape(name)
        return self.stored.shape(name)

    def stored_bytes(self, name: str) -> int:
        """Bytes that a tensor takes in its file, with its scales. Raises ModelError."""
        return sum(self.stored.size(part) for part in self._parts(name) or [name])

    def path_of(self, name: str) -> Path:
        """The file that holds a tensor, its codes if it is quantized. Raises ModelError."""
        return self.stored.path_of((self._parts(name) or [name])[0])

    def files(self) -> list[Path]:
        """See TensorSource."""
        return self.stored.files()

    def places(self) -> dict[str, Path]:
        """See TensorSource."""
        return self.stored.places()

    def unread(self) -> list[str]:
        """The names of stored tensors that nobody has read, in order, without those that nobody needs."""
        names = self.stored.unread()
        return names if self._format is None else [n for n in names if not self._format.is_unused(n)]

    def drop_file_pages(self) -> None:
        """Free the memory of what was read from the files."""
        self.stored.drop_file_pages()

    def _parts(self, name: str) -> list[str]:
        """The stored tensors that hold quantized weights; none for floats."""
        return [] if self._format is None else self._format.parts(name)
