"""gpt-oss: messages in channels. The prompt ends with `<|start|>assistant`.

    <|channel|>analysis<|message|>The user wants ...<|end|>
    <|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>
    {"city": "Paris"}<|call|>
    <|start|>assistant<|channel|>final<|message|>It is sunny.<|return|>

There are no line ends between them. `analysis` is reasoning. The recipient may also stand before the channel;
if a header names two channels, the second one counts. `<|call|>` and `<|return|>` end the answer.

The model may write to tools that it was trained with and that nobody offered, such as `python` or
`container.exec`. Such a message is left out: it is neither a thought nor an answer, and nobody can run it.

Source: github.com/openai/harmony.
"""

import re

from ...grammar.json_rules import write_arguments
from ...grammar.lark import Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter
from .format import ToolFormat, Tools

_START, _CHANNEL, _MESSAGE, _CONSTRAIN = "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>"
_ENDS = ("<|end|>", "<|call|>", "<|return|>")
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_CHANNEL_NAME = re.compile(r"<\|channel\|>\s*(\w+)")
_FUNCTIONS = "functions."
_PEOPLE = ("user", "assistant", "all")  # who read the answer


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
    recipients, channels = _RECIPIENT.findall(header), _CHANNEL_NAME.findall(header)
    recipient, channel = recipients[-1] if recipients else "user", channels[-1] if channels else "final"
    name = recipient.removeprefix(_FUNCTIONS)
    write = writer.text
    if recipient.startswith(_FUNCTIONS) or name in tools:
        writer.start_call(name)
        write = writer.arguments
        yield from reader.skip_space()
        if (yield from reader.peek()) == "{":
            yield from reader.copy_value(write)  # a string may hold the text of a mark
            yield from reader.skip_space()
    elif channel == "analysis" and recipient in _PEOPLE:
        write = writer.reasoning
    elif channel != "final" and recipient not in _PEOPLE:
        write = _leave_out
    yield from reader.copy_until(_ENDS, write)
    writer.start_part()


def _leave_out(text: str) -> None:
    """Write nothing."""


def _call(lark: Lark, tool: Tool) -> str:
    header = f"{_CHANNEL}commentary to=functions.{tool.name} {_CONSTRAIN}json{_MESSAGE}"
    return f"{lark.literal(header)} {write_arguments(lark, tool)}"


HARMONY = ToolFormat(
    name="harmony",
    is_used_by=lambda template: _CHANNEL in template and _MESSAGE in template,
    parse=_parse,
    call=_call,
    text_start=f"{_CHANNEL}final{_MESSAGE}",
    is_parallel=False,
    has_headers=True,
    special_tokens=(_START, _CHANNEL, _MESSAGE, _CONSTRAIN, *_ENDS),
    open_header=open_header,
)
