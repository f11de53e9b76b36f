"""Responses that search vector stores, through OpenAI's client: the items, the events, the citations."""

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from http_service import services
from in_process import served
from openai import OpenAI
from openai.types.responses import Response, ResponseStreamEvent
from paths import CHECKPOINTS
from pydantic import TypeAdapter
from reciter import write_reciter
from support import wait_until

from triton_server.engine.models.model_pool import create_pool

EMBEDDERS = CHECKPOINTS.parent / "embedders"
CALL = '\n{"name": "file_search", "arguments": {"query": "the heron"}}\n'
REPORT = ("It eats", " fish [1]", " or [9].")
TEXT = "The heron eats fish."
STREAM_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


@pytest.fixture(scope="module", params=["plain", "reranked"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    """A client of a service whose models are one that searches, an encoder, and perhaps a reranker."""
    folder = tmp_path_factory.mktemp("searcher")
    names = ["bert"] if request.param == "plain" else ["bert", "bert-reranker"]
    models = [write_reciter(folder / "reciter", call=CALL, report=REPORT), *(EMBEDDERS / n for n in names)]
    pool = create_pool(
        [(None, str(model)) for model in models], None, {"kv_cache_memory": 2**26, "max_queue": 256}
    )
    pool.load_all()
    with served(pool) as url, services(url, folder) as start:
        yield OpenAI(base_url=f"{start().url}/v1", api_key="none", max_retries=0)


@pytest.fixture(scope="module")
def store_id(client: OpenAI) -> str:
    """A vector store with a file."""
    file = client.files.create(file=("birds.txt", TEXT.encode()), purpose="assistants")
    store = client.vector_stores.create(file_ids=[file.id])
    wait_until(lambda: client.vector_stores.retrieve(store.id).file_counts.completed == 1)
    return store.id


def ask(client: OpenAI, store_id: str, **fields: Any) -> Any:
    tool = {"type": "file_search", "vector_store_ids": [store_id]}
    given = {"model": "default", "input": "What does it eat?", "tools": [tool], "extra_body": {"seed": 1}}
    return client.responses.create(**{**given, **fields})


def test_answer_cites_what_was_found(client: OpenAI, store_id: str) -> None:
    response = ask(client, store_id, include=["file_search_call.results"])
    Response.model_validate_json(response.model_dump_json(by_alias=True), strict=True)
    call, message = response.output
    assert (call.type, call.status, call.queries) == ("file_search_call", "completed", ["the heron"])
    (result,) = call.results
    assert (result.filename, result.text, result.to_dict()["place"]) == ("birds.txt", TEXT, "line 1")
    (annotation,) = message.content[0].annotations  # there is no ninth result
    assert (annotation.type, annotation.file_id, annotation.filename) == (
        "file_citation",
        result.file_id,
        "birds.txt",
    )
    assert response.output_text[annotation.index :].startswith("[1]")
    plain = ask(client, store_id)
    assert plain.output[0].results is None and plain.output_text == response.output_text
    assert plain.output[1].content[0].annotations == [annotation]
    more = ask(client, store_id, input="And?", previous_response_id=response.id)
    assert more.output[0].status == "completed"
    assert more.usage.input_tokens > response.usage.input_tokens


@pytest.mark.parametrize("include", [["file_search_call.results"], []])
@pytest.mark.parametrize("in_background", [True, False])
def test_events_come_again_as_they_came(
    client: OpenAI, store_id: str, include: list[str], in_background: bool
) -> None:
    events = list(ask(client, store_id, include=include, stream=True, background=in_background))
    for event in events:
        STREAM_EVENT.validate_json(event.model_dump_json(exclude_unset=True, by_alias=True), strict=True)
    kinds = [event.type.removeprefix("response.") for event in events]
    for kind in ("in_progress", "searching", "completed"):
        assert kinds.count(f"file_search_call.{kind}") == 1
    assert kinds.count("output_text.annotation.added") == 1
    name = events[0].response.id
    for after in (0, 4, len(events) // 2):
        assert list(client.responses.retrieve(name, stream=True, starting_after=after)) == events[after + 1 :]


def test_choice_forces_or_forbids_a_search(client: OpenAI, store_id: str) -> None:
    forced = ask(client, store_id, tool_choice={"type": "file_search"})
    assert forced.output[0].type == "file_search_call"
    assert "file_search_call" not in [item.type for item in ask(client, store_id, tool_choice="none").output]
    assert ask(client, store_id, max_tool_calls=1).output[0].status == "completed"


def test_wrong_searches_are_refused(client: OpenAI, store_id: str) -> None:
    for tool, message in (
        ({"vector_store_ids": ["vs_none"]}, "no vector store"),
        ({"vector_store_ids": []}, "vector_store_ids"),
        ({"vector_store_ids": [store_id], "max_num_results": 0}, "max_num_results"),
        ({"vector_store_ids": [store_id], "filters": {"type": "eq"}}, "filters"),
        ({"vector_store_ids": [store_id], "ranking_options": {"hybrid_search": {}}}, "hybrid_search"),
    ):
        with pytest.raises((openai.BadRequestError, openai.NotFoundError), match=message):
            ask(client, store_id, tools=[{"type": "file_search", **tool}])
    with pytest.raises(openai.BadRequestError, match="do not go together"):
        ask(client, store_id, top_logprobs=1)
    two = [{"type": "file_search", "vector_store_ids": [store_id]}] * 2
    with pytest.raises(openai.BadRequestError, match="one file_search"):
        ask(client, store_id, tools=two)
