"""The signals that end a command: SIGINT (Ctrl-C), SIGTERM, and SIGHUP except under nohup."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Within the block, these signals raise KeyboardInterrupt, even if the shell ignores Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with _signal_handler(interrupt):
        yield


@contextmanager
def signals_as_event() -> Iterator[threading.Event]:
    """Within the block, these signals set the event. This is for code that must not be interrupted."""
    event = threading.Event()
    with _signal_handler(lambda *_: event.set()):
        yield event


@contextmanager
def _signal_handler(handler: Callable[..., None]) -> Iterator[None]:
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, previous_handler in previous.items():
            signal.signal(number, previous_handler)
