"""What Ollama's clients ask of models: /api/tags, /api/ps, /api/show and /api/version."""

from datetime import datetime, timedelta, timezone
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field

from model_core.llm.description import ModelDescription, sees_images

from ..body import WholeBody
from ..errors import OLLAMA_PATH, ApiError
from ..ignored import check_fields
from ..served_models import ModelInfo
from .schemas import RESPONSES

router = APIRouter(prefix=OLLAMA_PATH, tags=["Ollama"], responses=RESPONSES)
_NEVER = datetime(1, 1, 1, tzinfo=timezone.utc)


class ModelDetails(BaseModel):
    """What is known of a model."""

    parent_model: str = ""
    format: str = Field(description='"gguf" or "safetensors", "" if nobody knows.')
    family: str
    families: list[str]
    parameter_size: str = Field(description="Such as 134.5M.")
    quantization_level: str | None


class ModelEntry(BaseModel):
    """A model that is served."""

    name: str
    model: str
    modified_at: str
    size: int = Field(description="Bytes of its weights in memory, 0 while it is not loaded.")
    digest: str = Field(description="A hash of what its answers depend on.")
    details: ModelDetails | None


class LoadedEntry(ModelEntry):
    """A model in memory."""

    expires_at: str = Field(description="When it is unloaded if nobody asks it; the year 1: never.")
    size_vram: int = Field(0, description="There is no other memory than the machine's.")
    context_length: int | None = Field(description="Tokens of prompt and answer together.")


class ModelList(BaseModel):
    """The models that are served."""

    models: list[ModelEntry]


class LoadedList(BaseModel):
    """The models in memory."""

    models: list[LoadedEntry]


class ShowRequest(WholeBody):
    """The name of a model. Older clients call it `name`."""

    model: str | None = None
    name: str | None = None
    verbose: bool | None = Field(None, description="Without effect.")


class ShownModel(BaseModel):
    """What a model is and does."""

    modified_at: str
    details: ModelDetails | None
    template: str = Field(description="The chat template, which is Jinja; empty while it is not loaded.")
    model_info: dict[str, Any] = Field(description="Fields of .gguf files, as far as they are known.")
    parameters: str = Field(description="The defaults of sampling parameters, a line for each.")
    modelfile: str = Field(description="The template and the parameters, in the form of Ollama's files.")
    capabilities: list[str] = Field(
        description="Of completion, vision, tools, thinking and embedding. vision also where another server "
        "computes the model, which does not say whether it sees."
    )


class Version(BaseModel):
    """The version of this program."""

    version: str


@router.get("/tags")
async def list_models(request: HttpRequest) -> ModelList:
    """The models that are served."""
    models = await request.app.state.served_models.list_models()
    return ModelList(models=[ModelEntry(**_describe(model)) for model in models])


@router.get("/ps")
async def list_loaded(request: HttpRequest) -> LoadedList:
    """The models in memory."""
    models = await request.app.state.served_models.list_models()
    return LoadedList(models=[_describe_loaded(model) for model in models if model.state == "ready"])


@router.post("/show")
async def show(request: HttpRequest, body: ShowRequest) -> ShownModel:
    """What a model is and does."""
    check_fields(request, body)
    name = body.model or body.name
    if not name:
        raise ApiError(400, "model is missing.", "invalid_request", "model")
    model = await request.app.state.served_models.resolve(served_name(name))
    description, template = model.description, await _read_template(request, model)
    parameters = "" if description is None else _list_parameters(description)
    return ShownModel(
        modified_at=_start_time(model),
        details=_details(model),
        template=template,
        model_info={} if description is None else _list_fields(description),
        parameters=parameters,
        modelfile=_write_modelfile(model.name, template, parameters),
        capabilities=[] if description is None else _list_capabilities(description),
    )


@router.get("/version")
async def read_version() -> Version:
    """The version of this program."""
    return Version(version=version("tritonchat"))


def served_name(name: str) -> str:
    """The name of a model without Ollama's tag for the newest one."""
    return name.removesuffix(":latest")


def _describe(model: ModelInfo) -> dict[str, Any]:
    """The fields of ModelEntry."""
    return {
        "name": model.name,
        "model": model.name,
        "modified_at": _start_time(model),
        "size": (model.description and model.description["weight_bytes"]) or 0,
        "digest": model.fingerprint or "",
        "details": _details(model),
    }


def _describe_loaded(model: ModelInfo) -> LoadedEntry:
    end = _NEVER
    if model.unloads_in_s is not None:
        end = datetime.now(timezone.utc) + timedelta(seconds=model.unloads_in_s)
    context = model.description and model.description["max_context"]
    return LoadedEntry(**_describe(model), expires_at=end.isoformat(), context_length=context)


async def _read_template(request: HttpRequest, model: ModelInfo) -> str:
    """The chat template of a model that is loaded here; "" if there is none."""
    description = model.description
    if model.state != "ready" or description is None or description["engine"] or not description["tokenizer"]:
        return ""
    shown = await request.app.state.triton_client.show_tokenizer(model=model.name)
    return shown["chat_template"] or ""


def _start_time(model: ModelInfo) -> str:
    return datetime.fromtimestamp(model.start_time, timezone.utc).isoformat()


def _details(model: ModelInfo) -> ModelDetails | None:
    if (description := model.description) is None:
        return None
    family = description["family"]
    return ModelDetails(
        format=description["file_format"] or "",
        family=family,
        families=[family],
        parameter_size=_write_count(description["parameters"]),
        quantization_level=description["weights"],
    )


def _write_count(count: int | None) -> str:
    """A number of weights, as Ollama writes it; "" if nobody knows."""
    if count is None:
        return ""
    for letter, unit in (("B", 1e9), ("M", 1e6)):
        if count >= unit:
            return f"{count / unit:.1f}{letter}"
    return f"{count / 1e3:.1f}K"


def _list_fields(description: ModelDescription) -> dict[str, Any]:
    family, embedding = description["family"], description["embedding"] or {}
    fields = {
        "general.architecture": family,
        f"{family}.context_length": description["max_context"],
        "general.parameter_count": description["parameters"],
        f"{family}.block_count": description["layers"],
        f"{family}.vocab_size": description["vocab_size"],
        f"{family}.embedding_length": embedding.get("dimensions"),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _list_parameters(description: ModelDescription) -> str:
    return "\n".join(f"{name} {value}" for name, value in (description["sampling"] or {}).items())


def _write_modelfile(name: str, template: str, parameters: str) -> str:
    lines = [f"FROM {name}", f'TEMPLATE """{template}"""'] if template else [f"FROM {name}"]
    return "\n".join([*lines, *(f"PARAMETER {line}" for line in parameters.splitlines())])


def _list_capabilities(description: ModelDescription) -> list[str]:
    capabilities = []
    if "generate" in description["tasks"]:
        capabilities.append("completion")
        if sees_images(description) is not False:
            capabilities.append("vision")
        if description["chat_template"]:
            capabilities.append("tools")
        if description["enable_thinking"] is not None:
            capabilities.append("thinking")
    if "embed" in description["tasks"]:
        capabilities.append("embedding")
    return capabilities
