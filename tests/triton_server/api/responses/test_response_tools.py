"""Tools of the Responses API as agents send them: custom tools, namespaces, shells, patches, hosted tools."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from conftest import Server
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from model_core.errors import InvalidRequest, TritonchatError
from triton_server.api.custom_tools import list_unenforced, read_input
from triton_server.api.errors import ApiError
from triton_server.api.foreign_content import read_text_file
from triton_server.api.responses.calls import CallForm, fill_item
from triton_server.api.responses.item_schemas import ITEMS
from triton_server.api.responses.items import list_left_out, to_messages
from triton_server.api.responses.schemas import ResponsesRequest
from triton_server.api.responses.tools import Functions, find_functions, function_name

STREAM_EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
SHORT = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}}
SHORT |= {"required": ["a"], "additionalProperties": False}
ADD = {"type": "function", "name": "add", "parameters": SHORT, "strict": True}
PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Edit files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "*** Begin Patch"'},
}
# As Codex sends them.
AGENT_TOOLS = [
    ADD,
    PATCH,
    {"type": "web_search", "external_web_access": True},
    {"type": "namespace", "name": "mcp__files__", "description": "Files.", "tools": [ADD, PATCH]},
    {"type": "image_generation", "output_format": "png"},
]


@pytest.fixture(scope="module")
def gpt(api: Server) -> Iterator[openai.OpenAI]:
    """OpenAI's client with the address of the service."""
    with openai.OpenAI(base_url=f"{api.api_url}/v1", api_key="none", max_retries=0) as client:
        yield client


def find(tools: list[dict[str, Any]], choice: Any = None) -> Functions:
    body = ResponsesRequest(input="Hi", tools=tools, tool_choice=choice)
    return find_functions(body.tools or (), body.tool_choice)


def test_grammars_that_are_not_enforced_are_named(gpt: openai.OpenAI) -> None:
    exact = {
        **PATCH,
        "name": "count",
        "format": {"type": "grammar", "syntax": "regex", "definition": "[0-9]"},
    }
    tools: Any = [*AGENT_TOOLS, exact]
    raw = gpt.responses.with_raw_response.create(
        model="default", input="Hi", tools=tools, max_output_tokens=16
    )
    assert raw.headers["X-Ignored-Fields"] == "tools[1].format, tools[3].tools[1].format"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        *(('{"input": "a b"}', "a b"), ('{"input": "a', "a"), ("{", ""), ('{"inp', ""), ('{"input": ', "")),
        *(('{"path": "a"}', '{"path": "a"}'), ("ls -l", "ls -l"), ("", "")),
    ],
)
def test_input_of_a_call_that_is_cut_has_no_json(arguments: str, text: str) -> None:
    assert read_input(arguments) == text


@pytest.mark.parametrize(
    ("head", "content", "text"),
    [
        ("", b"Hi", "Hi"),
        ("data:text/plain;base64,", b"Hi", "Hi"),
        ("data:application/json;base64,", b"{}", "{}"),
        ("data:application/pdf;base64,", b"abc", None),
        ("data:image/png;base64,", b"abc", None),
        ("", b"%PDF-1.4", None),
        ("", bytes([255]), None),
    ],
)
def test_only_files_of_text_are_read(head: str, content: bytes, text: str | None) -> None:
    assert read_text_file(head + base64.b64encode(content).decode()) == text


def test_tools_of_agents_become_functions() -> None:
    functions = find(AGENT_TOOLS)
    names = ["add", "apply_patch", "mcp__files__add", "mcp__files__apply_patch"]
    assert [tool["name"] for tool in functions.tools] == [*functions.forms] == names
    assert functions.left_out == ["web_search", "image_generation"]
    assert functions.forms["mcp__files__apply_patch"] == CallForm(
        "custom_tool_call", "apply_patch", "mcp__files__"
    )
    assert functions.sent_names["tools[3]"] == "tools[3].tools[1]"
    patch = functions.tools[1]
    assert patch["description"].startswith("Edit files.") and "*** Begin Patch" in patch["description"]
    assert patch["parameters"]["properties"] == {"input": {"type": "string"}}
    pattern = {**PATCH, "format": {"type": "grammar", "syntax": "regex", "definition": "a|b"}}
    (tool,) = find([pattern]).tools
    assert tool["parameters"]["properties"]["input"]["pattern"] == "^(?:a|b)$"


