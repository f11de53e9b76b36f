"""An engine that begins no step for a while, so that requests can come to it at once; and one that breaks."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from model_core import LLM, SamplingParams
from model_core.engine import engine
from model_core.engine.job import Job
from model_core.engine.scheduler import Scheduler
from model_core.engine.work import WorkItem
from model_core.requests.results import Delta


@contextlib.contextmanager
def held(llm: LLM) -> Iterator[None]:
    """Whatever is submitted or cancelled within the block comes before the engine's next step.

    A request whose time was over before it came keeps the engine's thread in its callback: it is counted as a
    request, but computes nothing and takes no place.
    """
    is_held, may_go_on = threading.Event(), threading.Event()

    def wait(delta: Delta) -> None:
        is_held.set()
        assert may_go_on.wait(60)

    params = SamplingParams(max_tokens=1, timeout_s=0).with_defaults(llm.defaults)
    llm.engine.submit(Job([1], params), wait)
    assert is_held.wait(60)
    try:
        yield
    finally:
        may_go_on.set()


def breakable_llm(*args: Any, **settings: Any) -> tuple[LLM, list[BaseException]]:
    """A model, and a list: the next step of its engine, and of no other, raises the first error put there."""
    errors: list[BaseException] = []

    class BreakableScheduler(Scheduler):
        def schedule(self, drafts: Any = ()) -> list[WorkItem]:
            if errors:
                raise errors[0]
            return super().schedule(drafts)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "Scheduler", BreakableScheduler)
        return LLM(*args, **settings), errors
