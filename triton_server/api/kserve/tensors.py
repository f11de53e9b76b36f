"""Tensors of KServe's protocol in bodies: as JSON, and as bytes after the JSON.

The latter: https://github.com/triton-inference-server/server, docs/protocol/extension_binary_data.md.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from starlette.responses import Response

from model_core.checks.request_values import shorten

from ...contract.calls import SHARED_MEMORY
from ..embedding_calls import render_vectors
from ..errors import ApiError, unsupported
from .schemas import InferenceRequest, InputTensor, OutputTensor

LENGTH_HEADER = "Inference-Header-Content-Length"
_MAX_DIGITS = 18
MAX_ROWS = 64  # of a request, as Triton's configuration of the models says
_SIZE_BYTES = 4  # before each string of a BYTES tensor


def split_body(body: bytes, length: str | None) -> tuple[bytes, bytes]:
    """The JSON of a body, and the tensors after it. `length`: the header. Raises ApiError."""
    if length is None:
        return body, b""
    is_number = length.isascii() and length.isdecimal() and len(length) <= _MAX_DIGITS
    if not is_number or int(length) > len(body):
        raise _wrong(
            f"{LENGTH_HEADER} is {shorten(length)}; it must be the number of bytes of JSON with which the "
            f"body of {len(body)} bytes begins.",
            None,
        )
    return body[: int(length)], body[int(length) :]


def read_rows(model: str, names: Sequence[str], inputs: Sequence[InputTensor], binary: bytes) -> list[Any]:
    """For each row of a request its inputs by name, as UINT8 arrays. The first of `names` must be there.

    Raises ApiError, before memory is taken for what a shape claims.
    """
    rows: list[dict[str, np.ndarray]] = []
    for number, tensor in enumerate(inputs):
        where = f"inputs[{number}]"
        if tensor.name not in names:
            known = " and ".join(names)
            raise _wrong(f"{model} has no input {shorten(tensor.name)}; it has {known}.", f"{where}.name")
        if any(tensor.name == other.name for other in inputs[:number]):
            raise _wrong(f"the input {tensor.name} is there twice.", f"{where}.name")
        count, size = _read_shape(tensor, where)
        if number and count != len(rows):
            raise _wrong(f"{tensor.name} has {count} rows, and {inputs[0].name} {len(rows)}.", where)
        data, binary = _read_data(tensor, where, count, size, binary)
        rows = rows or [{} for _ in range(count)]
        for row, fields in enumerate(rows):
            fields[tensor.name] = np.frombuffer(data, np.uint8, size, row * size)
    if binary:
        raise _wrong(f"{len(binary)} bytes follow the tensors, and belong to no input.", None)
    if not any(tensor.name == names[0] for tensor in inputs):
        raise _wrong(f"the input {names[0]} of {model} is missing.", "inputs")
    return rows


def _read_shape(tensor: InputTensor, where: str) -> tuple[int, int]:
    """The rows of a tensor, and their bytes."""
    if tensor.datatype != "UINT8":
        raise _wrong(
            f"{tensor.name} has the datatype {shorten(tensor.datatype)}; it must be UINT8: the bytes of JSON "
            "in UTF-8.",
            f"{where}.datatype",
        )
    if len(tensor.shape) != 2 or not 1 <= tensor.shape[0] <= MAX_ROWS or tensor.shape[1] < 1:
        raise _wrong(
            f"{tensor.name} has the shape {shorten(tensor.shape)}; it must be [rows, bytes], with 1 to "
            f"{MAX_ROWS} rows of at least one byte.",
            f"{where}.shape",
        )
    return tensor.shape[0], tensor.shape[1]


def _read_data(tensor: InputTensor, where: str, count: int, size: int, binary: bytes) -> tuple[bytes, bytes]:
    """The bytes of a tensor, and those of the tensors after it."""
    parameters = dict(tensor.parameters or {})
    length = parameters.pop("binary_data_size", None)
    refuse_parameters(parameters, f"{where}.parameters")
    if length is None:
        return _read_numbers(tensor, where, count, size), binary
    if tensor.data is not None:
        raise _wrong(f"{tensor.name} has both data and binary_data_size; send one of them.", where)
    if type(length) is not int or length != count * size:
        raise _wrong(
            f"{tensor.name} has the binary_data_size {shorten(length)}, but its shape means {count * size} "
            "bytes.",
            f"{where}.parameters.binary_data_size",
        )
    if length > len(binary):
        raise _wrong(
            f"{tensor.name} should have {length} bytes after the JSON, where {len(binary)} are left; "
            f"{LENGTH_HEADER} says where the JSON ends.",
            f"{where}.parameters.binary_data_size",
        )
    return binary[:length], binary[length:]


def _read_numbers(tensor: InputTensor, where: str, count: int, size: int) -> bytes:
    """The bytes in `data`, which has rows, or all numbers in one list."""
    values = tensor.data
    if not isinstance(values, list):
        raise _wrong(f"{tensor.name} needs data, a list of numbers, or binary_data_size.", f"{where}.data")
    if values and isinstance(values[0], list):
        if len(values) != count or any(not isinstance(row, list) or len(row) != size for row in values):
            raise _wrong(f"the rows in data of {tensor.name} have not the shape {tensor.shape}.", where)
        values = list(chain.from_iterable(values))
    if len(values) != count * size:
        raise _wrong(
            f"{tensor.name} has {len(values)} numbers in data, but its shape means {count * size}.",
            f"{where}.data",
        )
    wrong = next((value for value in values if type(value) is not int or not 0 <= value <= 255), None)
    if wrong is not None or None in values:
        raise _wrong(f"{shorten(wrong)} in data of {tensor.name} is no UINT8.", f"{where}.data")
    return bytes(values)


def refuse_parameters(parameters: Mapping[str, Any], where: str) -> None:
    """Raises ApiError for parameters of tensors that this service has not."""
    for name, value in parameters.items():
        if name.startswith("shared_memory"):
            raise ApiError(403, SHARED_MEMORY, "unsupported", f"{where}.{name}")
        if value not in (None, 0, False):
            raise unsupported(f"{where}.{name}", f"the parameter {shorten(name)} is not known; leave it out.")


class WantedOutputs:
    """Which outputs a request wants, and which of them as bytes. Raises ApiError for those there are not."""

    def __init__(self, body: InferenceRequest, model: str, names: Sequence[str], all_binary: bool) -> None:
        wanted = body.outputs or [OutputTensor(name=name) for name in names]
        self.are_binary: dict[str, bool] = {}
        for number, output in enumerate(wanted):
            if output.name not in names or output.name in self.are_binary:
                raise _wrong(
                    f"{model} has the outputs {' and '.join(names)}; {shorten(output.name)} is not one more.",
                    f"outputs[{number}].name",
                )
            parameters = dict(output.parameters or {})
            is_binary = parameters.pop("binary_data", all_binary)
            if not isinstance(is_binary, bool):
                raise _wrong(
                    "binary_data must be true or false.", f"outputs[{number}].parameters.binary_data"
                )
            refuse_parameters(parameters, f"outputs[{number}].parameters")
            self.are_binary[output.name] = is_binary

    async def respond(self, head: dict[str, Any], outputs: Mapping[str, np.ndarray]) -> Response:
        """The response with the outputs: FP32, or BYTES, which are arrays of objects."""
        parts, binary = [], []
        for name, is_binary in self.are_binary.items():
            array = outputs[name]
            fields: dict[str, Any] = {"name": name, "datatype": "BYTES" if array.dtype == object else "FP32"}
            fields["shape"] = list(array.shape)
            if is_binary:
                data = b"".join(_write_strings(array)) if array.dtype == object else array.tobytes()
                binary.append(data)
                parts.append(json.dumps({**fields, "parameters": {"binary_data_size": len(data)}}))
            else:
                parts.append(f'{json.dumps(fields)[:-1]}, "data": {await _write_json(array)}}}')
        content = f'{json.dumps(head)[:-1]}, "outputs": [{", ".join(parts)}]}}'.encode()
        if not binary:
            return Response(content, media_type="application/json")
        headers = {LENGTH_HEADER: str(len(content))}
        return Response(b"".join([content, *binary]), 200, headers, "application/octet-stream")


def _write_strings(array: np.ndarray) -> Iterator[bytes]:
    for text in array.ravel():
        yield len(text).to_bytes(_SIZE_BYTES, "little") + text


async def _write_json(array: np.ndarray) -> str:
    """All elements in one list, row by row."""
    if array.dtype == object:
        return json.dumps([text.decode() for text in array.ravel()])
    rows = await render_vectors(array.reshape(math.prod(array.shape[:-1]), array.shape[-1]))
    return f"[{','.join(row[1:-1] for row in rows)}]"


def _wrong(message: str, param: str | None) -> ApiError:
    return ApiError(400, message, "invalid_request", param)
