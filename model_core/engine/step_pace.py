"""How many tokens of prompts a step computes, so that running answers get their next tokens in time.

The cost of a step depends on the model, the machine, the answers beside the prompt and the length of its
context. It is not modelled: the tokens that fit into the time are those of the last step, times what that
step took too long or too short. Answers do not depend on it, because chunks of prompts change no bits.
"""

import math

# Before anything is known. If each takes long, answers wait once, and not for a whole step of prompts.
_FIRST_TOKENS = 64
_MAX_GROWTH = 2  # from one step to the next: a step that was short by chance changes little


class StepPace:
    """Follows measured steps. Not thread-safe: it belongs to the scheduler."""

    def __init__(self, step_time_s: float) -> None:
        """`step_time_s`: seconds that a step with answers aims at; infinite: any time."""
        self._step_time_s = step_time_s
        self._tokens = math.inf if math.isinf(step_time_s) else float(_FIRST_TOKENS)

    def limit_tokens(self, least: int, most: int) -> int:
        """The tokens of prompts that fit into a step beside answers, at least `least` and at most `most`."""
        return int(max(least, min(most, self._tokens)))

    def record_step(self, prompt_tokens: int, seconds: float) -> None:
        """Note how long a step took that computed so many tokens of prompts, among others."""
        if not prompt_tokens or math.isinf(self._step_time_s):
            return
        fitting = prompt_tokens * self._step_time_s / max(seconds, 1e-9)
        if fitting < prompt_tokens:
            self._tokens = min(self._tokens, fitting)
        elif prompt_tokens >= int(self._tokens):  # with fewer it says nothing about more
            self._tokens = min(fitting, _MAX_GROWTH * prompt_tokens)
