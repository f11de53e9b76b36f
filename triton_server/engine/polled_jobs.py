"""Work that takes longer than a command may wait: clients begin it, and ask again until it is done."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from typing import Any

_WAIT_S = 0.5  # of a command for work that is not done


class PolledJobs:
    """Jobs by key, one after the other in a thread. Its methods may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._futures: dict[Hashable, Future[Any]] = {}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=name)

    def poll(self, key: Hashable, job: Callable[[], Any]) -> tuple[bool, Any]:
        """Begin a job, unless it runs, and wait for a moment. To ask again with its key tells how it went.

        Returns whether it is done, and its result. Raises what it raises.
        """
        with self._lock:
            if key not in self._futures:
                done = [other for other, future in self._futures.items() if future.done()]
                for other in done:  # nobody has asked again
                    del self._futures[other]
                self._futures[key] = self._threads.submit(job)
            future = self._futures[key]
        try:
            result = future.result(_WAIT_S)
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
