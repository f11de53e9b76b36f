"""Conversations: the prompt of one, and how the model's answer to it is made and read."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..answers.grammar import write_answer_grammar
from ..answers.parser import AnswerParser, recognize_style
from ..answers.plan import AnswerPlan
from ..answers.reasoning import ReasoningBudget, ReasoningForm
from ..answers.tools import PLAIN, describe_tools
from ..checks.request_values import StrictModel
from ..errors import InvalidRequest
from ..grammar.constraint import FormGrammar, write_grammar
from ..grammar.schema_trial import FindFault
from ..requests.answer_parts import AnswerParts
from ..requests.events import FinishReason
from ..requests.messages import ChatFields, Message, Tool
from ..requests.results import Completion
from ..requests.sampling import DEFAULT_MAX_TOKENS, FilledParams
from .chat_tokenizer import ChatTokenizer
from .template import ChatPrompt, require_template
from .truncation import fit_conversation


class ChatOptions(ChatFields, StrictModel):
    """How a conversation is answered. Raises InvalidRequest for a wrong value."""


@dataclass(frozen=True)
class PreparedChat:
    """A conversation to answer: its prompt, what the engine needs, and what reads the answer."""

    prompt: ChatPrompt
    plan: AnswerPlan
    parser: AnswerParser


class ChatModel:
    """How one model takes part in conversations. Its methods may be called from any thread."""

    def __init__(self, tokenizer: ChatTokenizer, max_context: int, find_fault: FindFault) -> None:
        """`max_context`: tokens of prompt and answer. `find_fault` tries the schemas of tools.

        Raises InvalidRequest if the model has no chat template.
        """
        self._tokenizer, self._max_context, self._find_fault = tokenizer, max_context, find_fault
        template = require_template(tokenizer.chat_template)
        self.style = recognize_style(template.source)
        self._takes_system = template.conventions.system
        self._special_ids = tokenizer.tokenizer.find_control_tokens(self.style.special_tokens)

    def encode(
        self, messages: Sequence[Message], fields: ChatFields, max_tokens: int | None = None
    ) -> ChatPrompt:
        """The prompt for the next answer to a conversation, which may have `max_tokens`.

        Raises InvalidRequest for messages or tools that the model cannot take.
        """
        if fields.truncation != "auto":
            return self._encode(messages, fields)
        answer_tokens = DEFAULT_MAX_TOKENS if max_tokens is None else max_tokens
        return fit_conversation(
            messages, lambda kept: self._encode(kept, fields), self._max_context, answer_tokens
        )

    def _encode(self, messages: Sequence[Message], fields: ChatFields) -> ChatPrompt:
        if self.style.tools is PLAIN:
            messages = describe_tools(messages, list_callable_tools(fields), self._takes_system)
            fields = fields.model_copy(update={"tools": None})
        return self._tokenizer.encode_chat(messages, fields)

    def prepare(self, messages: Sequence[Message], fields: ChatFields, params: FilledParams) -> PreparedChat:
        """What is needed to answer a conversation.

        Raises InvalidRequest as `encode`.
        """
        tools, prompt = list_callable_tools(fields), self.encode(messages, fields, params.max_tokens)
        kept_tokens = {token_id: name for name, token_id in self._special_ids.items()}
        form = FormGrammar(None) if params.form is None else write_grammar(params.form, self._find_fault)
        grammar = write_answer_grammar(
            self.style,
            tools,
            fields.tool_choice or "auto",
            fields.parallel_tool_calls is not False,
            form.text,
            prompt.end,
            self._special_ids,
            self._find_fault,
        )
        budget = self._make_budget(fields, params, prompt)
        ignored = (*form.left_out, *grammar.left_out)
        plan = AnswerPlan(
            kept_tokens, budget, prompt.truncated_messages, grammar.text, ignored_schema=ignored
        )
        key = f"{params.seed} {hashlib.blake2b(str(prompt.token_ids).encode()).hexdigest()}"
        parser = AnswerParser(self.style, tools, prompt.end, key, has_grammar=grammar.text is not None)
        return PreparedChat(prompt, plan, parser)

    def _make_budget(
        self, fields: ChatFields, params: FilledParams, prompt: ChatPrompt
    ) -> ReasoningBudget | None:
        form, max_tokens = self.style.reasoning, fields.reasoning_budget
        if form is None:
            return None
        must_follow = params.form is not None or fields.tool_choice not in (None, "auto", "none")
        if max_tokens is None and must_follow:
            room = self._max_context - len(prompt.token_ids)
            max_tokens = max(min(params.answer_tokens, room) // 2, 0)
        endings = [] if max_tokens is None else self._encode_endings(form, fields)
        is_open = form.is_open_after(prompt.end)
        return ReasoningBudget(form, max_tokens, is_open, self._tokenizer.tokenizer.token_text, endings)

    def _encode_endings(self, form: ReasoningForm, fields: ChatFields) -> list[list[int]]:
        """The tokens that end the reasoning the first and the second time, see `ReasoningBudget`."""
        text_start = self.style.tools.text_start
        endings = [self._encode_marks(form.ending), self._encode_marks(form.ending + text_start)]
        if not list_callable_tools(fields):
            endings = endings[1:]  # only text can follow
        elif fields.tool_choice not in (None, "auto"):
            endings = endings[:1]
        return endings

    def _encode_marks(self, text: str) -> list[int]:
        """The ids of a text that has names of special tokens."""
        names = "|".join(map(re.escape, self._special_ids)) or "(?!)"
        ids: list[int] = []
        for part in re.split(f"({names})", text):
            special_id = self._special_ids.get(part)
            ids += self._tokenizer.tokenizer.encode_inside(part) if special_id is None else [special_id]
        return ids


def list_callable_tools(fields: ChatFields) -> list[Tool]:
    """The tools that an answer may call.

    Raises InvalidRequest if two have the same name, or if the answer must call one and there are none.
    """
    choice, tools = fields.tool_choice or "auto", fields.tools or []
    for name, count in Counter(tool.name for tool in tools).items():
        if count > 1:
            raise InvalidRequest(f"tools has {count} functions with the name {name!r}.", "tools")
    if choice == "none":
        return []
    if choice != "auto" and not tools:
        raise InvalidRequest("tool_choice is only allowed when tools are given.", "tool_choice")
    return list(tools)


def parse_completion(completion: Completion, parser: AnswerParser) -> Completion:
    """A completion whose text is only the text of the answer, beside its reasoning and its tool calls."""
    parts = AnswerParts().add(*parser.push(completion.text), *parser.finish())
    return replace(
        completion,
        text=parts.text,
        reasoning=parts.reasoning,
        tool_calls=parts.tool_calls,
        finish_reason=find_finish_reason(completion, parser),
    )


def find_finish_reason(completion: Completion, parser: AnswerParser) -> FinishReason:
    """Why an answer ended, whose text has been parsed. One that calls tools waits for their results."""
    has_called = parser.has_calls and completion.finish_reason == "stop"
    return "tool_calls" if has_called else completion.finish_reason
