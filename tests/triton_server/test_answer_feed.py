"""The feed: pieces of many answers in few responses of Triton's. Answers are the same as without it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from conftest import Server
from support import wait_until

from model_core.errors import InvalidRequest, RequestTimeout, TritonchatError
from model_core.events import Done, Logprobs, Text
from triton_server import wire
from triton_server.answer_streams import open_stream
from triton_server.async_client import AsyncChatClient
from triton_server.client import ChatClient
from triton_server.json_tensors import encode

PROMPT = "Once upon a time"


@pytest.fixture
def endless_client(endless: Server) -> Iterator[ChatClient]:
    """A client of the server with the endless model."""
    with ChatClient(endless.grpc_url) as opened:
        yield opened


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[AsyncChatClient]:
    """A client whose feed is open."""
    client = AsyncChatClient(url)
    try:
        await ask(client, max_tokens=1)
        while not client._feed.is_open:
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


def test_answers_in_a_feed_are_those_of_streams(server: Server, client: ChatClient) -> None:
    params = {"max_tokens": 120, "temperature": 1, "ignore_eos": True}

    async def answers() -> list[str]:
        async with connected(server.grpc_url) as fed:
            asking = [asyncio.create_task(ask(fed, seed=seed, **params)) for seed in range(24)]
            return list(await asyncio.gather(*asking))

    found = asyncio.run(answers())
    assert found == [client.chat(PROMPT, seed=seed, **params).text for seed in range(24)]


def test_pieces_of_many_answers_share_responses(endless: Server) -> None:
    """Of 32 answers, one response of the feed has pieces of many."""

    async def sizes() -> list[int]:
        client = AsyncChatClient(endless.grpc_url)
        feed = open_stream(client._triton, {"messages": encode({"feed": "mine"})})
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
            calls.append(asyncio.create_task(_read_all(open_stream(client._triton, arrays))))
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
        return found

    found = asyncio.run(sizes())
    assert max(found) > 16


async def _read_all(call: AsyncIterator[Any]) -> tuple[str, dict[str, Any]]:
    """The last response of a stream; it must be the only one."""
    (response,) = [wire.parse_response(result) async for result, error in call if error is None]
    return response


def test_answer_goes_on_when_its_feed_ends(endless: Server) -> None:
    params = {"max_tokens": 800, "seed": 1}

    async def answer() -> tuple[str, str]:
        async with connected(endless.grpc_url) as client:
            expected = await ask(client, **params)
            first, text = client._feed, ""
            async for event in client.stream(PROMPT, dict(params)):
                text += event.text if isinstance(event, Text) else ""
                if len(text) > 100 and not first.has_ended:
                    assert await client.cancel(first.name)
                    await first.wait(60)
            assert first.has_ended
            assert await ask(client, **params) == expected  # it opens another one
            assert client._feed is not first
            return text, expected

    text, expected = asyncio.run(answer())
    assert text == expected


def test_leaving_an_answer_in_a_feed_cancels_it(endless: Server, endless_client: ChatClient) -> None:
    async def leave() -> None:
        async with connected(endless.grpc_url) as client:
            for _ in range(4):
                async with aclosing(client.stream(PROMPT, {"max_tokens": 40_000})) as stream:
                    async for event in stream:
                        if isinstance(event, Text) and event.text:
                            break
            while client._ending:
                await asyncio.sleep(0.01)
            assert not client._feed._readers
            assert await ask(client, max_tokens=5)

    asyncio.run(leave())
    wait_until(lambda: endless_client.stats()["running"] == 0)


def test_errors_come_with_a_feed(endless: Server) -> None:
    async def failures() -> None:
        async with connected(endless.grpc_url) as client:
            with pytest.raises(InvalidRequest):
                await ask(client, temperature=-1)
            with pytest.raises(RequestTimeout) as raised:
                await ask(client, max_tokens=40_000, timeout_s=0.5)
            assert raised.value.partial

    asyncio.run(failures())


def test_log_probabilities_take_no_feed(server: Server) -> None:
    async def entries() -> None:
        async with connected(server.grpc_url) as client:
            found = 0
            async for event in client.stream(PROMPT, {"max_tokens": 20, "logprobs": 2, "ignore_eos": True}):
                assert not client._feed._readers
                found += len(event.entries) if isinstance(event, Logprobs) else 0
            assert found == 20

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


def test_client_that_is_gone_leaves_no_feed(server: Server, client: ChatClient) -> None:
    async def vanish() -> str:
        asking = AsyncChatClient(server.grpc_url)
        await ask(asking, max_tokens=1)
        while not asking._feed.is_open:
            await asyncio.sleep(0.01)
        name = asking._feed.name
        await asking._triton.close()  # without a word, as a process that is killed
        return name

    name = asyncio.run(vanish())
    wait_until(lambda: not client.cancel(name))
