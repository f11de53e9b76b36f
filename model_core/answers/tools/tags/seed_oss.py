"""Seed-OSS: as Qwen 3 Coder, between other tags, and without line ends around values.

    <seed:tool_call>
    <function=get_weather>
    <parameter=city>Paris</parameter>
    </function>
    </seed:tool_call>

Source: the chat template of huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct.
"""

from dataclasses import replace

from ..format import ToolFormat
from .qwen_coder import FUNCTION, TAGS
from .tagged import make_parser

_START, _END = "<seed:tool_call>", "</seed:tool_call>"
_TAGS = replace(TAGS, line="", outer_closing=f"\n{_END}")

SEED_OSS = ToolFormat(
    name="seed_oss",
    is_used_by=lambda template: _START in template and FUNCTION in template,
    parse=make_parser(_START, _END, _TAGS),
    call=_TAGS.call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
