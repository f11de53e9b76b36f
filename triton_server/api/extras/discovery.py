"""What routers ask to learn which server this is: vLLM's and SGLang's routes."""

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse

from model_core.llm.description import sees_images

from ..errors import ERROR_RESPONSES
from ..served_models import ModelInfo

router = APIRouter(tags=["discovery"], responses=ERROR_RESPONSES)


class Version(BaseModel):
    """The version of this program."""

    version: str


class ModelSummary(BaseModel):
    """The first model, in SGLang's words."""

    model_path: str = Field(description="Its name. Paths of the server's machine are not told.")
    is_generation: bool = Field(True, description="Whether it makes text, not only embeddings or scores.")
    has_image_understanding: bool | None = Field(None, description="Left out where nobody knows.")
    has_audio_understanding: bool = False
    model_type: str | None = Field(None, description="Its family, once it was loaded for the first time.")
    weight_version: str | None = Field(None, description="A hash of what its answers depend on.")


class ServerSummary(BaseModel):
    """The server with its first model, in SGLang's words. Limits are known once it was loaded."""

    model_path: str
    served_model_name: str
    version: str
    tp_size: int = 1
    dp_size: int = 1
    pp_size: int = 1
    is_embedding: bool = False
    context_length: int | None = None
    max_running_requests: int | None = None
    max_queued_requests: int | None = None
    weight_version: str | None = None


@router.get("/", response_class=PlainTextResponse)
async def read_root() -> str:
    """Say that something runs here. Ollama's programs ask for it first, with HEAD."""
    return "tritonchat is running; /docs describes its APIs.\n"


@router.get("/version")
async def read_version() -> Version:
    """The version of this program."""
    return Version(version=version("tritonchat"))


@router.get("/get_server_info", response_model_exclude_none=True)
@router.get("/server_info", response_model_exclude_none=True)
async def read_server(request: Request) -> ServerSummary:
    """The server and the limits of its first model, as SGLang describes itself to routers."""
    model, limits = await _find_first(request)
    return ServerSummary(
        model_path=model.name,
        served_model_name=model.name,
        version=version("tritonchat"),
        context_length=limits.get("max_context"),
        max_running_requests=limits.get("max_concurrency"),
        max_queued_requests=limits.get("max_queue"),
        is_embedding="generate" not in limits.get("tasks", ["generate"]),
        weight_version=model.fingerprint,
    )


@router.get("/get_model_info", response_model_exclude_none=True)
@router.get("/model_info", response_model_exclude_none=True)
async def read_model(request: Request) -> ModelSummary:
    """The first model, as SGLang describes it to routers."""
    model, limits = await _find_first(request)
    description = model.description
    return ModelSummary(
        model_path=model.name,
        is_generation="generate" in limits.get("tasks", ["generate"]),
        has_image_understanding=None if description is None else sees_images(description),
        model_type=limits.get("family"),
        weight_version=model.fingerprint,
    )


async def _find_first(request: Request) -> tuple[ModelInfo, dict[str, Any]]:
    model = (await request.app.state.served_models.list_models())[0]
    return model, dict(model.description or {})
