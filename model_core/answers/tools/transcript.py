"""Calls that are not written as JSON: their arguments are copied as JSON text, as far as they are written.

Numbers keep all of their digits, because no value is made of them.
"""

import re
from collections.abc import Mapping, Sequence

from ...grammar.value_types import write_string
from ...text.overlap import overlap_length
from ..writer import EventWriter

_SPACE = re.compile(r"\s*")


class Cut(Exception):
    """The text ends before the value does."""


class Cursor:
    """A place in a text, and the JSON that has been written of the text before it."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.parts: list[str] = []  # of the JSON

    def write(self, json_text: str) -> None:
        """Add to the JSON."""
        self.parts.append(json_text)

    def has_ended(self) -> bool:
        """Whether nothing but white space is left, which is read."""
        self.skip_space()
        return self.position == len(self.text)

    def skip_space(self) -> None:
        """Read white space."""
        match = _SPACE.match(self.text, self.position)
        assert match is not None
        self.position = match.end()

    def accept(self, literal: str) -> bool:
        """Read a literal, if it comes next. Raises Cut if the text ends within it, or before it."""
        if self.text.startswith(literal, self.position):
            self.position += len(literal)
            return True
        if literal.startswith(self.text[self.position :]):
            raise Cut
        return False

    def expect(self, literal: str) -> None:
        """Read a literal. Raises ValueError if another text comes next, Cut as `accept`."""
        if not self.accept(literal):
            raise ValueError(f"{literal!r} is missing")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what a pattern matches here."""
        match = pattern.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
        return match

    def read_until(self, mark: str) -> tuple[str, bool]:
        """The text up to a mark, which is read, too, and whether it is there.

        If it is not, the rest of the text is read; a start of the mark at its end is left out.
        """
        start, end = self.position, self.text.find(mark, self.position)
        if end >= 0:
            self.position = end + len(mark)
            return self.text[start:end], True
        self.position = len(self.text)
        rest = self.text[start:]
        return rest[: len(rest) - overlap_length(rest, mark)], False


def write_object(members: Mapping[str, str], is_whole: bool = True) -> str:
    """An object as JSON, from the JSON text of its members; without the last bracket if it was cut."""
    body = ", ".join(f"{write_string(name)}: {value}" for name, value in members.items())
    return f"{{{body}}}" if is_whole else f"{{{body}"


def write_calls(writer: EventWriter, calls: Sequence[tuple[str, str]]) -> bool:
    """Write calls, with their arguments as JSON. False if there are none, or one has no valid Unicode."""
    try:
        for name, arguments in calls:
            (name + arguments).encode()
    except UnicodeEncodeError:
        return False
    for name, arguments in calls:
        writer.start_call(name)
        writer.arguments(arguments)
    return bool(calls)
