"""Calls without a mark: they start at the beginning of a line of the answer."""

from collections.abc import Callable

from ..reader import AnswerReader, Steps
from ..writer import EventWriter


def parse_lines(
    reader: AnswerReader, writer: EventWriter, first_characters: str, parse_call: Callable[[str], Steps[bool]]
) -> Steps[None]:
    """Read an answer to the end. `parse_call` reads a call, which starts with one of `first_characters`.

    It gets this character, which is unread. If it finds no call, what it has read is text.
    """
    while True:
        reader.mark()
        yield from reader.skip_space()
        first = yield from reader.peek()
        if first and first in first_characters:
            writer.text(reader.text_since_mark())
            reader.mark()
            if (yield from parse_call(first)):
                continue
        writer.text(reader.text_since_mark())
        if not first:
            return
        line_end = yield from reader.copy_until(("\n",), writer.text)
        writer.text(line_end or "")
