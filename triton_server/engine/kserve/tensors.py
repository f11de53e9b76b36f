"""Requests and responses of KServe's protocol as arrays, with the checks that Triton makes.

Sources: https://github.com/kserve/open-inference-protocol, and docs/protocol of
https://github.com/triton-inference-server/server.
"""

import math
from collections.abc import Mapping, Sequence

import grpc
import numpy as np
from tritonclient.grpc.service_pb2 import InferParameter, ModelInferRequest, ModelInferResponse
from tritonclient.utils import serialize_byte_tensor

from ...contract.calls import CLASSES, SHARED_MEMORY
from ..serving.inference import Outputs
from ..serving.models import ContractModel, TensorSpec

VERSION = "1"  # that each model has
WANTS_FINAL, IS_FINAL = "triton_enable_empty_final_response", "triton_final_response"
TIMEOUT = "timeout"
_RESERVED = "triton_"
# The parameters of requests that Triton knows, and their types.
_TYPES = {
    "sequence_id": ("int64_param", "string_param"),
    "sequence_start": ("bool_param",),
    "sequence_end": ("bool_param",),
    "priority": ("int64_param", "uint64_param"),
    TIMEOUT: ("int64_param",),
    WANTS_FINAL: ("bool_param",),
}
_INVALID = grpc.StatusCode.INVALID_ARGUMENT


class Refused(Exception):
    """A request that Triton would not give to a model, with gRPC's status."""

    def __init__(self, message: str, status: grpc.StatusCode = _INVALID) -> None:
        super().__init__(message)
        self.status = status


def check_parameters(parameters: Mapping[str, InferParameter]) -> None:
    """Raises Refused for parameters of a request with another type than Triton's, and for names of Triton's.

    Triton gives all others to the model, and those of the contract read none.
    """
    for name, value in parameters.items():
        types = _TYPES.get(name)
        if types is not None and value.WhichOneof("parameter_choice") not in types:
            expected = " or ".join(types)
            raise Refused(f"invalid value type for '{name}' parameter, expected {expected}.")
        if types is None and name.startswith(_RESERVED):
            raise Refused(
                f"parameter keys starting with '{_RESERVED}' are reserved for Triton usage. Only the "
                f"following keys starting with '{_RESERVED}' are allowed: {WANTS_FINAL}"
            )


def read_inputs(model: ContractModel, request: ModelInferRequest) -> dict[str, np.ndarray]:
    """The inputs of a request by name, [rows, ...] if the model has rows. Raises Refused.

    No memory is taken for what a shape claims.
    """
    specs = {spec.name: spec for spec in model.inputs}
    least = sum(not spec.is_optional for spec in model.inputs)
    if not least <= len(request.inputs) <= len(specs):
        between = f"{least}" if least == len(specs) else f"between {least} and {len(specs)}"
        raise Refused(
            f"expected number of inputs {between} but got {len(request.inputs)} inputs for model "
            f"'{model.name}', which has {', '.join(specs)}"
        )
    found: dict[str, np.ndarray] = {}
    for number, tensor in enumerate(request.inputs):
        spec = specs.get(tensor.name)
        if spec is None:
            raise Refused(f"unexpected inference input '{tensor.name[:100]}' for model '{model.name}'")
        if tensor.name in found:
            raise Refused(f"input '{tensor.name}' already exists in request")
        _check_no_shared_memory(tensor.parameters)
        shape = _read_shape(model, spec, tensor)
        data = _read_bytes(model, request, number)
        if len(data) != math.prod(shape):
            raise Refused(
                f"input byte size mismatch for input '{spec.name}' for model '{model.name}'. Expected "
                f"{math.prod(shape)}, got {len(data)}"
            )
        found[spec.name] = np.frombuffer(data, np.uint8).reshape(shape)
    if model.max_rows and len({len(array) for array in found.values()}) > 1:
        raise Refused(f"the batch size of the inputs is not the same for '{model.name}'")
    return found


