# ruff: noqa: RUF001 - the mark has wide bars
"""DeepSeek V3.2 and V4: XML whose tags have a mark, and whose values say whether they are strings.

    <｜DSML｜function_calls>
    <｜DSML｜invoke name="get_weather">
    <｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜function_calls>

V4 has `tool_calls` instead of `function_calls`. Source: the encoding of messages in
huggingface.co/deepseek-ai/DeepSeek-V3.2 and DeepSeek-V4-Flash, which chat templates of others follow.
"""

from ..format import ToolFormat
from .tagged import Tags, make_parser

_MARK = "｜DSML｜"
_TAGS = Tags(
    before_name=f'<{_MARK}invoke name="',
    after_name='">\n',
    key=f'<{_MARK}parameter name="',
    key_end='" string="',
    has_flags=True,
    value='">',
    value_end=f"</{_MARK}parameter>",
    closing=f"</{_MARK}invoke>",
    outer_closing="\n",
)


def _make_format(name: str, element: str) -> ToolFormat:
    """A format whose calls stand in one `element`."""
    start, end = f"<{_MARK}{element}>", f"</{_MARK}{element}>"
    return ToolFormat(
        name=name,
        # Templates may put the mark together with the elements while they run.
        is_used_by=lambda template: _MARK in template and f"{element}>" in template,
        parse=make_parser(start, end, _TAGS),
        call=_TAGS.call,
        mark=start,
        marks_each_call=False,
        opening="\n",
        closing=end,
        special_tokens=(_MARK,),
    )


DSML = _make_format("dsml", "function_calls")
DSML_V4 = _make_format("dsml_v4", "tool_calls")
