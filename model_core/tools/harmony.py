"""gpt-oss: messages in channels. The prompt ends with `<|start|>assistant`.

    <|channel|>analysis<|message|>The user wants ...<|end|>
    <|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>
    {"city": "Paris"}<|call|>
    <|start|>assistant<|channel|>final<|message|>It is sunny.<|return|>

There are no line ends between them. `analysis` is reasoning, and so is what the model sends to tools that are
not functions, such as `python`. The recipient may also stand before the channel. `<|call|>` and `<|return|>`
end the answer.

Source: github.com/openai/harmony.
"""

import re

from ..answer_reader import AnswerReader, Steps
from ..event_writer import EventWriter
from ..messages import Tool
from .format import ToolFormat, Tools
from .lark import Lark

_START, _CHANNEL, _MESSAGE, _CONSTRAIN = "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>"
_ENDS = ("<|end|>", "<|call|>", "<|return|>")
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_CHANNEL_NAME = re.compile(r"<\|channel\|>\s*(\w+)")


def _parse(reader: AnswerReader, writer: EventWriter, tools: Tools) -> Steps[None]:
    """Read messages. Text outside of them is text of the answer."""
    while True:
        reader.mark()
        yield from reader.skip_space()
        if not (yield from reader.accept(_START, _CHANNEL, "to=")):
            writer.text(reader.text_since_mark())
            mark = yield from reader.copy_until((_START, _CHANNEL), writer.text)
            if mark is None:
                return
            reader.mark(mark)
        header = yield from reader.read_until(_MESSAGE)
        if header is None:
            writer.text(reader.text_since_mark())
            return
        yield from _parse_message(reader, writer, tools, reader.text_since_mark())


def open_header(prompt_end: str) -> str:
    """The header of the message in which a prompt ends; "" if it ends before a header."""
    header, mark, _ = prompt_end.rpartition(_START)[2].partition(_MESSAGE)
    return header.removeprefix("assistant") + mark if mark else ""


def _parse_message(reader: AnswerReader, writer: EventWriter, tools: Tools, header: str) -> Steps[None]:
    """Read the content of a message. `header` is what stands before it."""
    recipient, channel = _RECIPIENT.search(header), _CHANNEL_NAME.search(header)
    name = recipient[1].removeprefix("functions.") if recipient else ""
    write = writer.text
    if recipient and (recipient[1] != name or name in tools):
        writer.start_call(name)
        write = writer.arguments
    elif recipient or (channel and channel[1] == "analysis"):
        write = writer.reasoning
    yield from reader.copy_until(_ENDS, write)
    writer.start_part()


def _call(lark: Lark, tool: Tool) -> str:
    header = f"{_CHANNEL}commentary to=functions.{tool.name} {_CONSTRAIN}json{_MESSAGE}"
    return f"{lark.literal(header)} {lark.arguments(tool)}"


HARMONY = ToolFormat(
    name="harmony",
    is_used_by=lambda template: _CHANNEL in template and _MESSAGE in template,
    parse=_parse,
    call=_call,
    text_start=f"{_CHANNEL}final{_MESSAGE}",
    is_parallel=False,
    special_tokens=(_START, _CHANNEL, _MESSAGE, _CONSTRAIN, *_ENDS),
)
