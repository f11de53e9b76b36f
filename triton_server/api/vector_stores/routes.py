"""The routes of OpenAI's vector stores: /v1/vector_stores, and their search."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from ...collections.embedder import Embedder
from ...collections.search import CollectionSearch
from ...collections.store import NewFile, new_collection
from ..errors import ERROR_RESPONSES, unsupported
from ..generation import while_connected
from ..ignored import check_fields
from ..openai.pages import PageQuery, page_of
from ..sessions.store_calls import get_owner, run_to_end
from .embedders import find_embedder
from .file_routes import describe_chunking, get_collections
from .schemas import (
    Deleted,
    Page,
    SearchPage,
    SearchRequest,
    StoreChanges,
    StoreObject,
    StoreRequest,
    describe_result,
    describe_store,
)
from .searching import SearchOptions, search

router = APIRouter(prefix="/v1/vector_stores", tags=["OpenAI"], responses=ERROR_RESPONSES)
_RESULTS = 10  # as OpenAI has it


@router.post("")
async def create_store(request: Request, body: StoreRequest) -> StoreObject:
    """Create a vector store, of files of /v1/files, which are read and embedded in the background."""
    check_fields(request, body)
    embedder = await _find_embedder(request)
    collection = new_collection(get_owner(request), body.name or "", body.metadata or {}, embedder.name)
    collection.expiry_days = body.expires_after.days if body.expires_after else None
    chunking = describe_chunking(body.chunking_strategy, embedder, "chunking_strategy")
    files = [NewFile(file_id, {}, chunking) for file_id in body.file_ids or ()]
    contents = await run_to_end(get_collections(request).create, collection, files)
    request.app.state.indexer.nudge()
    return describe_store(contents)


@router.get("")
async def list_stores(request: Request, query: Annotated[PageQuery, Query()]) -> Page:
    """The vector stores, those that were created last first."""
    found = await asyncio.to_thread(
        get_collections(request).list_collections,
        get_owner(request),
        query.limit + 1,
        query.after,
        query.before,
        oldest_first=query.order == "asc",
    )
    return Page(**page_of(list(map(describe_store, found)), query.limit, is_end=query.is_end))


@router.get("/{store_id}")
async def retrieve_store(request: Request, store_id: str) -> StoreObject:
    """What there is to say about a vector store."""
    contents = await asyncio.to_thread(get_collections(request).get, get_owner(request), store_id)
    return describe_store(contents)


@router.post("/{store_id}")
async def change_store(request: Request, store_id: str, body: StoreChanges) -> StoreObject:
    """Give a vector store another name, other metadata, or another time to live."""
    check_fields(request, body)
    changes: dict[str, Any] = {}
    if body.name is not None:
        changes["name"] = body.name
    if body.metadata is not None or "metadata" in body.model_fields_set:
        changes["labels"] = body.metadata or {}
    if "expires_after" in body.model_fields_set:
        changes["expiry_days"] = body.expires_after.days if body.expires_after else None
    owner = get_owner(request)
    return describe_store(await run_to_end(get_collections(request).change, owner, store_id, changes))


@router.delete("/{store_id}")
async def delete_store(request: Request, store_id: str) -> Deleted:
    """Remove a vector store with its chunks. The files of /v1/files stay."""
    await run_to_end(get_collections(request).delete, get_owner(request), store_id)
    return Deleted(id=store_id, object="vector_store.deleted")


@router.post("/{store_id}/search", response_model_exclude_none=True)
async def search_store(request: Request, store_id: str, body: SearchRequest) -> SearchPage:
    """The chunks that fit a query best, or any of several, with their files and places."""
    check_fields(request, body)
    if body.rewrite_query:
        raise unsupported(
            "rewrite_query", "this service does not rewrite queries; send rewrite_query: false."
        )
    count = body.max_num_results or _RESULTS
    options = SearchOptions.of(count, body.filters, body.ranking_options, "ranking_options")
    queries = [body.query] if isinstance(body.query, str) else list(body.query)
    state, owner = request.app.state, get_owner(request)
    searcher: CollectionSearch = state.collection_search
    collections = await asyncio.to_thread(searcher.find_collections, owner, [store_id], "vector_store_id")
    with state.answer_slots.hold(request.state.client, 1):
        found = await while_connected(request, search(state, collections, queries, options))
    return SearchPage(search_query=queries, data=list(map(describe_result, found)))


async def _find_embedder(request: Request) -> Embedder:
    return await find_embedder(request.app.state.served_models, request.app.state.triton_client)
