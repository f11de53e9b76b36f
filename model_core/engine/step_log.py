"""What the last steps of an engine did, for people who watch it."""

import threading
import time
from collections import deque
from typing import Any, NamedTuple

KEPT_STEPS = 240
KEPT_SECONDS = 120


class Step(NamedTuple):
    """A step. Times are in seconds.

    Attributes:
        sequences: requests that it computed together. tokens: of their prompts and answers, and drafts.
        answer_tokens: that it added to answers.
        schedule: until it was known what to compute. model: until there were logits. choose: until the next
            tokens were chosen and delivered.
    """

    sequences: int
    tokens: int
    answer_tokens: int
    schedule: float
    model: float
    choose: float


class Second(NamedTuple):
    """What the steps that ended within a second did. `busy`: how many seconds they took, together."""

    second: int  # of time.monotonic()
    steps: int
    tokens: int
    answer_tokens: int
    busy: float


class StepLog:
    """The last steps, and sums for each of the last seconds. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows
        self._steps: deque[Step] = deque(maxlen=KEPT_STEPS)
        self._seconds: deque[Second] = deque(maxlen=KEPT_SECONDS)

    def record(
        self, times: tuple[float, float, float, float], sequences: int, tokens: int, answer_tokens: int
    ) -> None:
        """Record a step. `times`: those of `time.monotonic()` between its parts, see Step."""
        start, scheduled, computed, end = times
        parts = (scheduled - start, computed - scheduled, end - computed)
        step = Step(sequences, tokens, answer_tokens, *parts)
        with self._lock:
            self._steps.append(step)
            last = self._seconds[-1] if self._seconds else None
            if last is None or last.second != int(end):
                last = Second(int(end), 0, 0, 0, 0.0)
            else:
                self._seconds.pop()
            self._seconds.append(
                Second(
                    last.second,
                    last.steps + 1,
                    last.tokens + tokens,
                    last.answer_tokens + answer_tokens,
                    last.busy + end - start,
                )
            )

    def read(self) -> dict[str, Any]:
        """`steps`, the oldest first, and `seconds` with an `age`: 0 for the present second, which goes on."""
        now = int(time.monotonic())
        with self._lock:
            steps, seconds = list(self._steps), list(self._seconds)
        recent = [second for second in seconds if second.second > now - KEPT_SECONDS]
        return {
            "steps": [step._asdict() for step in steps],
            "seconds": [
                {
                    "age": now - second.second,
                    "steps": second.steps,
                    "tokens": second.tokens,
                    "answer_tokens": second.answer_tokens,
                    "busy": second.busy,
                }
                for second in recent
            ],
        }
