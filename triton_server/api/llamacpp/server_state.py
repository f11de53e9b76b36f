"""What llama.cpp's clients ask of the server: /props and /slots."""

from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from model_core.llm.description import sees_images

from ...contract.tensors import DEFAULT_MODEL
from ..errors import LLAMACPP_ERROR_RESPONSES, ApiError, unsupported
from ..served_models import ModelInfo
from .render import NO_SLOT
from .used_settings import generation_settings

router = APIRouter(tags=["llama.cpp"], responses=LLAMACPP_ERROR_RESPONSES)
_MODEL = Query(DEFAULT_MODEL, description="The name of a model; default: the first one.")


class GenerationDefaults(BaseModel):
    """How the answer to a request is made that says nothing of it."""

    n_ctx: int | None = Field(None, description="Tokens of prompt and answer together.")
    params: dict[str, Any]


class Props(BaseModel):
    """A model and its limits. What is known only of a loaded model is missing until it was loaded."""

    default_generation_settings: GenerationDefaults
    total_slots: int | None = Field(None, description="Answers that are computed together.")
    model_alias: str
    model_path: str = Field(description="The model's name. Paths of the server's machine are not told.")
    chat_template: str | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    modalities: dict[str, bool] = Field(
        description="Whether the model sees images (vision is left out where nobody knows), and hears."
    )
    build_info: str
    is_sleeping: bool = Field(description="Whether the model is loaded by the next request.")
    infill: bool | None = Field(None, description="Not llama.cpp's: whether /infill works with the model.")


class NextToken(BaseModel):
    """How far an answer is."""

    has_next_token: bool = True
    n_decoded: int = Field(description="Tokens of the answer so far.")


class Slot(BaseModel):
    """A place for an answer among those that are computed together.

    Answers have no fixed places: the first slots are those that are in use. Nothing of it is anybody's text.
    """

    id: int
    id_task: int = Field(NO_SLOT, description="-1: requests have no numbers.")
    n_ctx: int | None = None
    is_processing: bool
    n_prompt_tokens: int | None = None
    n_prompt_tokens_cache: int | None = Field(None, description="Those that the prefix cache had.")
    next_token: NextToken | None = None


@router.get("/props", response_model_exclude_none=True)
async def read_props(request: Request, model: str = _MODEL) -> Props:
    """A model, its limits and its defaults. They are changed when the server is started only."""
    served = await _find(request, model)
    description: dict[str, Any] = dict(served.description or {})
    sees = None if served.description is None else sees_images(served.description)
    told: dict[str, Any] = {}
    if served.state == "ready" and description.get("engine") is None and description.get("tokenizer"):
        told = await request.app.state.triton_client.show_tokenizer(served.name)
    special = told.get("special_tokens", {})
    return Props(
        default_generation_settings=GenerationDefaults(
            n_ctx=description.get("max_context"),
            params=generation_settings(None, description.get("sampling") or {}),
        ),
        total_slots=description.get("max_concurrency"),
        model_alias=served.name,
        model_path=served.name,
        chat_template=told.get("chat_template"),
        bos_token=special.get("bos_token"),
        eos_token=special.get("eos_token"),
        modalities={**({} if sees is None else {"vision": sees}), "audio": False},
        build_info=f"tritonchat {version('tritonchat')}",
        is_sleeping=served.state != "ready",
        infill=told.get("infill"),
    )


@router.get("/slots", response_model_exclude_none=True)
async def read_slots(
    request: Request,
    model: str = _MODEL,
    fail_on_no_slot: int = Query(0, description="1: answer with 503 if all slots are in use."),
) -> list[Slot]:
    """The places for answers of a model, and how far those that run are."""
    served = await _find(request, model)
    if served.description is None:
        raise ApiError(503, "the model is not loaded yet.", "model_unavailable", retry_after_s=5)
    total, length = served.description["max_concurrency"], served.description["max_context"]
    if total is None:
        raise unsupported("model", "another server computes this model, which tells nothing of its slots.")
    live = await request.app.state.triton_client.live(served.name)
    engine = live["engine"] or {"running": 0, "requests": []}  # it has none while it is not loaded
    running, told = engine["running"], engine["requests"]
    if fail_on_no_slot and running >= total:
        raise ApiError(503, "all slots are in use; try again in a moment.", "no_slot")
    slots = []
    for number in range(total):
        slot = Slot(id=number, n_ctx=length, is_processing=number < running)
        if number < len(told):
            entry = told[number]
            slot.n_prompt_tokens = entry["prompt_tokens"]
            slot.n_prompt_tokens_cache = entry["cached_tokens"]
            slot.next_token = NextToken(n_decoded=entry["answer_tokens"])
        slots.append(slot)
    return slots


async def _find(request: Request, name: str) -> ModelInfo:
    """A model as it is now. Raises ApiError (404) for an unknown name."""
    served = request.app.state.served_models
    await served.list_models()
    return await served.resolve(name)
