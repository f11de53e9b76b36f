"""Responses in the background, and streams of stored ones, with OpenAI's client."""

# ruff: noqa: F811 - arguments have the names of imported fixtures

import contextlib
import itertools
import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import sqlalchemy as sql
from held import held
from http_service import Service, services
from reciter_services import client_of, gpt, grpc_url, model, start  # noqa: F401 - fixtures
from support import wait_until

from model_core import LLM
from triton_server.api.responses import answers, background
from triton_server.contract.conversation_errors import StoreError
from triton_server.conversations import database
from triton_server.conversations.responses import ResponseStore
from triton_server.conversations.tables import StoredResponse

ASK = "/v1/responses"
TALE = {"model": "default", "input": "Tell me a story", "max_output_tokens": 60}
WEATHER = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}}
RUNNING = ("queued", "in_progress")


def wait_for(gpt: openai.OpenAI, response: Any) -> Any:
    """The response when it has ended."""
    found: list[Any] = []

    def has_ended() -> bool:
        found[:] = [gpt.responses.retrieve(response.id)]
        return found[0].status not in RUNNING

    wait_until(has_ended)
    return found[0]


def without(response: Any, *names: str) -> dict[str, Any]:
    times = ("id", "created_at", "completed_at", *names)
    fields = {name: value for name, value in response.to_dict().items() if name not in times}
    for item in fields["output"]:
        item.pop("id")
        item.pop("call_id", None)
    return fields


def test_response_is_computed_after_its_client_has_its_id(model: LLM, gpt: openai.OpenAI) -> None:
    with held(model):
        response = gpt.responses.create(**TALE, background=True)
        assert (response.status in RUNNING, response.background, response.output) == (True, True, [])
        assert gpt.responses.retrieve(response.id).status in RUNNING
        with pytest.raises(openai.BadRequestError, match=r"is (queued|in_progress)"):
            gpt.responses.create(**TALE, previous_response_id=response.id)
    ended = wait_for(gpt, response)
    expected = gpt.responses.create(**TALE)
    assert without(ended, "background", "seed", "usage") == without(expected, "background", "seed", "usage")
    assert ended.status == "incomplete" and ended.usage.output_tokens == 60
    again = gpt.responses.create(model="default", input="Hello", previous_response_id=ended.id)
    assert again.status == "completed"


