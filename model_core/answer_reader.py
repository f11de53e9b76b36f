"""Reads the text of an answer while it arrives, however it is split into pieces.

A parser is a generator that calls the methods of an `AnswerReader` by `yield from`. They yield while the text
that they need has not arrived. So a parser is written as if the text were complete.
"""

from collections.abc import Callable, Generator
from typing import TypeVar

T = TypeVar("T")
# A step of a parser: it yields while it waits for text, and returns its result.
Steps = Generator[None, None, T]


class AnswerReader:
    """The text of an answer that has arrived and has not been read."""

    def __init__(self) -> None:
        self._text = ""
        self._has_ended = False
        self._read_parts: list[str] = []  # since `mark`

    def push(self, text: str) -> None:
        """Add text that has arrived."""
        self._text += text

    def end(self) -> None:
        """No more text will arrive. From now on the methods do not yield."""
        self._has_ended = True

    def mark(self, text: str = "") -> None:
        """Remember what is read from here on, and `text` before it."""
        self._read_parts = [text]

    def text_since_mark(self) -> str:
        """What has been read since `mark`, with the text that it was given."""
        return "".join(self._read_parts)

    def copy_until(self, marks: tuple[str, ...], write: Callable[[str], None]) -> Steps[str | None]:
        """Pass text on up to the first of the marks, and read the mark. Returns it; None at the end.

        No mark may contain another one.
        """
        while True:
            found = [(start, mark) for mark in marks if (start := self._text.find(mark)) >= 0]
            if found:
                start, mark = min(found)
                write(self._take(start))
                return self._take(len(mark))
            overlaps = (overlap_length(self._text, mark) for mark in marks)
            held = 0 if self._has_ended else max(overlaps, default=0)
            write(self._take(len(self._text) - held))
            if self._has_ended:
                return None
            yield

    def read_until(self, *marks: str) -> Steps[str | None]:
        """The text up to the first of the marks, which is read, too. None if the answer ends before."""
        parts: list[str] = []
        mark = yield from self.copy_until(marks, parts.append)
        return None if mark is None else "".join(parts)

    def copy_value(self, write: Callable[[str], None]) -> Steps[bool]:
        """Pass a JSON value on, as it is written. False if the answer ends before the value does.

        Only brackets and quotes are looked at, so that a value with other errors is passed on, too.
        """
        depth, is_string, is_escaped, count = 0, False, False, 0
        while True:
            for i, character in enumerate(self._text):
                count += 1
                if is_string:
                    is_string = is_escaped or character != '"'
                    is_escaped = not is_escaped and character == "\\"
                    is_last = not is_string and depth == 0
                elif character in "[{":
                    depth, is_last = depth + 1, False
                elif character in "]}" and depth:
                    depth -= 1
                    is_last = depth == 0
                elif character == '"':
                    if depth == 0 and count > 1:
                        write(self._take(i))
                        return True
                    is_string, is_last = True, False
                elif depth == 0 and not (character.isalnum() or character in "+-."):
                    write(self._take(i))
                    return count > 1
                else:
                    is_last = False
                if is_last:
                    write(self._take(i + 1))
                    return True
            write(self._take(len(self._text)))
            if self._has_ended:
                return depth == 0 and not is_string and count > 0
            yield

    def read_value(self) -> Steps[str | None]:
        """A JSON value as it is written. None if there is none, or if the answer ends before it does."""
        parts: list[str] = []
        is_complete = yield from self.copy_value(parts.append)
        return "".join(parts) if is_complete else None

    def read_name(self) -> Steps[str]:
        """The letters, digits, `_`, `-` and `.` that come next."""
        size = 0
        while True:
            while size < len(self._text) and (self._text[size].isalnum() or self._text[size] in "_-."):
                size += 1
            if size < len(self._text) or self._has_ended:
                return self._take(size)
            yield

    def skip_space(self) -> Steps[None]:
        """Read the white space that comes next."""
        while True:
            self._take(len(self._text) - len(self._text.lstrip()))
            if self._text or self._has_ended:
                return
            yield

    def accept(self, *literals: str) -> Steps[bool]:
        """Read one of the literals, the first that comes next. False if none does."""
        for literal in literals:
            while not self._has_ended and len(self._text) < len(literal) and literal.startswith(self._text):
                yield
            if self._text.startswith(literal):
                self._take(len(literal))
                return True
        return False

    def peek(self) -> Steps[str]:
        """The next character, which stays unread; "" at the end."""
        while not self._text and not self._has_ended:
            yield
        return self._text[:1]

    def _take(self, size: int) -> str:
        text, self._text = self._text[:size], self._text[size:]
        if text:
            self._read_parts.append(text)
        return text


def overlap_length(text: str, mark: str) -> int:
    """The number of characters at the end of `text` that could be the start of `mark`."""
    for size in range(min(len(text), len(mark) - 1), 0, -1):
        if text.endswith(mark[:size]):
            return size
    return 0
