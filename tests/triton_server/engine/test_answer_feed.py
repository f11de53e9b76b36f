"""The feed: pieces of many answers in few responses of Triton's. Answers are the same as without it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from conftest import Server
from forwarder import forwarding
from support import wait_until
from tritonclient.grpc.aio import InferenceServerClient

from model_core.errors import InvalidRequest, RequestTimeout, TritonchatError
from model_core.requests.events import Done, Logprobs, Text
from triton_server.client import AsyncChatClient, ChatClient, async_chat_client
from triton_server.client.answer_streams import AnswerReader, Feed, open_stream
from triton_server.contract import wire
from triton_server.contract.json_tensors import encode

PROMPT = "Once upon a time"


@pytest.fixture
def endless_client(endless: Server) -> Iterator[ChatClient]:
    """A client of the server with the endless model."""
    with ChatClient(endless.grpc_url) as opened:
        yield opened


class NotedFeed(Feed):
    """A feed that a test can look at, and the answers that it carries."""

    def __init__(self, client: InferenceServerClient) -> None:
        super().__init__(client)
        self.answers: list[AnswerReader] = []

    def carry(self, request_id: str, call: AsyncIterator[Any]) -> AnswerReader:
        self.answers.append(super().carry(request_id, call))
        return self.answers[-1]


@pytest.fixture
def feeds(monkeypatch: pytest.MonkeyPatch) -> list[NotedFeed]:
    """The feeds that clients open, the last one at the end."""
    opened: list[NotedFeed] = []

    def open_feed(client: InferenceServerClient) -> NotedFeed:
        opened.append(NotedFeed(client))
        return opened[-1]

    monkeypatch.setattr(async_chat_client, "Feed", open_feed)
    return opened


@asynccontextmanager
async def connected(url: str, feeds: list[NotedFeed]) -> AsyncIterator[AsyncChatClient]:
    """A client whose feed is open."""
    client = AsyncChatClient(url)
    try:
        await ask(client, max_tokens=1)
        while not feeds[-1].is_open:
            await asyncio.sleep(0.01)
        yield client
    finally:
        await client.close()


async def ask(client: AsyncChatClient, prompt: str = PROMPT, **parameters: Any) -> str:
    text = ""
    async for event in client.stream(prompt, parameters):
        text += event.text if isinstance(event, Text) else ""
    assert isinstance(event, Done)
    return text


def test_answers_in_a_feed_are_those_of_streams(
    server: Server, client: ChatClient, feeds: list[NotedFeed]
) -> None:
    params = {"max_tokens": 120, "temperature": 1, "ignore_eos": True}

    async def answers() -> list[str]:
        async with connected(server.grpc_url, feeds) as fed:
            asking = [asyncio.create_task(ask(fed, seed=seed, **params)) for seed in range(24)]
            return list(await asyncio.gather(*asking))

    found = asyncio.run(answers())
    assert found == [client.chat(PROMPT, seed=seed, **params).text for seed in range(24)]


def test_pieces_of_many_answers_share_responses(endless: Server) -> None:
    """Of 32 answers, one response of the feed has pieces of many."""

    async def sizes() -> list[int]:
        client, triton = AsyncChatClient(endless.grpc_url), InferenceServerClient(endless.grpc_url)
        feed = open_stream(triton, {"messages": encode({"feed": "mine"})})
        found: list[int] = []
        result, error = await anext(feed)
        assert error is None and wire.parse_text(result, "response") == "{}"
        parameters = {"max_tokens": 40_000, "feed": "mine"}
        calls = []
        for number in range(32):
            arrays = {
                "messages": encode(PROMPT),
                "parameters": encode({**parameters, "request_id": f"m{number}"}),
            }
            calls.append(asyncio.create_task(_read_all(open_stream(triton, arrays))))
        texts = dict.fromkeys((f"m{number}" for number in range(32)), "")
        while not all(len(text) > 200 for text in texts.values()):
            result, error = await anext(feed)
            pieces = json.loads(wire.parse_text(result, "response"))
            found.append(len(pieces))
            for key, parts in pieces.items():
                texts[key] += "".join(text for text, _ in parts)
        for number in range(32):
            assert await client.cancel(f"m{number}")
        ends = await asyncio.gather(*calls)
        for (text, details), so_far in zip(ends, texts.values(), strict=True):
            assert details["finish_reason"] == "cancelled"
            assert details["fed"] > 0
            assert isinstance(text, str) and so_far
        assert await client.cancel("mine")
        await client.close()
        await triton.close()
        return found

    found = asyncio.run(sizes())
    assert max(found) > 16


async def _read_all(call: AsyncIterator[Any]) -> tuple[str, dict[str, Any]]:
    """The last response of a stream; it must be the only one."""
    (response,) = [wire.parse_piece(result) async for result, error in call if error is None]
    return response


def test_answer_goes_on_when_its_feed_ends(endless: Server, feeds: list[NotedFeed]) -> None:
    params = {"max_tokens": 800, "seed": 1}

    async def answer() -> tuple[str, str]:
        async with connected(endless.grpc_url, feeds) as client:
            expected = await ask(client, **params)
            (first,), text = feeds, ""
            async for event in client.stream(PROMPT, dict(params)):
                text += event.text if isinstance(event, Text) else ""
                if len(text) > 100 and not first.has_ended:
                    assert await client.cancel(first.name)
                    await first.wait(60)
            assert first.has_ended
            assert await ask(client, **params) == expected  # it opens another one
            assert len(feeds) == 2
            return text, expected

    text, expected = asyncio.run(answer())
    assert text == expected


def test_leaving_an_answer_in_a_feed_cancels_it(
    endless: Server, endless_client: ChatClient, feeds: list[NotedFeed]
) -> None:
    async def leave() -> None:
        async with connected(endless.grpc_url, feeds) as client:
            for _ in range(4):
                async with aclosing(client.stream(PROMPT, {"max_tokens": 40_000})) as stream:
                    async for event in stream:
                        if isinstance(event, Text) and event.text:
                            break
            ends = [await answer.wait(60) for answer in feeds[0].answers]
            assert ends == [True] * 4
            assert await ask(client, max_tokens=5)

    asyncio.run(leave())
    wait_until(lambda: endless_client.stats()["running"] == 0)


def test_errors_come_with_a_feed(endless: Server, feeds: list[NotedFeed]) -> None:
    async def failures() -> None:
        async with connected(endless.grpc_url, feeds) as client:
            with pytest.raises(InvalidRequest):
                await ask(client, temperature=-1)
            with pytest.raises(RequestTimeout) as raised:
                await ask(client, max_tokens=40_000, timeout_s=0.5)
            assert raised.value.partial

    asyncio.run(failures())


def test_log_probabilities_take_no_feed(server: Server, feeds: list[NotedFeed]) -> None:
    async def entries() -> None:
        async with connected(server.grpc_url, feeds) as client:
            found = 0
            async for event in client.stream(PROMPT, {"max_tokens": 20, "logprobs": 2, "ignore_eos": True}):
                found += len(event.entries) if isinstance(event, Logprobs) else 0
            assert found == 20
            assert feeds[0].is_open and not feeds[0].answers

    asyncio.run(entries())


@pytest.mark.parametrize("name", ["nobody", "x" * 200])
def test_feed_that_is_not_open_is_done_without(server: Server, client: ChatClient, name: str) -> None:
    params = {"max_tokens": 20, "seed": 2, "temperature": 1, "request_id": "lone"}
    expected = client.chat(PROMPT, **params).text
    try:
        with client.stream(PROMPT, feed=name, **params) as stream:
            assert "".join(stream) == expected
    except TritonchatError as error:
        assert len(name) > 128 and "feed" in str(error)


def test_client_that_is_gone_leaves_no_feed(
    server: Server, client: ChatClient, feeds: list[NotedFeed]
) -> None:
    async def vanish() -> None:
        with forwarding(f"http://{server.grpc_url}") as way:
            async with connected(f"127.0.0.1:{way.port}", feeds):
                way.cut()  # without a word, as a process that is killed

    def answers_alone() -> bool:
        """Whether an answer for the feed comes in its own stream, because the feed is gone."""
        with client.stream(PROMPT, feed=feeds[0].name, max_tokens=3) as stream:
            return bool("".join(stream))

    asyncio.run(vanish())
    wait_until(answers_alone)
