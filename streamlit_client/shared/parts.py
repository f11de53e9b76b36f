"""A Markdown text that grows, cut into parts, so that the browser need not draw all of it for each piece."""

import re
from collections.abc import Iterator
from typing import Any

from .markdown import find_blocks, sanitize

MIN_PART = 1000  # characters; as long as a browser draws it without effort many times a second


class Parts:
    """The parts of a text: some whole blocks each, which are shown as Markdown of their own.

    Only the last part changes when the text grows. Where the parts begin depends on the text alone, not on
    the pieces in which it came; so an answer looks the same while it comes and afterwards.
    """

    def __init__(self) -> None:
        self._starts = [0]
        self._references: dict[str, Any] = {}  # definitions of links, which may stand in any part

    def update(self, text: str) -> Iterator[tuple[int, str]]:
        """The numbers of the parts that may have changed, and these parts as safe Markdown.

        `text` begins with that of the last call.
        """
        text = re.sub(r"\r\n?", "\n", text)
        first, known = len(self._starts) - 1, len(self._references)
        begin = self._starts[first]
        for block in find_blocks(text[begin:], self._references):
            if begin + block - self._starts[-1] >= MIN_PART:
                self._starts.append(begin + block)
        if len(self._references) > known:  # what was only text may be a link now
            first = 0
        ends = [*self._starts[1:], len(text)]
        for number in range(first, len(self._starts)):
            yield number, sanitize(text[self._starts[number] : ends[number]], self._references)
