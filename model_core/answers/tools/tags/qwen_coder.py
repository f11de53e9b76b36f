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
from collections.abc import Callable

from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import ToolFormat, Tools
from ..marked import parse_marked
from .tagged import Tags

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


def make_parser(
    start: str, end: str, tags: Tags
) -> Callable[[AnswerReader, EventWriter, Tools], Steps[None]]:
    """What reads functions between the tags `start` and `end`."""

    def parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
        def parse_call(mark: str) -> Steps[bool]:
            if mark == start:
                yield from reader.skip_space()
                if not (yield from reader.accept(FUNCTION)):
                    return False
            name = yield from reader.read_name()
            if not name or not (yield from reader.accept(">")):
                return False
            if not (yield from tags.read_arguments(reader, writer, tools.get(name), name)):
                return False
            yield from reader.skip_space()
            yield from reader.accept(end)
            return True

        # Models at times leave out the outer tag.
        yield from parse_marked(reader, writer, (start, FUNCTION), parse_call)

    return parse


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
