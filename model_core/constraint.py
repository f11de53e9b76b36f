"""Answers of a given form: which tokens may come next, computed by llguidance.

A form is compiled to a grammar for the tokens of the model. Each request has a copy of the grammar's matcher,
which follows the tokens of the answer (github.com/guidance-ai/llguidance). Where the form leaves no choice,
the matcher gives the tokens that must follow, so that the model computes them in one step.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from llguidance import LLMatcher, LLTokenizer

from .ebnf import convert_to_lark, is_ebnf
from .errors import InvalidRequest
from .form import JSON_OPTIONS, MAX_GRAMMAR_LENGTH, Form
from .grammar_check import GrammarCheck, GrammarFault, shorten_error
from .grammar_process import LIMITS
from .kernels.masking import MASK_BITS, apply_mask
from .ll_tokenizer import make_ll_tokenizer
from .tokenizer import AnyTokenizer

MAX_CACHED_GRAMMARS = 64


class Constraint:
    """What one answer may still become. Only one thread at a time may use it."""

    def __init__(self, matcher: LLMatcher, can_draft: bool, end_mask: np.ndarray, ignores_end: bool) -> None:
        """`can_draft`: whether the matcher can go back, as it must to compute the masks of drafts.

        `end_mask`: the tokens that end an answer, uint32 [words]. `ignores_end`: the request ignores them.
        """
        self.matcher, self._can_draft = matcher, can_draft
        self._end_mask, self._ignores_end = end_mask, ignores_end

    @property
    def mask_words(self) -> int:
        """Words of a mask (kernels/masking.py)."""
        return len(self._end_mask)

    @property
    def has_ended(self) -> bool:
        """Whether nothing can follow."""
        return self.matcher.is_stopped()

    def accept(self, token: int) -> None:
        """Add a token to the answer. Raises InvalidRequest if the form is too complex to go on."""
        self.matcher.consume_token(token)
        self._check()

    def forced_tokens(self) -> list[int]:
        """The tokens that must follow. Raises InvalidRequest as `accept`."""
        tokens = [] if self.has_ended else self.matcher.compute_ff_tokens()
        self._check()
        return tokens

    def keep_valid(self, drafts: list[int]) -> list[int]:
        """The first of these tokens, as many as may follow."""
        return drafts[: self.matcher.validate_tokens(drafts)] if self._can_draft else []

    def forbid_end(self, masks: np.ndarray) -> None:
        """If the request ignores end tokens, take them out of masks [rows, words] that allow other tokens."""
        if self._ignores_end:
            others = masks & ~self._end_mask
            has_others = others.any(axis=1)
            masks[has_others] = others[has_others]

    def _check(self) -> None:
        if self.matcher.is_error():
            reason = shorten_error(self.matcher.get_error())
            raise InvalidRequest(f"the form is too complex for the answer to go on: {reason}.", "form")


@dataclass(frozen=True)
class _Compiled:
    """A grammar. The matcher stays at the start of an answer."""

    matcher: LLMatcher
    can_draft: bool


class GrammarCompiler:
    """Compiles grammars for one model. Its methods may be called from any thread."""

    def __init__(self, tokenizer: AnyTokenizer | None, vocab_size: int, end_tokens: Collection[int]) -> None:
        """`end_tokens`: ids of the tokens that end an answer."""
        self._tokenizer, self._vocab_size = tokenizer, vocab_size
        self._end_tokens = sorted(token for token in end_tokens if token < vocab_size)
        self._setup_lock, self._lock = threading.Lock(), threading.Lock()
        # Made for the first grammar, because it takes up to a second.
        self._ll_tokenizer: LLTokenizer | None = None
        self._end_mask = np.empty(0, np.uint32)
        self._check: GrammarCheck | None = None
        self._compiled: OrderedDict[str, _Compiled] = OrderedDict()  # the least recently used first

    def compile(self, grammar: str, ignores_end: bool) -> Constraint:
        """The constraint of a new answer with this grammar, in llguidance's JSON.

        With `ignores_end` the model cannot end the answer itself. Raises InvalidRequest if the grammar is
        wrong, too large or too complex.
        """
        if self._tokenizer is None:
            raise InvalidRequest("this model has no tokenizer, so its answers can have no form.", "form")
        if len(grammar) > MAX_GRAMMAR_LENGTH:
            raise _refuse(f"it has {len(grammar)} characters, and at most {MAX_GRAMMAR_LENGTH} are allowed")
        with self._lock:
            compiled = self._compiled.get(grammar)
            if compiled is not None:
                self._compiled.move_to_end(grammar)
        if compiled is None:
            compiled = self._compile(grammar)
            with self._lock:
                self._compiled[grammar] = compiled
                if len(self._compiled) > MAX_CACHED_GRAMMARS:
                    self._compiled.popitem(last=False)
        return Constraint(compiled.matcher.deep_copy(), compiled.can_draft, self._end_mask, ignores_end)

    def find_fault(self, grammars: Sequence[str]) -> GrammarFault | None:
        """Why grammars, in llguidance's JSON, cannot be compiled; None if they can."""
        self._get_ll_tokenizer()
        return self._check.find_fault(grammars)

    def close(self) -> None:
        """End the process that tries grammars."""
        with self._setup_lock:
            if self._check is not None:
                self._check.close()

    def _compile(self, grammar: str) -> _Compiled:
        tokenizer = self._get_ll_tokenizer()
        if fault := self._check.find_fault([grammar]):
            raise _refuse(fault.reason)
        matcher = LLMatcher(tokenizer, grammar, log_level=0, limits=LIMITS)
        mask = np.empty_like(self._end_mask)
        if not matcher.is_error():
            matcher.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        if matcher.is_error():
            raise _refuse(matcher.get_error())
        mask &= ~self._end_mask
        if not mask.any():
            raise _refuse("it allows no text")
        return _Compiled(matcher, _can_go_back(matcher.deep_copy(), mask))

    def _get_ll_tokenizer(self) -> LLTokenizer:
        with self._setup_lock:
            if self._ll_tokenizer is None:
                tokenizer, special_tokens = make_ll_tokenizer(
                    self._tokenizer, self._vocab_size, self._end_tokens
                )
                self._end_mask = _make_mask(tokenizer.vocab_size, tokenizer.eos_tokens)
                self._check = GrammarCheck(special_tokens, tokenizer.eos_tokens)
                apply_mask(np.zeros(1, np.float32), np.zeros(1, np.uint32))  # compiled here, not in a step
                self._ll_tokenizer = tokenizer
            return self._ll_tokenizer


