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
from typing import Any

import numpy as np
from llguidance import LLMatcher, LLTokenizer

from ..errors import InvalidRequest
from ..kernels.sampling.masking import MASK_BITS, apply_mask
from ..requests.form import MAX_GRAMMAR_LENGTH, Form
from ..schema import needs_text
from ..text.tokenizer import AnyTokenizer
from .gbnf import convert_to_lark, is_ebnf
from .json_rules import write_json
from .lark import Lark
from .llguidance_tokens import make_ll_tokenizer
from .schema_trial import FindFault, prepare_and_try, write_json_grammar
from .trial import GrammarCheck, GrammarFault, shorten_error
from .trial_program import LIMITS

MAX_CACHED_GRAMMARS = 64
_NO_TOKENIZER = "this model has no tokenizer, so its answers can have no form"
_DEAD_END = "NoExtensionBias"  # what llguidance calls it


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
        """Words of a mask (kernels/sampling/masking.py)."""
        return len(self._end_mask)

    @property
    def has_ended(self) -> bool:
        """Whether nothing can follow."""
        return self.matcher.is_stopped()

    @property
    def is_at_dead_end(self) -> bool:
        """Whether the form allows nothing more, not even the end. No token can be taken back then."""
        return self.matcher.is_error() and _DEAD_END in self.matcher.get_error()

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

    def count_before_dead_end(self, drafts: Sequence[int]) -> int:
        """How many of these tokens come before one after which nothing may follow."""
        matcher, mask = self.matcher.deep_copy(), np.empty_like(self._end_mask)
        for count, token in enumerate(drafts):
            matcher.consume_token(token)
            matcher.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
            if matcher.is_error():
                return count
        return len(drafts)

    def forbid_end(self, masks: np.ndarray) -> None:
        """If the request ignores end tokens, take them out of masks [rows, words] that allow other tokens."""
        if self._ignores_end:
            others = masks & ~self._end_mask
            has_others = others.any(axis=1)
            masks[has_others] = others[has_others]

    def _check(self) -> None:
        if self.matcher.is_error() and not self.is_at_dead_end:
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
        self._tools: tuple[LLTokenizer, GrammarCheck] | None = None
        self._end_mask = np.empty(0, np.uint32)
        self._compiled: OrderedDict[str, _Compiled] = OrderedDict()  # the least recently used first

    def compile(self, grammar: str, ignores_end: bool) -> Constraint:
        """The constraint of a new answer with this grammar, in llguidance's JSON.

        With `ignores_end` the model cannot end the answer itself. Raises InvalidRequest if the grammar is
        wrong, too large or too complex.
        """
        if self._tokenizer is None:
            raise InvalidRequest(f"{_NO_TOKENIZER}.", "form")
        if len(grammar) > MAX_GRAMMAR_LENGTH:
            raise _refuse(f"it has {len(grammar)} characters, and at most {MAX_GRAMMAR_LENGTH} are allowed")
        with self._lock:
            compiled = self._compiled.get(grammar)
            if compiled is not None:
                self._compiled.move_to_end(grammar)
        if compiled is None:
            compiled = self._compile(self._tokenizer, grammar)
            with self._lock:
                self._compiled[grammar] = compiled
                if len(self._compiled) > MAX_CACHED_GRAMMARS:
                    self._compiled.popitem(last=False)
        return Constraint(compiled.matcher.deep_copy(), compiled.can_draft, self._end_mask, ignores_end)

    def find_fault(self, grammars: Sequence[str]) -> GrammarFault | None:
        """Why grammars, in llguidance's JSON, cannot be compiled; None if they can."""
        if self._tokenizer is None:
            return GrammarFault(_NO_TOKENIZER)
        return self._get_tools(self._tokenizer)[1].find_fault(grammars)

    def close(self) -> None:
        """End the process that tries grammars."""
        with self._setup_lock:
            if self._tools is not None:
                self._tools[1].close()

    def _compile(self, tokenizer: AnyTokenizer, grammar: str) -> _Compiled:
        ll_tokenizer, check = self._get_tools(tokenizer)
        if fault := check.find_fault([grammar]):
            raise _refuse(fault.reason)
        matcher = LLMatcher(ll_tokenizer, grammar, log_level=0, limits=LIMITS)
        mask = np.empty_like(self._end_mask)
        if not matcher.is_error():
            matcher.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        if matcher.is_error():
            raise _refuse(matcher.get_error())
        mask &= ~self._end_mask
        if not mask.any():
            raise _refuse("it allows no text")
        return _Compiled(matcher, _can_go_back(matcher.deep_copy(), mask))

    def _get_tools(self, tokenizer: AnyTokenizer) -> tuple[LLTokenizer, GrammarCheck]:
        with self._setup_lock:
            if self._tools is None:
                made, special_tokens = make_ll_tokenizer(tokenizer, self._vocab_size, self._end_tokens)
                self._end_mask = _make_mask(made.vocab_size, made.eos_tokens)
                apply_mask(np.zeros(1, np.float32), np.zeros(1, np.uint32))  # compiled here, not in a step
                self._tools = made, GrammarCheck(special_tokens, made.eos_tokens)
            return self._tools


@dataclass(frozen=True)
class FormGrammar:
    """The grammar of a form, in llguidance's JSON; None for any text.

    `left_out`: the places of the form that it does not enforce.
    """

    text: str | None
    left_out: tuple[str, ...] = ()


def write_grammar(form: Form, find_fault: FindFault | None = None) -> FormGrammar:
    """The grammar of a form. Raises InvalidRequest.

    `find_fault` tries a schema that is not strict, so that what cannot be compiled can be left out.
    """
    name, source = form.source
    if name == "json_schema":
        prepared = prepare_and_try(
            source, strict=form.strict, field="form.json_schema", find_fault=find_fault
        )
        text, left_out = _write_json_grammar(prepared.schema)
        if form.strict and left_out:
            raise InvalidRequest(
                f"{left_out[0]!r} cannot be enforced beside constants that a float cannot hold; "
                "send them as texts.",
                "form.json_schema",
            )
        places = (f"form.json_schema.{place}" for place in (*prepared.left_out, *left_out))
        return FormGrammar(text, tuple(places))
    try:
        if name == "json_object":
            return FormGrammar(write_json_grammar({"type": "object"}))
        if name == "regex":
            return FormGrammar(LLMatcher.grammar_from_regex(source))
        if name == "choice":
            return FormGrammar(_wrap_lark("start: CHOICE\nCHOICE: " + " | ".join(map(json.dumps, source))))
        return FormGrammar(_wrap_lark(convert_to_lark(source) if is_ebnf(source) else source))
    except ValueError as error:
        raise _refuse(str(error)) from error


def _write_json_grammar(schema: dict[str, Any] | bool) -> tuple[str, list[str]]:
    """The grammar of JSON that is valid under a prepared schema, and what of it is not enforced."""
    if isinstance(schema, bool) or not needs_text(schema):
        return write_json_grammar(schema), []
    lark = Lark({})
    lark.add(write_json(lark, schema, schema), "start")
    return _wrap_lark(str(lark)), lark.left_out


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
