"""Hy3 and Hy4: tags around all calls, each call, and the names and values of its arguments.

    <tool_calls>
    <tool_call>get_weather<tool_sep>
    <arg_key>city</arg_key>
    <arg_value>Paris</arg_value>
    </tool_call>
    </tool_calls>

Hy4 has neither `<tool_sep>` nor line ends. The tags may all have a suffix that the template shows, as
`<tool_calls:opensource>`. Sources: the chat template of huggingface.co/tencent/Hy3-preview, and the parser of
Hy4 in vLLM.
"""

import re
from functools import cache

from ..format import ToolFormat
from .tagged import Tags, make_parser

_CALLS = re.compile(r"<tool_calls(:[\w.-]+)?>")


def find_hunyuan(template: str) -> ToolFormat | None:
    """The format of a model with this chat template, if it is one of these."""
    match = _CALLS.search(template)
    suffix = match[1] or "" if match else ""
    if match is None or f"<arg_key{suffix}>" not in template:
        return None
    return make_hunyuan(suffix, f"<tool_sep{suffix}>" in template)


@cache
def make_hunyuan(suffix: str, has_separator: bool) -> ToolFormat:
    """The format with tags that end with a suffix; with the separator, it is Hy3's."""

    def tag(name: str) -> str:
        return f"<{name}{suffix}>"

    start, end, line = tag("tool_calls"), tag("/tool_calls"), "\n" if has_separator else ""
    names = ("tool_call", "/tool_call", "arg_key", "/arg_key", "arg_value", "/arg_value")
    call, call_end, key, key_end, value, value_end = marks = tuple(map(tag, names))
    tags = Tags(
        before_name=call,
        after_name=tag("tool_sep") + line if has_separator else "",
        key=key,
        key_end=key_end,
        between=line,
        value=value,
        value_end=value_end,
        closing=call_end,
        after=line,
        outer_closing=line,
    )
    return ToolFormat(
        name="hy3" if has_separator else "hy4",
        is_used_by=lambda template: find_hunyuan(template) == make_hunyuan(suffix, has_separator),
        parse=make_parser(start, end, tags),
        call=tags.call,
        mark=start,
        marks_each_call=False,
        opening=line,
        closing=end,
        special_tokens=(start, end, *marks, *([tag("tool_sep")] if has_separator else [])),
    )


HY3, HY4 = make_hunyuan("", True), make_hunyuan("", False)
