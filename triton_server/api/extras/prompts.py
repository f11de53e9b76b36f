"""Prompts that are computed once, kept on disk, and shared by all requests that begin so."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from model_core.requests.messages import FailFastList, PromptFields

from ...contract.request_fields import Request as Generation
from ..body import WholeBody
from ..errors import ERROR_RESPONSES, ApiError
from ..generation import check_length
from ..ignored import check_fields
from ..openai.chat import ChatMessage, ChatRequest, parse
from ..openai.chat_tools import FunctionTool

_POLL_S = 0.3

router = APIRouter(prefix="/v1/prompts", tags=["saved prompts"], responses=ERROR_RESPONSES)


class NewPrompt(PromptFields, WholeBody):
    """A prompt to save: messages, or text."""

    name: str = Field(description="1 to 100 letters, digits, dots, - and _; the first is a letter or digit.")
    messages: FailFastList[ChatMessage] | None = Field(None, description="The beginning of conversations.")
    text: str | None = Field(None, description="The beginning of raw prompts.")
    tools: FailFastList[FunctionTool] | None = Field(None, description="Those of the conversations.")
    model: str = Field("default", description="The name of a model; default: the first one.")


class SavedPrompt(BaseModel):
    """A saved prompt."""

    object: Literal["saved_prompt"] = "saved_prompt"
    name: str
    tokens: int
    bytes: int = Field(description="Of its file.")
    created: float = Field(description="Seconds since 1970.")
    last_used: float = Field(description="Seconds since 1970.")


class ShownPrompt(SavedPrompt):
    """A saved prompt with what it was made from."""

    messages: list[dict[str, Any]] | str
    parameters: dict[str, Any]


class PromptList(BaseModel):
    """All saved prompts of a model, the most recently used first."""

    object: Literal["list"] = "list"
    data: list[SavedPrompt]


class DeletedPrompt(BaseModel):
    """The prompt was deleted."""

    name: str
    deleted: Literal[True] = True


Model = Annotated[str, Query(description="The name of a model; default: the first one.")]


@router.post("", status_code=201, response_model=SavedPrompt)
async def save_prompt(request: Request, body: NewPrompt) -> dict[str, Any]:
    """Compute a prompt and keep it, in place of another one of this name. It answers when this is done.

    The server must have been started with --allow-saving-prompts.
    """
    check_fields(request, body)
    client, generation = request.app.state.triton_client, _parse(request, body)
    messages, parameters = generation.prompt(), generation.parameters()
    while (prompt := await client.save_prompt(body.name, messages, body.model, **parameters)) is None:
        await asyncio.sleep(_POLL_S)
    return prompt


@router.get("", response_model=PromptList)
async def list_prompts(request: Request, model: Model = "default") -> dict[str, Any]:
    """All saved prompts of a model, the most recently used first."""
    return {"data": await request.app.state.triton_client.list_prompts(model)}


@router.get("/{name}", response_model=ShownPrompt)
async def show_prompt(request: Request, name: str, model: Model = "default") -> dict[str, Any]:
    """A saved prompt with what it was made from."""
    return await request.app.state.triton_client.show_prompt(name, model)


@router.delete("/{name}", response_model=DeletedPrompt)
async def delete_prompt(request: Request, name: str, model: Model = "default") -> dict[str, Any]:
    """Delete a saved prompt and its file. Requests that use it go on.

    The server must have been started with --allow-saving-prompts.
    """
    await request.app.state.triton_client.delete_prompt(name, model)
    return {"name": name}


def _parse(request: Request, body: NewPrompt) -> Generation:
    """The prompt as a request. Raises ApiError or InvalidRequest."""
    if (body.messages is None) == (body.text is None):
        raise ApiError(400, "a prompt to save needs either messages or text.", "invalid_request")
    if body.messages is None:
        assert body.text is not None
        return Generation(messages=body.text)
    check_length(len(body.messages), request.app.state.settings)
    unknown = body.model_extra or {}
    fields = body.model_dump(exclude_unset=True, exclude={"name", "text", "model", *unknown})
    (generation,) = parse(ChatRequest.model_validate(fields))
    return generation
