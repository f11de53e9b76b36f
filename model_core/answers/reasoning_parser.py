"""Reads the reasoning of an answer: at its start, and what is left of its marks in the text."""

import json

from .reader import AnswerReader, Steps
from .reasoning import ReasoningForm
from .tools import ToolFormat, Tools
from .writer import EventWriter


def parse_reasoning(
    reader: AnswerReader,
    writer: EventWriter,
    form: ReasoningForm,
    is_open: bool,
    tool_format: ToolFormat,
    tools: Tools,
) -> Steps[bool]:
    """Read the reasoning at the start of an answer, if it has some. `is_open`: the prompt has opened it.

    A call of one of the tools ends the reasoning, too, see `_CallProbe`, and stays unread. Any other call is
    reasoning: a model may think about calls. Returns whether a call has ended the reasoning.
    """
    reader.mark()
    yield from reader.skip_space()
    has_started = yield from _read_start(reader, form)
    if not (is_open or has_started):
        if has_started is None and not (yield from reader.accept(form.end)):
            writer.text(reader.text_since_mark())
        else:
            writer.start_part()  # marks without reasoning are no text
        return False
    call_mark = tool_format.mark if tools else ""
    marks = (form.end, call_mark) if call_mark else (form.end,)
    mark = yield from reader.copy_until(marks, writer.reasoning)
    has_call = False
    while mark == call_mark and not has_call:
        probe = _CallProbe(tool_format, tools)
        has_call, mark = yield from _read_up_to_call(reader, writer, probe, marks, call_mark)
    writer.start_part()
    return has_call


def _read_start(reader: AnswerReader, form: ReasoningForm) -> Steps[bool | None]:
    """Read the start of the reasoning, which models at times write twice.

    Returns None if there is no mark of it, and False if there are only marks without the label.
    """
    has_started = None
    while (yield from reader.accept(form.opening)):
        has_started = yield from reader.accept(form.label)
        yield from reader.skip_space()
    return has_started


def _read_up_to_call(
    reader: AnswerReader, writer: EventWriter, probe: "_CallProbe", marks: tuple[str, ...], call_mark: str
) -> Steps[tuple[bool, str | None]]:
    """Read what follows a mark of a call up to the next of the `marks`, which is returned: it is reasoning.

    If it starts with a call, the mark and all that follows it stay unread. Returns whether it does.
    """
    held, text = [call_mark], call_mark
    is_call = probe.push(call_mark)
    mark: str | None = None
    while is_call is None:
        text, mark = yield from reader.read_piece(marks)
        held.append(text)
        is_call = probe.push(text, is_last=mark is not None or not text)
    if is_call:
        reader.unread("".join(held) + (mark or ""))
        return True, None
    writer.reasoning("".join(held))
    if mark is None and text:
        mark = yield from reader.copy_until(marks, writer.reasoning)
    return False, mark


class _CallProbe(EventWriter):
    """Finds out whether a text starts with a whole call of one of the tools, which ends the reasoning.

    Its arguments must be JSON, and no text may follow in its line: that would be a thought about a call.
    """

    def __init__(self, tool_format: ToolFormat, tools: Tools) -> None:
        super().__init__()
        self._tools = tools
        self._is_call: bool | None = None
        self._pieces: list[str] = []  # of the arguments
        self._line = ""  # what has been read of the line after the call
        self._reader = AnswerReader()
        self._steps = tool_format.parse(self._reader, self, tools)
        next(self._steps, None)

    def push(self, text: str, is_last: bool = False) -> bool | None:
        """Read text that has arrived. Whether it starts with a call; None if that is still open."""
        self._reader.push(text)
        if is_last:
            self._reader.end()
        next(self._steps, None)
        return self._is_call if self._is_call is not None or not is_last else self._has_arguments()

    def text(self, text: str) -> None:
        """Read text before or after the call."""
        if self._is_call is not None:
            return
        if not self.has_calls:
            self._is_call = False if text.strip() else None
            return
        self._line += text
        rest = self._line.lstrip(" \t")
        if rest:
            self._is_call = rest.startswith("\n") and self._has_arguments()

    def start_call(self, name: str) -> None:
        """Read the start of a call."""
        if self._is_call is None and self.has_calls:
            self._is_call = self._has_arguments()
        elif self._is_call is None and name not in self._tools:
            self._is_call = False
        super().start_call(name)

    def arguments(self, text: str) -> None:
        """Read a piece of the arguments of a call."""
        if self._is_call is None:
            self._pieces.append(text)

    def _has_arguments(self) -> bool:
        try:
            return isinstance(json.loads("".join(self._pieces)), dict)
        except (ValueError, RecursionError):
            return False


class SplittingWriter(EventWriter):
    """An event writer that takes marks of reasoning out of the text which it is given."""

    def __init__(self, call_key: str = "") -> None:
        super().__init__(call_key)
        self._form: ReasoningForm | None = None  # whose marks are no text
        self._has_open_end = False
        self._start_text()

    def split_text(self, form: ReasoningForm, was_left_open: bool) -> None:
        """From now on text may have reasoning again, if models of the form write it again.

        `was_left_open`: the first end mark is no text: it belongs to reasoning that a call has ended.
        """
        self._form, self._has_open_end = form, was_left_open
        self._start_text()

    def text(self, text: str) -> None:
        """Write text of the answer, which may have reasoning."""
        self._reader.push(text)
        next(self._steps, None)

    def start_part(self) -> None:
        """End the part that is being written."""
        self._end_text()
        super().start_part()

    def finish(self) -> None:
        """Write what has been held back."""
        self._end_text()
        super().finish()

    def _start_text(self) -> None:
        self._reader = AnswerReader()
        self._steps = self._split()
        next(self._steps, None)

    def _end_text(self) -> None:
        self._reader.end()
        next(self._steps, None)
        self._start_text()

    def _split(self) -> Steps[None]:
        reader, form, write = self._reader, self._form, super().text
        if form is not None and self._has_open_end:
            self._has_open_end = (yield from reader.copy_until((form.end,), write)) is None
        while form is not None and form.repeats:
            mark = yield from reader.copy_until((form.opening, form.end), write)
            if mark is None:
                return
            if mark == form.opening:
                has_started = yield from reader.accept(form.label)
                yield from reader.skip_space()
                if has_started or (yield from _read_start(reader, form)):
                    yield from reader.copy_until((form.end,), self.reasoning)
                    super().start_part()
        yield from reader.copy_until((), write)
