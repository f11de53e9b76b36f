"""MiniCPM5: XML with names in attributes, all on one line; what XML would read is quoted as CDATA.

    <function name="get_weather"><param name="city">Paris</param></function>

Source: the chat template of huggingface.co/openbmb/MiniCPM5-1B.
"""

from ..format import ToolFormat
from .tagged import Tags, make_parser

_START, _PARAMETER = '<function name="', '<param name="'
_TAGS = Tags(
    after_name='">',
    key=_PARAMETER,
    key_end='">',
    value_end="</param>",
    closing="</function>",
    after="",
    quotes=("<![CDATA[", "]]>"),
)


MINICPM5 = ToolFormat(
    name="minicpm5",
    is_used_by=lambda template: _START in template and _PARAMETER in template,
    parse=make_parser(_START, "", _TAGS),
    call=_TAGS.call,
    mark=_START,
    separator="\n",
)
