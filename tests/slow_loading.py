"""A server in this process, whose models are loaded when a test lets them."""

import contextlib
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from support import free_port

from model_core import LLM
from triton_server.engine.deployment import Address, Deployment
from triton_server.engine.leftovers import remove_model_copies
from triton_server.engine.local_engine import LocalEngine
from triton_server.engine.model_pool import ModelPool


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


@contextlib.contextmanager
def served(pool: ModelPool) -> Iterator[str]:
    """Serve models through a Triton of their own. Yields the address of its gRPC."""
    address = Address(grpc_port=free_port(), metrics_port=free_port())
    with tempfile.TemporaryDirectory() as folder:  # not pytest's: paths of sockets are short
        deployment = Deployment(pool, address, Path(folder))
        try:
            deployment.start()
            yield f"127.0.0.1:{address.grpc_port}"
        finally:
            for process in deployment._processes:  # an orderly stop takes seconds
                process.kill()
            deployment.stop()
            remove_model_copies(deployment._workspace)
