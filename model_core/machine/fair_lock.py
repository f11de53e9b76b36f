"""Turns at the processor, for models that share it."""

import threading
from collections import deque


class Turns:
    """A lock that goes to the thread that has waited longest.

    A `threading.Lock` may go to the thread that has just released it, again and again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards the other fields
        self._is_taken = False
        self._waiting: deque[threading.Lock] = deque()  # each is released when its thread has the turn

    def __enter__(self) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False
