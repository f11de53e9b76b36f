"""GLM 4.5 and later: tags around the names and the values of arguments.

    <tool_call>get_weather
    <arg_key>city</arg_key>
    <arg_value>Paris</arg_value>
    </tool_call>

GLM 4.7 writes no line ends between the tags. Source: the chat template of huggingface.co/zai-org/GLM-4.6.
"""

from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import ToolFormat, Tools
from ..marked import parse_marked
from .tagged import Tags

_START, _END = "<tool_call>", "</tool_call>"
_TAGS = Tags(
    after_name="\n",
    key="<arg_key>",
    key_end="</arg_key>",
    between="\n",
    value="<arg_value>",
    value_end="</arg_value>",
    closing=_END,
)


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    def parse_call(mark: str) -> Steps[bool]:
        yield from reader.skip_space()
        name = yield from reader.read_name()
        return bool(name) and (yield from _TAGS.read_arguments(reader, writer, tools.get(name), name))

    yield from parse_marked(reader, writer, (_START,), parse_call)


GLM = ToolFormat(
    name="glm",
    is_used_by=lambda template: "<arg_key>" in template,
    parse=_parse,
    call=_TAGS.call,
    mark=_START,
    separator="\n",
    special_tokens=(_START, _END, _TAGS.key, _TAGS.key_end, _TAGS.value, _TAGS.value_end),
)
