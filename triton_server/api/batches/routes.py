"""The routes of OpenAI's Batch API: /v1/batches."""

import asyncio
import secrets
import time
from typing import Annotated

from fastapi import APIRouter, Query, Request

from ...conversations.batches import BatchStore
from ...conversations.files import new_file_id
from ...conversations.tables import StoredBatch
from ..errors import ERROR_RESPONSES
from ..ignored import check_fields
from ..openai.pages import page_of
from ..sessions.store_calls import get_owner, run_to_end
from .file_routes import find_input
from .schemas import BatchList, BatchObject, BatchRequest

router = APIRouter(prefix="/v1/batches", tags=["OpenAI"], responses=ERROR_RESPONSES)
MAX_PAGE = 100
_WINDOW_S = 24 * 3600


@router.post("")
async def create_batch(request: Request, body: BatchRequest) -> BatchObject:
    """Answer all requests of a file, in the background and also after a restart.

    The input is checked first: a batch with a wrong line fails, and `errors` names the lines. Each line has
    exactly one line in the output or error file.
    """
    check_fields(request, body)
    owner, state = get_owner(request), request.app.state
    await asyncio.to_thread(find_input, state.files, owner, body.input_file_id)
    expiry, now = body.output_expires_after, int(time.time())
    batch = BatchObject(
        id=f"batch_{secrets.token_hex(16)}",
        endpoint=body.endpoint,
        input_file_id=body.input_file_id,
        completion_window=body.completion_window,
        status="validating",
        created_at=now,
        expires_at=now + _WINDOW_S,
        request_counts={"total": 0, "completed": 0, "failed": 0},
        metadata=body.metadata,
    )
    stored = StoredBatch(
        owner=owner,
        id=batch.id,
        is_open=True,
        input_file=body.input_file_id,
        output_file=new_file_id(),
        error_file=new_file_id(),
        output_expiry_s=state.settings.file_expiry_s or None if expiry is None else expiry.seconds,
        batch=batch.model_dump(mode="json"),
        created=now,
    )
    await run_to_end(_batches(request).add, stored)
    state.batch_runner.nudge()
    return batch


@router.get("")
async def list_batches(
    request: Request, limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 20, after: str | None = None
) -> BatchList:
    """The batches, those that were made last first."""
    batches = await asyncio.to_thread(_batches(request).list_batches, get_owner(request), limit + 1, after)
    return BatchList(**page_of([BatchObject(**batch) for batch in batches], limit))


@router.get("/{batch_id}")
async def retrieve_batch(request: Request, batch_id: str) -> BatchObject:
    """How far a batch is."""
    return BatchObject(**await asyncio.to_thread(_batches(request).get, get_owner(request), batch_id))


@router.post("/{batch_id}/cancel")
async def cancel_batch(request: Request, batch_id: str) -> BatchObject:
    """End a batch. What has no answer yet gets an error (`batch_cancelled`) in the error file."""
    batch = await run_to_end(_batches(request).cancel, get_owner(request), batch_id)
    request.app.state.batch_runner.nudge()
    return BatchObject(**batch)


def _batches(request: Request) -> BatchStore:
    return request.app.state.batches
