"""Calls of MCP servers that the service makes for chats: the field `mcp`, and `mcp_calls` of messages.

OpenAI's chats have no such thing. Its clients keep the field of an answer, and send it back with the message.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from fastapi import Request
from pydantic import Field

from model_core.checks.request_values import JsonObject
from model_core.requests.answer_parts import AnswerParts
from model_core.requests.messages import Arguments

from ..body import Body
from ..errors import ApiError, unsupported
from ..ignored import ignore
from ..mcp_tools.calls import AnyEvent, CallEnded, CallStarted, Failure, Offer, Result
from ..mcp_tools.servers import ServerRequest, ToolServers, check_caller
from ..mcp_tools.toolbox import describe, name_offers
from .chat_tools import Functions

_REFUSED = ("functions", "logprobs", "return_token_ids", "prompt_logprobs", "continue_final_message")


class McpCallRecord(Body):
    """A call of a tool of an MCP server, with its result: `output` or `error`."""

    id: str
    server_label: str
    name: str
    arguments: Arguments = Field("", description="JSON, as the model has written it.")
    round: int = Field(0, ge=0, description="Counts the turns of the model in the answer, from 0.")
    output: str | None = None
    error: JsonObject | None = Field(
        None, description="A `type`, and a `message`, or the `content` of a tool that has failed."
    )


@dataclass
class ChatAnswer(AnswerParts):
    """An answer with the calls that the service has made for it."""

    ended: list[CallEnded] = field(default_factory=list)

    def add(self, *events: AnyEvent) -> "ChatAnswer":
        """Add the next events of the answer. Returns itself."""
        for event in events:
            if isinstance(event, CallEnded):
                self.ended.append(event)
            else:
                super().add(event)  # type: ignore[arg-type]  # others are no part of it
        return self


async def find_offers(request: Request, mcp: bool | list[str] | None, body: Any) -> list[Offer]:
    """The tools that a request lets the service call. Nobody can be asked, so they are those of `never`.

    Raises ApiError if there are none, if a server that the request names does not run, and for fields of the
    request that do not go together with rounds.
    """
    if not mcp:
        return []
    servers: ToolServers = request.app.state.tool_servers
    if not servers.labels:
        raise unsupported("mcp", "this service has no MCP servers; start it with --mcp-config.")
    check_caller(request.state.client, "mcp")
    if body.n not in (None, 1):
        raise unsupported("n", "mcp and n do not go together; send the request n times.")
    for name in _REFUSED:
        if getattr(body, name) not in (None, False, []):
            raise unsupported(name, f"mcp and {name} do not go together; leave one out.")
    offers: list[Offer] = []
    left_out: list[str] = []
    for label in servers.labels if mcp is True else dict.fromkeys(mcp):
        try:
            found = await servers.offer(ServerRequest(label, "mcp"))
        except ApiError as error:
            if mcp is not True or error.status != 503:
                raise
            left_out.append(f"mcp:{label}")
            continue
        offers += (offer for offer in found if offer.approval == "never")
        left_out += (f"mcp:{label}.{offer.tool.name}" for offer in found if offer.approval != "never")
    if not offers:
        names = ", ".join(left_out[:5]) or "none"
        raise ApiError(
            400,
            f"no tool may run without approval, for which chats have no place ({names}): give those that may "
            '"approval": "never" in the file of --mcp-config, or send the request to /v1/responses.',
            "no_mcp_tools",
            "mcp",
        )
    ignore(request, "tools", left_out)
    return offers


def add_offers(functions: Functions, offers: Iterable[Offer]) -> tuple[Functions, dict[str, Offer]]:
    """The functions with those for tools of MCP servers, and these by their names. Raises ApiError."""
    named = name_offers(offers, (tool["name"] for tool in functions.tools))
    tools = [describe(function, offer) for function, offer in named.items()]
    return replace(functions, tools=[*functions.tools, *tools]), named


def replay_calls(records: Iterable[McpCallRecord]) -> list[dict[str, Any]]:
    """Earlier calls and their results as messages: a turn of the assistant for each round."""
    rounds: dict[int, list[McpCallRecord]] = {}
    for record in records:
        rounds.setdefault(record.round, []).append(record)
    messages: list[dict[str, Any]] = []
    for made in rounds.values():
        calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in made]
        messages.append({"role": "assistant", "tool_calls": calls})
        messages += (
            {"role": "tool", "tool_call_id": call.id, "content": _read_result(call).text} for call in made
        )
    return messages


def render_ended(ended: CallEnded) -> dict[str, Any]:
    """A call with its result."""
    return {**_render_call(ended), **_render_result(ended.result)}


def render_call_delta(event: CallStarted | CallEnded) -> dict[str, Any]:
    """The part of a stream for a call that begins, or has ended."""
    fields = _render_call(event) if isinstance(event, CallStarted) else _render_result(event.result)
    return {"mcp_calls": [{"index": event.call.index, **fields}]}


def _render_call(event: CallStarted | CallEnded) -> dict[str, Any]:
    call = event.call
    return {
        "id": call.id,
        "server_label": call.server,
        "name": call.name,
        "arguments": call.arguments,
        "round": call.round,
    }


def _render_result(result: Result) -> dict[str, Any]:
    return {"output": result.output} if result.failure is None else {"error": result.failure.to_dict()}


def _read_result(record: McpCallRecord) -> Result:
    return Result(record.output) if record.error is None else Result(failure=Failure.from_dict(record.error))
