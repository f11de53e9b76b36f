"""Models that are loaded when a test lets them."""

import threading
from collections.abc import Callable
from pathlib import Path

from model_core import LLM
from triton_server.engine.models.local_engine import LocalEngine


class Loader:
    """Loads a model once the test lets it, and counts how often."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.count = path, 0
        self.started, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, on_progress: Callable[[float], None]) -> LocalEngine:
        self.count += 1
        on_progress(0.25)
        self.started.set()
        assert self.may_go_on.wait(120)
        return LocalEngine(LLM(self.path, kv_cache_memory=2**26))
