"""Starts the parts of the service, and restarts each part that ends by itself."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import click

from model_core.errors import TritonchatError

from ..system.child_process import GIVE_UP_STATUS, ChildProcess
from ..system.restarts import MAX_RESTARTS, RESTART_WINDOW_S, Restarts

_POLL_S = 0.1


@dataclass(frozen=True)
class Part:
    """A part of the service, by its name in `restarts.PARTS`.

    Its first start fails if it is not up within `start_limit_s` seconds (None: no limit). It may take
    `grace_s` seconds to stop.
    """

    name: str
    launch: Callable[[], ChildProcess]
    start_limit_s: float | None = 120.0
    grace_s: float = 10.0


class Supervisor:
    """Runs the parts. Call `start`, then `watch`, which returns only by an exception, then `stop`."""

    def __init__(self, parts: Sequence[Part], restarts: Restarts) -> None:
        """`parts` are started together, and stopped one after the other in this order."""
        self._parts, self._restarts = parts, restarts
        self._children: dict[str, ChildProcess] = {}

    def start(self) -> None:
        """Start all parts and wait until they are up. Raises TritonchatError if one does not come up."""
        for part in self._parts:
            self._children[part.name] = part.launch()
        for part in self._parts:
            start = time.monotonic()
            while not self._children[part.name].is_up():
                for child in self._children.values():
                    if child.has_ended():
                        raise TritonchatError(child.describe_start_failure())
                if part.start_limit_s is not None and time.monotonic() - start > part.start_limit_s:
                    raise TritonchatError(self._children[part.name].describe_start_failure())
                time.sleep(_POLL_S)

    def watch(self) -> NoReturn:
        """Restart each part that ends. Raises TritonchatError for a part that ends too often."""
        restart_times: dict[str, float] = {}  # of the parts that have ended
        starting: set[str] = set()  # the parts that are not up again yet
        while True:
            for part in self._parts:
                child = self._children[part.name]
                if part.name in restart_times:
                    if time.monotonic() >= restart_times[part.name]:
                        del restart_times[part.name]
                        self._children[part.name] = part.launch()
                        starting.add(part.name)
                elif child.has_ended():
                    starting.discard(part.name)
                    child.kill()  # the processes that it has started
                    restart_times[part.name] = time.monotonic() + self._restart_delay(part, child)
                elif part.name in starting and child.is_up():
                    starting.discard(part.name)
                    click.echo(f"{child.name} is up again.", err=True)
            time.sleep(_POLL_S)

    def _restart_delay(self, part: Part, child: ChildProcess) -> float:
        """The seconds to wait before a restart. Raises TritonchatError if the part is to be given up."""
        reason = child.read_error() or f"{child.log or 'the output above'} may say why."
        if child.process.returncode == GIVE_UP_STATUS:
            raise TritonchatError(reason)
        ending = f"{child.name} stopped by itself ({child.describe_exit()})"
        delay_s = self._restarts.add(part.name)
        if delay_s is None:
            times = f"more than {MAX_RESTARTS} times within {RESTART_WINDOW_S:.0f} s"
            raise TritonchatError(f"{ending} {times}; {reason}")
        click.echo(f"{ending}, and is started again; {reason}", err=True)
        return delay_s

    def stop(self) -> None:
        """Stop all parts. A first KeyboardInterrupt cuts running answers off, a second kills all parts."""
        try:
            for part in self._parts:
                if part.name in self._children:
                    child = self._children[part.name]
                    if not child.is_up():
                        child.kill()  # it has no work that could be lost
                    try:
                        child.stop(part.grace_s)
                    except KeyboardInterrupt:
                        child.stop(part.grace_s)
        finally:
            for child in self._children.values():
                child.kill()