def test_tools_of_others_may_have_any_fields() -> None:
    hosted: list[Any] = [{"type": "web_search", "tools": 5, "format": {"definition": "a"}}]
    nested = {"type": "namespace", "name": "n", "tools": [{"type": "shell"}]}
    body = ResponsesRequest.model_validate({"input": "Hi", "tools": [*hosted, nested]})
    assert [*list_unenforced(body.tools or ())] == []
    assert find([*hosted, nested]).left_out == ["web_search", "shell"]


def test_names_of_namespaces_are_short_and_of_known_characters() -> None:
    assert function_name(CallForm("function_call", "read file", "my files")) == "my_files__read_file"
    long = [function_name(CallForm("function_call", "x" * 100 + end, "y" * 100)) for end in "ab"]
    assert len({*long}) == 2 and {*map(len, long)} == {128}


@pytest.mark.parametrize(
    ("choice", "names", "expected"),
    [
        (None, 4, "auto"),
        ("required", 4, "required"),
        ({"type": "function", "name": "add"}, 4, {"name": "add"}),
        (
            {"type": "function", "name": "add", "namespace": "mcp__files__"},
            4,
            {"name": "mcp__files__add"},
        ),
        ({"type": "custom", "name": "apply_patch"}, 4, {"name": "apply_patch"}),
        ({"type": "function", "name": "other"}, 4, {"name": "other"}),  # which the engine refuses
        (
            {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "add"}]},
            2,
            "required",
        ),
        (
            {"type": "allowed_tools", "tools": [{"type": "namespace", "name": "mcp__files__"}]},
            2,
            "auto",
        ),
    ],
)
def test_choice_of_tools(choice: Any, names: int, expected: Any) -> None:
    functions = find(AGENT_TOOLS, choice)
    assert (len(functions.tools), functions.choice) == (names, expected)


@pytest.mark.parametrize(
    ("choice", "error"),
    [
        ({"type": "web_search"}, ApiError),
        ({"type": "mcp", "server_label": "x"}, ApiError),
        ({"type": "allowed_tools", "tools": [{"type": "web_search"}]}, InvalidRequest),
    ],
)
def test_choice_of_what_nobody_can_run_is_refused(choice: Any, error: type[TritonchatError]) -> None:
    with pytest.raises(error) as raised:
        find(AGENT_TOOLS, choice)
    assert raised.value.param == "tool_choice"


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "add"}])
def test_choice_needs_a_tool_that_is_not_left_out(choice: Any) -> None:
    with pytest.raises(InvalidRequest, match="that the client runs; 'web_search' is left out") as raised:
        find([{"type": "web_search"}], choice)
    assert raised.value.param == "tool_choice"
    assert find([{"type": "web_search"}], "none").left_out == ["web_search"]


