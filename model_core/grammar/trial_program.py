"""The program that tries grammars of answers, in its own process with limits.

Grammars come with requests. To compile one can take minutes or gigabytes, and some exhaust the stack, which
ends the process. So each grammar is tried here, before the engine's process compiles it: it is compiled, and
the first tokens of an answer are chosen at random.

`grammar/trial.py` starts it. Requests and replies (limited_program.py) are JSON objects. The first request is
{"special_tokens", "end_tokens"}, with the names of special tokens by their ids; its reply is {}. Each further
request is {"grammars"}, each in llguidance's JSON; its reply is {}, or {"error", "index"} with the reason why
the grammar with this index cannot be used.
"""

import json
import random
import sys

if __name__ == "__main__":
    sys.path[:] = sys.argv[2:]

import threading
import time
from collections.abc import Mapping, Sequence

import numpy as np
from llguidance import LLMatcher, LLParserLimits, LLTokenizer, TokenizerWrapper

from model_core.machine.limited_program import serve

# In an ambiguous grammar, a token takes a time that grows with the square of the items. At 1000 items, which
# are 250 optional properties of an object, it is 20 ms.
LIMITS = LLParserLimits(max_items_in_row=1000, verbose_errors=False)
MEMORY = 2**30  # bytes of address space
TIME_LIMIT_S = 2.0  # of processor time for a request; an ordinary grammar takes a millisecond
_STEP_LIMIT_S = 0.3  # for one token; all other requests would wait so long
_STEPS = 16
# Of the thread that tries grammars. Those of the engine's process have more, so they do not exhaust theirs.
_STACK_BYTES = 2**20


class _Bytes:
    """A vocabulary with the special tokens of a model, and behind them a token for each byte."""

    bos_token_id = None
    special_token_ids = ()

    def __init__(self, special_tokens: Mapping[str, str], end_token: int) -> None:
        size = max(map(int, special_tokens), default=-1) + 1
        self._first = size
        self.eos_token_id = end_token
        self.tokens = [b""] * size + [bytes([byte]) for byte in range(256)]
        for token, name in special_tokens.items():
            self.tokens[int(token)] = bytes.fromhex(name)

    def __call__(self, text: str) -> list[int]:
        return [self._first + byte for byte in text.encode()]


def _make_tokenizer(special_tokens: Mapping[str, str], end_tokens: Sequence[int]) -> LLTokenizer:
    vocabulary = _Bytes(special_tokens, end_tokens[0])
    return LLTokenizer(TokenizerWrapper(vocabulary), eos_token=list(end_tokens))


def _try(tokenizer: LLTokenizer, grammar: str) -> str:
    """Why a grammar cannot be used, or an empty string."""
    matcher = LLMatcher(tokenizer, grammar, log_level=0, limits=LIMITS)
    choose, mask = random.Random(0), np.zeros(-(-tokenizer.vocab_size // 32), np.uint32)
    for _ in range(_STEPS):
        if matcher.is_stopped():  # also after an error
            break
        start = time.thread_time()
        matcher.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        allowed = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
        if not len(allowed):
            break
        matcher.consume_token(int(choose.choice(allowed)))
        if not matcher.is_stopped() and (forced := matcher.compute_ff_tokens()):
            matcher.consume_tokens(forced)
        if time.thread_time() - start > _STEP_LIMIT_S:
            return f"to choose one token takes longer than {_STEP_LIMIT_S:g} s"
    return matcher.get_error()


class _Trials:
    def __init__(self) -> None:
        self._tokenizer: LLTokenizer | None = None

    def answer(self, data: bytes) -> bytes:
        """The reply to a request."""
        request, replies = json.loads(data), list[dict[str, object]]([{}])
        if self._tokenizer is None:
            self._tokenizer = _make_tokenizer(request["special_tokens"], request["end_tokens"])
        else:
            tokenizer = self._tokenizer

            def run() -> None:
                for index, grammar in enumerate(request["grammars"]):
                    if error := _try(tokenizer, grammar):
                        replies.append({"error": error, "index": index})
                        return

            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        return json.dumps(replies[-1]).encode()


if __name__ == "__main__":
    threading.stack_size(_STACK_BYTES)
    serve(_Trials().answer, MEMORY, lambda _: TIME_LIMIT_S)
