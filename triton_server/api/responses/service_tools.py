"""What a request to /v1/responses asks of MCP servers, and the calls that a person has approved."""

from collections.abc import Mapping, Sequence

from ..errors import ApiError, unsupported
from ..mcp_tools.calls import Call, Offer
from ..mcp_tools.config import Approval
from ..mcp_tools.rounds import Toolbox
from ..mcp_tools.servers import ServerRequest, ToolServers
from ..mcp_tools.toolbox import list_offers
from .item_schemas import Item, McpApprovalRequestItem, McpApprovalResponseItem, McpCallItem, McpListToolsItem
from .schemas import ResponsesRequest
from .tools import McpTool

# OpenAI's fields of servers that are nobody's here.
_REFUSED = ("connector_id", "tunnel_id", "authorization", "headers")


async def find_offers(servers: ToolServers, body: ResponsesRequest) -> dict[str, list[Offer]] | None:
    """The tools of MCP servers for a request, by the paths of its tools; None: this service has no servers.

    Raises ApiError for a server that the service does not have, and what else it cannot do.
    """
    if not servers.labels:
        return None
    offers = {}
    for number, tool in enumerate(body.tools or ()):
        if isinstance(tool, McpTool):
            path = f"tools[{number}]"
            offers[path] = await servers.offer(_read_request(servers, path, tool))
    if offers and (body.top_logprobs is not None or body.continue_final_message):
        name = "top_logprobs" if body.top_logprobs is not None else "continue_final_message"
        raise unsupported(name, f"tools of MCP servers and {name} do not go together; leave one out.")
    return offers


def _read_request(servers: ToolServers, path: str, tool: McpTool) -> ServerRequest:
    for name in _REFUSED:
        if getattr(tool, name):
            message = f"{name} is not supported; name a server of --mcp-config by its server_label."
            raise unsupported(f"{path}.{name}", message)
    label = tool.server_label
    if tool.server_url is not None and label not in servers.labels:
        found = servers.find_url(tool.server_url)
        if found is None:
            raise unsupported(
                f"{path}.server_url",
                "server_url is not one of --mcp-config; this service opens no other connections.",
            )
        label = found
    elif tool.server_url is not None and servers.find_url(tool.server_url) != label:
        raise unsupported(f"{path}.server_url", "server_url is not that of the server with this label.")
    allowed, approval = tool.allowed_tools, tool.require_approval
    names = allowed if isinstance(allowed, list) or allowed is None else allowed.tool_names
    request = ServerRequest(
        label,
        path,
        None if names is None else frozenset(names),
        read_only=bool(allowed is not None and not isinstance(allowed, list) and allowed.read_only),
    )
    if approval is None or isinstance(approval, str):
        return ServerRequest(label, path, request.allowed, request.read_only, approval)
    said: dict[str, Approval] = {}
    words: tuple[Approval, ...] = ("never", "always")  # the stricter one counts
    for word in words:
        filters = getattr(approval, word)
        if filters is not None and filters.read_only is not None:
            param = f"{path}.require_approval.{word}.read_only"
            raise unsupported(param, "read_only is not supported here; name the tools.")
        said |= dict.fromkeys((filters and filters.tool_names) or (), word)
    return ServerRequest(label, path, request.allowed, request.read_only, None, said)


def make_toolbox(
    body: ResponsesRequest, offers: Mapping[str, Offer], earlier: Sequence[Item], items: Sequence[Item]
) -> Toolbox:
    """What an answer may call: tools, and what `items` approve. `earlier`: those of the conversation before.

    Tools that the conversation has listed already are not listed again. Raises ApiError for an approval of
    what the conversation has not asked for, or the request does not offer.
    """
    every = [*earlier, *items]
    listed = {item.server_label for item in every if isinstance(item, McpListToolsItem)}
    lists = [one for one in list_offers(list(offers.values())) if one.server not in listed]
    asked = {item.id: item for item in every if isinstance(item, McpApprovalRequestItem)}
    made = {item.approval_request_id for item in every if isinstance(item, McpCallItem)}
    functions = {(offer.server, offer.tool.name): function for function, offer in offers.items()}
    approved: dict[str, Call] = {}
    for item in items:
        if not isinstance(item, McpApprovalResponseItem):
            continue
        request = asked.get(item.approval_request_id)
        if request is None:
            raise _refuse("approves a call that the conversation has not asked for.")
        if not item.approve or request.id in made or request.id in approved:
            continue
        function = functions.get((request.server_label, request.name))
        if function is None:
            raise _refuse("approves a call of a tool that is not among those of the request.")
        named = request.server_label, request.name, request.arguments
        approved[request.id] = Call(len(approved), request.id, *named, 0, function, request.id)
    return Toolbox(offers, lists, list(approved.values()), body.max_tool_calls)


def _refuse(words: str) -> ApiError:
    return ApiError(400, f"mcp_approval_response {words}", "invalid_request", "input")
