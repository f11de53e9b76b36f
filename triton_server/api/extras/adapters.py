"""Loading and dropping adapters while the server runs, with the routes of vLLM."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import PlainTextResponse, Response

from ..body import WholeBody
from ..errors import ERROR_RESPONSES
from ..ignored import check_fields

_POLL_S = 0.1
_DONE: dict[int | str, dict[str, Any]] = {
    200: {"description": "Done.", "content": {"text/plain": {"schema": {"type": "string"}}}}
}

router = APIRouter(prefix="/v1", tags=["adapters"], responses=ERROR_RESPONSES)


class LoadRequest(WholeBody):
    """An adapter to load."""

    lora_name: str = Field(description="The name by which requests choose it, in their field `model`.")
    lora_path: str = Field(description="Its folder, on the server's machine, in PEFT's layout.")


class UnloadRequest(WholeBody):
    """An adapter to drop."""

    lora_name: str


@router.post("/load_lora_adapter", response_class=Response, responses=_DONE)
async def load_lora_adapter(request: Request, body: LoadRequest) -> PlainTextResponse:
    """Load an adapter. The server must have been started with --allow-adapter-loading."""
    check_fields(request, body)
    client = request.app.state.triton_client
    while await client.load_adapter(body.lora_name, body.lora_path) == "loading":
        await asyncio.sleep(_POLL_S)
    await request.app.state.served_models.list_models()
    return PlainTextResponse(f"Success: LoRA adapter '{body.lora_name}' added successfully.")


@router.post("/unload_lora_adapter", response_class=Response, responses=_DONE)
async def unload_lora_adapter(request: Request, body: UnloadRequest) -> PlainTextResponse:
    """Drop an adapter. Answers that use it go on to their end."""
    check_fields(request, body)
    await request.app.state.triton_client.drop_adapter(body.lora_name)
    await request.app.state.served_models.list_models()
    return PlainTextResponse(f"Success: LoRA adapter '{body.lora_name}' removed successfully.")