def _read_shape(
    model: ContractModel, spec: TensorSpec, tensor: ModelInferRequest.InferInputTensor
) -> tuple[int, ...]:
    """The shape of an input with its rows. As with Triton, no rows are one row without contents."""
    if tensor.datatype != spec.datatype:
        raise Refused(
            f"inference input '{spec.name}' data-type is '{tensor.datatype[:100]}', but model '{model.name}' "
            f"expects '{spec.datatype}'"
        )
    expected = describe_dims(model, spec)
    if len(tensor.shape) != len(expected):
        raise Refused(
            f"unexpected shape for input '{spec.name}' for model '{model.name}'. Expected "
            f"{_write_shape(expected)}, got {_write_shape(tensor.shape[:9])}. "
        )
    if min(tensor.shape) < 0:
        raise Refused(
            f"All input dimensions should be specified for input '{spec.name}' for model '{model.name}', got "
            f"{_write_shape(tensor.shape)}"
        )
    if not model.max_rows:
        return tuple(tensor.shape)
    rows = max(1, tensor.shape[0])
    if rows > model.max_rows:
        raise Refused(f"inference request batch-size must be <= {model.max_rows} for '{model.name}'")
    return (rows, *tensor.shape[1:])


def _read_bytes(model: ContractModel, request: ModelInferRequest, number: int) -> bytes:
    """The contents of an input, which are beside the inputs or in it."""
    tensor, raw = request.inputs[number], request.raw_input_contents
    if not raw:
        return np.array(tensor.contents.uint_contents, np.uint32).astype(np.uint8).tobytes()
    if tensor.HasField("contents"):
        raise Refused(
            f"contents field must not be specified when using raw_input_contents for '{tensor.name}' for "
            f"model '{model.name}'"
        )
    if len(raw) != len(request.inputs):
        raise Refused(
            f"unable to find data for each input tensor for model '{model.name}' in request: it has "
            f"{len(request.inputs)} inputs and {len(raw)} raw_input_contents"
        )
    return raw[number]


def find_outputs(model: ContractModel, request: ModelInferRequest) -> list[TensorSpec]:
    """The outputs that a request wants, all if it names none, in the model's order. Raises Refused."""
    known = {spec.name for spec in model.outputs}
    for output in request.outputs:
        if output.name not in known:
            raise Refused(f"unexpected inference output '{output.name[:100]}' for model '{model.name}'")
        _check_no_shared_memory(output.parameters)
        if "classification" in output.parameters:
            raise Refused(CLASSES)
    wanted = {output.name for output in request.outputs} or known
    return [spec for spec in model.outputs if spec.name in wanted]


def _check_no_shared_memory(parameters: Mapping[str, InferParameter]) -> None:
    if any(name.startswith("shared_memory") for name in parameters):
        raise Refused(SHARED_MEMORY)


def describe_dims(model: ContractModel, spec: TensorSpec) -> list[int]:
    """The shape of a tensor with its rows, -1 for what may be any."""
    return [-1, *spec.dims] if model.max_rows else [*spec.dims]


def make_response(
    request: ModelInferRequest, specs: Sequence[TensorSpec], outputs: Outputs
) -> ModelInferResponse:
    """The response with these outputs."""
    response = ModelInferResponse(model_name=request.model_name, model_version=VERSION, id=request.id)
    for spec in specs:
        array = outputs[spec.name]
        response.outputs.add(name=spec.name, datatype=spec.datatype, shape=array.shape)
        response.raw_output_contents.append(_write_contents(spec, array))
    return response


def _write_contents(spec: TensorSpec, array: np.ndarray) -> bytes:
    if spec.datatype == "BYTES":
        return serialize_byte_tensor(array).item()
    return np.ascontiguousarray(array, "<f4").tobytes()


def _write_shape(shape: Sequence[int]) -> str:
    """A shape as Triton writes it."""
    return f"[{','.join(map(str, shape))}]"
