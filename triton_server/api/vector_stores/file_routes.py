"""The routes of the files of vector stores, and of batches of them."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request

from ...collections.embedder import Embedder
from ...collections.passages import Chunking
from ...collections.store import (
    CANCELLED,
    COMPLETED,
    FAILED,
    IN_PROGRESS,
    MAX_FILES,
    CollectionStore,
    NewFile,
)
from ...contract.conversation_errors import CollectionFileNotFound
from ...conversations.tables import CollectionFile
from ..errors import ERROR_RESPONSES, ApiError, unsupported
from ..ignored import check_fields
from ..openai.pages import PageQuery, page_of
from ..sessions.store_calls import get_owner, run_to_end
from .embedders import get_embedder
from .schemas import (
    ChunkingStrategy,
    ContentPage,
    ContentPart,
    Deleted,
    FileBatch,
    FileBatchRequest,
    FileChanges,
    FileEntry,
    FileInStore,
    FileRequest,
    Page,
    count_files,
    describe_file,
)

router = APIRouter(prefix="/v1/vector_stores/{store_id}", tags=["OpenAI"], responses=ERROR_RESPONSES)


class FileQuery(PageQuery):
    """A part of a list of files; `filter`: those with this status."""

    filter: Literal["in_progress", "completed", "failed", "cancelled"] | None = None


_FileQuery = Annotated[FileQuery, Query()]


@router.post("/files")
async def add_file(request: Request, store_id: str, body: FileRequest) -> FileInStore:
    """Add a file of /v1/files, which is indexed in the background. One that is there begins anew."""
    check_fields(request, body)
    (file,) = await _add(request, store_id, [(body, "chunking_strategy")], is_batch=False)
    return describe_file(store_id, file)


@router.get("/files")
async def list_files(request: Request, store_id: str, query: _FileQuery) -> Page:
    """The files of a vector store, those that were added last first."""
    return await _list(request, store_id, query, {})


@router.get("/files/{file_id}")
async def retrieve_file(request: Request, store_id: str, file_id: str) -> FileInStore:
    """How far a file is."""
    read = get_collections(request).get_file
    return describe_file(store_id, await asyncio.to_thread(read, get_owner(request), store_id, file_id))


@router.post("/files/{file_id}")
async def change_file(request: Request, store_id: str, file_id: str, body: FileChanges) -> FileInStore:
    """Give a file other attributes."""
    check_fields(request, body)
    place = get_owner(request), store_id, file_id
    file = await run_to_end(get_collections(request).change_file, *place, body.attributes or {})
    return describe_file(store_id, file)


@router.get("/files/{file_id}/content", response_model_exclude_none=True)
async def file_content(request: Request, store_id: str, file_id: str) -> ContentPage:
    """The chunks of a file, as they are found."""
    place = get_owner(request), store_id, file_id
    chunks = await asyncio.to_thread(get_collections(request).read_chunks, *place)
    return ContentPage(data=[ContentPart(text=chunk.text, place=chunk.place or None) for chunk in chunks])


@router.delete("/files/{file_id}")
async def delete_file(request: Request, store_id: str, file_id: str) -> Deleted:
    """Remove a file from a vector store. The file of /v1/files stays."""
    await run_to_end(get_collections(request).delete_file, get_owner(request), store_id, file_id)
    return Deleted(id=file_id, object="vector_store.file.deleted")


@router.post("/file_batches")
async def add_files(request: Request, store_id: str, body: FileBatchRequest) -> FileBatch:
    """Add several files at once."""
    check_fields(request, body)
    if (body.file_ids is None) == (body.files is None):
        message = "file_ids and files exclude each other; send one of them."
        raise ApiError(400, message, "invalid_request", "file_ids")
    if body.files is not None:
        _check_entries(body)
    place = "chunking_strategy" if body.files is None else "files[{}].chunking_strategy"
    entries = [(entry, place.format(number)) for number, entry in enumerate(body.entries())]
    files = await _add(request, store_id, entries, is_batch=True)
    return _describe_batch(store_id, str(files[0].batch), files)


@router.get("/file_batches/{batch_id}")
async def retrieve_batch(request: Request, store_id: str, batch_id: str) -> FileBatch:
    """How far the files are that were added together. Those that were removed since do not count."""
    return await _get_batch(request, store_id, batch_id)


@router.post("/file_batches/{batch_id}/cancel")
async def cancel_batch(request: Request, store_id: str, batch_id: str) -> FileBatch:
    """Let the files of a batch end that are not done."""
    await run_to_end(get_collections(request).cancel_batch, get_owner(request), store_id, batch_id)
    return await _get_batch(request, store_id, batch_id)


@router.get("/file_batches/{batch_id}/files")
async def list_batch_files(request: Request, store_id: str, batch_id: str, query: _FileQuery) -> Page:
    """The files of a batch, those that were added last first."""
    return await _list(request, store_id, query, {"batch": batch_id})


def _check_entries(body: FileBatchRequest) -> None:
    """Raises ApiError for what would have no effect beside `files`."""
    for name in ("attributes", "chunking_strategy"):
        if getattr(body, name) is not None:
            message = f"{name} does not go together with files; put it into each of them."
            raise ApiError(400, message, "invalid_request", name)
    ids = Counter(entry.file_id for entry in body.files or ())
    file_id, count = ids.most_common(1)[0]
    if count > 1:
        message = f"files has {file_id[:64]!r} {count} times; send it once."
        raise ApiError(400, message, "invalid_request", "files")


def get_collections(request: Request) -> CollectionStore:
    """The store of collections."""
    return request.app.state.collections


def describe_chunking(strategy: ChunkingStrategy | None, embedder: Embedder, param: str) -> dict[str, Any]:
    """How files are to be cut, as clients see it. Raises ApiError for more than the model takes."""
    sizes = embedder.chunking()
    if strategy is not None and strategy.static is not None:
        sizes = Chunking(strategy.static.max_chunk_size_tokens, strategy.static.chunk_overlap_tokens)
        if sizes.size > embedder.max_tokens:
            raise unsupported(
                f"{param}.static.max_chunk_size_tokens",
                f"chunks of {sizes.size} tokens are longer than the model {embedder.name} takes, which is "
                f"{embedder.max_tokens}; leave chunking_strategy out.",
            )
    return sizes.to_json()


async def _add(
    request: Request, store_id: str, entries: Sequence[tuple[FileEntry, str]], *, is_batch: bool
) -> list[CollectionFile]:
    """Add files, each with what its strategy is called in the request."""
    store, owner, state = get_collections(request), get_owner(request), request.app.state
    contents = await asyncio.to_thread(store.get, owner, store_id)
    embedder = await get_embedder(contents.collection.embedder, state.served_models, state.triton_client)
    files = [
        NewFile(
            entry.file_id,
            entry.attributes or {},
            describe_chunking(entry.chunking_strategy, embedder, param),
        )
        for entry, param in entries
    ]
    added = await run_to_end(store.add_files, owner, store_id, files, as_batch=is_batch)
    state.indexer.nudge()
    return added


async def _list(request: Request, store_id: str, query: FileQuery, only: Mapping[str, str]) -> Page:
    found = await asyncio.to_thread(
        get_collections(request).list_files,
        get_owner(request),
        store_id,
        query.limit + 1,
        after=query.after,
        before=query.before,
        oldest_first=query.order == "asc",
        only=only if query.filter is None else {**only, "status": query.filter},
    )
    described = [describe_file(store_id, file) for file in found]
    return Page(**page_of(described, query.limit, is_end=query.is_end))


async def _get_batch(request: Request, store_id: str, batch_id: str) -> FileBatch:
    read, owner = get_collections(request).list_files, get_owner(request)
    files = await asyncio.to_thread(read, owner, store_id, MAX_FILES, only={"batch": batch_id})
    if not files:
        message = f"the vector store has no batch of files {batch_id[:64]!r}."
        raise CollectionFileNotFound(message, "batch_id")
    return _describe_batch(store_id, batch_id, files)


def _describe_batch(store_id: str, batch_id: str, files: Sequence[CollectionFile]) -> FileBatch:
    counts = Counter(file.status for file in files)
    order = (IN_PROGRESS, CANCELLED, COMPLETED, FAILED)
    return FileBatch(
        id=batch_id,
        created_at=int(min(file.created for file in files)),
        vector_store_id=store_id,
        status=next(status for status in order if counts[status]),
        file_counts=count_files(counts),
    )
