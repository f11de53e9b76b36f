"""What a way of writing tool calls consists of.

What is not written as the format wants it is never lost, and never an error:

- A call starts when its name and what announces its arguments have been read. What is no call up to there is
  text, as written, with its marks.
- A call that has started stays a call. If its arguments end early or are no JSON, they are passed on as they
  are written. Formats whose arguments are not JSON start a call when it is complete, or when the answer ends
  within an argument: then what there is becomes the start of a JSON object.
- Calls between marks may have any name; who asked for the answer decides. A call without marks must have the
  name of a tool of the request: otherwise it is text, which may be JSON for other reasons.
- Text after a call is text of the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import InvalidRequest
from ...grammar.lark import ANY_TEXT, CannotWrite, Lark
from ...requests.messages import Tool
from ..reader import AnswerReader, Steps
from ..writer import EventWriter

Tools = Mapping[str, Tool]  # by name
# Text without a line that begins like a call without marks.
_PLAIN_LINES = r"/\s*([^{\[`\s][^\n]*(\n\s*[^{\[`\s][^\n]*)*\s*)?/"


@dataclass(frozen=True)
class ToolFormat:
    """A way of writing tool calls.

    Attributes:
        name: of the family of models that writes so.
        is_used_by: whether a model with this chat template does.
        parse: reads an answer (without its reasoning) to the end.
        call: from a grammar and a tool, the expression for a call of this tool without `mark`.
        mark: the calls of an answer start with it; "" if they start at the beginning of a line instead.
        marks_each_call: whether every call starts with `mark`, or only the first.
        opening, separator, closing: what stands around all calls of an answer, and between two.
        text_start: what comes before text.
        is_parallel: whether an answer may have several calls.
        has_headers: whether text stands behind marks too, which answers without tools have, and `parse`
            leaves out.
        special_tokens: what may be a special token in a vocabulary, and must be kept in the text.
        open_header: of a format whose messages have headers, and whose `parse` reads the reasoning too: the
            header of the message in which a prompt ends, from the end of the prompt; "" if it ends before it.
    """

    name: str
    is_used_by: Callable[[str], bool]
    parse: Callable[[AnswerReader, EventWriter, Tools], Steps[None]]
    call: Callable[[Lark, Tool], str]
    mark: str = ""
    marks_each_call: bool = True
    opening: str = ""
    separator: str = ""
    closing: str = ""
    text_start: str = ""
    is_parallel: bool = True
    has_headers: bool = False
    special_tokens: tuple[str, ...] = ()
    open_header: Callable[[str], str] | None = None

    def calls(self, lark: Lark, tools: Sequence[Tool], parallel: bool) -> str:
        """An expression for one or more calls of the tools; exactly one if not `parallel`."""
        return f"{lark.literal(self.mark)} {self._calls_after_mark(lark, tools, parallel)}"

    def text_or_calls(self, lark: Lark, tools: Sequence[Tool], parallel: bool) -> str:
        """An expression for text, calls, or text and then calls."""
        calls = lark.add(self._calls_after_mark(lark, tools, parallel))
        if self.mark:
            return f"({lark.without(self.mark)} | {lark.until(self.mark)} {calls})"
        if self.text_start:
            return f"({lark.literal(self.text_start)} {ANY_TEXT} | {calls})"
        return f"({_PLAIN_LINES} {calls}? | {calls})"

    def _calls_after_mark(self, lark: Lark, tools: Sequence[Tool], parallel: bool) -> str:
        call = lark.add(" | ".join(self._strict_call(lark, tool) for tool in tools))
        mark = self.mark if self.marks_each_call else ""
        more = f"({lark.literal(self.separator + mark)} {call})*" if parallel and self.is_parallel else ""
        return f"{lark.literal(self.opening)} {call} {more} {lark.literal(self.closing)}"

    def _strict_call(self, lark: Lark, tool: Tool) -> str:
        """`call`, which must enforce all of the schema if the tool is strict."""
        lark.left_out = []
        try:
            call = self.call(lark, tool)
        except CannotWrite as error:
            raise InvalidRequest(
                f"this model's way of writing calls has no way to write {error.args[0]!r} of the tool "
                f"{tool.name!r}.",
                lark.fields.get(tool.name, "tools"),
            ) from None
        if tool.strict and lark.left_out:
            raise InvalidRequest(
                f"the tool {tool.name!r} is strict, but this model's way of writing calls cannot enforce "
                f"{lark.left_out[0]!r} in its parameters.",
                lark.fields.get(tool.name, "tools"),
            )
        lark.left_out_of_tools.setdefault(tool.name, []).extend(lark.left_out)
        return call
