"""Prefixes that stay in the prefix cache although no request uses them: those of saved prompts."""

from collections import OrderedDict
from collections.abc import Callable

from .page_tree import PageNode, SequencePages


class Pins:
    """Pages in use by name, up to a limit. The least recently used ones are given up first."""

    def __init__(self, limit: int, release: Callable[[SequencePages], None]) -> None:
        """`limit`: pages of all pins together. `release` gives the pages of one up."""
        self._limit, self._release = limit, release
        self._pins: OrderedDict[str, SequencePages] = OrderedDict()  # the least recently used first

    @property
    def pages(self) -> int:
        """The pages of all pins. Those of two pins count twice."""
        return sum(pages.count - first for pages in self._pins.values() for first in pages.first)

    def holders(self) -> list[SequencePages]:
        """The pages of each pin."""
        return list(self._pins.values())

    def nodes(self) -> set[PageNode]:
        """The nodes of the prefix cache's tree that are pinned."""
        return {node for pages in self._pins.values() for node in pages.nodes}

    def add(self, name: str, pages: SequencePages) -> None:
        """Pin the prefix that `pages` have acquired. A previous pin of this name ends."""
        self.remove(name)
        self._pins[name] = pages
        while self.pages > self._limit:
            self.remove_oldest()

    def use(self, name: str) -> bool:
        """Note that a pin is used. False if there is none of this name."""
        if name in self._pins:
            self._pins.move_to_end(name)
        return name in self._pins

    def remove(self, name: str) -> None:
        """Let a prefix be evicted. Does nothing if there is no pin of this name."""
        if name in self._pins:
            self._release(self._pins.pop(name))

    def remove_oldest(self) -> bool:
        """End the pin that was not used for the longest time. False if there is none."""
        if not self._pins:
            return False
        self.remove(next(iter(self._pins)))
        return True
