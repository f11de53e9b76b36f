"""Calls behind a mark."""

from collections.abc import Callable

from ..reader import AnswerReader, Steps
from ..writer import EventWriter


def parse_marked(
    reader: AnswerReader,
    writer: EventWriter,
    marks: tuple[str, ...],
    parse_call: Callable[[str], Steps[bool]],
) -> Steps[None]:
    """Read an answer to the end. `parse_call` gets a mark, and reads and writes the call behind it.

    If it finds no call, what it has read is text, with the mark.
    """
    while mark := (yield from reader.copy_until(marks, writer.text)):
        reader.mark(mark)
        if not (yield from parse_call(mark)):
            writer.text(reader.text_since_mark())
