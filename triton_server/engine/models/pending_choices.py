"""The answers of a request to choose from, on their way through the engine."""

from collections.abc import Callable, Sequence

from model_core.engine.engine import Engine
from model_core.engine.job import Job
from model_core.requests.results import Completion, Delta, DeltaCallback, join_deltas


class PendingChoices:
    """Requests to the engine that make one answer: they are accepted together, and end together."""

    def __init__(self, engine: Engine, on_end: Callable[[list[Completion]], None]) -> None:
        """The engine's thread calls `on_end` with the completions, when all have ended."""
        self._engine, self._on_end = engine, on_end
        self._ids: list[str] = []
        self._deltas: list[list[Delta]] = []
        self._unfinished = 0
        self._is_cancelled = False

    def submit(self, jobs: Sequence[Job], request_id: str | None, arrival_time: float | None = None) -> None:
        """Submit all jobs of a request, which arrived at this `time.monotonic()`, if it was not now.

        Raises TritonchatError if one is refused; then none of them goes on, and `on_end` is not called.
        """
        self._deltas, self._unfinished = [[] for _ in jobs], len(jobs)
        try:
            for number, job in enumerate(jobs):
                name = f"{request_id}:{number}"
                self._engine.submit(job, self._make_callback(self._deltas[number]), name, arrival_time)
                self._ids.append(name)
                if self._is_cancelled:
                    self._engine.cancel(name)
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> bool:
        """Cancel all that have not ended. False if all have."""
        self._is_cancelled = True
        return any([self._engine.cancel(name) for name in list(self._ids)])

    def _make_callback(self, deltas: list[Delta]) -> DeltaCallback:
        def on_delta(delta: Delta) -> None:
            deltas.append(delta)
            if delta.completion is None:
                return
            self._unfinished -= 1
            if delta.completion.finish_reason == "cancelled":
                self.cancel()  # without it the others are of no use
            if self._unfinished == 0:
                self._on_end([join_deltas(parts) for parts in self._deltas])

        return on_delta
