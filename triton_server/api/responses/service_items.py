"""Items of calls that the service makes: mcp_list_tools, mcp_call, mcp_approval_request, file_search_call."""

import json
from typing import Any

from ..mcp_tools.calls import (
    OWN,
    ApprovalAsked,
    Call,
    CallEnded,
    CallStarted,
    Failure,
    Finding,
    Result,
    Tool,
    ToolEvent,
    ToolsListed,
)
from .citations import read_queries
from .items import item_id
from .tools import SEARCH_CALL

SERVICE_ITEMS = ("mcp_list_tools", "mcp_call", "mcp_approval_request", SEARCH_CALL)
# The place of an item in the output; the types of events of OpenAI's stream, and their fields.
_Written = tuple[int, list[tuple[str, dict[str, Any]]]]


class ServiceItems:
    """Adds the items to the output of a response, and makes their events.

    Calls that run one after the other may end later, so each keeps the place at which it has begun.
    """

    def __init__(self, response: dict[str, Any], input_count: int) -> None:
        """`response` and `input_count` are those of ResponseWriter."""
        self._response, self._input_count = response, input_count
        self._places: dict[int, int] = {}  # of calls in the output, by their indices
        self.findings: dict[int, Finding] = {}  # of searches, by their numbers

    def write(self, event: ToolEvent) -> _Written:
        """The place of the item of an event of the rounds, and the events for it."""
        match event:
            case ToolsListed():
                return self._list(event)
            case CallStarted(call):
                return self._start_search(call) if call.server == OWN else self._start(call)
            case CallEnded(call):
                return self._end_search(event) if call.server == OWN else self._end(event)
            case ApprovalAsked(call):
                return self._ask(call)

    def _list(self, listed: ToolsListed) -> _Written:
        tools = list(map(_describe, listed.tools))
        index, item = self._add("mcp_list_tools", server_label=listed.server, tools=tools, error=None)
        place = {"item_id": item["id"], "output_index": index}
        return index, [
            ("response.output_item.added", {"output_index": index, "item": {**item, "tools": []}}),
            ("response.mcp_list_tools.in_progress", place),
            ("response.mcp_list_tools.completed", place),
            ("response.output_item.done", {"output_index": index, "item": item}),
        ]

    def _start(self, call: Call) -> _Written:
        fields = {"approval_request_id": call.approval_id, "output": None, "error": None}
        index, item = self._add("mcp_call", status="in_progress", **_name(call), arguments="", **fields)
        self._places[call.index] = index
        place, begun = {"item_id": item["id"], "output_index": index}, dict(item)
        item["arguments"] = call.arguments
        return index, [
            ("response.output_item.added", {"output_index": index, "item": begun}),
            ("response.mcp_call.in_progress", place),
            ("response.mcp_call_arguments.delta", {**place, "delta": call.arguments}),
            ("response.mcp_call_arguments.done", {**place, "arguments": call.arguments}),
        ]

    def _end(self, ended: CallEnded) -> _Written:
        index, result = self._places[ended.call.index], ended.result
        item, failure = self._response["output"][index], result.failure
        status = "completed" if failure is None else "failed"
        item |= {"status": status, "output": result.output, "error": failure and failure.to_dict()}
        return index, [
            (f"response.mcp_call.{status}", {"item_id": item["id"], "output_index": index}),
            ("response.output_item.done", {"output_index": index, "item": item}),
        ]

    def _start_search(self, call: Call) -> _Written:
        fields = {"queries": read_queries(call.arguments), "results": None}
        index, item = self._add(SEARCH_CALL, status="in_progress", **fields)
        self._places[call.index] = index
        place, begun = {"item_id": item["id"], "output_index": index}, dict(item)
        item["status"] = "searching"
        return index, [
            ("response.output_item.added", {"output_index": index, "item": begun}),
            ("response.file_search_call.in_progress", place),
            ("response.file_search_call.searching", place),
        ]

    def _end_search(self, ended: CallEnded) -> _Written:
        index, result = self._places[ended.call.index], ended.result
        item, failure = self._response["output"][index], result.failure
        self.findings |= {finding.number: finding for finding in result.findings}
        done = [("response.output_item.done", {"output_index": index, "item": item})]
        if failure is not None:
            item |= {"status": "failed", "error": {"message": failure.message}}
            return index, done
        item["status"] = "completed"
        if result.shows_findings:
            item["results"] = [dict(finding.fields) for finding in result.findings]
        place = {"item_id": item["id"], "output_index": index}
        return index, [("response.file_search_call.completed", place), *done]

    def _ask(self, call: Call) -> _Written:
        index, item = self._add("mcp_approval_request", **_name(call), arguments=call.arguments)
        place = {"output_index": index, "item": item}
        return index, [("response.output_item.added", place), ("response.output_item.done", place)]

    def _add(self, kind: str, **fields: Any) -> tuple[int, dict[str, Any]]:
        """Add an item to the output; return its place and the item."""
        output = self._response["output"]
        name = item_id(kind, self._response["id"], self._input_count + len(output))
        output.append({"id": name, "type": kind, **fields})
        return len(output) - 1, output[-1]


def _name(call: Call) -> dict[str, Any]:
    return {"server_label": call.server, "name": call.name}


def _describe(tool: Tool) -> dict[str, Any]:
    fields = {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
    return {**fields, "annotations": None if tool.annotations is None else dict(tool.annotations)}


def restore_event(kind: str, index: int, item: dict[str, Any]) -> ToolEvent:
    """The event, by the name of its class, that has written an item at its place in the output."""
    if kind == ToolsListed.__name__:
        tools = (
            Tool(t["name"], t["description"], t["input_schema"], t["annotations"]) for t in item["tools"]
        )
        return ToolsListed(item["server_label"], tuple(tools))
    if item["type"] == SEARCH_CALL:
        return _restore_search(kind, index, item)
    approval = item.get("approval_request_id")
    call = Call(index, "", item["server_label"], item["name"], item["arguments"], 0, item["name"], approval)
    if kind == CallStarted.__name__:
        return CallStarted(call)
    if kind == ApprovalAsked.__name__:
        return ApprovalAsked(call)
    error = item["error"]
    return CallEnded(call, Result(item["output"], None if error is None else _restore_failure(error)))


def _restore_search(kind: str, index: int, item: dict[str, Any]) -> ToolEvent:
    arguments = json.dumps({"query": item["queries"][0]}) if item["queries"] else ""
    call = Call(index, "", OWN, "", arguments, 0, "")
    if kind == CallStarted.__name__:
        return CallStarted(call)
    if item["status"] == "failed":
        return CallEnded(call, Result(failure=Failure(item["error"]["message"])))
    results = item["results"]
    findings = tuple(Finding(number, fields) for number, fields in enumerate(results or ()))
    return CallEnded(call, Result(findings=findings, shows_findings=results is not None))


def _restore_failure(error: dict[str, Any]) -> Failure:
    return Failure(error.get("message", ""), error.get("content"), error.get("code", 0))
