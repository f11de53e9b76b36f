"""The tool `file_search` of OpenAI's Responses: the service searches vector stores for the model."""

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import Request

from model_core.errors import TritonchatError

from ...collections.search import CollectionSearch
from ...conversations.tables import Collection
from ..errors import unsupported
from ..mcp_tools.calls import Call, Failure, Finding, Result
from ..sessions.store_calls import get_owner
from ..vector_stores.embedders import get_embedder
from ..vector_stores.searching import SearchOptions, search
from .citations import read_queries, tell_findings
from .includes import SEARCH_RESULTS
from .item_schemas import FileSearchCallItem, Item
from .schemas import ResponsesRequest
from .tools import FileSearchTool

_RESULTS = 10  # fewer than OpenAI's 20, because models here have less room


class FileSearch:
    """The search that a request lets the model make. It numbers what it finds, over all calls."""

    def __init__(
        self, state: Any, collections: Sequence[Collection], options: SearchOptions, first: int, shows: bool
    ) -> None:
        """`first`: the number of the first result. `shows`: whether the items of calls have the results."""
        self._state, self._collections, self._options = state, collections, options
        self._next, self._shows = first, shows

    async def run(self, call: Call, time_s: float) -> Result:
        """Run a call, for at most `time_s` seconds. Every failure is the result."""
        queries = read_queries(call.arguments)
        if not queries:
            return Result(failure=Failure("the arguments need a query."))
        work = search(self._state, self._collections, queries, self._options)
        try:
            found = await asyncio.wait_for(work, time_s)
        except asyncio.TimeoutError:
            return Result(failure=Failure(f"the search took longer than {time_s:.0f} s."))
        except TritonchatError as error:
            return Result(failure=Failure(str(error)))
        findings = []
        for chunk in found:
            fields = {
                "file_id": chunk.file_id,
                "filename": chunk.filename,
                "score": chunk.score,
                "attributes": chunk.attributes,
                "text": chunk.text,
                "place": chunk.place or None,
            }
            findings.append(Finding(self._next, fields))
            self._next += 1
        return Result(tell_findings(findings), findings=tuple(findings), shows_findings=self._shows)


async def open_search(request: Request, body: ResponsesRequest, items: Sequence[Item]) -> FileSearch | None:
    """The search that a request asks for, None for none. `items`: of the conversation so far.

    Raises TritonchatError, such as CollectionNotFound for what is not the owner's.
    """
    tools = [(n, tool) for n, tool in enumerate(body.tools or ()) if isinstance(tool, FileSearchTool)]
    if not tools:
        return None
    if len(tools) > 1:
        param = f"tools[{tools[1][0]}]"
        raise unsupported(param, "a request has one file_search; name all vector stores in it.")
    ((number, tool),) = tools
    path, state = f"tools[{number}]", request.app.state
    count = tool.max_num_results or _RESULTS
    options = SearchOptions.of(count, tool.filters, tool.ranking_options, f"{path}.ranking_options")
    searcher: CollectionSearch = state.collection_search
    ids = list(dict.fromkeys(tool.vector_store_ids))
    find = searcher.find_collections
    collections = await asyncio.to_thread(find, get_owner(request), ids, f"{path}.vector_store_ids")
    for name in dict.fromkeys(collection.embedder for collection in collections):
        await get_embedder(name, state.served_models, state.triton_client)
    first = 1 + sum(len(item.results or ()) for item in items if isinstance(item, FileSearchCallItem))
    return FileSearch(state, collections, options, first, SEARCH_RESULTS in (body.include or ()))
