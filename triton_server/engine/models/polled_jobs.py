"""Work that takes longer than a command may wait: clients begin it, and ask again until it is done."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from typing import Any

from model_core.errors import QueueFull

WAIT_S = 0.1  # of a command for work that is not done; other commands wait, too
_MAX_JOBS = 64  # that wait or run


class PolledJobs:
    """Jobs by key, one after the other in a thread. Its methods may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._futures: dict[Hashable, Future[Any]] = {}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=name)

    def poll(self, key: Hashable, job: Callable[[], Any]) -> tuple[bool, Any]:
        """Begin a job, unless it runs, and wait for a moment. To ask again with its key tells how it went.

        Returns whether it is done, and its result. Raises QueueFull, and what the job raises.
        """
        with self._lock:
            if key not in self._futures:
                done = [other for other, future in self._futures.items() if future.done()]
                for other in done:  # nobody has asked again
                    del self._futures[other]
                if len(self._futures) >= _MAX_JOBS:
                    raise QueueFull("too much work of this kind is waiting; try again in a moment.")
                self._futures[key] = self._threads.submit(job)
            future = self._futures[key]
        try:
            result = future.result(WAIT_S)
        except TimeoutError:
            if not future.done():
                return False, None
            raise
        finally:
            if future.done():
                with self._lock:
                    self._futures.pop(key, None)
        return True, result

    def start(self, job: Callable[[], Any]) -> None:
        """Do something for which nobody waits."""
        self._threads.submit(job)
