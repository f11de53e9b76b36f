"""Triton's gRPC messages, as far as the proxy reads them: JSON in tensors, and pieces of answers."""

import json
import uuid
from typing import Any

from google.protobuf.message import DecodeError
from tritonclient.grpc.service_pb2 import (
    InferParameter,
    ModelInferRequest,
    ModelInferResponse,
    ModelStreamInferResponse,
)

from model_core.requests.sampling import draw_seed

from ..contract.codec import Piece, read_details, write_details
from ..contract.grpc_service import SERVICE
from ..contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, DEFAULT_MODEL
from .affinity import find_key

INFER, STREAM_INFER = f"{SERVICE}ModelInfer", f"{SERVICE}ModelStreamInfer"
_WANTS_FINAL, _IS_FINAL = "triton_enable_empty_final_response", "triton_final_response"
_LENGTH_BYTES = 4  # before a string in a BYTES tensor


def parse_request(data: bytes) -> ModelInferRequest | None:
    """A request; None for bytes that are none, which no server accepts."""
    try:
        request = ModelInferRequest.FromString(data)
    except DecodeError:
        return None
    return request if len(request.raw_input_contents) in (0, len(request.inputs)) else None


def read_json(request: ModelInferRequest, name: str) -> Any:
    """The JSON in an input, of a batch that of the first row. None if there is none, or other bytes."""
    try:
        return json.loads(_read_bytes(request, name))
    except (ValueError, RecursionError):
        return None


def is_object(request: ModelInferRequest, name: str) -> bool:
    """Whether the JSON in an input begins as an object, which costs less than to parse it."""
    return _read_bytes(request, name).lstrip()[:1] == b"{"


def _read_bytes(request: ModelInferRequest, name: str) -> bytes:
    """Those of an input, of a batch those of the first row; none if it is not there."""
    for number, tensor in enumerate(request.inputs):
        if tensor.name == name:
            size = tensor.shape[-1] if tensor.shape else 0
            if number < len(request.raw_input_contents):
                return request.raw_input_contents[number][:size]
            return bytes(tensor.contents.uint_contents[:size])
    return b""


def write_json(request: ModelInferRequest, name: str, value: Any) -> None:
    """Put JSON into an input of a request, which has one row, and add the input if it is missing.

    Where other inputs have no contents, they stay so: Triton says what is wrong with them.
    """
    data = json.dumps(value).encode()
    is_raw = bool(request.raw_input_contents)
    names = [tensor.name for tensor in request.inputs]
    if name not in names:
        names.append(name)
        request.inputs.add(name=name, datatype="UINT8")
        if is_raw:
            request.raw_input_contents.append(b"")
    number = names.index(name)
    tensor = request.inputs[number]
    tensor.shape[:] = [*request.inputs[0].shape[:-1], len(data)]
    if is_raw:
        request.raw_input_contents[number] = data
    else:
        tensor.contents.uint_contents[:] = data


def complete(request: ModelInferRequest) -> str | None:
    """Give a request for an answer a seed and an id, if it has none; its id. None: it asks for a feed."""
    if not is_model(request, CHAT_STREAM):
        return uuid.uuid4().hex
    messages, parameters = read_json(request, "messages"), read_json(request, "parameters")
    if isinstance(messages, dict) and "feed" in messages:
        return None
    if any(one.name == "parameters" for one in request.inputs) and not isinstance(parameters, dict):
        return uuid.uuid4().hex  # the server refuses it
    fields = dict(parameters or {})
    fields.pop("feed", None)
    if fields.get("seed") is None:
        fields["seed"] = draw_seed()
        if fields.get("answer_cache") is None:  # the server takes it for a seed that the client has chosen
            fields["answer_cache"] = "greedy"
    if not isinstance(fields.get("request_id"), str):
        fields["request_id"] = uuid.uuid4().hex
    if not isinstance(messages, dict):  # it is no command
        write_json(request, "parameters", fields)
    return fields["request_id"]


