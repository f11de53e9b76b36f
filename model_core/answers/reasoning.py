"""How models write their reasoning, and the budget of tokens within which it is kept."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..text.tokenizer import REPLACEMENT

_MAX_MARK_LENGTH = 256  # in characters, with the white space and the text of a token around a mark
_MAX_SPLIT_TOKENS = 3  # tokens after which a character of at most four bytes is whole, or will never be


@dataclass(frozen=True)
class ReasoningForm:
    """How a model writes its reasoning, which stands at the start of an answer.

    Attributes:
        start, end: what stands around it.
        label: the end of `start` that is a word; what is before it is a mark of its own.
        ending: what the service writes to end it, up to where text or a call begins.
        next_start: what the model writes between `end` and what follows.
        special_tokens: what may be a special token in a vocabulary, and must be kept in the text.
        repeats: whether there may be reasoning again after it has ended.
    """

    start: str
    end: str
    ending: str
    next_start: str = ""
    special_tokens: tuple[str, ...] = ()
    repeats: bool = False
    label: str = ""

    @property
    def opening(self) -> str:
        """The mark at the beginning of `start`."""
        return self.start.removesuffix(self.label)

    def is_open_after(self, prompt_end: str) -> bool:
        """Whether a prompt that ends so has opened the reasoning, so that the answer goes on with it."""
        return prompt_end.rstrip().endswith(self.start)

    def is_closed_after(self, prompt_end: str) -> bool:
        """Whether a prompt that ends so has closed the reasoning, so that the answer has none."""
        return prompt_end.rstrip().endswith(self.end)


THINK = ReasoningForm("<think>", "</think>", ending="\n</think>\n\n", special_tokens=("<think>", "</think>"))
MISTRAL = ReasoningForm("[THINK]", "[/THINK]", ending="[/THINK]", special_tokens=("[THINK]", "[/THINK]"))
GEMMA = ReasoningForm(
    "<|channel>thought",
    "<channel|>",
    ending="\n<channel|>",
    special_tokens=("<|channel>", "<channel|>"),
    repeats=True,
    label="thought",
)
HARMONY = ReasoningForm(
    "<|channel|>analysis<|message|>",
    "<|end|>",
    ending="<|end|><|start|>assistant",
    next_start="<|start|>assistant",
    special_tokens=("<|channel|>", "<|message|>", "<|start|>", "<|end|>"),
    repeats=True,
)
ATEM = ReasoningForm(
    " to=self<|message|>",
    "<|eom|>",
    ending="<|eom|><|start|>assistant",
    next_start="<|start|>assistant",
    special_tokens=("<|message|>", "<|start|>", "<|eom|>"),
    repeats=True,
)
SOLAR = ReasoningForm(
    "<|think|>",
    "<|end|>",
    ending="<|end|><|begin|>assistant",
    next_start="<|begin|>assistant",
    special_tokens=("<|think|>", "<|end|>", "<|begin|>"),
)
KIMI_K3 = ReasoningForm(
    "<|open|>think<|sep|>",
    "<|close|>think<|sep|>",
    ending="<|close|>think<|sep|><|open|>response<|sep|>",
    next_start="<|open|>response<|sep|>",
    special_tokens=("<|open|>", "<|close|>", "<|sep|>"),
)
# Marks of other models: Command R7B and Command A, Apertus, Apriel.
_PAIRS = (
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
)
# `<think>` with a prefix, such as `<seed:think>` of Seed-OSS `<mm:think>` of MiniMax-M3, or a suffix (Hy3).
_PREFIXED = re.compile(r"</(\w+:think|think:[\w.-]+)>")


def recognize_reasoning(template: str) -> ReasoningForm | None:
    """The form of the reasoning of a model with this chat template; None if it has none."""
    if "<|channel|>" in template and "<|message|>" in template:
        return HARMONY
    if "to=self" in template and "<|message|>" in template:
        return ATEM
    if "<|think|>" in template and "<|begin|>" in template:
        return SOLAR
    if "<|open|>" in template and "<|close|>" in template and "think" in template:
        return KIMI_K3
    if "<|channel>" in template:
        return GEMMA
    if "[THINK]" in template:
        return MISTRAL
    if "<think>" in template or "</think>" in template:
        return THINK
    pairs = list(_PAIRS)
    if prefixed := _PREFIXED.search(template):
        pairs.append((f"<{prefixed[1]}>", prefixed[0]))
    found = (pair for pair in pairs if pair[1] in template)
    return next((ReasoningForm(*pair, ending=pair[1], special_tokens=pair) for pair in found), None)


class ReasoningBudget:
    """Counts the reasoning tokens of an answer, and ends the reasoning when there are too many.

    `push` and `start` return tokens that the engine appends to the answer, as if the model had chosen them.
    """

    def __init__(
        self,
        form: ReasoningForm,
        max_tokens: int | None,
        is_open: bool,
        token_text: Callable[[int], str],
        endings: Sequence[Sequence[int]],
    ) -> None:
        """`token_text` gives the text of a token, marks too. `max_tokens`: None for any number.

        `endings`: the tokens that end the reasoning the first time, the second time, ... If the model begins
        to reason once more after that, the last ones end it again.
        """
        self._form, self._max_tokens, self._token_text = form, max_tokens, token_text
        self._endings = [tuple(ids) for ids in reversed(endings)]
        self._is_open, self._is_over = is_open, False
        self._text = ""  # the end of the answer, in which the next mark may begin
        self.token_count = 0  # of the reasoning so far, with the mark that ends it
        self._split_tokens = 0  # tokens at the end that are parts of a character

    def start(self) -> tuple[int, ...]:
        """The tokens to append to the prompt."""
        return self._end() if self._is_open and self._max_tokens == 0 else ()

    def push(self, token_id: int) -> tuple[int, ...]:
        """The tokens to append after this token of the answer."""
        if self._is_over:
            return ()
        text = self._token_text(token_id)
        self._split_tokens = self._split_tokens + 1 if REPLACEMENT in text else 0
        self._text = (self._text + text)[-_MAX_MARK_LENGTH:]
        if self._is_open:
            self.token_count += 1
            if self._form.end in self._text:
                self._close()
        elif self._form.repeats:
            self._is_open = self._text.rstrip().endswith(self._form.start)
        else:
            beginning = self._text.lstrip()
            self._is_open = beginning.startswith(self._form.start)
            self._is_over = not self._is_open and not self._form.start.startswith(beginning)
        is_used_up = self._max_tokens is not None and self._is_open and self.token_count >= self._max_tokens
        is_whole = not 0 < self._split_tokens <= _MAX_SPLIT_TOKENS
        return self._end() if is_used_up and is_whole else ()

    def _end(self) -> tuple[int, ...]:
        self._close()
        return self._endings.pop() if len(self._endings) > 1 else self._endings[0]

    def _close(self) -> None:
        self._is_open, self._is_over = False, not self._form.repeats
        self._text = ""