@pytest.mark.parametrize(
    ("kind", "written", "fields"),
    [
        ("custom_tool_call", "*** Begin", {"input": "*** Begin"}),
        (
            "shell_call",
            '{"commands": ["ls"], "timeout_ms": 5}',
            {"action": {"commands": ["ls"], "timeout_ms": 5, "max_output_length": None}},
        ),
        (
            "shell_call",
            '{"commands": "ls", "timeout_ms": "x"}',
            {"action": {"commands": ["ls"], "timeout_ms": None, "max_output_length": None}},
        ),
        (
            "local_shell_call",
            '{"command": ["ls", 3], "working_directory": "/", "env": {"A": 1}}',
            {
                "action": {
                    "type": "exec",
                    "command": ["ls"],
                    "env": {"A": "1"},
                    "timeout_ms": None,
                    "user": None,
                    "working_directory": "/",
                }
            },
        ),
        (
            "apply_patch_call",
            '{"type": "create_file", "path": "a", "diff": "+b',
            {"operation": {"type": "create_file", "path": "a", "diff": "+b"}},
        ),
        (
            "apply_patch_call",
            '{"type": "delete_file", "path": "a", "diff": "x"}',
            {"operation": {"type": "delete_file", "path": "a"}},
        ),
        ("apply_patch_call", "[]", {"operation": {"type": "update_file", "path": "", "diff": ""}}),
    ],
)
def test_items_of_calls(kind: str, written: str, fields: dict[str, Any]) -> None:
    assert fill_item(kind, written) == fields


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        (
            {
                "type": "custom",
                "name": "say",
                "format": {"type": "grammar", "syntax": "regex", "definition": "[a-z]{2,4}"},
            },
            "custom_tool_call",
        ),
        (
            {"type": "namespace", "name": "sums", "description": "", "tools": [ADD]},
            "function_call",
        ),
        ({"type": "shell"}, "shell_call"),
        ({"type": "local_shell"}, "local_shell_call"),
        ({"type": "apply_patch"}, "apply_patch_call"),
    ],
)
def test_calls_come_back_in_the_form_of_their_tool(
    gpt: openai.OpenAI, tool: dict[str, Any], kind: str, streamed: bool
) -> None:
    """The answer is continued with the result, as an agent does it."""
    arguments: dict[str, Any] = {
        "model": "default",
        "input": "Hello",
        "tools": [{"type": "web_search"}, tool],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "max_output_tokens": 200,
        "extra_body": {"seed": 3},
    }
    raw = gpt.responses.with_raw_response.create(**arguments)
    assert raw.headers["X-Ignored-Tools"] == "web_search"
    response = raw.parse()
    if streamed:
        events = list(gpt.responses.create(**arguments, stream=True))
        for event in events:
            STREAM_EVENT.validate_json(event.model_dump_json(exclude_unset=True, by_alias=True), strict=True)
        last = events[-1].response
        assert [item.to_dict() | {"id": 0, "call_id": 0} for item in last.output] == [
            item.to_dict() | {"id": 0, "call_id": 0} for item in response.output
        ]
        response = last
    Response.model_validate_json(response.model_dump_json(by_alias=True), strict=True)
    (item,) = response.output
    assert item.type == kind
    if kind == "custom_tool_call":
        assert item.name == "say" and 2 <= len(item.input) <= 4
    elif kind == "function_call":
        assert (item.name, item.namespace) == ("add", "sums")
        assert [*json.loads(item.arguments)] == ["a"]
    result = {"type": f"{kind}_output", "call_id": item.call_id, "output": "Done."}
    if kind == "shell_call":
        outcome = {"type": "exit", "exit_code": 1}
        result["output"] = [{"stdout": "out\n", "stderr": "err", "outcome": outcome}]
    follow_up: dict[str, Any] = {"model": "default", "tools": arguments["tools"]}
    stored = gpt.responses.create(**follow_up, previous_response_id=response.id, input=[result])
    question = {"role": "user", "content": "Hello"}
    calls = [item.to_dict()] if item.status == "completed" else []  # a call that was cut is left out
    whole = gpt.responses.create(**follow_up, input=[question, *calls, result])
    assert stored.output_text == whole.output_text
    assert stored.usage is not None and whole.usage is not None
    assert stored.usage.input_tokens == whole.usage.input_tokens


