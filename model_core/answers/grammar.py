"""The grammar of a whole answer: reasoning first, then tool calls, text, or text of a given form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from ..grammar.closed_schema import close_objects
from ..grammar.lark import NO_PARAMETERS, Lark
from ..grammar.schema_trial import FindFault, prepare_and_try
from ..requests.messages import Tool, ToolChoice, ToolName
from ..schema import PreparedSchema, prepare_schema
from .parser import AnswerStyle
from .reasoning import ReasoningForm
from .tools import ToolFormat

_FORM = "form"
_LINE_ENDS = r"/\n{1,2}/"


@dataclass(frozen=True)
class AnswerGrammar:
    """The grammar that an answer obeys, in llguidance's JSON; None if the model may write what it likes.

    `left_out`: the places in the schemas of tools that it does not enforce.
    """

    text: str | None
    left_out: tuple[str, ...] = ()


def write_answer_grammar(
    style: AnswerStyle,
    tools: Sequence[Tool],
    choice: ToolChoice,
    parallel: bool,
    form: str | None,
    prompt_end: str,
    special_ids: Mapping[str, int],
    find_fault: FindFault,
) -> AnswerGrammar:
    """The grammar of an answer.

    Calls obey the schemas of their tools if a call is required, if a tool is strict, or if there may be one
    call only.

    Args:
        form: the grammar of the text, in llguidance's JSON; None: any text. A call may take its place.
        prompt_end: the last characters of the prompt, which may open or close the reasoning.
        special_ids: the ids of the special tokens in `style.special_tokens`, by their names.
        find_fault: tries the schemas of the tools.

    Raises:
        InvalidRequest: no tool has the name in `choice`, or a schema cannot be enforced.
    """
    is_bare = style.reasoning is None and not style.tools.text_start
    if style.continues_text(prompt_end) or (is_bare and (not tools or choice == "none")):
        return AnswerGrammar(form)
    lark = Lark(special_ids)
    body = _write_body(lark, style.tools, tools, choice, parallel, form is not None, find_fault)
    if body is None:
        return AnswerGrammar(None)
    lark.add(f"{_write_reasoning(lark, style.reasoning, prompt_end)} {body}", "start")
    grammars: list[dict[str, Any]] = [{"lark_grammar": str(lark)}]
    if form is not None:
        first, *others = json.loads(form)["grammars"]
        grammars += [{**first, "name": _FORM}, *others]
    left_out = tuple(
        f"tools[{index}].parameters.{place}"
        for index, tool in enumerate(tools)
        for place in lark.left_out_of_tools.get(tool.name, ())
    )
    return AnswerGrammar(json.dumps({"grammars": grammars}, ensure_ascii=False), left_out)


def _write_reasoning(lark: Lark, form: ReasoningForm | None, prompt_end: str) -> str:
    """An expression for the reasoning, which an answer may have unless the prompt has closed it."""
    if form is None or form.is_closed_after(prompt_end):
        return ""
    end = lark.literal(form.next_start) if form.next_start else f"({_LINE_ENDS})?"
    rest = f"{lark.until(form.end)} {end}"
    return rest if form.is_open_after(prompt_end) else f"({lark.literal(form.start)} {rest})?"


def _write_body(
    lark: Lark,
    style: ToolFormat,
    tools: Sequence[Tool],
    choice: ToolChoice,
    parallel: bool,
    has_form: bool,
    find_fault: FindFault,
) -> str | None:
    """An expression for what follows the reasoning; None for anything."""
    form = f"{lark.literal(style.text_start)} @{_FORM}"
    if not tools or choice == "none":
        return form if has_form else None
    fields = {tool.name: f"tools[{index}].parameters" for index, tool in enumerate(tools)}
    if isinstance(choice, ToolName):
        tools, parallel = [tool for tool in tools if tool.name == choice.name], False
        if not tools:
            raise InvalidRequest(f"tool_choice names {choice.name!r}, which is no tool.", "tool_choice")
    if choice == "auto" and not has_form and parallel and not any(tool.strict for tool in tools):
        return None
    tools = [_prepare_tool(lark, tool, fields[tool.name], find_fault) for tool in tools]
    if choice != "auto":
        return style.calls(lark, tools, parallel)
    if has_form:
        return f"({style.calls(lark, tools, parallel)} | {form})"
    return style.text_or_calls(lark, tools, parallel)


def _prepare_tool(lark: Lark, tool: Tool, field: str, find_fault: FindFault) -> Tool:
    """The tool with the prepared schema of an object, whose members are those that it names.

    Raises InvalidRequest if the parameters in this field are no schema of an object, or cannot be enforced.
    """
    try:
        prepared = _prepare_parameters(tool, field, find_fault)
    except InvalidRequest as error:
        raise InvalidRequest(f"the parameters of the tool {tool.name!r} are wrong: {error}", field) from None
    lark.left_out_of_tools[tool.name], lark.fields[tool.name] = list(prepared.left_out), field
    return tool.model_copy(update={"parameters": prepared.schema})


def _prepare_parameters(tool: Tool, field: str, find_fault: FindFault) -> PreparedSchema:
    given = NO_PARAMETERS if tool.parameters is None else tool.parameters
    is_reference = "$ref" in given and "type" not in given  # whose object has a type of its own
    closed = close_objects(given if is_reference else {"type": "object", **given})
    found = prepare_and_try(closed, strict=tool.strict, field=field, find_fault=find_fault)
    if isinstance(found.schema, bool) or "type" not in found.schema:
        rest = {} if isinstance(found.schema, bool) else found.schema
        typed = prepare_schema({"type": "object", **rest}, strict=tool.strict, field=field)
        found = PreparedSchema(typed.schema, found.left_out)
    if not isinstance(found.schema, dict) or found.schema.get("type", "object") != "object":
        raise InvalidRequest("it is no schema of an object.", field)
    return found
