"""From the text of an answer, as a model writes it, to its events: text, reasoning and tool calls."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..requests.events import Event
from ..requests.messages import Tool
from .reader import AnswerReader, Steps
from .reasoning import ReasoningForm, recognize_reasoning
from .reasoning_parser import SplittingWriter, parse_reasoning
from .tools import ToolFormat, recognize


@dataclass(frozen=True)
class AnswerStyle:
    """How a model writes reasoning and tool calls."""

    tools: ToolFormat
    reasoning: ReasoningForm | None

    @property
    def special_tokens(self) -> set[str]:
        """What may be a special token in the model's vocabulary, and must be kept in the text."""
        return {*self.tools.special_tokens, *(self.reasoning.special_tokens if self.reasoning else ())}

    def continues_text(self, prompt_end: str) -> bool:
        """Whether a prompt that ends so has begun the text of the answer, so that nothing else can come."""
        open_header = self.tools.open_header
        return open_header is not None and self.tools.text_start in open_header(prompt_end)


def recognize_style(template: str) -> AnswerStyle:
    """How a model with this chat template writes its answers."""
    return AnswerStyle(recognize(template), recognize_reasoning(template))


class AnswerParser:
    """Tells the parts of one answer apart. Any split of its text into pieces gives the same joined events."""

    def __init__(
        self,
        style: AnswerStyle,
        tools: Sequence[Tool] = (),
        prompt_end: str = "",
        call_key: str = "",
        has_grammar: bool = False,
    ) -> None:
        """`prompt_end`: the end of the prompt, special tokens included; it may open the reasoning.

        Without `tools`, calls are text. `call_key` makes the ids of the calls, see `EventWriter`.
        `has_grammar`: the answer obeys a grammar, by which calls can only come after the reasoning.
        """
        self._reader, self._writer = AnswerReader(), SplittingWriter(call_key)
        self._has_grammar = has_grammar
        self._steps = self._parse(style, {tool.name: tool for tool in tools}, prompt_end)
        self._advance()

    @property
    def has_calls(self) -> bool:
        """Whether the answer has called a tool so far."""
        return self._writer.has_calls

    def push(self, text: str) -> list[Event]:
        """The events of new text. What may be the start of a mark is held back."""
        self._reader.push(text)
        self._advance()
        return self._writer.take_events()

    def finish(self) -> list[Event]:
        """The last events, at the end of the answer."""
        self._reader.end()
        self._advance()
        self._writer.finish()
        return self._writer.take_events()

    def _parse(self, style: AnswerStyle, tools: dict[str, Tool], prompt_end: str) -> Steps[None]:
        reader, writer = self._reader, self._writer
        if style.tools.open_header is not None:
            reader.push(style.tools.open_header(prompt_end))
        elif style.reasoning is not None:
            is_open = style.reasoning.is_open_after(prompt_end)
            callable_tools = {} if self._has_grammar else tools
            has_call = yield from parse_reasoning(
                reader, writer, style.reasoning, is_open, style.tools, callable_tools
            )
            writer.split_text(style.reasoning, was_left_open=has_call)
        if tools or style.tools.has_headers:
            yield from style.tools.parse(reader, writer, tools)
        else:
            yield from reader.copy_until((), writer.text)

    def _advance(self) -> None:
        """Parse what has arrived."""
        next(self._steps, None)