def test_response_that_waits_for_the_engine_is_queued(
    model: LLM, gpt: openai.OpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is refused after that has failed, and its stream says so."""
    monkeypatch.setattr(answers, "_ACCEPTANCE_WAIT_S", 0)
    response = gpt.responses.create(**TALE, background=True)
    assert response.status == "queued"
    assert wait_for(gpt, response).status == "incomplete"
    refused = wait_for(gpt, gpt.responses.create(model="default", input="word " * 100_000, background=True))
    assert (refused.status, refused.error.code) == ("failed", "invalid_prompt")
    events = list(gpt.responses.retrieve(refused.id, stream=True))
    assert [event.type for event in events] == [
        "response.created",
        "response.queued",
        "error",
        "response.failed",
    ]
    assert (events[2].code, events[2].message) == ("context_length_exceeded", refused.error.message)


def test_refusals_come_at_once(gpt: openai.OpenAI) -> None:
    """As without `background`, and nothing is stored."""
    for changes, message in (
        ({"input": "word " * 100_000}, "tokens"),
        ({"store": False}, "is stored; leave store out"),
        ({"max_output_tokens": -1}, "max_output_tokens"),
    ):
        with pytest.raises(openai.BadRequestError, match=message):
            gpt.responses.create(**{**TALE, **changes}, background=True)


def test_full_service_says_so_at_once(model: LLM, start: Callable[..., Service]) -> None:
    """A response in the background counts as any answer of its key."""
    service = start(api_keys=("ada", "bo"), max_streams=8, max_streams_per_key=1)
    ada, bo = client_of(service, "ada"), client_of(service, "bo")
    with held(model):
        response = ada.responses.create(**TALE, background=True)
        with pytest.raises(openai.RateLimitError, match="--max-streams-per-key"):
            ada.responses.create(**TALE, background=True)
        other = bo.responses.create(**TALE, background=True)
        for read in (bo.responses.retrieve, bo.responses.cancel, bo.responses.delete):
            with pytest.raises(openai.NotFoundError):
                read(response.id)
    assert wait_for(ada, response).status == "incomplete"
    assert wait_for(bo, other).status == "incomplete"
    wait_for(ada, ada.responses.create(**TALE, background=True))


def test_cancelled_response_has_what_was_made(model: LLM, gpt: openai.OpenAI) -> None:
    stream = gpt.responses.create(**{**TALE, "max_output_tokens": None}, background=True, stream=True)
    first = list(itertools.islice(stream, 12))
    with held(model):
        cancelled = gpt.responses.cancel(first[0].response.id)
    assert cancelled.status == "cancelled" and cancelled.output[0].type == "reasoning"
    assert gpt.responses.cancel(cancelled.id) == gpt.responses.retrieve(cancelled.id) == cancelled
    rest = list(stream)
    assert (rest[-1].type, rest[-1].response) == ("response.incomplete", cancelled)
    assert list(gpt.responses.retrieve(cancelled.id, stream=True)) == [*first, *rest]
    with pytest.raises(openai.BadRequestError, match="is cancelled"):
        gpt.responses.create(**TALE, previous_response_id=cancelled.id)


def test_only_responses_in_the_background_are_cancelled(gpt: openai.OpenAI) -> None:
    response = gpt.responses.create(**TALE)
    with pytest.raises(openai.BadRequestError, match="only a response with"):
        gpt.responses.cancel(response.id)
    with pytest.raises(openai.NotFoundError):
        gpt.responses.cancel("resp_1")
    ended = wait_for(gpt, gpt.responses.create(**TALE, background=True))
    assert gpt.responses.cancel(ended.id) == ended


def test_removed_response_runs_no_more(model: LLM, start: Callable[..., Service]) -> None:
    service = start()
    gpt = client_of(service)
    with held(model):
        response = gpt.responses.create(**TALE, background=True)
        gpt.responses.delete(response.id)
    wait_until(lambda: service.metrics()["tritonchat_api_answers_open"] == 0)
    with pytest.raises(openai.NotFoundError):
        gpt.responses.retrieve(response.id)


@pytest.mark.parametrize("changes", [{}, {"input": "Hello"}, {"input": "Rain?", "tools": [WEATHER]}])
@pytest.mark.parametrize("in_background", [False, True])
def test_stream_is_resumed_at_any_event(
    gpt: openai.OpenAI, changes: dict[str, Any], in_background: bool
) -> None:
    """A stored one has the same events as it had at first, also if it was no stream then."""
    arguments = {**TALE, "top_logprobs": 2, **changes, "background": in_background}
    events = list(gpt.responses.create(**arguments, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert sum(event.type.endswith("delta") for event in events) >= 1
    name = events[0].response.id
    for after in (None, 0, 3, len(events) // 2, len(events) - 2):
        given = {} if after is None else {"starting_after": after}
        rest = list(gpt.responses.retrieve(name, stream=True, **given))
        assert rest == events[0 if after is None else after + 1 :]
    assert list(gpt.responses.retrieve(name, stream=True, starting_after=10_000)) == []
    whole = gpt.responses.create(**arguments)
    *_, last = gpt.responses.retrieve(whole.id, stream=True)
    assert last.response == wait_for(gpt, whole)


def test_stream_of_a_running_response_is_resumed_by_another_client(model: LLM, gpt: openai.OpenAI) -> None:
    with gpt.responses.create(**TALE, background=True, stream=True) as stream:
        first = list(itertools.islice(stream, 4))  # and then it leaves
    assert [event.type for event in first[:3]] == [
        "response.created",
        "response.queued",
        "response.in_progress",
    ]
    assert [event.response.status for event in first[:3]] == ["queued", "queued", "in_progress"]
    rest = list(gpt.responses.retrieve(first[0].response.id, stream=True, starting_after=3))
    assert [event.sequence_number for event in (*first, *rest)] == list(range(len(first) + len(rest)))
    assert list(gpt.responses.retrieve(first[0].response.id, stream=True)) == [*first, *rest]


def test_service_that_stops_leaves_no_response_in_progress(
    model: LLM, grpc_url: str, start: Callable[..., Service], tmp_path: Path
) -> None:
    """Its clients read why it has failed, and the seed for the same answer."""
    with held(model):
        with services(grpc_url, tmp_path) as starter:
            response = client_of(starter()).responses.create(**TALE, background=True)
        gpt = client_of(start())
        ended = gpt.responses.retrieve(response.id)
    assert (ended.status, ended.error.code, ended.error.message) == (
        "failed",
        "server_error",
        background.IS_STOPPED,
    )
    seed = ended.model_extra["seed"]
    assert gpt.responses.create(**TALE, extra_body={"seed": seed}).model_extra["seed"] == seed


def test_response_that_the_disk_has_no_room_for_is_stored_later(
    start: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own service has it meanwhile."""
    real, is_full = ResponseStore.finish, threading.Event()
    is_full.set()

    def finish(*arguments: Any) -> bool:
        if is_full.is_set():
            raise StoreError("the sessions' database cannot be used: database or disk is full.")
        return real(*arguments)

    monkeypatch.setattr(ResponseStore, "finish", finish)
    monkeypatch.setattr(answers, "_MAX_STORE_PAUSE_S", 0.1)
    first, second = client_of(start()), client_of(start())
    response = first.responses.create(**TALE, background=True)
    ended = wait_for(first, response)
    assert ended.status == "incomplete" and ended.usage.output_tokens == 60
    assert second.responses.retrieve(response.id).status in RUNNING
    is_full.clear()
    assert wait_for(second, response) == ended
    wait_until(lambda: list(first.responses.retrieve(response.id, stream=True))[-1].response == ended)


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Files of this process grow no more, once they have a few blocks."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16384, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_answer_that_the_disk_has_no_room_for_comes_and_says_so(
    gpt: openai.OpenAI, is_streamed: bool
) -> None:
    expected = gpt.responses.create(**TALE)
    assert expected.model_extra["store"]
    conversation = gpt.conversations.create().id
    with full_disk():
        if is_streamed:
            answer = list(gpt.responses.create(**TALE, stream=True))[-1].response
        else:
            answer = gpt.responses.create(**TALE)
        with pytest.raises(openai.InternalServerError, match="database"):
            gpt.responses.create(**TALE, conversation=conversation)
    assert answer.output_text == expected.output_text
    assert not answer.model_extra["store"]
    with pytest.raises(openai.NotFoundError):
        gpt.responses.retrieve(answer.id)
    assert gpt.responses.retrieve(expected.id).output_text == expected.output_text
    assert not gpt.conversations.items.list(conversation).data


