"""The metadata of a GGUF file as checked values."""

from typing import Any

import numpy as np

from ...checks.file_values import shorten
from ...checks.known_fields import GGUF
from ...errors import ModelError
from .blocks import BLOCKS, read_floats
from .reader import GGUFFile

_MAX_LAYERS = 10_000


class Metadata:
    """The fields of a model, such as "llama.block_count", without the name of the architecture.

    All methods raise ModelError without the name of the file for a value that is missing or has a wrong type.
    """

    def __init__(self, file: GGUFFile) -> None:
        self.file = file
        self._read: set[str] = set()
        architecture = file.metadata.get("general.architecture")
        if not isinstance(architecture, str):
            raise ModelError("general.architecture should be the name of an architecture.")
        self.architecture = architecture

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field. An array of numbers is a list."""
        self._read.add(name)
        value = self.file.metadata.get(f"{self.architecture}.{name}", default)
        return value.tolist() if isinstance(value, np.ndarray) else value

    def number(self, name: str, default: float | None = None) -> float:
        """A number. Most are stored in float32, and the shortest decimal fraction for one is meant."""
        value = self.get(name)
        value = default if value is None else value
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(name, value)
        with np.errstate(over="ignore"):
            single = np.float32(value)
        return float(str(single)) if single == value else float(value)

    def size(self, name: str, default: int | None = None) -> int:
        """A whole number from 0. An array with one for each layer must repeat one number."""
        value = self.get(name)
        value = default if value is None else value
        if isinstance(value, list):
            if len(set(value)) > 1:
                raise ModelError(
                    f"{self.architecture}.{name} differs between layers, which is not supported here."
                )
            value = value[0] if value else None
        if type(value) is not int or not 0 <= value < 2**31:
            raise self._wrong(name, value)
        return value

    def sizes(self, name: str) -> list[int]:
        """A whole number for each layer. One number stands for all."""
        value = self.get(name)
        values = value if isinstance(value, list) else [value] * self.layers
        if len(values) < self.layers or not all(type(v) is int and 0 <= v < 2**31 for v in values):
            raise self._wrong(name, value)
        return values[: self.layers]

    def flags(self, name: str) -> list[bool] | None:
        """A truth value for each layer, or None without the field."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) < self.layers:
            raise self._wrong(name, value)
        return [bool(flag) for flag in value[: self.layers]]

    @property
    def layers(self) -> int:
        """How many layers are in the file."""
        layers = self.size("block_count")
        if not 0 < layers <= _MAX_LAYERS:
            raise self._wrong("block_count", layers)
        return layers

    def expect(self, name: str, value: Any) -> None:
        """Raises ModelError if a field is there with another value."""
        if (actual := self.get(name)) is not None and actual != value:
            raise ModelError(
                f"{self.architecture}.{name} is {shorten(actual)}, but only {shorten(value)} is supported."
            )

    def ignore(self, *names: str) -> None:
        """Note fields that do not change what a model of this architecture computes."""
        self._read.update(names)

    def unread(self) -> dict[str, Any]:
        """The fields of the architecture that nobody has read, and that may change what is computed."""
        prefix = f"{self.architecture}."
        names = [key.removeprefix(prefix) for key in self.file.metadata if key.startswith(prefix)]
        fields = {name: self.get(name) for name in names if name not in self._read}
        return {name: value for name, value in fields.items() if not GGUF.allow(name, value)}

    def check_all_read(self) -> None:
        """Raises ModelError for a field that nobody has read and that is not known, whatever its value."""
        for name, value in self.unread().items():
            if name in GGUF.neutral:
                self.expect(name, GGUF.neutral[name])
            raise ModelError(
                f"{self.architecture}.{name} is {shorten(value)}, which is not supported for this "
                "architecture; take another file of the model."
            )

    def has_tensor(self, name: str) -> bool:
        """Whether the file has a tensor."""
        return name in self.file.entries

    def layers_with(self, name: str) -> list[int]:
        """The layers that have a tensor, such as "ffn_gate_inp.weight"."""
        return [i for i in range(self.layers) if self.has_tensor(f"blk.{i}.{name}")]

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        if name not in self.file.entries:
            raise ModelError(f"it has no tensor {name}.")
        return self.file.entries[name].shape

    def floats(self, name: str) -> list[float]:
        """A small tensor in F32, such as factors of rotary positions."""
        self.shape(name)  # it is there
        entry = self.file.entries[name]
        if entry.type != 0 or len(entry.shape) > 1 or entry.shape[0] > 2**16:
            raise ModelError(f"{name} should be a short list in F32.")
        return read_floats(self.file.bytes_of(entry), entry.shape, BLOCKS[0]).tolist()

    def _wrong(self, name: str, value: Any) -> ModelError:
        what = "is missing" if value is None else f"cannot be {shorten(value)}"
        return ModelError(f"{self.architecture}.{name} {what}.")
