"""The routes of OpenAI's Files API: /v1/files. A file is the input of a batch, or its output."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse

from ...contract.conversation_errors import StoreError
from ...conversations.files import FileStore, new_file_id
from ...conversations.tables import StoredFile
from ..errors import ERROR_RESPONSES, ApiError, unsupported
from ..middleware.access import FILES_PATH
from ..openai.pages import page_of
from ..sessions.store_calls import get_owner, run_to_end
from .schemas import (
    BATCH,
    MAX_EXPIRY_S,
    MIN_EXPIRY_S,
    PURPOSES,
    FileDeleted,
    FileList,
    FileObject,
    describe_file,
)
from .uploads import read_upload

router = APIRouter(tags=["OpenAI"], responses=ERROR_RESPONSES)
MAX_PAGE = 10_000
MAX_UPLOADS = 4  # of an owner at the same time: what comes is on the disk before it counts
_uploads: Counter[str] = Counter()
_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["purpose", "file"],
                    "properties": {
                        "purpose": {"type": "string", "enum": list(PURPOSES)},
                        "file": {"type": "string", "format": "binary"},
                        "expires_after[anchor]": {"type": "string", "enum": ["created_at"]},
                        "expires_after[seconds]": {
                            "type": "integer",
                            "minimum": MIN_EXPIRY_S,
                            "maximum": MAX_EXPIRY_S,
                        },
                    },
                }
            }
        },
    }
}
_CONTENT: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


@router.post(FILES_PATH, openapi_extra=_FORM)
async def upload_file(request: Request) -> FileObject:
    """Store a file: a form (multipart/form-data) with `purpose` and `file`.

    The purpose is `batch` for the input of a batch, `vision` or `user_data` for an image, and `assistants` or
    `user_data` for a file of vector stores.
    """
    files, owner, settings = _files(request), get_owner(request), request.app.state.settings
    with _count_upload(owner):
        await asyncio.to_thread(files.check_room, owner, 0)
        file_id = new_file_id()
        part = files.path(f"{file_id}.part")
        try:
            await asyncio.to_thread(files.create_folder)
            upload = await read_upload(request, part, settings.max_file_bytes)
            _check_purpose(upload.fields.get("purpose"))
            now, age_s = time.time(), _read_expiry(upload.fields) or settings.file_expiry_s
            stored = StoredFile(
                owner=owner,
                id=file_id,
                purpose=upload.fields["purpose"],
                filename=upload.filename,
                bytes=upload.size,
                created=now,
                expires=now + age_s if age_s else None,
            )
            await run_to_end(_place, files, stored)
        except OSError as error:  # the disk is full, or is not for writing any more
            raise StoreError(f"the file cannot be stored: {error.strerror}.") from error
        finally:
            with suppress(FileNotFoundError):
                part.unlink()
    return describe_file(stored)


@router.get(FILES_PATH)
async def list_files(
    request: Request,
    purpose: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = MAX_PAGE,
    after: str | None = None,
    order: Literal["asc", "desc"] = "desc",
) -> FileList:
    """The files, those that were stored last first."""
    query = get_owner(request), purpose, limit + 1, after
    found = await asyncio.to_thread(_files(request).list_files, *query, oldest_first=order == "asc")
    return FileList(**page_of([describe_file(file) for file in found], limit))


@router.get(FILES_PATH + "/{file_id}")
async def retrieve_file(request: Request, file_id: str) -> FileObject:
    """What there is to say about a file."""
    return describe_file(await asyncio.to_thread(_files(request).get, get_owner(request), file_id))


@router.get(FILES_PATH + "/{file_id}/content", response_class=FileResponse, responses=_CONTENT)
async def file_content(request: Request, file_id: str) -> FileResponse:
    """The bytes of a file."""
    files = _files(request)
    stored = await asyncio.to_thread(files.get, get_owner(request), file_id)
    path = files.path(stored.id)
    if not path.is_file():
        raise _elsewhere(stored.id)
    return FileResponse(path, media_type="application/octet-stream", filename=stored.filename)


@router.delete(FILES_PATH + "/{file_id}")
async def delete_file(request: Request, file_id: str) -> FileDeleted:
    """Remove a file. One that a batch reads is refused (409)."""
    await run_to_end(_files(request).delete, get_owner(request), file_id)
    return FileDeleted(id=file_id)


def find_input(files: FileStore, owner: str, file_id: str) -> StoredFile:
    """The file that a batch is to read. Raises StoreRefusal, and ApiError for another kind of file."""
    stored = files.get(owner, file_id, "input_file_id")
    if stored.purpose != BATCH:
        message = f"the purpose of {file_id} is {stored.purpose}; the input of a batch has {BATCH}."
        raise ApiError(400, message, "invalid_request", "input_file_id")
    if not files.path(file_id).is_file():
        raise _elsewhere(file_id)
    return stored


def _files(request: Request) -> FileStore:
    return request.app.state.files


def _place(files: FileStore, stored: StoredFile) -> None:
    """Put the bytes of an upload in their place, and store the row. Raises SessionsFull."""
    path = files.path(stored.id)
    os.replace(files.path(f"{stored.id}.part"), path)
    try:
        files.add(stored)
    except BaseException:
        path.unlink()
        raise


@contextmanager
def _count_upload(owner: str) -> Iterator[None]:
    """Count an upload as long as it runs. Raises ApiError (429) if the owner has too many."""
    if _uploads[owner] >= MAX_UPLOADS:
        message = f"{MAX_UPLOADS} of your uploads are running; try again when one has ended."
        raise ApiError(429, message, "too_many_uploads", retry_after_s=1)
    _uploads[owner] += 1
    try:
        yield
    finally:
        _uploads[owner] -= 1
        if not _uploads[owner]:
            del _uploads[owner]


def _check_purpose(purpose: str | None) -> None:
    choices = " or ".join(PURPOSES)
    if purpose is None:
        raise ApiError(400, f"the form has no `purpose`; send {choices}.", "invalid_request", "purpose")
    if purpose not in PURPOSES:
        message = f"files of purpose {purpose[:40]!r} are of no use here; send {choices}."
        raise unsupported("purpose", message)


def _read_expiry(fields: dict[str, str]) -> int | None:
    """The seconds after which a file is to expire; None: nothing was said. Raises ApiError."""
    anchor, seconds = fields.get("expires_after[anchor]"), fields.get("expires_after[seconds]")
    if anchor is None and seconds is None:
        return None
    if anchor != "created_at":
        name = "expires_after[anchor]"
        raise ApiError(400, f"{name} must be created_at.", "invalid_request", name)
    if not (seconds or "").isdecimal() or not MIN_EXPIRY_S <= int(seconds or 0) <= MAX_EXPIRY_S:
        name = "expires_after[seconds]"
        message = f"{name} must be a number from {MIN_EXPIRY_S} to {MAX_EXPIRY_S}."
        raise ApiError(400, message, "invalid_request", name)
    return int(seconds or 0)


def _elsewhere(file_id: str) -> ApiError:
    message = (
        f"the bytes of {file_id} are not on this machine: it was uploaded to another service with the same "
        "database, so ask that one."
    )
    return ApiError(404, message, "file_not_found")
