"""Muse Glimmer: messages that name their recipient, calls in tags. The prompt ends with `<|start|>assistant`.

     to=self<|message|>The user wants ...<|eom|>
    <|start|>assistant to=get_weather<|message|><atem:function_calls>
    <atem:invoke name="get_weather">
    <atem:parameter name="city">Paris</atem:parameter>
    </atem:invoke>
    </atem:function_calls><|eom|>
    <|start|>assistant to=user<|message|>It is sunny.<|eot|>

There are no line ends between messages. What the model writes to itself is reasoning. Tags are a call only in
a message to a tool: in another one they are quoted. `<|eom|>` may be missing. A tool without a namespace is
announced as `get_weather.*`, so that the model may write `get_weather.get_weather`. Source: the chat
template of huggingface.co/meta-models/Muse-Glimmer-30B.
"""

from ....grammar.lark import Lark
from ....requests.messages import Tool
from ...reader import AnswerReader, Steps
from ...writer import EventWriter
from ..format import ToolFormat, Tools
from ..harmony import open_header
from .tagged import Tags

_START, _ROLE, _TO, _MESSAGE = "<|start|>", "assistant", "to=", "<|message|>"
_ENDS = ("<|eom|>", "<|eot|>")
_CALLS, _CALLS_END = "<atem:function_calls>", "</atem:function_calls>"
_INVOKE, _NAME_END = '<atem:invoke name="', '">'
_SELF, _USER = "self", "user"
_TAGS = Tags(
    before_name=_INVOKE,
    after_name=f"{_NAME_END}\n",
    key='<atem:parameter name="',
    key_end='">',
    value_end="</atem:parameter>",
    closing="</atem:invoke>",
    outer_closing="\n",
)


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    """Read messages. Text outside of them is text of the answer."""
    write = writer.text
    mark: str | None = ""
    while mark is not None:
        reader.mark(mark)
        recipient = yield from _read_header(reader, mark)
        if recipient is None:
            write(reader.text_since_mark())
        else:
            writer.start_part()
            write = writer.reasoning if recipient == _SELF else writer.text
            if recipient not in (_SELF, _USER, "") and tools:
                yield from _read_calls(reader, writer, tools)
        mark = yield from reader.copy_until((*_ENDS, _START, _TO), write)
        while mark is not None and mark in _ENDS:
            writer.start_part()
            write = writer.text
            mark = yield from reader.copy_until((*_ENDS, _START, _TO), write)


def _read_header(reader: AnswerReader, mark: str) -> Steps[str | None]:
    """The recipient of a message, "" without one; None if no header comes next. mark: what has been read."""
    has_recipient = mark == _TO
    if not has_recipient:
        yield from reader.skip_space()
        if mark == _START or (yield from reader.accept(_START)):
            yield from reader.skip_space()
            if not (yield from reader.accept(_ROLE)):
                return None
            yield from reader.skip_space()
        has_recipient = yield from reader.accept(_TO)
    name = (yield from reader.read_name()) if has_recipient else ""
    return name if (yield from reader.accept(_MESSAGE)) else None


def _read_calls(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    """Read the calls in a message to a tool. What is none is text."""
    has_call = True
    while has_call:
        reader.mark()
        yield from reader.skip_space()
        yield from reader.accept(_CALLS)
        yield from reader.skip_space()
        has_call = (yield from reader.accept(_INVOKE)) and (yield from _read_call(reader, writer, tools))
        if has_call:
            yield from reader.skip_space()
            yield from reader.accept(_CALLS_END)
    writer.text(reader.text_since_mark())


def _read_call(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[bool]:
    """Read a call from its name on, and write it. False if it is none."""
    name = yield from reader.read_name()
    namespace, _, last = name.partition(".")
    if name not in tools and namespace == last and namespace in tools:
        name = namespace
    if not name or not (yield from reader.accept(_NAME_END)):
        return False
    return (yield from _TAGS.read_arguments(reader, writer, tools.get(name), name))


def _call(lark: Lark, tool: Tool) -> str:
    start = lark.literal(f" {_TO}{tool.name}{_MESSAGE}{_CALLS}\n")
    return f"{start} {_TAGS.call(lark, tool)} {lark.literal(_CALLS_END)}"


ATEM = ToolFormat(
    name="atem",
    is_used_by=lambda template: _CALLS in template and _MESSAGE in template,
    parse=_parse,
    call=_call,
    separator=f"{_ENDS[0]}{_START}{_ROLE}",
    text_start=f" {_TO}{_USER}{_MESSAGE}",
    has_headers=True,
    special_tokens=(_START, _MESSAGE, *_ENDS),
    open_header=open_header,
)
