"""Qwen 3 Coder and Qwen 3 Next: XML whose values are bare text.

    <tool_call>
    <function=get_weather>
    <parameter=city>
    Paris
    </parameter>
    </function>
    </tool_call>

Source: the chat template of huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct.
"""

import re

from ..format import ToolFormat
from .tagged import Tags, make_parser

_START, FUNCTION, _END = "<tool_call>", "<function=", "</tool_call>"
_OTHER_START = re.compile(r"<\w+:tool_call>")  # of Seed OSS, which writes such functions in tags of its own
TAGS = Tags(
    before_name=f"\n{FUNCTION}",
    after_name=">\n",
    key="<parameter=",
    key_end=">",
    value_end="</parameter>",
    line="\n",
    closing="</function>",
    outer_closing=f"\n{_END}",
)


QWEN_CODER = ToolFormat(
    name="qwen_coder",
    is_used_by=lambda template: (
        FUNCTION in template and "<parameter=" in template and not _OTHER_START.search(template)
    ),
    parse=make_parser(_START, _END, TAGS),
    call=TAGS.call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
