"""What KServe's protocol says of the server and its models, as Triton says it: /v2."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from tritonclient.utils import InferenceServerException

from ...contract.calls import LOADING, LOGS, SHARED_MEMORY, TRACES
from ...contract.commands import CONTROL_TIMEOUT_S
from ...contract.tensors import DEFAULT_MODEL
from ...contract.wire import translate_error
from ..errors import ApiError
from ..ignored import check_fields
from .schemas import RESPONSES, IndexRequest

Answer = TypeVar("Answer")
_VERSION = "1"  # that each model has
_WHOLE_NUMBERS = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)
_BOTH = ["GET", "POST"]
# model_repository: the index. schedule_policy: timeout.
_EXTENSIONS = [
    "model_repository",
    "model_configuration",
    "binary_tensor_data",
    "statistics",
    "schedule_policy",
    "generate",
]

router = APIRouter(prefix="/v2", tags=["KServe"], responses=RESPONSES)


@router.get("")
async def server_metadata(request: Request) -> dict[str, Any]:
    """The name and the version of Triton, and those of its extensions that these routes have."""
    metadata = await _ask(
        request, lambda triton: triton.get_server_metadata(client_timeout=CONTROL_TIMEOUT_S)
    )
    return {"name": metadata.name, "version": metadata.version, "extensions": _EXTENSIONS}


@router.get("/health/live")
async def live() -> dict[str, bool]:
    """The HTTP service runs."""
    return {"live": True}


@router.get("/health/ready")
async def ready(request: Request) -> dict[str, bool]:
    """Triton, its models and the engine take requests; 503: they do not."""
    await request.app.state.readiness.check()
    return {"ready": True}


@router.post("/repository/index")
async def index(request: Request, body: IndexRequest | None = None) -> list[dict[str, str]]:
    """All Triton models."""
    if body is not None:
        check_fields(request, body)
    names = await request.app.state.triton_client.list_triton_models()
    return [{"name": name, "version": _VERSION, "state": "READY", "reason": ""} for name in names]


@router.get("/models/stats")
async def all_statistics(request: Request) -> dict[str, Any]:
    """What Triton has counted of all models."""
    return await _read_statistics(request, "", "")


@router.get("/models/{model}")
@router.get("/models/{model}/versions/{version}")
async def model_metadata(request: Request, model: str, version: str = _VERSION) -> dict[str, Any]:
    """The inputs and outputs of a model."""
    return to_json(await check_model(request, model, version))


@router.get("/models/{model}/ready")
@router.get("/models/{model}/versions/{version}/ready")
async def model_ready(request: Request, model: str, version: str = _VERSION) -> dict[str, Any]:
    """Whether a model takes requests; 503: it does not."""
    await check_model(request, model, version)
    await request.app.state.readiness.check()
    return {"name": model, "ready": True}


@router.get("/models/{model}/config")
@router.get("/models/{model}/versions/{version}/config")
async def model_config(request: Request, model: str, version: str = _VERSION) -> dict[str, Any]:
    """Triton's configuration of a model, except parameters of this machine."""
    found = await _ask(
        request, lambda triton: triton.get_model_config(model, version, client_timeout=CONTROL_TIMEOUT_S)
    )
    config = to_json(found)["config"]
    config.pop("parameters", None)
    return config


@router.get("/models/{model}/stats")
@router.get("/models/{model}/versions/{version}/stats")
async def statistics(request: Request, model: str, version: str = _VERSION) -> dict[str, Any]:
    """What Triton has counted of a model."""
    return await _read_statistics(request, model, version)


@router.api_route("/systemsharedmemory/{call:path}", methods=_BOTH, include_in_schema=False)
@router.api_route("/cudasharedmemory/{call:path}", methods=_BOTH, include_in_schema=False)
async def shared_memory(call: str) -> None:
    """Closed."""
    raise _closed(SHARED_MEMORY)


@router.api_route("/repository/models/{call:path}", methods=_BOTH, include_in_schema=False)
async def loading(call: str) -> None:
    """Closed."""
    raise _closed(LOADING)


@router.api_route("/logging", methods=_BOTH, include_in_schema=False)
async def logging() -> None:
    """Closed."""
    raise _closed(LOGS)


@router.api_route("/trace/setting", methods=_BOTH, include_in_schema=False)
@router.api_route("/models/{model}/trace/setting", methods=_BOTH, include_in_schema=False)
async def traces(model: str = "") -> None:
    """Closed."""
    raise _closed(TRACES)


async def check_model(request: Request, model: str, version: str) -> Any:
    """Triton's metadata of a model. Raises ApiError (404), and ServerUnavailable."""
    return await _ask(
        request, lambda triton: triton.get_model_metadata(model, version, client_timeout=CONTROL_TIMEOUT_S)
    )


async def find_model(request: Request, model: str, version: str) -> str:
    """The name of our model that a Triton model computes with. Raises as `check_model`."""
    found = await request.app.state.served_models.find_triton_model(model)
    if found is None or version != _VERSION:
        await check_model(request, model, version)  # which says what is wrong
    return DEFAULT_MODEL if found is None else found.name


async def _read_statistics(request: Request, model: str, version: str) -> dict[str, Any]:
    found = await _ask(
        request,
        lambda triton: triton.get_inference_statistics(model, version, client_timeout=CONTROL_TIMEOUT_S),
    )
    return to_json(found)


async def _ask(request: Request, ask: Callable[[Any], Awaitable[Answer]]) -> Answer:
    """What Triton says. Raises ApiError (404 or 400) and ServerUnavailable."""
    client = request.app.state.triton_client
    try:
        return await ask(client.triton)
    except InferenceServerException as error:
        status, message = str(error.status()), error.message()
        if "NOT_FOUND" in status:
            raise ApiError(404, f"{message}.", "model_not_found", "model") from error
        if "INVALID_ARGUMENT" in status:
            raise ApiError(400, f"{message}.", "invalid_request", "version") from error
        raise translate_error(error, client.url) from error


def _closed(reason: str) -> ApiError:
    return ApiError(403, reason, "permission_denied")


def to_json(message: Message) -> dict[str, Any]:
    """A message as Triton's HTTP writes it: all fields, and numbers where protobuf writes strings."""
    values = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return _restore_fields(values, message.DESCRIPTOR.fields_by_name)


def _restore_fields(values: dict[str, Any], fields: Any) -> dict[str, Any]:
    return {name: _restore(value, fields[name]) for name, value in values.items()}


def _restore(value: Any, field: FieldDescriptor) -> Any:
    if isinstance(value, list):
        return [_restore(each, field) for each in value]
    if field.message_type is not None:
        if field.message_type.GetOptions().map_entry:
            each = field.message_type.fields_by_name["value"]
            return {key: _restore(one, each) for key, one in value.items()}
        return _restore_fields(value, field.message_type.fields_by_name)
    return int(value) if field.cpp_type in _WHOLE_NUMBERS else value
