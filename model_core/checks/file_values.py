"""Read and check values of a checkpoint's JSON files. Callers add the name of the file to the errors."""

import json
from collections.abc import Mapping
from pathlib import Path
from reprlib import Repr
from typing import Any

from ..errors import ModelError
from .known_fields import MODEL, KnownFields

_repr = Repr()
_repr.maxstring = 120
# A value of a file as text for an error message: short, on one line, with escapes for unprintable characters.
shorten = _repr.repr


class Fields(dict[str, Any]):
    """A JSON object that notes which of its fields are read, by `get` or `[]`."""

    def __init__(self, values: Mapping[str, Any], known: KnownFields = MODEL) -> None:
        """`known`: the fields that need not be read."""
        super().__init__(values)
        self._known = known
        self._read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The field `name`, or the default."""
        self._read.add(name)
        return super().get(name, default)

    def unread(self) -> dict[str, Any]:
        """The fields that nobody has read, and that may change what is computed."""
        return {
            name: value
            for name, value in self.items()
            if name not in self._read and not self._known.allow(name, value)
        }

    def check_all_read(self) -> None:
        """Raises ModelError for a field that nobody has read and that is not known, whatever its value."""
        for name, value in self.unread().items():
            expect({name: value}, **self._known.neutral)
            raise ModelError(
                f"{shorten(name)} is {shorten(value)}, which is not supported. If it does not change what "
                "the model computes, remove it from the file."
            )


def expect(raw: Mapping[str, Any], **values: Any) -> None:
    """Raises ModelError for a field that is neither missing nor null, and has another value than here."""
    for name, value in values.items():
        if (actual := raw.get(name)) is not None and actual != value:
            raise ModelError(f"{name} is {shorten(actual)}, but only {shorten(value)} is supported.")


def read_flag(raw: Mapping[str, Any], name: str, default: bool) -> bool:
    """True or false. Raises ModelError if it is anything else."""
    value = raw.get(name, default)
    if not isinstance(value, bool):
        raise ModelError(f"{name} should be true or false, not {shorten(value)}.")
    return value


def ignore(raw: Mapping[str, Any], *names: str) -> None:
    """Note fields that do not change what a model of this family computes."""
    for name in names:
        raw.get(name)


def read_size(
    raw: Mapping[str, Any], name: str, default: int | None = None, max_value: int = 2**31 - 1
) -> int:
    """A positive whole number up to `max_value`. Raises ModelError if it is anything else."""
    value = raw.get(name)
    if value is None:
        value = default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= max_value:
        raise ModelError(f"{name} should be a whole number from 1 to {max_value}, not {shorten(value)}.")
    return value


def read_number(
    raw: Mapping[str, Any],
    name: str,
    default: float | None,
    min_value: float = -1e12,
    max_value: float = 1e12,
) -> float:
    """A number from `min_value` to `max_value`. Raises ModelError if it is anything else.

    With the default None, it must be there.
    """
    value = raw.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or not min_value <= value <= max_value:
        raise ModelError(
            f"{name} should be a number from {min_value:g} to {max_value:g}, not {shorten(value)}."
        )
    return float(value)


def read_json(path: Path, kind: type = dict) -> Any:
    """The JSON object in a file, or a list. Raises ModelError, with the file's name, if there is none."""
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: it is not valid JSON ({str(error)[:200]}).") from error
    if not isinstance(value, kind):
        what = "object" if kind is dict else "list"
        raise ModelError(f"{path} is damaged: it should hold a JSON {what}.")
    return value
