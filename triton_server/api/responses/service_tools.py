"""What a request to /v1/responses asks of MCP servers, and the calls that a person has approved."""

from collections.abc import Mapping, Sequence

from fastapi import Request

from ..errors import ApiError, unsupported
from ..ignored import ignore
from ..mcp_tools.calls import Call, Offer
from ..mcp_tools.config import Approval
from ..mcp_tools.rounds import Toolbox
from ..mcp_tools.servers import ServerRequest, ToolServers, check_caller
from ..mcp_tools.toolbox import list_offers
from .includes import LOGPROBS
from .item_schemas import Item, McpApprovalRequestItem, McpApprovalResponseItem, McpCallItem, McpListToolsItem
from .schemas import ResponsesRequest
from .tools import Approvals, McpTool, ToolFilter

# OpenAI's fields of servers that are nobody's here.
_REFUSED = ("connector_id", "tunnel_id", "authorization", "headers")
# The model is told of all tools at once, by their own descriptions.
_WITHOUT_EFFECT = ("defer_loading", "server_description")


async def find_offers(request: Request, body: ResponsesRequest) -> dict[str, list[Offer]] | None:
    """The tools of MCP servers for a request, by the paths of its tools; None: this service has no servers.

    Raises ApiError for a server that the service does not have, and what else it cannot do.
    """
    servers: ToolServers = request.app.state.tool_servers
    if not servers.labels:
        return None
    offers = {}
    for number, tool in enumerate(body.tools or ()):
        if isinstance(tool, McpTool):
            path = f"tools[{number}]"
            check_caller(request.state.client, path)
            ignore(request, "fields", [f"{path}.{name}" for name in _WITHOUT_EFFECT if getattr(tool, name)])
            offers[path] = await servers.offer(_read_request(servers, path, tool))
    return offers


def check_together(body: ResponsesRequest) -> None:
    """Raises ApiError for what an answer cannot have for which the service calls tools."""
    refused = {
        "top_logprobs": body.top_logprobs is not None,
        f"include[{LOGPROBS}]": LOGPROBS in (body.include or ()),
        "continue_final_message": body.continue_final_message,
    }
    for name, is_given in refused.items():
        if is_given:
            message = f"tools that the service calls and {name} do not go together; leave one out."
            raise unsupported(name, message)


def _read_request(servers: ToolServers, path: str, tool: McpTool) -> ServerRequest:
    for name in _REFUSED:
        if getattr(tool, name):
            message = f"{name} is not supported; name a server of --mcp-config by its server_label."
            raise unsupported(f"{path}.{name}", message)
    if tool.allowed_callers is not None and "direct" not in tool.allowed_callers:
        message = "allowed_callers must have direct: no program calls tools here, only the model."
        raise unsupported(f"{path}.allowed_callers", message)
    allowed, approval = tool.allowed_tools, tool.require_approval
    filters = ToolFilter(tool_names=allowed) if isinstance(allowed, list) else allowed or ToolFilter()
    names = filters.tool_names
    return ServerRequest(
        _find_label(servers, path, tool),
        path,
        None if names is None else frozenset(names),
        bool(filters.read_only),
        approval if isinstance(approval, str) else None,
        _read_approvals(path, approval) if isinstance(approval, Approvals) else {},
    )


def _find_label(servers: ToolServers, path: str, tool: McpTool) -> str:
    """The name of the server that a tool means. Raises ApiError for another URL."""
    if tool.server_url is None:
        return tool.server_label
    found = servers.find_url(tool.server_url)
    if tool.server_label in servers.labels and found != tool.server_label:
        raise unsupported(f"{path}.server_url", "server_url is not that of the server with this label.")
    if found is None:
        message = "server_url is not one of --mcp-config; this service opens no other connections."
        raise unsupported(f"{path}.server_url", message)
    return found


def _read_approvals(path: str, approvals: Approvals) -> dict[str, Approval]:
    """What a request says of single tools. Raises ApiError."""
    said: dict[str, Approval] = {}
    words: tuple[Approval, ...] = ("never", "always")  # the stricter one counts
    for word in words:
        filters: ToolFilter = getattr(approvals, word) or ToolFilter()
        if filters.read_only is not None:
            param = f"{path}.require_approval.{word}.read_only"
            raise unsupported(param, "read_only is not supported here; name the tools.")
        said |= dict.fromkeys(filters.tool_names or (), word)
    return said


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
