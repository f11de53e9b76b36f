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

from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools
from .tagged import Tags

_START, FUNCTION, _END = "<tool_call>", "<function=", "</tool_call>"
_OTHER_START = re.compile(r"<\w+:tool_call>")  # of Seed OSS, which writes such functions in tags of its own
_TAGS = Tags(
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
        # Models at times leave out the outer tag.
        while mark := (yield from reader.copy_until((start, FUNCTION), writer.text)):
            reader.mark(mark)
            if mark == start:
                yield from reader.skip_space()
            if mark == FUNCTION or (yield from reader.accept(FUNCTION)):
                name = yield from reader.read_name()
                has_name = bool(name) and (yield from reader.accept(">"))
                if has_name and (yield from tags.read_arguments(reader, writer, tools.get(name), name)):
                    yield from reader.skip_space()
                    yield from reader.accept(end)
                    continue
            writer.text(reader.text_since_mark())

    return parse


QWEN_CODER = ToolFormat(
    name="qwen_coder",
    is_used_by=lambda template: (
        FUNCTION in template and "<parameter=" in template and not _OTHER_START.search(template)
    ),
    parse=make_parser(_START, _END, _TAGS),
    call=_TAGS.call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END),
)
