"""Seed-OSS: as Qwen 3 Coder, between other tags, and without line ends around values.

    <seed:tool_call>
    <function=get_weather>
    <parameter=city>Paris</parameter>
    </function>
    </seed:tool_call>

Source: the chat template of huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct.
"""

from .format import ToolFormat
from .qwen_coder import FUNCTION, make_parser
from .tagged import Tags

_START, _END = "<seed:tool_call>", "</seed:tool_call>"
_TAGS = Tags(
    before_name=f"\n{FUNCTION}",
    after_name=">\n",
    key="<parameter=",
    key_end=">",
    value_end="</parameter>",
    closing="</function>",
    outer_closing=f"\n{_END}",
)

SEED_OSS = ToolFormat(
    name="seed_oss",
    is_used_by=lambda template: _START in template and FUNCTION in template,
    parse=make_parser(_START, _END, _TAGS),
    call=_TAGS.call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
