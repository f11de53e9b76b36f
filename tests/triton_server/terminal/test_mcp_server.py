"""`tritonchat mcp`, through the client of the package `mcp`."""

import asyncio
import os
from typing import Any

import httpx
import mcp
from conftest import TRITONCHAT
from in_process import Endpoints


def call(url: str, *calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[Any]]:
    """The names of the tools, and the results of calls."""
    program, *arguments = TRITONCHAT
    environment = {**os.environ, "TRITONCHAT_API_URL": url}
    parameters = mcp.StdioServerParameters(command=program, args=[*arguments, "mcp"], env=environment)

    async def run() -> tuple[list[str], list[Any]]:
        async with mcp.Client(parameters) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, [await client.call_tool(name, fields) for name, fields in calls]

    return asyncio.run(run())


def test_an_agent_uses_the_service(reciter: Endpoints) -> None:
    fields = {"question": "Hello", "seed": 1}
    tools, (answer, cut, vectors, chosen, refused) = call(
        reciter.api_url,
        ("chat", fields),
        ("chat", {**fields, "max_tokens": 1}),
        ("embed", {"texts": ["Hello", "Rain"]}),
        ("choose", {"question": "Hello", "choices": ["Good day!", "Rain"]}),
        ("chat", {**fields, "model": "other"}),
    )
    assert tools == ["chat", "complete", "embed", "rerank", "choose"]
    body = {"messages": [{"role": "user", "content": "Hello"}], "seed": 1}
    same = httpx.post(f"{reciter.api_url}/v1/chat/completions", json=body).json()
    assert answer.content[0].text == same["choices"][0]["message"]["content"]
    assert cut.content[0].text.endswith(
        "\n[The answer was cut off, because it reached the limit of its tokens.]"
    )
    assert len(vectors.content) == 1 and len(vectors.structured_content["embeddings"]) == 2
    assert {each["text"] for each in chosen.structured_content["result"]} == {"Good day!", "Rain"}
    assert refused.is_error and "there is no model 'other'" in refused.content[0].text


def test_without_a_service_the_call_fails() -> None:
    _, (refused,) = call("http://127.0.0.1:9", ("complete", {"prompt": "Once"}))
    assert refused.is_error and "no server answers" in refused.content[0].text