def write_grammar(form: Form) -> str:
    """The grammar of a form, in llguidance's JSON. Raises InvalidRequest."""
    name, source = form.source
    try:
        if name == "regex":
            return LLMatcher.grammar_from_regex(source)
        if name == "choice":
            return _wrap_lark("start: CHOICE\nCHOICE: " + " | ".join(map(json.dumps, source)))
        if name == "grammar":
            return _wrap_lark(convert_to_lark(source) if is_ebnf(source) else source)
        if source is False:
            raise ValueError("no JSON is valid under the schema false")
        schema = source if isinstance(source, dict) else {}
        if name == "json_object":
            schema = {"type": "object"}
        return LLMatcher.grammar_from_json_schema(json.dumps(schema, allow_nan=False), defaults=JSON_OPTIONS)
    except ValueError as error:
        raise _refuse(str(error)) from error


def _wrap_lark(lark: str) -> str:
    return json.dumps({"grammars": [{"lark_grammar": lark}]})


def _make_mask(size: int, tokens: Collection[int]) -> np.ndarray:
    """A mask of these tokens in a vocabulary of this size: uint32 [words]."""
    mask = np.zeros(-(-size // MASK_BITS), np.uint32)
    for token in tokens:
        mask[token // MASK_BITS] |= np.uint32(1 << token % MASK_BITS)
    return mask


def _can_go_back(matcher: LLMatcher, mask: np.ndarray) -> bool:
    """Whether a matcher can take back a token of this mask. With some options in Lark it cannot."""
    token = int(np.unpackbits(mask.view(np.uint8), bitorder="little").argmax())
    return matcher.consume_token(token) and matcher.rollback(1)


def _refuse(reason: str) -> InvalidRequest:
    return InvalidRequest(f"the form of the answer is wrong: {shorten_error(reason)}.", "form")
