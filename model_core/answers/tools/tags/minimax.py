"""MiniMax-M2: XML with names in attributes, all calls of an answer in one element.

    <minimax:tool_call>
    <invoke name="get_weather">
    <parameter name="city">Paris</parameter>
    </invoke>
    </minimax:tool_call>

Source: the chat template of huggingface.co/MiniMaxAI/MiniMax-M2.
"""

from ..format import ToolFormat
from .tagged import Tags, make_parser

_START, _INVOKE, _END = "<minimax:tool_call>", '<invoke name="', "</minimax:tool_call>"
_TAGS = Tags(
    before_name=_INVOKE,
    after_name='">\n',
    key='<parameter name="',
    key_end='">',
    value_end="</parameter>",
    closing="</invoke>",
    outer_closing="\n",
)


MINIMAX = ToolFormat(
    name="minimax",
    is_used_by=lambda template: _START in template and "<invoke name=" in template,
    parse=make_parser(_START, _END, _TAGS),
    call=_TAGS.call,
    mark=_START,
    marks_each_call=False,
    opening="\n",
    closing=_END,
    special_tokens=(_START, _END),
)
