"""JSON in tensors: values as UTF-8 JSON in UINT8 arrays, which is how requests travel."""

import json
from typing import Any

import numpy as np

from model_core.errors import InvalidRequest

# Triton's dynamic batcher joins requests of equal shape only, so our client pads to these sizes. Larger ones
# have images, and are sent as they are.
_PADDED_SIZES = [2**n for n in range(10, 21, 2)]


def encode(value: Any) -> np.ndarray:
    """Encode a value as UTF-8 JSON in uint8 [bytes]. Raises InvalidRequest for invalid Unicode."""
    try:
        return np.frombuffer(json.dumps(value, ensure_ascii=False).encode(), np.uint8)
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            "the text has half of a surrogate pair, which stands for no character."
        ) from error


def encode_padded(value: Any) -> np.ndarray:
    """Encode a value and pad it with spaces to one of a few sizes, so that Triton can batch requests."""
    array = encode(value)
    size = next((size for size in _PADDED_SIZES if size >= len(array)), len(array))
    return np.pad(array, (0, size - len(array)), constant_values=ord(" "))


def decode(array: np.ndarray, name: str) -> Any:
    """Decode UTF-8 JSON in uint8. Raises InvalidRequest, with the tensor's name, if it is invalid."""
    try:
        text = array.tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{name} is not UTF-8: byte {error.start} does not belong.", name) from error
    if not text.strip():
        raise InvalidRequest(f"{name} is empty; it should hold JSON.", name)
    try:
        value = json.loads(text, parse_constant=_reject_constant)
        if "\\ud" in text.lower():  # an escape may stand for half of a surrogate pair
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            f"{name} has half of a surrogate pair, which stands for no character.", name
        ) from error
    except RecursionError as error:
        raise InvalidRequest(f"{name} is nested too deeply.", name) from error
    except ValueError as error:
        raise InvalidRequest(f"{name} is not JSON: {error}.", name) from error


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