def make_command(command: dict[str, Any]) -> bytes:
    """A request to `chat_control`."""
    data = json.dumps(command).encode()
    request = ModelInferRequest(model_name=CHAT_CONTROL, raw_input_contents=[data])
    request.inputs.add(name="command", datatype="UINT8", shape=[1, len(data)])
    return request.SerializeToString()


def rank_result(response: bytes) -> int:
    """Among the results of a command that several servers got, what went wrong or has not ended is first."""
    result = json.loads(read_output(ModelInferResponse.FromString(response), "result") or "{}")
    if "error" in result:
        return 0
    return 1 if result.get("cancelled") or result.get("state") == "loading" else 2


def rename(data: bytes, request_id: str) -> bytes:
    """A request for an answer with another id, which its `parameters` have.

    A batch of several rows has ids of its own in each, and stays as it is.
    """
    request = ModelInferRequest.FromString(data)
    if any(len(tensor.shape) > 1 and tensor.shape[0] > 1 for tensor in request.inputs):
        return data
    write_json(request, "parameters", {**read_json(request, "parameters"), "request_id": request_id})
    return request.SerializeToString()


def is_model(request: ModelInferRequest, name: str) -> bool:
    """Whether the Triton model is this one of the contract, of whichever model of ours."""
    return request.model_name == name or request.model_name.startswith(f"{name}-")


def find_model(name: str) -> str | None:
    """The name of our model in that of a Triton model for answers; None: it is for something else."""
    for kind in (CHAT_STREAM, CHAT):
        if name == kind or name.startswith(f"{kind}-"):
            return name[len(kind) + 1 :]
    return None


def find_conversation(request: ModelInferRequest) -> str | None:
    """What requests of one conversation share, the same over HTTP and gRPC; None for others."""
    named = find_model(request.model_name)
    if named is None:
        return None
    messages, parameters = read_json(request, "messages"), read_json(request, "parameters")
    fields = parameters if isinstance(parameters, dict) else {}
    model = fields.get("model") or named or DEFAULT_MODEL
    name = "prompt" if isinstance(messages, str) else "messages"
    return find_key("", {"model": model, "tools": fields.get("tools"), name: messages})


def read_output(response: ModelInferResponse, name: str) -> str | None:
    """The first string of a BYTES output; None if there is none."""
    for number, tensor in enumerate(response.outputs):
        if tensor.name == name and number < len(response.raw_output_contents):
            data = response.raw_output_contents[number]
            size = int.from_bytes(data[:_LENGTH_BYTES], "little")
            return data[_LENGTH_BYTES : _LENGTH_BYTES + size].decode(errors="replace")
    return None


def read_piece(response: ModelInferResponse) -> Piece | None:
    """A piece of an answer; None if this has none, as the last response of a stream."""
    text, details = read_output(response, "response"), read_output(response, "details")
    if text is None:
        return None
    return text, read_details(details or "")


def make_piece(request: ModelInferRequest, text: str, details: dict[str, Any]) -> bytes:
    """A response of a stream."""
    response = ModelInferResponse(model_name=request.model_name, model_version="1", id=request.id)
    response.parameters[_IS_FINAL].CopyFrom(InferParameter(bool_param=False))
    for name, value in (("response", text), ("details", write_details(details))):
        data = value.encode()
        response.outputs.add(name=name, datatype="BYTES", shape=[1])
        response.raw_output_contents.append(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    return ModelStreamInferResponse(infer_response=response).SerializeToString()


def make_end(request: ModelInferRequest) -> list[bytes]:
    """The empty response that ends a stream, if the client has asked for it."""
    if not request.parameters[_WANTS_FINAL].bool_param:
        return []
    response = ModelInferResponse(model_name=request.model_name, model_version="1", id=request.id)
    response.parameters[_IS_FINAL].CopyFrom(InferParameter(bool_param=True))
    return [ModelStreamInferResponse(infer_response=response).SerializeToString()]


def is_end(response: ModelInferResponse) -> bool:
    """Whether it is that empty response."""
    return not response.outputs and response.parameters[_IS_FINAL].bool_param
