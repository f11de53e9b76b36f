"""Only the chat template writes control tokens. Their names in a conversation are encoded as text.

`<|im_end|>` in the content of a message would end the message, and `<|im_start|>system` would start a system
message. So a name of a control token in a message gets a mark inside before the template is rendered. The
names without a mark then come from the template (text/control_tokens.py).

Tokens of answers, such as `</think>` and `<tool_call>`, come back in messages, and templates look for them.
But in what others than the user and the model write (results of tools, arguments of calls, descriptions of
tools, variables), their names are text, too.

A mark survives what templates do with text, changes of case too. But a template that removes a part of a
content could still make a control token of the rest. So messages with the first character of a control token
are rendered a second time, with a mark behind each such character. If the control tokens of this second
prompt differ, it is the prompt; otherwise the first is, in which templates find what they look for.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..text.control_tokens import ControlTokens, check_unicode


def render_marked(
    control: ControlTokens, variables: Mapping[str, Any], render: Callable[[Mapping[str, Any]], str]
) -> str:
    """The prompt that `render` makes of variables, which are JSON, with marks in what comes from them.

    Raises InvalidRequest for text that is not valid Unicode.
    """
    marked = _mark_names(control, variables)
    strictly_marked = _mark_first_characters(control, variables)
    prompt = render(marked)
    if strictly_marked != marked:
        strict_prompt = render(strictly_marked)
        if control.find_unmarked(strict_prompt) != control.find_unmarked(prompt):
            return strict_prompt
    return prompt


def _mark_names(control: ControlTokens, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables with a mark in each name of a control token."""
    mark_all = partial(control.mark, with_answer_names=True)
    mark_control = partial(control.mark, with_answer_names=False)

    def mark_message(message: Mapping[str, Any]) -> dict[str, Any]:
        marked = _map_texts(mark_all if message["role"] == "tool" else mark_control, message)
        if "tool_calls" in message:
            marked["tool_calls"] = _map_texts(mark_all, message["tool_calls"])
        return marked

    messages = [mark_message(message) for message in variables["messages"]]
    return {**_map_texts(mark_all, variables), "messages": messages}


def _mark_first_characters(control: ControlTokens, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables with a mark behind each character that is the first of a control token's name.

    Keys that are words have none, because templates look for them.
    """
    mark = control.mark_first_characters
    return _map_texts(mark, variables, lambda key: key if key.isidentifier() else mark(key))


def _map_texts(
    function: Callable[[str], str], value: Any, map_key: Callable[[str], str] | None = None
) -> Any:
    """JSON with `function` applied to each text, and `map_key` to each key, by default `function`, too.

    Raises InvalidRequest for text that is not valid Unicode.
    """
    map_key = map_key or function
    if isinstance(value, str):
        check_unicode(value)
        return function(value)
    if isinstance(value, Mapping):
        for key in value:
            check_unicode(key)
        return {map_key(key): _map_texts(function, part, map_key) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_map_texts(function, part, map_key) for part in value]
    return value
