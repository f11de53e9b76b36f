"""Tries grammars of answers in a process with limits, before this process compiles them."""

import json
import threading
from collections.abc import Mapping, Sequence

from . import grammar_process
from .grammar_process import TIME_LIMIT_S
from .limited_process import WALL_TIME_LIMIT_S, LimitedProcess, ProcessEnded, TooSlow


class GrammarCheck:
    """Tries one grammar at a time. May be called from any thread. `close` ends the process."""

    def __init__(self, special_tokens: Mapping[int, bytes], end_tokens: Sequence[int]) -> None:
        """`special_tokens`: the names, which grammars may use, as llguidance has them."""
        names = {token: name.hex() for token, name in special_tokens.items()}
        self._setup = json.dumps({"special_tokens": names, "end_tokens": list(end_tokens)}).encode()
        self._lock = threading.Lock()
        self._child: LimitedProcess | None = None

    def find_fault(self, grammar: str) -> str:
        """Why a grammar, in llguidance's JSON, cannot be used; empty if it can."""
        if not self._lock.acquire(timeout=WALL_TIME_LIMIT_S):
            return "too many others are being compiled"
        try:
            if self._child is None or not self._child.is_alive():
                self._child = LimitedProcess(grammar_process.__file__)
                self._child.request(self._setup)
            reply = json.loads(self._child.request(json.dumps({"grammar": grammar}).encode()))
            return reply.get("error", "")
        except TooSlow:
            return f"to compile it takes longer than {TIME_LIMIT_S:g} s"
        except ProcessEnded:
            return "it is too complex"
        except OSError as error:
            return f"it needs a process to be compiled, which cannot be started ({error.strerror})"
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._child is not None:
                self._child.end()
