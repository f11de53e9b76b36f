"""Requests of KServe's gRPC protocol, right and wrong ones, as messages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tritonclient.grpc.service_pb2 import InferParameter, ModelInferRequest

from triton_server.contract.tensors import CHAT, CHAT_CONTROL, CHAT_STREAM, EMBED

Tensor = tuple[str, Sequence[int], bytes]

TEXT, PARAMETERS = b'"Hello"', b'{"seed": 1, "max_tokens": 3}'
MESSAGES: Tensor = ("messages", (1, len(TEXT)), TEXT)
ROW: Tensor = ("parameters", (1, len(PARAMETERS)), PARAMETERS)
STREAMED: tuple[Tensor, ...] = (
    ("messages", (len(TEXT),), TEXT),
    ("parameters", (len(PARAMETERS),), PARAMETERS),
)
TWO_ROWS: tuple[Tensor, ...] = (
    ("messages", (2, 3), b'"a""b"'),
    ("parameters", (2, len(PARAMETERS)), PARAMETERS * 2),
)


def make_request(
    model: str = CHAT,
    inputs: Sequence[Tensor] = (MESSAGES, ROW),
    parameters: Mapping[str, Any] | None = None,
    outputs: Sequence[str] = (),
    datatype: str = "UINT8",
    **fields: Any,
) -> ModelInferRequest:
    """A request with its tensors beside it, as tritonclient sends them."""
    request = ModelInferRequest(model_name=model, **fields)
    for name, shape, data in inputs:
        request.inputs.add(name=name, datatype=datatype, shape=shape)
        request.raw_input_contents.append(data)
    for name in outputs:
        request.outputs.add(name=name)
    for name, value in (parameters or {}).items():
        set_parameter(request.parameters[name], value)
    return request


def set_parameter(parameter: InferParameter, value: Any) -> None:
    """Give a parameter a value of its type."""
    kinds = {bool: "bool_param", int: "int64_param", float: "double_param", str: "string_param"}
    setattr(parameter, kinds[type(value)], value)


def _write_numbers(request: ModelInferRequest) -> ModelInferRequest:
    """The same with its tensors as numbers."""
    for tensor, data in zip(request.inputs, request.raw_input_contents, strict=True):
        tensor.contents.uint_contents.extend(data)
    del request.raw_input_contents[:]
    return request


def _sized(shape: Sequence[int], data: bytes = b"", datatype: str = "UINT8") -> ModelInferRequest:
    return make_request(inputs=[("messages", shape, data)], datatype=datatype)


def list_requests() -> Iterator[tuple[str, ModelInferRequest]]:
    """Requests with names of what is special about them. None of them ends Triton."""
    yield "plain", make_request()
    yield "id", make_request(id="x1")
    yield "version", make_request(model_version="1")
    yield "numbers", _write_numbers(make_request())
    yield "too few numbers", _write_numbers(make_request(inputs=[("messages", (1, 9), b'"He')]))
    yield "rows", make_request(inputs=TWO_ROWS)
    yield "control", make_request(CHAT_CONTROL, [("command", (1, 16), b'{"health": true}')])
    yield "embed", make_request(EMBED, [("texts", (1, 6), b'["hi"]')])
    yield "one output", make_request(outputs=["details"])
    yield "outputs in another order", make_request(outputs=["details", "response", "details"])
    yield "unknown output", make_request(outputs=["nothing"])
    for model, version in (("nothing", ""), ("", ""), (CHAT, "2"), (CHAT, "x"), (CHAT, "-1")):
        yield f"model {model!r} {version}", make_request(model, model_version=version)
    yield "stream", make_request(CHAT_STREAM, STREAMED, id="a7")
    final = {"triton_enable_empty_final_response": True}
    yield "stream with an end", make_request(CHAT_STREAM, STREAMED, final)
    yield "stream of an error", make_request(CHAT_STREAM, STREAMED[1:], final)
    yield "stream of rows", make_request(CHAT_STREAM)
    yield "health", make_request(CHAT_STREAM, [("messages", (16,), b'{"health": true}')])
    yield "no inputs", make_request(inputs=())
    yield "unknown input", make_request(inputs=[MESSAGES, ("more", (1, 2), b"{}")])
    yield "input twice", make_request(inputs=[MESSAGES, MESSAGES])
    yield "no messages", make_request(inputs=[ROW])
    yield "other rows", make_request(inputs=[MESSAGES, ("parameters", (2, 2), b"{}{}")])
    missing = make_request()
    missing.raw_input_contents.pop()
    yield "contents missing", missing
    for shape, data in [
        ((), b"5"),
        ((0,), b""),
        ((0, 5), b""),
        ((0, 0), b""),
        ((2, 0), b""),
        ((1, 1, 1), b"5"),
        ((65, 1), b"5" * 65),
        ((1, 100), b"5"),
        ((1, 1), b"5" * 100),
        ((-1,), b"5"),
        ((1, -1), b"5"),
        ((-1, -1), b"5"),
        ((1, 2**62), b"5"),
        ((2**33, 2**31), b""),
    ]:
        yield f"shape {shape}", _sized(shape, data)
    for datatype in ("INT8", "FP32", "BYTES", "NOTHING", ""):
        yield f"datatype {datatype}", _sized((1, 1), b"5", datatype)
    for name, value in [
        ("timeout", 60_000_000),
        ("timeout", -5),
        ("timeout", "x"),
        ("timeout", True),
        ("priority", 1),
        ("priority", "x"),
        ("sequence_id", "x"),
        ("sequence_start", 1),
        ("triton_nothing", 1),
        ("triton_enable_empty_final_response", 1),
        ("nothing", 1.5),
    ]:
        yield f"{name} {value!r}", make_request(parameters={name: value})
