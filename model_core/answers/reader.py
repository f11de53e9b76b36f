"""Reads the text of an answer while it arrives, however it is split into pieces.

A parser is a generator that calls the methods of an `AnswerReader` by `yield from`. They yield while the text
that they need has not arrived. So a parser is written as if the text were complete.
"""

import re
from collections.abc import Callable, Generator
from typing import TypeVar

from ..text.overlap import overlap_length

T = TypeVar("T")
# A step of a parser: it yields while it waits for text, and returns its result.
Steps = Generator[None, None, T]
_NAME, _SPACE = re.compile(r"[\w.\-]*"), re.compile(r"\s*")


class AnswerReader:
    """The text of an answer that has arrived, and how much of it has been read."""

    def __init__(self) -> None:
        self._text = ""
        self._position = 0  # in the text, of what is read next
        self._mark = 0  # in the text, or before it
        # What has been read since the mark, without what is still in the text. None if there is no mark.
        self._marked_parts: list[str] | None = None
        self._has_ended = False

    def push(self, text: str) -> None:
        """Add text that has arrived."""
        if self._marked_parts is not None:
            self._marked_parts.append(self._text[self._mark : self._position])
        self._text, self._position, self._mark = self._text[self._position :] + text, 0, 0

    def end(self) -> None:
        """No more text will arrive. From now on the methods do not yield."""
        self._has_ended = True

    def mark(self, text: str = "") -> None:
        """Remember what is read from here on, and `text` before it."""
        self._marked_parts, self._mark = [text], self._position

    def text_since_mark(self) -> str:
        """What has been read since `mark`, with the text that it was given."""
        return "".join(self._marked_parts or ()) + self._text[self._mark : self._position]

    def copy_until(self, marks: tuple[str, ...], write: Callable[[str], None]) -> Steps[str | None]:
        """Pass text on up to the first of the marks, and read the mark. Returns it; None at the end.

        No mark may contain another one. What was remembered is forgotten.
        """
        self._marked_parts = None
        return (yield from self._copy_until(marks, write))

    def _copy_until(self, marks: tuple[str, ...], write: Callable[[str], None]) -> Steps[str | None]:
        while True:
            text, mark = yield from self.read_piece(marks)
            write(text)
            if mark is not None or not text:
                return mark

    def read_piece(self, marks: tuple[str, ...]) -> Steps[tuple[str, str | None]]:
        """What has arrived up to the first of the marks, and the mark, which is read, too.

        Without a mark, it is all that cannot be the start of one: ("", None) only at the end.
        """
        while True:
            found = [(start, mark) for mark in marks if (start := self._text.find(mark, self._position)) >= 0]
            if found:
                start, mark = min(found)
                return self._take(start - self._position), self._take(len(mark))
            rest = len(self._text) - self._position
            overlaps = (overlap_length(self._text, mark) for mark in marks)
            held = 0 if self._has_ended else min(rest, max(overlaps, default=0))
            if rest > held or self._has_ended:
                return self._take(rest - held), None
            yield

    def unread(self, text: str) -> None:
        """Read this text next, before what is next now. What was remembered is forgotten."""
        self._marked_parts = None
        self._text, self._position = text + self._text[self._position :], 0

    def read_to(self, *marks: str) -> Steps[tuple[str, str | None]]:
        """The text up to the first of the marks, which is read, too, and this mark.

        If the answer ends before, it is the rest of the text, and None.
        """
        parts: list[str] = []
        mark = yield from self._copy_until(marks, parts.append)
        return "".join(parts), mark

    def read_until(self, *marks: str) -> Steps[str | None]:
        """The text up to the first of the marks, which is read, too. None if the answer ends before."""
        text, mark = yield from self.read_to(*marks)
        return None if mark is None else text

    def copy_value(
        self,
        write: Callable[[str], None],
        quotes: str = '"',
        opening: str = "[{",
        closing: str = "]}",
        depth: int = 0,
    ) -> Steps[bool]:
        """Pass a JSON value on, as it is written. False if the answer ends before the value does.

        Only brackets and quotes are looked at, so that a value with other errors is passed on, too. Those
        given here make it a value of another language. `depth`: brackets that are open already.
        """
        quote, is_escaped, is_empty = "", False, depth == 0
        while True:
            end, is_last = self._position, False
            while end < len(self._text) and not is_last:
                character = self._text[end]
                if quote:
                    if not is_escaped and character == quote:
                        quote, is_last = "", depth == 0
                    is_escaped = not is_escaped and character == "\\"
                elif character in opening:
                    depth += 1
                elif character in closing and depth:
                    depth -= 1
                    is_last = depth == 0
                elif character in quotes and (depth or is_empty):
                    quote = character
                elif depth == 0 and not (character.isalnum() or character in "+-."):
                    write(self._take(end - self._position))
                    return not is_empty
                end, is_empty = end + 1, False
            write(self._take(end - self._position))
            if is_last or self._has_ended:
                return is_last or not (depth or quote or is_empty)
            yield

    def read_value(
        self, quotes: str = '"', opening: str = "[{", closing: str = "]}", depth: int = 0
    ) -> Steps[str | None]:
        """A value as it is written, see `copy_value`. None if there is none, or if the answer ends first."""
        parts: list[str] = []
        is_complete = yield from self.copy_value(parts.append, quotes, opening, closing, depth)
        return "".join(parts) if is_complete else None

    def read_name(self) -> Steps[str]:
        """The letters, digits, `_`, `-` and `.` that come next."""
        size = 0
        while True:
            match = _NAME.match(self._text, self._position + size)
            assert match is not None
            size = match.end() - self._position
            if match.end() < len(self._text) or self._has_ended:
                return self._take(size)
            yield

    def skip_space(self) -> Steps[None]:
        """Read the white space that comes next."""
        while True:
            match = _SPACE.match(self._text, self._position)
            assert match is not None
            self._take(match.end() - self._position)
            if self._position < len(self._text) or self._has_ended:
                return
            yield

    def accept(self, *literals: str) -> Steps[bool]:
        """Read one of the literals, the first that comes next. False if none does."""
        for literal in literals:
            while not self._has_ended and len(self._text) - self._position < len(literal):
                if not literal.startswith(self._text[self._position :]):
                    break
                yield
            if self._text.startswith(literal, self._position):
                self._take(len(literal))
                return True
        return False

    def peek(self) -> Steps[str]:
        """The next character, which stays unread; "" at the end."""
        while self._position == len(self._text) and not self._has_ended:
            yield
        return self._text[self._position : self._position + 1]

    def _take(self, size: int) -> str:
        start, self._position = self._position, self._position + size
        return self._text[start : self._position]
