# ruff: noqa: RUF001 - the mark has wide bars
"""DeepSeek V3.2 and V4, GigaChat 3.5: XML whose tags have a mark, and whose values say if they are strings.

    <｜DSML｜function_calls>
    <｜DSML｜invoke name="get_weather">
    <｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜function_calls>

V4 has `tool_calls` instead of `function_calls`, and GigaChat 3.5 `GCML` instead of `DSML` in that. Source:
the encoding of messages in huggingface.co/deepseek-ai/DeepSeek-V3.2 and DeepSeek-V4-Flash, which chat
templates of others follow, and the chat template of ai-sage/GigaChat3.5.
"""

from ..format import ToolFormat
from .tagged import Tags, make_parser


def _make_format(name: str, element: str, mark: str = "｜DSML｜") -> ToolFormat:
    """A format whose calls stand in one `element`, and whose tags have the `mark`."""
    tags = Tags(
        before_name=f'<{mark}invoke name="',
        after_name='">\n',
        key=f'<{mark}parameter name="',
        key_end='" string="',
        string_flag="true",
        other_flags=("false",),
        value='">',
        value_end=f"</{mark}parameter>",
        closing=f"</{mark}invoke>",
        outer_closing="\n",
    )
    start, end = f"<{mark}{element}>", f"</{mark}{element}>"
    return ToolFormat(
        name=name,
        # Templates may put the mark together with the elements while they run.
        is_used_by=lambda template: mark in template and f"{element}>" in template,
        parse=make_parser(start, end, tags),
        call=tags.call,
        mark=start,
        marks_each_call=False,
        opening="\n",
        closing=end,
        special_tokens=(mark,),
    )


DSML = _make_format("dsml", "function_calls")
DSML_V4 = _make_format("dsml_v4", "tool_calls")
GCML = _make_format("gcml", "tool_calls", "｜GCML｜")
