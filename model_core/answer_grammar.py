"""The grammar of a whole answer: reasoning first, then tool calls, text, or text of a given form."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llguidance import LLMatcher

from .answer_parser import AnswerStyle
from .errors import InvalidRequest
from .grammar_check import GrammarFault
from .messages import Tool, ToolChoice, ToolName
from .reasoning import ReasoningForm
from .tools import ToolFormat
from .tools.lark import Lark

# Grammars -> why they cannot be compiled, see GrammarCheck.find_fault.
FindFault = Callable[[Sequence[str]], GrammarFault | None]
_FORM = "form"
_LINE_ENDS = r"/\n{1,2}/"


def write_answer_grammar(
    style: AnswerStyle,
    tools: Sequence[Tool],
    choice: ToolChoice,
    parallel: bool,
    form: str | None,
    prompt_end: str,
    special_ids: Mapping[str, int],
    find_fault: FindFault,
) -> str | None:
    """The grammar that an answer obeys, in llguidance's JSON; None if the model may write what it likes.

    Calls obey the schemas of their tools if a call is required, if a tool is strict, or if there may be one
    call only.

    Args:
        form: the grammar of the text, in llguidance's JSON; None: any text. A call may take its place.
        prompt_end: the last characters of the prompt, which may open the reasoning.
        special_ids: the ids of the special tokens in `style.special_tokens`, by their names.
        find_fault: tries the schemas of the tools.

    Raises:
        InvalidRequest: no tool has the name in `choice`, or a schema cannot be enforced.
    """
    if style.continues_text(prompt_end) or (style.reasoning is None and (not tools or choice == "none")):
        return form
    lark = Lark(special_ids)
    body = _write_body(lark, style.tools, tools, choice, parallel, form is not None, find_fault)
    if body is None:
        return None
    lark.add(f"{_write_reasoning(lark, style.reasoning, prompt_end)} {body}", "start")
    grammars: list[dict[str, Any]] = [{"lark_grammar": str(lark)}]
    if form is not None:
        first, *others = json.loads(form)["grammars"]
        grammars += [{**first, "name": _FORM}, *others]
    return json.dumps({"grammars": grammars}, ensure_ascii=False)


def _write_reasoning(lark: Lark, form: ReasoningForm | None, prompt_end: str) -> str:
    """An expression for the reasoning, which an answer may have."""
    if form is None:
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
    if isinstance(choice, ToolName):
        tools, parallel = [tool for tool in tools if tool.name == choice.name], False
        if not tools:
            raise InvalidRequest(f"tool_choice names {choice.name!r}, which is no tool.", "tool_choice")
    if choice == "auto" and not has_form and parallel and not any(tool.strict for tool in tools):
        return None
    _check_parameters(tools, find_fault)
    if choice != "auto":
        return style.calls(lark, tools, parallel)
    if has_form:
        return f"({style.calls(lark, tools, parallel)} | {form})"
    return style.text_or_calls(lark, tools, parallel)


def _check_parameters(tools: Sequence[Tool], find_fault: FindFault) -> None:
    """Raises InvalidRequest if the parameters of a tool are no schema of an object, or cannot be enforced."""
    grammars = []
    for tool in tools:
        schema = tool.parameters or {}
        if schema.get("type", "object") != "object":
            raise InvalidRequest(
                f"the parameters of the tool {tool.name!r} are no schema of an object.", "tools"
            )
        options = {} if tool.strict else {"lenient": True}
        grammars.append(LLMatcher.grammar_from_json_schema(json.dumps(schema), overrides=options))
    fault = find_fault(grammars)
    if fault is not None:
        whose = "the tools" if fault.index is None else f"the tool {tools[fault.index].name!r}"
        raise InvalidRequest(f"the parameters of {whose} are wrong: {fault.reason}.", "tools")
