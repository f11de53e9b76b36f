"""What Ollama's clients do with the models of a machine: /api/pull, and what is refused.

Source: Ollama's docs/api.md, and the types of the Python package `ollama` 0.6.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field
from starlette.responses import Response

from model_core.checks.request_values import shorten

from ...client.caller import CALLER
from ...contract.tensors import DEFAULT_MODEL
from ...system.child_process import launch_piped
from ..body import WholeBody
from ..errors import OLLAMA_PATH, ApiError, unsupported
from ..generation import while_connected
from ..ignored import check_fields
from ..stream_response import StreamResponse, to_json
from .models import served_name
from .schemas import RESPONSES

MAX_PULLS = 2  # at the same time
_HUB_NAME = re.compile(
    r"(?:https://)?(?:(?:hf\.co|huggingface\.co)/)?(\w[\w.-]*/\w[\w.-]*(?::\w[\w.-]*)?)", re.ASCII
)
_SUCCESS = {"status": "success"}
_NDJSON = "application/x-ndjson"
_REFUSALS = {
    "create": "models are not made here; tritonchat quantize makes one, and --adapter adds a LoRA adapter.",
    "copy": "models are not copied here; start the server with --model NAME=PATH for another name.",
    "push": "models are not uploaded from here; use the `hf` command of the Hugging Face hub.",
    "delete": "models are not removed this way; run `tritonchat rm MODEL` on the server's machine.",
    "blobs/{digest}": "files are not uploaded to this service; give it a model with --model.",
}
router = APIRouter(prefix=OLLAMA_PATH, tags=["Ollama"], responses=RESPONSES)


class PullRequest(WholeBody):
    """The model to download. Older clients call it `name`."""

    model: str | None = Field(None, description="On the Hugging Face hub, such as hf.co/owner/name:Q4_K_M.")
    name: str | None = None
    insecure: bool | None = Field(None, description="Refused, unless false.")
    stream: bool | None = Field(True, description="Whether the progress is sent, as lines of JSON.")


class PullProgress(BaseModel):
    """How far a download is."""

    status: str
    total: int | None = Field(None, description="Bytes.")
    completed: int | None = Field(None, description="Bytes.")
    error: str | None = None


@router.post("/pull", responses={200: {"model": PullProgress, "content": {_NDJSON: {}}}})
async def pull(request: HttpRequest, body: PullRequest) -> Response:
    """Download a model from the Hugging Face hub to the server's machine; --allow-pull allows that.

    For a model that is served there is nothing to do. A client that leaves ends the download, and the
    next one goes on with it.
    """
    check_fields(request, body)
    name = served_name(body.model or body.name or "")
    if not name:
        raise ApiError(400, "model is missing.", "invalid_request", "model")
    if body.insecure:
        raise unsupported("insecure", "models come from the hub over HTTPS; leave insecure out.")
    served = await request.app.state.served_models.list_models()
    if name in (DEFAULT_MODEL, *(model.name for model in served)):
        steps = _succeed()
    else:
        steps = _pull(request, _check(request, name))
    if body.stream is not False:
        return StreamResponse(_render(steps), _NDJSON)
    async with aclosing(steps):
        last = [step async for step in steps][-1]
    if "error" in last:
        raise ApiError(503, last["error"], "download_failed", "model")
    return Response(to_json(last), media_type="application/json")


def _check(request: HttpRequest, name: str) -> str:
    """The URL of a model on the hub. Raises ApiError if it may not be downloaded now."""
    if not request.app.state.settings.allow_pull:
        raise ApiError(
            403,
            "this service downloads no models; start it with --allow-pull, or run "
            f"`tritonchat pull {shorten(name)}` on its machine.",
            "not_allowed",
            "model",
        )
    CALLER.get().check_all_models()
    match = _HUB_NAME.fullmatch(name)
    if match is None:
        raise ApiError(
            400,
            f"{shorten(name)} is no name on the Hugging Face hub, from which this service takes its models; "
            "give one such as hf.co/owner/name:Q4_K_M.",
            "invalid_request",
            "model",
        )
    if request.app.state.pulls.locked():
        raise ApiError(429, f"{MAX_PULLS} models are being downloaded; try again later.", "busy", "model")
    return f"https://huggingface.co/{match[1]}"


async def _succeed() -> AsyncGenerator[dict[str, Any], None]:
    yield _SUCCESS


async def _pull(request: HttpRequest, url: str) -> AsyncGenerator[dict[str, Any], None]:
    """Download a model in a process of its own, which ends with this generator; its steps as JSON."""
    # The service's settings are not the command's, and may hold keys.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRITONCHAT_")}
    async with request.app.state.pulls:
        child = launch_piped([sys.executable, "-m", "triton_server", "pull", "--json", url], environment)
        output, errors = child.process.stdout, child.process.stderr
        assert output is not None and errors is not None
        try:
            yield {"status": "pulling manifest"}
            while line := await while_connected(request, asyncio.to_thread(output.readline)):
                yield json.loads(line)
            words = await asyncio.to_thread(errors.read)
            if await asyncio.to_thread(child.process.wait):
                last = words.decode(errors="replace").strip().splitlines() or ["the download has failed."]
                yield {"error": last[-1].removeprefix("tritonchat: ")}
                return
            yield _SUCCESS
        finally:
            child.kill()


async def _render(steps: AsyncGenerator[dict[str, Any], None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(steps):
        async for step in steps:
            yield to_json(step).encode() + b"\n"


def _refuse(action: str, message: str) -> None:
    async def refuse() -> Response:
        raise ApiError(400, message, "unsupported")

    method = "DELETE" if action == "delete" else "POST"
    router.add_api_route(f"/{action}", refuse, methods=[method], summary="Refused.", name=action)


for _action, _message in _REFUSALS.items():
    _refuse(_action, _message)
