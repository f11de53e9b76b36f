"""MiniMax-M2: XML with names in attributes, all calls of an answer in one element.

    <minimax:tool_call>
    <invoke name="get_weather">
    <parameter name="city">Paris</parameter>
    </invoke>
    </minimax:tool_call>

Source: the chat template of huggingface.co/MiniMaxAI/MiniMax-M2.
"""

from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import ToolFormat, Tools
from ..marked import parse_marked
from .tagged import Tags

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


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        if mark == _START:
            yield from reader.skip_space()
            if not (yield from reader.accept(_INVOKE)):
                return False
        name = yield from reader.read_name()
        if not name or not (yield from reader.accept('">')):
            return False
        if not (yield from _TAGS.read_arguments(reader, writer, tools.get(name), name)):
            return False
        yield from reader.skip_space()
        yield from reader.accept(_END)
        return True

    # Models at times leave out the outer element.
    yield from parse_marked(reader, writer, (_START, _INVOKE), parse_call)


MINIMAX = ToolFormat(
    name="minimax",
    is_used_by=lambda template: _START in template and "<invoke name=" in template,
    parse=_parse,
    call=_TAGS.call,
    mark=_START,
    marks_each_call=False,
    opening="\n",
    closing=_END,
    special_tokens=(_START, _END),
)
