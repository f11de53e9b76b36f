"""Prints the parts of an answer as they arrive: reasoning, text and tool calls."""

from rich.console import Console

from model_core.requests.events import Reasoning, Text, ToolCallDelta

from .display import AnswerWriter, PlainWriter
from .service import Part


class AnswerPrinter:
    """Prints one answer: its reasoning dimmed, its text, and each tool call on lines of its own.

    A file or a pipe gets no reasoning.
    """

    def __init__(self, console: Console) -> None:
        self._console, self._is_terminal = console, console.file.isatty()
        self._kind: tuple[type, int] | None = None  # of the last part: its type, and which call
        self._writer: AnswerWriter | PlainWriter | None = None

    def print(self, part: Part) -> None:
        """Print a part of the answer."""
        if isinstance(part, Reasoning) and not self._is_terminal:
            return
        index = part.index if isinstance(part, ToolCallDelta) else 0
        text, kind = _format(part), (type(part), index)
        if kind != self._kind:
            if self._is_terminal:
                text = text.lstrip()  # many models begin with a space, which is not an indentation
            if not text:
                return
            self._begin(kind)
        assert self._writer is not None  # _begin has made it
        self._writer.write(text)

    def close(self) -> None:
        """End the last line."""
        if self._writer is not None:
            self._writer.close()

    def _begin(self, kind: tuple[type, int]) -> None:
        self.close()
        if self._kind is not None and Reasoning in (kind[0], self._kind[0]):
            self._console.print()
        self._kind = kind
        if not self._is_terminal:
            self._writer = PlainWriter(self._console.file)
        else:
            styles = {Text: None, Reasoning: "dim", ToolCallDelta: "cyan"}
            self._writer = AnswerWriter(self._console, style=styles[kind[0]])


def _format(part: Part) -> str:
    if not isinstance(part, ToolCallDelta):
        return part.text
    return part.arguments if part.name is None else f"{part.name} {part.arguments}"