def make_lost(url: str) -> None:
    """Let the process that computes the responses have said nothing for an hour."""
    engine = database.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sql.update(StoredResponse).values(running=StoredResponse.running - 3600))
    engine.dispose()


def test_service_that_was_killed_leaves_no_response_in_progress(
    model: LLM, start: Callable[..., Service], tmp_path: Path
) -> None:
    """A stream that had an unknown number of events goes on with the failure."""
    first, second = client_of(start()), client_of(start())
    with held(model):
        response = first.responses.create(**TALE, background=True)
        assert second.responses.retrieve(response.id).status == "in_progress"
        make_lost(f"sqlite:///{tmp_path / 'sessions.db'}")
        lost = second.responses.retrieve(response.id)
        assert (lost.status, lost.error.code) == ("failed", "server_error")
        for after in (2, 500):
            rest = list(second.responses.retrieve(response.id, stream=True, starting_after=after))
            assert [(event.type, event.sequence_number) for event in rest] == [
                ("error", after + 1),
                ("response.failed", after + 2),
            ]
            assert rest[-1].response == lost
    wait_until(lambda: first.responses.retrieve(response.id) == lost)  # its own service agrees


def test_response_of_another_service_is_followed_and_cancelled(
    model: LLM, start: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_POLL_S", 0.01)
    monkeypatch.setattr(background, "BEAT_S", 0.01)
    first, second = client_of(start()), client_of(start())
    with held(model):
        response = first.responses.create(**TALE, background=True)
        stream = second.responses.retrieve(response.id, stream=True)
    events = list(stream)
    assert events == list(first.responses.retrieve(response.id, stream=True))
    with held(model):
        response = first.responses.create(**TALE, background=True)
        cancelled = second.responses.cancel(response.id)
        assert (cancelled.status, cancelled.output) == ("cancelled", [])
        wait_until(lambda: first.responses.retrieve(response.id) == cancelled)


def test_parameters_of_a_stream_are_checked(start: Callable[..., Service]) -> None:
    service = start()
    response = client_of(service).responses.create(**TALE)
    path = f"{ASK}/{response.id}"
    assert service.get(f"{path}?starting_after=3").json()["error"]["param"] == "starting_after"
    assert service.get(f"{path}?stream=true&starting_after=-1").status_code == 400
    ignored = service.get(
        f"{path}?include[]=reasoning.encrypted_content&include=message.output_text.logprobs&"
        "include_obfuscation=true"
    )
    assert ignored.headers["X-Ignored-Fields"] == "include[reasoning.encrypted_content], include_obfuscation"


def test_tokens_of_the_input_are_counted(gpt: openai.OpenAI) -> None:
    arguments: dict[str, Any] = {"model": "default", "tools": [WEATHER], "instructions": "Be kind."}
    counted = gpt.responses.input_tokens.count(**arguments, input="Rain?")
    response = gpt.responses.create(**arguments, input="Rain?")
    assert (counted.input_tokens, counted.object) == (response.usage.input_tokens, "response.input_tokens")
    longer = gpt.responses.input_tokens.count(**arguments, input="", previous_response_id=response.id)
    assert longer.input_tokens > counted.input_tokens
    with pytest.raises(openai.BadRequestError, match="input is empty"):
        gpt.responses.input_tokens.count(model="default")


def test_conversation_goes_on_from_its_compaction(gpt: openai.OpenAI) -> None:
    """The questions and a summary take its place, with tools or an answer's form in the request, too."""
    first = gpt.responses.create(model="default", input="Hello", max_output_tokens=16)
    asked: Any = {"model": "default", "previous_response_id": first.id, "input": "What are you?"}
    tool = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}
    more = {"temperature": 0, "max_output_tokens": 24, "tools": [tool], "tool_choice": "required"}
    compacted = gpt.responses.compact(**asked, extra_body=more)
    assert compacted.object == "response.compaction" and compacted.usage.output_tokens > 0
    output: list[Any] = [item.to_dict() for item in compacted.output]
    assert [item["type"] for item in output] == ["message", "message", "compaction"]
    assert [item["content"][0]["text"] for item in output[:2]] == ["Hello", "What are you?"]
    question = {"role": "user", "content": "And?"}
    goes_on = gpt.responses.with_raw_response.create(
        model="default", input=[*output, question], max_output_tokens=16
    )
    assert "X-Ignored-Items" not in goes_on.headers
    without = gpt.responses.create(model="default", input=[*output[:2], question], max_output_tokens=16)
    usage = goes_on.parse().usage
    assert usage is not None and without.usage is not None
    assert usage.input_tokens > without.usage.input_tokens + compacted.usage.output_tokens
    for path in (f"/responses/{compacted.id}", f"/responses/{compacted.id}/input_items"):  # it is not stored
        with pytest.raises(openai.NotFoundError):
            gpt.get(path, cast_to=object)
    with pytest.raises(openai.BadRequestError, match="input is empty"):
        gpt.responses.compact(model="default")


def test_compaction_has_room_in_a_full_context(gpt: openai.OpenAI) -> None:
    turns: Any = [
        {"role": role, "content": "word " * 60} for _ in range(12) for role in ("user", "assistant")
    ]
    assert gpt.responses.compact(model="default", input=turns).usage.output_tokens > 0
