"""Bodies of KServe's protocol, as far as the proxy reads them: to find the server of a conversation.

What is malformed belongs to no conversation, and any server refuses it.
"""

import json
from typing import Any

from tritonclient.grpc.service_pb2 import ModelInferRequest

from ..contract.tensors import DEFAULT_MODEL
from .affinity import find_key
from .grpc_messages import find_conversation, find_model

_MODELS_PATH = "/v2/models/"


def find_kserve_key(path: str, body: bytes, json_bytes: str | None) -> str | None:
    """The key of affinity.find_key for a POST request; None: it belongs to no conversation.

    `json_bytes`: the header Inference-Header-Content-Length, with how many bytes of JSON the body begins.
    """
    if not path.startswith(_MODELS_PATH):
        return None
    model, call = path.removeprefix(_MODELS_PATH).split("/")[0], path.rpartition("/")[2]
    try:
        size = len(body) if json_bytes is None else int(json_bytes)
        fields = json.loads(body[:size])
        if call == "infer":
            return find_conversation(_read_tensors(model, fields["inputs"], body[size:]))
        return _find_generation(model, fields)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _read_tensors(model: str, inputs: list[dict[str, Any]], binary: bytes) -> ModelInferRequest:
    """The request as over gRPC, with the first row of each tensor that is JSON. It raises what it must."""
    request = ModelInferRequest(model_name=model)
    for tensor in inputs:
        size = (tensor.get("parameters") or {}).get("binary_data_size")
        if size is None:
            values = tensor["data"]
            data = bytes(list(values[0] if isinstance(values[0], list) else values))
        else:
            data, binary = binary[:size], binary[size:]
        request.inputs.add(name=tensor["name"], shape=tensor["shape"])
        request.raw_input_contents.append(data)
    return request


def _find_generation(model: str, fields: dict[str, Any]) -> str | None:
    """The key of a body of the generate extension."""
    given = {**(fields.get("parameters") or {}), **fields}
    prompt = {"prompt": given["text_input"]} if "text_input" in given else {"messages": given["messages"]}
    name = given.get("model") or find_model(model) or DEFAULT_MODEL
    return find_key("", {"model": name, "tools": given.get("tools"), **prompt})