# What other services leave in a conversation, and what the model reads of it.
HISTORY: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"role": "assistant", "content": None}, [{"role": "assistant", "content": ""}]),
    (
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        [{"role": "assistant", "content": "I cannot."}],
    ),
    (
        {
            "role": "user",
            "content": [
                {
                    "type": "input_file",
                    "filename": "a.txt",
                    "file_data": "data:text/plain;base64,SGk=",
                }
            ],
        },
        [{"role": "user", "content": "a.txt:\nHi"}],
    ),
    (
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "rain"}},
        [{"role": "assistant", "content": 'web_search_call: {"action": {"query": "rain"}}'}],
    ),
    (
        {"type": "mcp_list_tools", "id": "m", "server_label": "files", "tools": [{"name": "read"}]},
        [],
    ),
    (
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "é"},
        [{"role": "assistant", "tool_calls": [{"id": "c", "name": "patch", "arguments": '{"input": "é"}'}]}],
    ),
    (
        {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "ok"}]},
        [{"role": "tool", "tool_call_id": "c", "content": "ok"}],
    ),
    (
        {"type": "function_call_output", "call_id": "c", "output": None},
        [{"role": "tool", "tool_call_id": "c", "content": ""}],
    ),
    (
        {"type": "apply_patch_call_output", "call_id": "c", "status": "failed"},
        [{"role": "tool", "tool_call_id": "c", "content": "failed"}],
    ),
    (
        {
            "type": "shell_call_output",
            "call_id": "c",
            "output": [
                {"stdout": "a\n", "stderr": "b", "outcome": {"type": "exit", "exit_code": 0}},
                {"stdout": "", "stderr": "", "outcome": {"type": "timeout"}},
                {"stdout": "c", "stderr": None},
            ],
        },
        [{"role": "tool", "tool_call_id": "c", "content": "a\nb\n(exit code 0)\n(timeout)\nc"}],
    ),
    ({"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"}, []),
    ({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"}, []),
    ({"type": "image_generation_call", "id": "ig_1", "result": "iVBO", "status": "completed"}, []),
    ({"type": "item_reference", "id": "msg_elsewhere"}, []),
]


@pytest.mark.parametrize(("item", "messages"), HISTORY, ids=lambda value: str(value)[:40])
def test_histories_of_other_services_continue(item: dict[str, Any], messages: list[dict[str, Any]]) -> None:
    items = ITEMS.validate_python([item])
    assert to_messages(items) == messages
    is_reasoning = item.get("type") == "reasoning"
    assert list_left_out(items) == ([item["type"]] if not messages and not is_reasoning else [])


def test_results_of_local_shells_name_the_item_of_their_call() -> None:
    action = {"type": "exec", "command": ["ls"], "env": {}, "timeout_ms": None}
    items = [
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c1", "action": action, "status": "completed"},
        {"type": "local_shell_call_output", "id": "lsh_1", "output": "a"},
    ]
    call, result = to_messages(ITEMS.validate_python(items))
    assert json.loads(call["tool_calls"][0]["arguments"]) == {"command": ["ls"], "env": {}}
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "a"}


def test_what_is_left_out_is_named(api: Server) -> None:
    question = {"role": "user", "content": "Hello"}
    items = [{"type": "item_reference", "id": "msg_1"}, {"type": "compaction", "id": "x\r\ny"}, question]
    body = {"input": items, "tools": [{"type": "web\r\nsearch"}], "max_output_tokens": 3}
    response = httpx.post(f"{api.api_url}/v1/responses", json=body)
    assert response.status_code == 200
    assert response.headers["X-Ignored-Items"] == "item_reference, compaction"
    assert response.headers["X-Ignored-Tools"] == "web??search"
    plain = httpx.post(f"{api.api_url}/v1/responses", json={"input": "Hello", "max_output_tokens": 3})
    assert "X-Ignored-Tools" not in plain.headers
    assert response.json()["output"][0]["content"] == plain.json()["output"][0]["content"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
        {"type": "input_file", "file_data": "data:application/pdf;base64,/w=="},
    ],
)
def test_parts_that_the_model_cannot_be_shown_are_refused(api: Server, part: dict[str, Any]) -> None:
    body = {"input": [{"role": "user", "content": [part]}]}
    error = httpx.post(f"{api.api_url}/v1/responses", json=body).json()["error"]
    assert error["param"] == "input[0].content[0]"
    assert "has no text" in error["message"]
