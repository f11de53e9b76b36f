"""Searches vector stores: embeds queries, scans the vectors, and lets a reranker rank what was found."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.datastructures import State

from ...collections.filters import Comparison, Compound
from ...collections.search import CollectionSearch, Found, WrongEmbedder
from ...conversations.tables import Collection
from ..errors import ApiError, unsupported
from ..sessions.store_calls import run_to_end
from .embedders import embed, find_reranker
from .schemas import RankingOptions

_RANKED = 50  # how many of the nearest chunks a reranker is shown


@dataclass(frozen=True)
class SearchOptions:
    """What is wanted of a search.

    Attributes:
        count: of results.
        condition: that the attributes of files must meet.
        reranks: whether a reranker ranks the results, if there is one.
        threshold: the least score of a result.
    """

    count: int
    condition: Comparison | Compound | None = None
    reranks: bool = True
    threshold: float | None = None

    @classmethod
    def of(
        cls, count: int, condition: Comparison | Compound | None, ranking: RankingOptions | None, param: str
    ) -> "SearchOptions":
        """Those of a request. Raises ApiError for what is not supported in the field `param`."""
        ranking = ranking or RankingOptions()
        if ranking.hybrid_search is not None:
            message = "hybrid_search is not supported: texts are found by their vectors alone; leave it out."
            raise unsupported(f"{param}.hybrid_search", message)
        return cls(count, condition, ranking.ranker != "none", ranking.score_threshold)


async def search(
    state: State, collections: Sequence[Collection], queries: Sequence[str], options: SearchOptions
) -> list[Found]:
    """The chunks of collections that fit any of the queries best. `state` is that of the application.

    It is noted as a use of the collections. Raises TritonchatError: ApiError (400) for a collection whose
    model is not served.
    """
    searcher: CollectionSearch = state.collection_search
    models, client = state.served_models, state.triton_client
    reranker = await find_reranker(models, client) if options.reranks else None
    count = options.count if reranker is None else max(_RANKED, options.count)
    found: dict[tuple[str, int, str], Found] = {}
    names = dict.fromkeys(collection.embedder for collection in collections)
    embedded = {name: await embed(name, models, client, queries) for name in names}
    for collection in collections:
        asked, embedder = embedded[collection.embedder]
        try:
            each = await asyncio.to_thread(
                searcher.search,
                collection,
                asked,
                count,
                fingerprint=embedder.fingerprint,
                condition=options.condition,
            )
        except WrongEmbedder:
            message = (
                f"the vectors of {collection.id} were made by another model than the one that is called "
                f"{embedder.name!r} now; add its files again."
            )
            raise ApiError(400, message, "embedder_changed") from None
        for chunk in each:  # a file may be in several collections
            key = chunk.file_id, chunk.number, chunk.text
            if key not in found or found[key].score < chunk.score:
                found[key] = chunk
    best = _sort(list(found.values()))[:count]
    if reranker is not None and best:
        texts = [chunk.text for chunk in best]
        scores = [float("-inf")] * len(best)
        for query in queries:
            fields = {"model": reranker, "query": query, "truncate": True}
            given = (await client.embed(texts, fields)).vectors[:, 0].tolist()
            scores = list(map(max, scores, given))
        best = _sort([replace(chunk, score=score) for chunk, score in zip(best, scores, strict=True)])
    await run_to_end(state.collections.note_use, collections)
    least = options.threshold
    return [chunk for chunk in best[: options.count] if least is None or chunk.score >= least]


def _sort(found: list[Found]) -> list[Found]:
    """Chunks by their scores, the best first; equal ones by their file's id and their place in it."""
    return sorted(found, key=lambda chunk: (-chunk.score, chunk.file_id, chunk.number))
