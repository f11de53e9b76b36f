"""Tries grammars of answers in a process with limits, before this process compiles them."""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..machine.limited_process import WALL_TIME_LIMIT_S, LimitedProcess, ProcessEnded, TooSlow
from . import trial_program
from .trial_program import TIME_LIMIT_S

_MAX_KNOWN = 1024  # grammars


@dataclass(frozen=True)
class GrammarFault:
    """Why grammars cannot be used. `index` is that of the first wrong one, None if it is not known."""

    reason: str
    index: int | None = None


class GrammarCheck:
    """Tries grammars, one after another. May be called from any thread. `close` ends the process."""

    def __init__(self, special_tokens: Mapping[int, bytes], end_tokens: Sequence[int]) -> None:
        """`special_tokens`: the names, which grammars may use, as llguidance has them."""
        names = {token: name.hex() for token, name in special_tokens.items()}
        self._setup = json.dumps({"special_tokens": names, "end_tokens": list(end_tokens)}).encode()
        self._lock = threading.Lock()
        self._child: LimitedProcess | None = None
        # By the hash of a grammar: why it cannot be used, empty if it can. The oldest come first.
        self._reasons: dict[bytes, str] = {}

    def find_fault(self, grammars: Sequence[str]) -> GrammarFault | None:
        """Why grammars, in llguidance's JSON, cannot be used; None if they can."""
        hashes = [hashlib.blake2b(grammar.encode()).digest() for grammar in grammars]
        known = [self._reasons.get(key) for key in hashes]
        for index, reason in enumerate(known):
            if reason:
                return GrammarFault(reason, index)
        new = [index for index, reason in enumerate(known) if reason is None]
        if not new:
            return None
        if not self._lock.acquire(timeout=WALL_TIME_LIMIT_S):
            return GrammarFault("too many others are being compiled")
        try:
            fault = self._try([grammars[index] for index in new])
            if fault is None:
                self._reasons.update(dict.fromkeys((hashes[index] for index in new), ""))
            elif fault.index is not None:
                index = new[fault.index]
                fault = GrammarFault(fault.reason, index)
                self._reasons[hashes[index]] = fault.reason
            for key in list(self._reasons)[:-_MAX_KNOWN]:
                del self._reasons[key]
            return fault
        except OSError as error:
            reason = f"it needs a process to be compiled, which cannot be started ({error.strerror})"
            return GrammarFault(reason)
        finally:
            self._lock.release()

    def _try(self, grammars: list[str]) -> GrammarFault | None:
        """Try grammars in the process. Raises OSError if it cannot be started."""
        index = None
        try:
            if self._child is None or not self._child.is_alive():
                self._child = LimitedProcess(trial_program.__file__)
                self._child.request(self._setup)
            index = 0 if len(grammars) == 1 else None
            reply = json.loads(self._child.request(json.dumps({"grammars": grammars}).encode()))
        except TooSlow:
            return GrammarFault(f"to compile it takes longer than {TIME_LIMIT_S:g} s", index)
        except ProcessEnded:
            return GrammarFault("it is too complex", index)
        return GrammarFault(shorten_error(reply["error"]), reply["index"]) if "error" in reply else None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._child is not None:
                self._child.end()


def shorten_error(message: str) -> str:
    """A message of llguidance as a part of a sentence, without the places in the source that it shows."""
    message = message.replace("<non-verbose/>", "").replace("NoExtensionBias", "it allows no text")
    first, *others = message.strip().splitlines()
    details = [line.removeprefix("error: ") for line in others if line.startswith("error: ")]
    return " ".join((first, *details))[:300].rstrip(". ")
