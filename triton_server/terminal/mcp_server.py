"""A service's answers, vectors, scores and choices as tools of an MCP server.

Each tool is one request to a route of the service. The texts below are what the agent's model reads.
"""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from .service import ServiceClient, ServiceError

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
_CUT_OFF = "[The answer was cut off, because it reached the limit of its tokens.]"

Model = Annotated[str | None, Field(description="The name of a model of the server; by default its first.")]
MaxTokens = Annotated[int | None, Field(ge=1, description="The largest number of tokens of the answer.")]
Temperature = Annotated[float | None, Field(ge=0, description="0: always the likeliest token.")]
Seed = Annotated[int | None, Field(description="The same seed gives the same answer.")]
Texts = Annotated[list[str], Field(min_length=1)]


def make_server(service: ServiceClient) -> MCPServer:
    """The MCP server for a service, which need not run yet."""
    server = MCPServer("tritonchat", version=version("tritonchat"))

    async def ask(path: str, body: Mapping[str, Any]) -> Any:
        try:
            return await service.post(
                path, {name: value for name, value in body.items() if value is not None}
            )
        except ServiceError as error:
            raise ToolError(str(error)) from error

    @server.tool(annotations=_READ_ONLY)
    async def chat(
        question: str,
        system: Annotated[str | None, Field(description="What the model should know before.")] = None,
        model: Model = None,
        max_tokens: MaxTokens = None,
        temperature: Temperature = None,
        seed: Seed = None,
    ) -> str:
        """Ask a language model that runs on this machine."""
        before = [] if system is None else [{"role": "system", "content": system}]
        body = {
            "messages": [*before, {"role": "user", "content": question}],
            "model": model,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
        }
        answer = await ask("/v1/chat/completions", body)
        choice = answer["choices"][0]
        text = choice["message"]["content"] or ""
        return f"{text}\n{_CUT_OFF}" if choice["finish_reason"] == "length" else text

    @server.tool(annotations=_READ_ONLY)
    async def complete(
        prompt: str,
        model: Model = None,
        max_tokens: MaxTokens = None,
        temperature: Temperature = None,
        seed: Seed = None,
    ) -> str:
        """Continue a text with a language model that runs on this machine. The answer is what is new.

        It has 16 tokens, if max_tokens does not say otherwise.
        """
        body = {
            "prompt": prompt,
            "model": model,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
        }
        return (await ask("/v1/completions", body))["choices"][0]["text"]

    @server.tool(annotations=_READ_ONLY)
    async def embed(texts: Texts, model: Model = None) -> dict[str, list[list[float]]]:
        """Compute a vector for each text. Texts that mean the same have similar vectors."""
        answer = await ask("/v1/embeddings", {"input": texts, "model": model})
        # Not a bare list: the library makes a text of each number in it.
        return {"embeddings": [entry["embedding"] for entry in answer["data"]]}

    @server.tool(annotations=_READ_ONLY)
    async def rerank(query: str, documents: Texts, model: Model = None) -> list[dict[str, Any]]:
        """Score documents by how well they answer a query, the best first. `index` counts them from 0."""
        body = {"query": query, "documents": documents, "model": model, "return_documents": False}
        answer = await ask("/v1/rerank", body)
        return [{name: one[name] for name in ("index", "relevance_score")} for one in answer["results"]]

    @server.tool(annotations=_READ_ONLY)
    async def choose(question: str, choices: Texts, model: Model = None) -> list[dict[str, Any]]:
        """Tell which of some answers a language model would give to a question, the likeliest first."""
        message = {"role": "user", "content": question}
        answer = await ask("/v1/choose", {"messages": [message], "choices": choices, "model": model})
        ranked = sorted(answer["data"], key=lambda choice: choice["rank"])
        return [{name: one[name] for name in ("text", "index", "perplexity", "logprob")} for one in ranked]

    return server
